/**
 * details.js - the panel with the details of one block: the one below the pointer, or the selected one.
 *
 * view.js calls it. The text of the source line comes from the section `sources`, a moment later.
 */
import {el} from '../dom.js';
import {bytes, exact, plural, time} from '../format.js';
import {blockKey, blockName, deviceKey, deviceTitle, frameOf, leftOutText, pathOf, placeText, sourceText, textOf, whatText} from '../model.js';
import {linkTo} from '../route.js';
import {oneLine, placeCell, sourceLink} from '../rows.js';

const NONE = 0xffffffff;

/** A place for the text of a source line, filled when the section `sources` is there. @returns {HTMLElement} */
function sourceLine(page, {file, line}) {
  const place = el('code', {class: 'tl-source few-lines', hidden: true});
  if (file && line) {
    sourceText(page, file, line).catch(() => null).then(text => {
      place.textContent = text === null ? '' : text.trim();
      place.hidden = text === null;
    });
  }
  return place;
}

const term = (name, ...content) => [el('dt', {}, name), el('dd', {}, ...content)];

const nameOf = frame => frame.kind === 'block' ? `${frame.name}, ${placeText(frame)}` : placeText(frame);

/** The call path, outermost first, by its lines (a function is named by those in it); each leads to the tree. */
function pathList(page, node) {
  const path = pathOf(page, node).filter(({kind}, i, all) => kind !== 'function' || i + 1 === all.length);
  return el('ol', {class: 'tl-path'}, path.map(frame => el('li', {},
    oneLine(linkTo('tree', {node: frame.node}), nameOf(frame), frame.file ? `${nameOf(frame)}\n${frame.file}` : nameOf(frame)))));
}

/**
 * A block that is in the page one by one.
 * @param {object} page @param {import('../events.js').Events} events
 * @param {{timeAt(clock: number): number}} times
 * @param {number} i of the block
 * @param {number} moment clock that the link to the state names
 * @returns {HTMLElement[]}
 */
export function blockDetails(page, events, times, i, moment) {
  const {arrays, f64} = events, {cells, pairs} = page.profile, cell = arrays['block.cell'][i], node = cells.node[cell];
  const frame = frameOf(page, node), size = f64('block.bytes', i), padding = arrays['block.padding'][i];
  const start = arrays['block.start'][i], end = arrays['block.end'][i], pair = arrays['block.pair'][i], begin = f64('block.time', i);
  const age = f64('block.age', i), label = textOf(page, cells.label[cell]), what = whatText(frame);
  const name = blockName(page, events, i), freer = pair === NONE || !pairs.node[pair] ? null : frameOf(page, pairs.node[pair]);
  const device = deviceKey(page, cells.device[cell]);
  return [
    el('h3', {}, el('code', {}, name), ' ', el('span', {title: `${exact(size)} bytes`}, bytes(size))),
    el('dl', {class: 'tl-details'},
      term('line', placeCell({...frame, variable: '', size_expr: '', type: '', callee: ''}), leftOutText(page, node), sourceLine(page, frame)),
      what ? term('what', el('code', {class: 'few-lines', title: what}, what)) : null,
      term('bytes', `${exact(size)}${padding ? `, ${exact(padding)} of them padding` : ''}`),
      term('kind', `${page.profile.kinds[cells.kind[cell]]} on ${deviceTitle(page, cells.device[cell])}`),
      label ? term('label', oneLine(null, label)) : null,
      term('allocated', `event ${exact(start)}, ${time(begin)}, thread ${arrays['block.thread'][i]}`),
      term('freed', end === NONE ? 'not freed' : [`event ${exact(end)}, ${time(begin + age)}`,
        freer ? [' at ', oneLine(freer.file ? sourceLink(freer) : null, placeText(freer)), leftOutText(page, pairs.node[pair])] : ', where is not known']),
      term(end === NONE ? 'lived' : 'lifetime', `${time(age)}${end === NONE ? ', until the end' : `, ${plural(end - start, 'event')}`}`),
      term('call path', pathList(page, node))),
    el('p', {class: 'tl-links'},
      el('a', {href: linkTo('tree', {node})}, 'tree'), ' · ', frame.file ? [el('a', {href: sourceLink(frame)}, 'source'), ' · '] : null,
      el('a', {href: linkTo('state', {device, at: Math.round(moment), block: blockKey(events, i)})}, 'state'))];
}

/**
 * A part of the rest: what one cell holds in blocks that are not in the page one by one.
 * @param {object} page
 * @param {number} cell -1: of which line is not known
 * @param {number|null} size bytes at the moment, null: not known yet
 * @param {boolean} isExact whether they are not estimated
 * @param {number} moment
 */
export function restDetails(page, cell, size, isExact, moment) {
  const title = el('h3', {}, 'Blocks that are not in this page one by one', size === null ? '' : [isExact ? ' ' : ' about ', el('span', {}, bytes(size))]);
  const more = el('p', {class: 'quiet'}, 'This page has only what these blocks held together. One made with a higher ',
    el('code', {}, '--max-size'), ' has more of them one by one.');
  if (cell < 0) return [title, el('p', {}, 'Their lines are known only at the highest moments of the whole device.'), more];
  const node = page.profile.cells.node[cell], frame = frameOf(page, node);
  const label = textOf(page, page.profile.cells.label[cell]);
  return [title, el('dl', {class: 'tl-details'},
    term('line', placeCell(frame), sourceLine(page, frame)),
    term('kind', page.profile.kinds[page.profile.cells.kind[cell]]), label ? term('label', oneLine(null, label)) : null,
    term('at', `event ${exact(Math.round(moment))}`), term('call path', pathList(page, node))), more];
}
