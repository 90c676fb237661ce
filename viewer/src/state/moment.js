/**
 * moment.js - what is live on a device after a tick: the live blocks of each segment by address, and how much is used, free, in holes.
 *
 * The state view moves it. A few events are applied one by one: the rank of the block is inserted into, or removed from, the sorted list of its
 * segment, and only that segment is measured again. For a larger distance, one sweep over all blocks is as fast: they lie in the order of their
 * addresses, so it finds the live ones in order (some milliseconds for a million).
 *
 *   segment  |block|  hole  |block|block|   hole   |      used + free = end - begin
 */
import {BLOCK} from './layout.js';
import {countUpTo} from './order.js';
import {positionAfter} from './steps.js';

const ONE_BY_ONE = 128; // events; above, a sweep costs less

/**
 * @typedef {object} Figures
 * @property {number} used bytes of addresses that blocks lie at
 * @property {number} free bytes of the others, from the segment's begin to its end
 * @property {number} hole bytes of the largest range of free ones @property {number} holeAt its address
 * @property {number} held bytes of the blocks: more than used if some lie over each other
 * @property {number} blocks how many are live @property {number} pieces how many pieces in them
 */

/** 1 - largest hole / all that is free; null if nothing is. @param {{free: number, hole: number}} figures */
export const fragmentation = ({free, hole}) => free > 0 ? 1 - hole / free : null;

/** @param {import('./layout.js').Layout} layout @param {import('./layout.js').Segment} segment @param {Uint32Array} live @returns {Figures} */
export function measure(layout, segment, live) {
  const figures = {used: 0, free: 0, hole: 0, holeAt: segment.begin, held: 0, blocks: 0, pieces: 0};
  const {address, bytes, layer} = layout;
  let reached = segment.begin; // the end of all blocks so far
  const pass = to => {
    if (to - reached > figures.hole) {
      figures.hole = to - reached;
      figures.holeAt = reached;
    }
  };
  for (let i = 0; i < live.length; ++i) {
    const rank = live[i], begin = address[rank], end = begin + bytes[rank];
    if (layer[rank] !== BLOCK && !segment.placeless) {
      ++figures.pieces;
      continue;
    }
    ++figures.blocks;
    figures.held += bytes[rank];
    if (segment.placeless || end === begin) continue; // a block without bytes does not split a hole
    pass(begin);
    if (end > reached) {
      figures.used += end - Math.max(begin, reached);
      reached = end;
    }
  }
  if (segment.placeless) return {...figures, used: figures.held};
  pass(segment.end);
  figures.free = segment.end - segment.begin - figures.used;
  return figures;
}

export class Moment {
  /** @param {import('./layout.js').Layout} layout @param {import('./steps.js').Steps} steps */
  constructor(layout, steps) {
    this.layout = layout;
    this.steps = steps;
    this.position = 0; // events that have happened
    this.clock = 0;
    this.firsts = layout.segments.map(segment => segment.first);
    /** By segment: a sorted array of ranks of which the first `counts` are live. */
    this.ranks = layout.segments.map(() => new Uint32Array(16));
    this.counts = new Uint32Array(layout.segments.length);
    this.measured = layout.segments.map(() => null);
  }

  /** Moves to the state after a tick. @param {number} clock */
  seek(clock) {
    const position = positionAfter(this.steps, clock);
    this.clock = clock;
    if (Math.abs(position - this.position) > ONE_BY_ONE) {
      this.#sweep(clock);
    } else {
      for (let at = this.position; at < position; ++at) this.#take(at, !this.steps.freed[at]);
      for (let at = this.position; at-- > position;) this.#take(at, this.steps.freed[at] === 1);
    }
    this.position = position;
  }

  /** The ranks that are live in a segment, by address. Valid until the next seek. @param {number} segment @returns {Uint32Array} */
  live(segment) {
    return this.ranks[segment].subarray(0, this.counts[segment]);
  }

  /** @param {number} segment its number @returns {Figures} */
  figures(segment) {
    this.measured[segment] ??= measure(this.layout, this.layout.segments[segment], this.live(segment));
    return this.measured[segment];
  }

  /** Figures of all segments together; blocks without an address count only in `placeless`. @returns {Figures & {placeless: number}} */
  totals() {
    const sum = {used: 0, free: 0, hole: 0, holeAt: 0, held: 0, blocks: 0, pieces: 0, placeless: 0};
    this.layout.segments.forEach((segment, number) => {
      const one = this.figures(number);
      sum.blocks += one.blocks;
      sum.pieces += one.pieces;
      sum.held += one.held;
      if (segment.placeless) {
        sum.placeless += one.held;
        return;
      }
      sum.used += one.used;
      sum.free += one.free;
      if (one.hole > sum.hole) [sum.hole, sum.holeAt] = [one.hole, one.holeAt];
    });
    return sum;
  }

  /** The number of the segment a rank lies in. @param {number} rank */
  segmentOf(rank) {
    return countUpTo(this.firsts, rank) - 1;
  }

  isLive(rank) {
    return this.layout.start[rank] <= this.clock && this.clock < this.layout.end[rank];
  }

  #take(event, isLive) {
    const rank = this.steps.rank[event], segment = this.segmentOf(rank), count = this.counts[segment];
    let ranks = this.ranks[segment];
    const at = countUpTo(ranks, rank - 1, 0, count);
    if (isLive) {
      if (count === ranks.length) {
        ranks = new Uint32Array(2 * count);
        ranks.set(this.ranks[segment]);
        this.ranks[segment] = ranks;
      }
      ranks.copyWithin(at + 1, at, count);
      ranks[at] = rank;
      this.counts[segment] = count + 1;
    } else {
      ranks.copyWithin(at, at + 1, count);
      this.counts[segment] = count - 1;
    }
    this.measured[segment] = null;
  }

  #sweep(clock) {
    const {start, end, segments} = this.layout;
    const found = new Uint32Array(this.layout.count);
    segments.forEach((segment, number) => {
      let count = 0;
      for (let rank = segment.first; rank < segment.last; ++rank) {
        if (start[rank] <= clock && clock < end[rank]) found[count++] = rank;
      }
      if (count > this.ranks[number].length) this.ranks[number] = new Uint32Array(count + (count >>> 2));
      this.ranks[number].set(found.subarray(0, count));
      this.counts[number] = count;
      this.measured[number] = null;
    });
  }
}
