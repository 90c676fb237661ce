/**
 * strips.js - which pages of a block kernels used, as a strip from its first page to its last: a lane for what was read, one for what was written, and one
 * for how late the last use was. views/advice.js calls it, where device code marks its pages.
 *
 * A lane says what a colour says, and each strip has words for those who see neither. A part of which only some pages are read or written is paler.
 */
import {el} from '../dom.js';
import {bytes, exact, plural} from '../format.js';
import {lineMark} from '../line_colors.js';
import {sourceLink} from '../rows.js';
import {piecesOf, pieceText, stripName, stripText} from './pieces.js';

/** How many blocks are shown until the user asks for more, and how many pieces of one are named. */
const FEW = 12, NAMED = 40;
const LANES = [{kind: 'read', states: [1, 3]}, {kind: 'written', states: [2, 3]}];

/** A share as an opacity: what is there at all can be seen. */
const opacity = share => (0.25 + 0.75 * share).toFixed(2);

function lanes(strip, pieces) {
  const latest = Math.max(strip.clock + 1, ...pieces.map(({last}) => last ?? 0));
  const rect = (kind, {from, to}, lane, share) => el('svg:rect', {class: `strip-${kind}`, x: from, width: to - from, y: 8 * lane + 1, height: 6, 'fill-opacity': opacity(share)});
  return pieces.flatMap(piece => {
    const of = LANES.map(({kind, states}, lane) => [kind, lane, states.reduce((sum, state) => sum + piece.counts[state], 0) / (piece.to - piece.from)]);
    return [...of.filter(([, , share]) => share).map(([kind, lane, share]) => rect(kind, piece, lane, share)),
      piece.last === null ? null : rect('last', piece, 2, Math.max(0, piece.last - strip.clock) / (latest - strip.clock))];
  }).filter(Boolean);
}

function row(strip) {
  const pieces = piecesOf(strip), {allocated} = strip, said = stripText(strip), more = pieces.length - NAMED;
  return el('li', {},
    el('span', {class: 'name'}, lineMark(allocated), allocated.file ? el('a', {href: sourceLink(allocated), title: stripName(strip)}, allocated.variable || '(no name)') : allocated.variable || '(no name)',
      ' ', el('span', {class: 'quiet'}, bytes(strip.bytes))),
    el('div', {},
      el('svg:svg', {class: 'strip', role: 'img', viewBox: `0 0 ${strip.pages} 24`, preserveAspectRatio: 'none', 'aria-label': `${stripName(strip)}: ${said}`}, lanes(strip, pieces)),
      el('details', {}, el('summary', {}, said),
        el('ul', {class: 'strip-pieces'}, pieces.slice(0, NAMED).map(piece => el('li', {}, pieceText(piece))), more > 0 ? el('li', {}, `and ${plural(more, 'more piece')}`) : ''))));
}

const legend = () => el('ul', {class: 'strip-legend'}, [['read', 'read by kernels'], ['written', 'written by kernels'], ['last', 'last use: the stronger, the later']].map(([kind, text]) =>
  el('li', {}, el('span', {class: `strip-key strip-${kind}`, 'aria-hidden': 'true'}), text)));

/**
 * @param {object} advice the section @param {(place: number) => boolean} isShown whether a device is
 * @returns {Element|string} empty where no pages are known
 */
export function stripsPart(advice, isShown) {
  const strips = advice.strips.filter(({place}) => isShown(place)), list = el('ul', {class: 'advice-rows strips'});
  if (!strips.length) return '';
  const rest = el('p', {class: 'more'}, el('button', {type: 'button', onclick() {
    list.append(...strips.slice(FEW).map(row));
    rest.remove();
  }}, `Show all ${exact(strips.length)} blocks`));
  list.append(...strips.slice(0, FEW).map(row));
  return el('section', {'aria-labelledby': 'advice-pages'}, el('h2', {id: 'advice-pages'}, 'Pages of blocks'),
    el('p', {class: 'quiet'}, 'From left to right: the pages of a block, of 4 KiB each, and the lanes of what kernels read, what they wrote, and how late they last used it. Copies and fills count only for what is unused at the end.'),
    legend(), el('div', {class: 'advice-picture'}, list), strips.length > FEW ? rest : '',
    advice.strips_left_out ? el('p', {class: 'quiet'}, `${exact(advice.strips_left_out)} smaller blocks are left out; gpumemprof pages lists them.`) : '');
}
