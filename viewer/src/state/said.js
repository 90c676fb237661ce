/**
 * said.js - the texts around the map: the figures of the moment, the head of a segment, the details of a block. view.js inserts them.
 */
import {el} from '../dom.js';
import {bytes, exact, percent, plural} from '../format.js';
import {blockName, deviceKey, frameOf, nodeOfBlock} from '../model.js';
import {linkTo} from '../route.js';
import {sourceLink} from '../rows.js';
import {blockDetails} from '../timeline/details.js';
import {PIECE} from './layout.js';
import {fragmentation} from './moment.js';

const figure = (name, value, title) => [el('span', {class: 'state-figure', title}, `${name} `, el('b', {}, value)), ' '];

/** @param {ReturnType<import('./moment.js').Moment['totals']>} totals @returns {Node[]} */
export function figuresLine(totals) {
  const torn = fragmentation(totals);
  return [
    figure('used', bytes(totals.used), exact(totals.used)), figure('in', plural(totals.blocks, 'block')),
    totals.pieces ? figure('with', plural(totals.pieces, 'piece')) : [],
    figure('free in segments', bytes(totals.free), exact(totals.free)), figure('largest hole', bytes(totals.hole), `at ${totals.holeAt.toString(16)}`),
    figure('fragmentation', torn === null ? '-' : percent(100 * torn), '1 - largest hole / all free in segments'),
    totals.placeless ? figure('without an address', bytes(totals.placeless), 'arrays, physical memory, variables: CUDA reports no address of them') : [],
  ].flat(2);
}

/** The line above a segment. @param {import('./moment.js').Moment} moment @param {number} number */
export function headText(moment, number) {
  const segment = moment.layout.segments[number], one = moment.figures(number), length = segment.end - segment.begin;
  if (segment.placeless) return `without an address: ${bytes(one.held)} in ${plural(one.blocks, 'block')}, in the order of their allocation`;
  return `${segment.begin.toString(16)}  ${bytes(length)}: used ${bytes(one.used)} (${percent(100 * one.used / Math.max(1, length))}) in ${plural(one.blocks, 'block')}` +
    (one.free > 0 ? `, free ${bytes(one.free)}, largest hole ${bytes(one.hole)}, fragmentation ${percent(100 * fragmentation(one))}` : ', nothing free');
}

/** The block that a piece lies in, -1 if none is live. */
function holderOf(moment, rank) {
  const {layout} = moment, address = layout.address[rank], live = Array.from(moment.live(moment.segmentOf(rank))).reverse();
  return live.find(one => layout.layer[one] !== PIECE && layout.address[one] <= address && address < layout.address[one] + layout.bytes[one]) ?? -1;
}

/**
 * The details of the selected block, else of the one that changed.
 * @param {import('./view.js').StateView} view
 * @returns {Node[]}
 */
export function blockPanel(view) {
  const {page, events, moment, layout} = view, rank = view.selected >= 0 ? view.selected : view.changed.ranks[0] ?? -1;
  if (rank < 0) return [el('p', {class: 'quiet'}, 'Choose a block on the map to see its details.')];
  const block = layout.block[rank], frame = frameOf(page, nodeOfBlock(page, events, block));
  const link = (text, to, state) => el('a', {href: linkTo(to, state)}, text);
  const own = page.profile.cells.device[events.arrays['block.cell'][block]]; // pieces have one of their own
  const holder = layout.layer[rank] === PIECE ? holderOf(moment, rank) : -1;
  const said = blockDetails(page, events, view.times, block, moment.clock).filter(part => !part.classList.contains('tl-links'));
  return [
    el('p', {class: 'quiet'}, view.selected >= 0 ? 'Selected' : 'Changed by this event', moment.isLive(rank) ? '' : ', not live now',
      holder >= 0 ? [', a piece of ', link(blockName(page, events, layout.block[holder]), 'state',
        {...view.link(), block: view.keyOf(holder)})] : null), ...said,
    el('p', {class: 'tl-links'}, link('timeline', 'timeline', {device: deviceKey(page, own), block: view.keyOf(rank)}), ' · ',
      frame.file ? [el('a', {href: sourceLink(frame)}, 'source'), ' · '] : null, link('tree', 'tree', {node: frame.node}), ' · ',
      link('its allocation', 'state', {...view.link(), at: layout.start[rank], block: view.keyOf(rank)})),
  ];
}
