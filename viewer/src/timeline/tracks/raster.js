/**
 * raster.js - the picture of a track, exactly: for every pixel the block that it shows.
 *
 * The worker calls it. A column of pixels represents the ticks from its left border up to its right one (if it is narrower than a tick, the tick that
 * it lies in). It shows what was live after the tick at which the track held most, so that no peak is lost at any zoom. Blocks are stacked in the
 * order of their allocation, oldest at the bottom, above the rest. Going from one column to the next applies the events in between to two stacks; a
 * block that lives only between the two moments touches neither. No block is left out because it is small: it has the pixels whose centres lie in it.
 */
import {countBelow} from './pyramid.js';
import {lastUpTo, restAt, UNKNOWN, wayAt} from './rest.js';
import {Stack} from './stack.js';

/** The factor from the highest column to the upper edge, which leaves some space free above it. */
export const HEADROOM = 1.04;

/**
 * The tick each column shows, and what the track held after it.
 * @param {import('./track.js').Track} track
 * @param {Float64Array} borders clocks of the columns' borders, ascending, one more than columns
 * @returns {{moment: Float64Array, total: Float64Array, exact: Uint8Array}} exact: whether the total is known, not estimated
 */
export function momentsOf(track, borders) {
  const columns = borders.length - 1;
  const made = {moment: new Float64Array(columns), total: new Float64Array(columns), exact: new Uint8Array(columns)};
  for (let column = 0; column < columns; ++column) {
    const left = Math.max(0, Math.ceil(borders[column])), right = Math.ceil(borders[column + 1]);
    const first = right > left ? left : Math.max(0, Math.floor(borders[column])), end = Math.max(right, first + 1);
    const sample = track.mostHighest.highest(countBelow(track.sample, first), countBelow(track.sample, end));
    if (sample >= 0) {
      made.moment[column] = track.sample[sample];
      made.total[column] = track.most[sample];
      made.exact[column] = 1;
      continue;
    }
    // What was live at the first tick counts, though its event may be long before.
    const before = lastUpTo(track.moment, first);
    const highest = track.heldHighest.highest(Math.max(0, before), countBelow(track.moment, end));
    const held = highest < 0 ? 0 : track.held[highest];
    made.moment[column] = highest < 0 || highest === before ? first : track.moment[highest];
    made.total[column] = before < 0 && held <= 0 ? 0 : held;
    if (track.complete) made.exact[column] = 1;
    else made.total[column] = held + restAt(track, made.moment[column], held).height;
  }
  return made;
}

/** The state of both stacks at a moment. */
class Stacks {
  constructor(track, moment) {
    this.track = track;
    this.moment = moment;
    this.blocks = new Stack(track.blocks.length);
    this.rest = new Stack(track.rest.cells.length);
    this.nextStart = countBelow(track.start, moment + 1);
    this.nextEnd = countBelow(track.endAt, moment + 1);
    this.knot = -1;  // whose changes of the rest are made
    this.way = 0;    // how far those of the next one are
    this.nextChange = 0;
    for (let i = 0; i < this.nextStart; ++i) if (track.end[i] > moment) this.blocks.heights[i] = track.bytes[i];
    this.blocks.settle();
    this.#changeRest();
  }

  /** Brings the rest to the moment. @returns {boolean} whether it differs */
  #changeRest() {
    const {rest} = this.track, {knot, way} = wayAt(rest, this.moment);
    if (knot === this.knot && way === this.way) return false;
    const add = share => {
      for (let i = this.nextChange; i < rest.knot.length && rest.knot[i] === this.knot + 1; ++i) this.rest.add(rest.of[i], rest.change[i] * share);
    };
    if (knot === this.knot) {
      add(way - this.way);
    } else {
      add(-this.way);
      for (; this.nextChange < rest.knot.length && rest.knot[this.nextChange] <= knot; ++this.nextChange) {
        this.rest.add(rest.of[this.nextChange], rest.change[this.nextChange]);
      }
      this.knot = knot;
      add(way);
    }
    this.way = way;
    return true;
  }

  /** @param {number} moment not before the last one @returns {boolean} whether anything differs */
  goTo(moment) {
    const {start, end, bytes, ending, endAt} = this.track;
    let isChanged = false;
    for (; this.nextEnd < endAt.length && endAt[this.nextEnd] <= moment; ++this.nextEnd) {
      const place = ending[this.nextEnd];
      if (start[place] > this.moment) continue;
      this.blocks.add(place, -bytes[place]);
      isChanged = true;
    }
    for (; this.nextStart < start.length && start[this.nextStart] <= moment; ++this.nextStart) {
      if (end[this.nextStart] <= moment) continue;
      this.blocks.add(this.nextStart, bytes[this.nextStart]);
      isChanged = true;
    }
    this.moment = moment;
    return this.#changeRest() || isChanged;
  }
}

/**
 * @param {import('./track.js').Track} track
 * @param {ArrayLike<number>} moments of the columns, ascending
 * @param {number} height pixels
 * @param {number} bottom bytes at the picture's lower edge
 * @param {number} perPixel bytes
 * @returns {Uint32Array} ids (see rest.js), column by column from the left, each from the bottom up
 */
export function raster(track, moments, height, bottom, perPixel) {
  const ids = new Uint32Array(moments.length * height);
  if (!moments.length) return ids;
  const stacks = new Stacks(track, moments[0]);
  let before = {};
  for (let column = 0, at = 0; column < moments.length; ++column, at += height) {
    const isChanged = stacks.goTo(moments[column]), now = restAt(track, moments[column], stacks.blocks.total);
    if (column && !isChanged && now.factor === before.factor && now.unknown === before.unknown) {
      ids.copyWithin(at, at - height, at);
      continue;
    }
    before = now;
    const {factor, unknown, height: rest} = now;
    let pixel = 0;
    if (factor > 0) pixel = stacks.rest.fill(ids, at, 0, height, -bottom / factor, perPixel / factor, track.rest.names);
    for (; unknown > 0 && pixel < height && (pixel + 0.5) * perPixel + bottom < rest; ++pixel) ids[at + pixel] = UNKNOWN;
    stacks.blocks.fill(ids, at, pixel, height, rest - bottom, perPixel, track.names);
  }
  return ids;
}
