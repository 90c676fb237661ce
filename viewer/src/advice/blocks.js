/**
 * blocks.js - the blocks of a device as bars over its positions: waiting, used, kept after the last use, maybe used; and where the changes that are made
 * remove them. views/advice.js calls it, below the curve, which has the same width.
 *
 * A span has words for those who do not see it. Colour never says alone what a span is: each kind has a shape of its own, too.
 */
import {el, unseen} from '../dom.js';
import {bytes, exact} from '../format.js';
import {lineMark} from '../line_colors.js';
import {sourceLink} from '../rows.js';
import {blockText, KINDS, spansOf, spanText} from './words.js';

/** How many blocks are shown until the user asks for more. */
const FEW = 24;

/** @param {object[]} steps that are made @returns {Map<number, number[][]>} by number of a block: [from, to] of what they remove */
function removedBy(steps) {
  const removed = new Map();
  for (const [block, from, to] of steps.flatMap(step => step.removed)) {
    removed.set(block, [...removed.get(block) || [], [from, to]]);
  }
  return removed;
}

function bar(block, removed, positions) {
  const place = (from, to) => ({left: `${100 * from / positions}%`, width: `${100 * (to - from) / positions}%`});
  return el('div', {class: 'advice-bar'},
    spansOf(block).map(span => el('span', {class: `span ${span.kind}`, title: `${blockText(block)}: ${spanText(block, span)}`, style: place(span.from, span.to)})),
    removed.map(([from, to]) => el('span', {class: 'span removed', title: `${blockText(block)}: ${KINDS.removed}`, style: place(from, to)})));
}

function row(block, removed, positions) {
  const {allocated} = block, name = allocated.variable || '(no name)';
  return el('li', {class: removed.length ? 'changed' : null},
    el('span', {class: 'name'}, lineMark(allocated), allocated.file ? el('a', {href: sourceLink(allocated), title: blockText(block)}, name) : name,
      ' ', el('span', {class: 'quiet'}, bytes(block.bytes))),
    bar(block, removed, positions),
    unseen([spansOf(block).map(span => spanText(block, span)).join('; '), removed.length ? KINDS.removed : ''].filter(Boolean).join('; ')));
}

/** The kinds that are drawn, with what they mean. */
function legend(blocks, removed) {
  const kinds = new Set(blocks.flatMap(block => spansOf(block).map(({kind}) => kind)));
  if (removed.size) kinds.add('removed');
  return el('ul', {class: 'advice-legend'}, Object.keys(KINDS).filter(kind => kinds.has(kind)).map(kind =>
    el('li', {}, el('span', {class: `span ${kind}`, 'aria-hidden': 'true'}), KINDS[kind])));
}

/**
 * @param {object} device of the section
 * @param {object[]} all steps of the finding @param {number} made how many of them are made
 * @param {boolean} isWhole whether all blocks are asked for @param {() => void} showAll asks for them
 * @returns {Element}
 */
export function blocksPicture(device, all, made, isWhole, showAll) {
  const {blocks, blocks_left_out: leftOut, positions} = device, ever = removedBy(all), removed = removedBy(all.slice(0, made));
  const order = [...blocks.keys()].sort((a, b) => Number(ever.has(b)) - Number(ever.has(a)) || a - b), shown = isWhole ? order : order.slice(0, FEW);
  return el('div', {class: 'advice-blocks'},
    legend(blocks, removed),
    el('ul', {class: 'advice-rows'}, shown.map(i => row(blocks[i], removed.get(i) || [], positions))),
    shown.length < order.length ? el('p', {class: 'more'}, el('button', {type: 'button', onclick: showAll}, `Show all ${exact(order.length)} blocks`)) : null,
    leftOut ? el('p', {class: 'quiet'}, `${exact(leftOut)} smaller blocks that were live at the peak are not drawn.`) : null);
}
