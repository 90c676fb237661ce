/**
 * panel.js - all figures of the frame that has the focus, the text of its line, and links to other views; or the list of frames that were too narrow
 * to draw. views/tree.js calls it.
 */
import {titleOf} from '../columns.js';
import {el} from '../dom.js';
import {bytes, exact, figure as figureText, percent, plural} from '../format.js';
import {frameOf, leftOut, placeText, sourceText} from '../model.js';
import {linkTo} from '../route.js';
import {nameIn, oneLine, sourceLink} from '../rows.js';
import {showTable} from '../table.js';
import {boxText, nameText, valueText, vertexLabel} from './words.js';

/** Rows of the table: the title of a figure, its value, its definition. */
function figureRows(shown, vertex) {
  const {frames, page, order} = shown, {profile} = page, isInverted = vertex.leaves !== null;
  const columns = new Map(profile.columns.map(column => [column.key, column]));
  const row = (key, unit, value, title = titleOf(columns.get(key)?.title || key)) => ({title, unit, value, definition: columns.get(key)?.definition || ''});
  const thenRows = value => frames.self.then ? [{title: shown.figures[0].title, unit: 'bytes', value: value('then'), definition: 'allocated here and in everything called from here'},
    {title: 'number of them', unit: 'count', value: value('then_blocks'), definition: 'how many blocks these are'}] : [];
  if (isInverted) {
    const sum = key => vertex.leaves.reduce((total, leaf) => total + frames.self[key][leaf], 0);
    const way = (title, unit, key, definition) => ({title, unit, value: sum(key), definition});
    return [...thenRows(key => sum(key)), way('allocated', 'bytes', 'self_alloc', 'bytes that the line at the top allocated when it was called this way'),
      way('at peak', 'bytes', 'self_at_peak', 'of these, live when their device was at its peak'), way('leaked', 'bytes', 'leaked', 'of these, not freed by the end'),
      way('blocks', 'count', 'blocks', 'allocations'), row('own_peak_max', 'bytes', order.ownPeak(vertex))];
  }
  const {frame} = vertex, {self, all} = frames;
  const calls = profile.tree.calls[frames.scope[frame]], nodes = new Set([frames.node[frame], frames.scope[frame]]);
  const without = [...nodes].reduce((sum, node) => sum + leftOut(page, node), 0);
  return [...thenRows(key => all[key][frame]), row('self_alloc', 'bytes', self.self_alloc[frame]), row('incl_alloc', 'bytes', all.self_alloc[frame]),
    row('self_at_peak', 'bytes', self.self_at_peak[frame]), row('at_peak', 'bytes', all.self_at_peak[frame]),
    ...(frame ? [row('own_peak_max', 'bytes', order.ownPeak(vertex), frames.place < 0 ? undefined : 'own peak, all devices')] : []),
    row('leaked', 'bytes', self.leaked[frame]), row('escaped', 'bytes', all.leaked[frame]),
    row('blocks', 'count', self.blocks[frame]),
    {title: 'blocks with its calls', unit: 'count', value: all.blocks[frame], definition: 'allocations made here and in everything called from here'},
    ...(frame && calls !== undefined ? [row('calls', 'count', calls, frames.place < 0 ? undefined : 'calls, all devices')] : []),
    ...(without ? [{title: 'not in this page', unit: 'count', value: without,
      definition: 'nodes of the call tree below it: what they allocated and leaked counts as allocated directly here'}] : [])];
}

function figureTable(shown, vertex) {
  return el('table', {class: 'figures small'}, el('caption', {class: 'unseen'}, `Figures of ${nameText(shown.frames, vertex)}`),
    el('tbody', {}, figureRows(shown, vertex).map(({title, unit, value, definition}) => el('tr', {},
      el('th', {scope: 'row', title: definition}, title), el('td', {class: 'number', title: exact(value)}, figureText(unit, value)),
      el('td', {class: 'quiet'}, definition)))));
}

/** The text of the frame's line, inserted once it is available. */
function quote(page, place) {
  const code = el('code', {}), made = el('p', {class: 'quote', hidden: true}, code);
  sourceText(page, place.file, place.line).then(text => {
    if (text === null) return;
    code.textContent = text.trim();
    made.hidden = false;
  }, () => {}); // a damaged section is reported where sources are shown
  return made;
}

function linksOf(page, place) {
  if (!place.file && !place.function) return null;
  const needle = placeText(place), link = (view, state, text) => el('a', {href: linkTo(view, state)}, text);
  return el('p', {class: 'links'},
    place.file && place.line ? [link('source', {file: place.file, line: place.line}, 'source'), ' · '] : null,
    link('lines', {filter: `"${needle.replaceAll('"', '')}"`}, 'in the table of lines'),
    page.has('events') ? [' · ', link('timeline', {search: needle}, 'in the timeline')] : null);
}

/** The frames above, outermost first, as links that zoom there. */
function wayTo(shown, vertex) {
  const way = [];
  for (let at = vertex.parent; at; at = at.parent) way.unshift(at);
  return !way.length ? null : el('p', {class: 'way'}, shown.isInverted ? 'leads to: ' : 'called from: ',
    way.map((at, i) => [i ? ' › ' : '', oneLine(shown.linkOf(at), vertexLabel(shown.frames, at).name)]));
}

/**
 * @param {Element} root emptied first
 * @param {{page: object, frames: object, figure: object, order: object, isInverted: boolean, linkOf: (vertex: object) => string}} shown
 * @param {import('./orders.js').Vertex} vertex
 */
export function showFrame(root, shown, vertex) {
  const {page, frames, order, figure} = shown, place = frameOf(page, frames.node[vertex.frame]);
  const {name, where, verb, what} = vertexLabel(frames, vertex);
  const share = order.root.value > 0 ? ` · ${valueText(figure, vertex.value)}, ${percent(100 * vertex.value / order.root.value)} of all` : '';
  const inFunction = vertex.frame && place.kind !== 'function' && place.function;
  root.replaceChildren(
    el('h2', {}, oneLine(null, name), where ? el('span', {class: 'quiet'}, ` ${verb} `, place.file ? el('a', {href: sourceLink(place), title: place.file}, where) : where,
      inFunction ? [' in ', oneLine(null, inFunction)] : '') : null, el('span', {class: 'quiet'}, share)),
    ...(what ? [el('p', {class: 'what'}, el('code', {class: 'few-lines', title: what}, what))] : []),
    ...(vertex.frame && place.file && place.line ? [quote(page, place)] : []),
    ...[wayTo(shown, vertex), vertex.leaves && vertex.parent ? el('p', {class: 'quiet'}, `${plural(vertex.leaves.length, 'call path')}`) : null,
      figureTable(shown, vertex), vertex.frame ? linksOf(page, place) : null].filter(Boolean));
}

/** What the tip below the pointer says of a box: the same in short. @param {import('./layout.js').Box} box @returns {Node[]} */
export function tipOf(shown, box) {
  const head = el('p', {}, boxText(shown, box)), {vertex} = box;
  if (!vertex) return [head];
  const {what} = vertexLabel(shown.frames, vertex), place = frameOf(shown.page, shown.frames.node[vertex.frame]);
  return [head, what ? el('code', {}, what) : null, vertex.frame && place.file && place.line ? quote(shown.page, place) : null,
    el('dl', {}, figureRows(shown, vertex).map(({title, unit, value}) => el('div', {}, el('dt', {}, title), el('dd', {}, figureText(unit, value)))))].filter(Boolean);
}

/** The frames of a box "n more", in a table; each leads to itself. @param {import('./layout.js').Box} box */
export function showJoined(root, shown, box) {
  const {frames, figure, order, linkOf} = shown;
  root.replaceChildren(el('h2', {}, `${plural(box.joined.length, 'frame')} below `, oneLine(null, vertexLabel(frames, box.above).name), ', each too narrow to draw',
    el('span', {class: 'quiet'}, ` · together ${valueText(figure, box.value)}`)));
  const body = el('div');
  root.append(body);
  showTable(body, {caption: 'Frames that are too narrow to draw', noun: 'frame', rows: box.joined, sort: '-value', shown: ['value', 'share'], onState() {},
    columns: [
      {key: 'place', title: 'frame', fixed: true, value: vertex => nameText(frames, vertex),
        cell: vertex => el('span', {class: 'place'}, nameIn(linkOf(vertex), nameText(frames, vertex)))},
      {key: 'value', title: {self_at_peak: 'at peak', self_alloc: 'allocated'}[figure.width] || figure.title, unit: figure.unit, value: vertex => vertex.value,
        cell: vertex => figure.unit === 'bytes' ? bytes(vertex.value) : exact(vertex.value)},
      {key: 'share', title: 'of all', unit: 'percent', value: vertex => 100 * vertex.value / order.root.value},
    ]}, {});
}
