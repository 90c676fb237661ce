/**
 * rest.js - the memory that is not kept one by one, by cell: its part of a column at any moment.
 *
 * The page has it exactly at the highest moments of the whole device, here called knots; from one to the next it is assumed to change linearly.
 * track.js makes it; raster.js and compose.js query it. Where the total of the track is known, the rest is that total minus the kept blocks. The
 * figures of the cells are scaled down if they are more than that (a kind has its highest moments between knots); if they are less, the difference
 * belongs to no line. Between knots the column stays within the highest and lowest value that the track had there, so that no false peak or dip
 * appears.
 */
import {orderOf, pick} from './order.js';
import {countBelow} from './pyramid.js';

/** In an array of ids of pixels: 0 is nothing, i + 1 block i, REST + i cell rest.cell[i], UNKNOWN a rest whose line is not known. */
export const REST = 0x80000000;
export const UNKNOWN = 0xffffffff;
/** The steps between two knots: a power of two, so that products with whole bytes are exact and can be subtracted without error. */
const STEPS = 256;

/**
 * @typedef {object} Rest
 * @property {Uint32Array} knots clocks, ascending
 * @property {Float64Array} known what all cells hold at each knot
 * @property {Uint32Array} names ids of the cells' pixels
 * @property {Uint32Array} cells
 * @property {Uint32Array} knot of each change, ascending
 * @property {Uint32Array} of which of `cells` it changes
 * @property {Float64Array} change
 */

/**
 * @param {{cell: ArrayLike<number>, begin: ArrayLike<number>, part: ArrayLike<number>, change: ArrayLike<number>}} rest of the events
 * @param {Uint8Array} isIn cells of the track
 * @param {Uint32Array} knots none if all blocks are kept
 * @returns {Rest}
 */
export function makeRest(rest, isIn, knots) {
  const mine = [];
  let count = 0;
  for (let i = 0; knots.length && i < rest.cell.length; ++i) {
    if (!isIn[rest.cell[i]]) continue;
    mine.push(i);
    count += rest.begin[i + 1] - rest.begin[i];
  }
  const part = new Uint32Array(count), of = new Uint32Array(count), change = new Float64Array(count), known = new Float64Array(knots.length);
  let place = 0;
  mine.forEach((i, number) => {
    for (let entry = rest.begin[i]; entry < rest.begin[i + 1]; ++entry, ++place) {
      part[place] = rest.part[entry];
      of[place] = number;
      change[place] = rest.change[entry];
      known[part[place]] += change[place];
    }
  });
  for (let i = 1; i < known.length; ++i) known[i] += known[i - 1];
  const order = orderOf(part);
  return {knots, known, names: Uint32Array.from(mine, i => (REST | i) >>> 0), cells: Uint32Array.from(mine, i => rest.cell[i]),
    knot: pick(part, order), of: pick(of, order), change: pick(change, order)};
}

/** The last index in an ascending array whose value is at most a moment; -1 if all are later. */
export const lastUpTo = (ascending, moment) => countBelow(ascending, moment + 1) - 1;

/** Where a moment is among the knots: behind which (-1: before all), and how far on the way to the next. @param {Rest} rest @param {number} moment */
export function wayAt({knots}, moment) {
  const knot = lastUpTo(knots, moment);
  if (knot + 1 >= knots.length) return {knot, way: 0};
  const begin = knot < 0 ? 0 : knots[knot];
  return {knot, way: Math.floor((moment - begin) / (knots[knot + 1] - begin) * STEPS) / STEPS};
}

/**
 * What the rest is at a moment.
 * @param {import('./track.js').Track} track
 * @param {number} moment
 * @param {number} held what the kept blocks hold then
 * @returns {{factor: number, unknown: number, height: number, isExact: boolean}} factor: what the cells hold is multiplied by it; unknown: bytes
 *   whose line is not known, drawn on top of the cells; height: the sum of both; isExact: the value is known, not estimated
 */
export function restAt({rest, sample, most, least}, moment, held) {
  const {knot, way} = wayAt(rest, moment), before = knot < 0 ? 0 : rest.known[knot];
  const known = way ? before + (rest.known[knot + 1] - before) * way : before;
  if (!sample.length) return {factor: 1, unknown: 0, height: 0, isExact: true};
  const last = lastUpTo(sample, moment);
  if (last >= 0 && sample[last] === moment) {
    const height = Math.max(0, most[last] - held);
    return {factor: known > height ? height / known : 1, unknown: Math.max(0, height - known), height, isExact: true};
  }
  // The moment is in the part of the sample before it or of that behind it.
  const a = Math.max(0, last), b = Math.min(sample.length - 1, last + 1);
  const height = Math.max(0, Math.min(Math.max(known, Math.min(least[a], least[b]) - held), Math.max(most[a], most[b]) - held));
  return {factor: known > 0 ? height / known : 1, unknown: known > 0 ? 0 : height, height, isExact: false};
}
