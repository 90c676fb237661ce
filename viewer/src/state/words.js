/**
 * words.js - events and moments of a device as sentences: "allocated 7f0012000000_2, 4.00 MiB at train.cu:41 step".
 *
 * views/state.js shows them, and screen readers read them; the table and the panel take names and locations from here.
 */
import {NONE} from '../events.js';
import {bytes, exact, plural} from '../format.js';
import {blockName, leftOutText, nodeOfBlock, placeOf} from '../model.js';
import {eventsOf} from './steps.js';

/** The location at which the block was freed; null if it was not freed, or the location is not known. */
function freedAt(page, events, block) {
  const pair = events.arrays['block.pair'][block];
  return pair === NONE ? null : placeOf(page, page.profile.pairs.node[pair]) + leftOutText(page, page.profile.pairs.node[pair]);
}

/** "7f0012000000_2, 4.00 MiB". */
export const blockText = (page, events, block) => `${blockName(page, events, block)}, ${bytes(events.f64('block.bytes', block))}`;

/** One event. @param {boolean} freed */
function eventText(page, events, block, freed) {
  const node = nodeOfBlock(page, events, block), at = placeOf(page, node) + leftOutText(page, node);
  if (!freed) return `allocated ${blockText(page, events, block)} at ${at}`;
  const by = freedAt(page, events, block);
  return `freed ${blockText(page, events, block)} ${by ? `by ${by}` : '(where is not known)'}; allocated at ${at}`;
}

/**
 * What happened at a tick.
 * @param {import('./moment.js').Moment} moment
 * @returns {{text: string, ranks: number[]}} the blocks that changed, at most three of them in words
 */
export function tickText(page, events, {layout, steps}, clock) {
  const {first, last} = eventsOf(steps, clock);
  if (first === last) {
    return {ranks: [], text: first === 0 ? 'before the first event here' : `no event here; the last was event ${exact(steps.clock[first - 1])}`};
  }
  const all = Array.from({length: last - first}, (_, i) => first + i);
  const texts = all.slice(0, 3).map(event => eventText(page, events, layout.block[steps.rank[event]], steps.freed[event] === 1));
  return {ranks: all.map(event => steps.rank[event]),
    text: texts.join('; ') + (all.length > 3 ? `; and ${plural(all.length - 3, 'other change')} by it` : '')};
}

/** @param {{bytes: number, node: number}} oom of profile.ooms */
export function oomText(page, {bytes: asked, node}) {
  const at = node > 0 ? ` at ${placeOf(page, node)}` : '';
  return asked ? `Out of memory here: a request for ${bytes(asked)}${at} failed.` : `Out of memory here: a call${at} failed.`;
}
