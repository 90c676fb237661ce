/**
 * steps.js - the events of one device in their order, through which the state view steps forward and back.
 *
 * Every allocation and every free of a block that the layout has is one event, at its tick of the allocation clock. Ticks of other devices, and of
 * blocks that the page does not have one by one, are left out, so a step always changes the picture. A position p is the state after the first p
 * events.
 */
import {NONE} from '../events.js';
import {countUpTo, sortBy} from './order.js';

/**
 * @typedef {object} Steps
 * @property {number} count of events
 * @property {Uint32Array} clock by event, ascending
 * @property {Uint32Array} rank of the block, by event
 * @property {Uint8Array} freed 1 if the event is the free of the block
 */

/** The rank of each block, by its number; NONE if the layout does not have it. */
function ranksOfBlocks({block, count}, blocks) {
  const rankOf = new Uint32Array(blocks).fill(NONE);
  for (let rank = 0; rank < count; ++rank) rankOf[block[rank]] = rank;
  return rankOf;
}

/**
 * Visits the blocks in the order of their allocation, which is that of their numbers. So starts need no sort, and memory is read sequentially, which
 * matters most for the time at a million blocks.
 * @param {import('./layout.js').Layout} layout @param {import('../events.js').Events} events @returns {Steps}
 */
export function stepsOf(layout, events) {
  const start = events.arrays['block.start'], end = events.arrays['block.end'];
  const rankOf = ranksOfBlocks(layout, events.blocks);
  const starts = new Uint32Array(layout.count);
  let freed = 0;
  for (let i = 0, to = 0; i < rankOf.length; ++i) {
    if (rankOf[i] === NONE) continue;
    starts[to++] = i;
    freed += end[i] === NONE ? 0 : 1;
  }
  const ends = new Uint32Array(freed);
  for (let i = 0, to = 0; i < starts.length; ++i) {
    if (end[starts[i]] !== NONE) ends[to++] = starts[i];
  }
  sortBy(ends, end);
  const count = starts.length + freed;
  const steps = {count, clock: new Uint32Array(count), rank: new Uint32Array(count), freed: new Uint8Array(count)};
  for (let to = 0, s = 0, e = 0; to < count; ++to) {
    const isFree = s === starts.length || (e < freed && end[ends[e]] < start[starts[s]]);
    const i = isFree ? ends[e++] : starts[s++];
    steps.rank[to] = rankOf[i];
    steps.clock[to] = isFree ? end[i] : start[i];
    steps.freed[to] = isFree ? 1 : 0;
  }
  return steps;
}

/** The position of the state after a tick. @param {Steps} steps @param {number} clock */
export const positionAfter = (steps, clock) => countUpTo(steps.clock, clock);

/**
 * The tick that is a number of events later or earlier. All events of one tick are passed in one step.
 * @param {Steps} steps @param {number} clock now @param {number} by how many events, negative: back
 * @returns {number} the tick of an event; back beyond the first: the tick before it
 */
export function stepFrom(steps, clock, by) {
  if (!steps.count) return clock;
  let position = positionAfter(steps, clock) + by;
  if (by < 0 && position > 0 && steps.clock[position - 1] >= clock) position = positionAfter(steps, clock - 1);
  if (position <= 0) return Math.max(0, steps.clock[0] - 1);
  return steps.clock[Math.min(position, steps.count) - 1];
}

/** The events of a tick. @param {Steps} steps @param {number} clock @returns {{first: number, last: number}} last is behind */
export const eventsOf = (steps, clock) => ({first: countUpTo(steps.clock, clock - 1), last: countUpTo(steps.clock, clock)});
