/**
 * track.js - all that the picture of one track (a device, or a kind on it) needs, made once when the track is chosen.
 *
 * The worker makes it from the arrays of the section `events` (docs/PAGE.md); raster.js and compose.js read it. Its blocks have
 * places, 0 on, in the order of their allocation. What the kept blocks hold after each event is swept once from their starts and ends.
 * If all blocks are kept, these are the totals of the track. Else the page has the exact total at the highest moment of
 * each part (a sample), and the rest by cell: at a sample the rest is what the kept blocks lack of the total. What its cells tell
 * of it is scaled to that where it is more (cells are told at the moments of the whole device, which for a kind are others), and
 * what they do not tell stays without a line.
 */
import {countBelow, Pyramid} from './pyramid.js';

/** In an array of ids of pixels: 0 is nothing, i + 1 block i, REST + i cell rest.cell[i], UNTOLD a rest whose line is not told. */
export const REST = 0x80000000;
export const UNTOLD = 0xffffffff;
const NEVER = 0xffffffff;

/** Places in ascending order of their keys, equal ones as they were. @param {Uint32Array} keys @returns {Uint32Array} */
export function orderOf(keys) {
  let from = Uint32Array.from(keys, (_, i) => i), to = new Uint32Array(keys.length);
  for (const shift of [0, 16]) {
    const begins = new Uint32Array(65537);
    for (let i = 0; i < keys.length; ++i) ++begins[((keys[i] >>> shift) & 0xffff) + 1];
    for (let i = 1; i < begins.length; ++i) begins[i] += begins[i - 1];
    for (let i = 0; i < from.length; ++i) to[begins[(keys[from[i]] >>> shift) & 0xffff]++] = from[i];
    [from, to] = [to, from];
  }
  return from;
}

/** The blocks of a track, and those that have an end in the order of it. */
function blocksOf(input, isIn) {
  const {start, end, bytes, cell} = input;
  let count = 0;
  for (let i = 0; i < start.length; ++i) count += isIn[cell[i]] && end[i] > start[i] ? 1 : 0;
  const made = {blocks: new Uint32Array(count), names: new Uint32Array(count), start: new Uint32Array(count), end: new Uint32Array(count),
    bytes: new Float64Array(count)};
  let place = 0;
  for (let i = 0; i < start.length; ++i) {
    if (!isIn[cell[i]] || end[i] <= start[i]) continue;
    made.blocks[place] = i;
    made.names[place] = i + 1;
    made.start[place] = start[i];
    made.end[place] = end[i];
    made.bytes[place++] = bytes[i];
  }
  const ending = orderOf(made.end).filter(at => made.end[at] !== NEVER);
  return {...made, ending, endAt: Uint32Array.from(ending, at => made.end[at])};
}

/** What the kept blocks hold after each of their events. */
function sweep({start, bytes, ending, endAt}) {
  const moment = new Uint32Array(start.length + ending.length), held = new Float64Array(moment.length);
  let total = 0, count = 0;
  for (let i = 0, j = 0; i < start.length || j < ending.length; ++count) {
    const now = j === ending.length || (i < start.length && start[i] < endAt[j]) ? start[i] : endAt[j];
    while (i < start.length && start[i] === now) total += bytes[i++];
    while (j < ending.length && endAt[j] === now) total -= bytes[ending[j++]];
    moment[count] = now;
    held[count] = total;
  }
  return {moment: moment.slice(0, count), held: held.slice(0, count)};
}

/** The changes of the rest's cells in this track, in the order of their moments. @returns {Rest} */
function restOf(rest, isIn, moments) {
  const mine = [];
  let count = 0;
  for (let i = 0; i < rest.cell.length; ++i) {
    if (!isIn[rest.cell[i]]) continue;
    mine.push(i);
    count += rest.begin[i + 1] - rest.begin[i];
  }
  const part = new Uint32Array(count), of = new Uint32Array(count), change = new Float64Array(count);
  let place = 0;
  mine.forEach((i, number) => {
    for (let entry = rest.begin[i]; entry < rest.begin[i + 1]; ++entry, ++place) {
      part[place] = rest.part[entry];
      of[place] = number;
      change[place] = rest.change[entry];
    }
  });
  const order = orderOf(part);
  const told = new Float64Array(count);
  let sum = 0;
  for (let i = 0; i < count; ++i) told[i] = sum += change[order[i]];
  return {
    told,
    names: Uint32Array.from(mine, i => (REST | i) >>> 0), cells: Uint32Array.from(mine, i => rest.cell[i]),
    moment: Uint32Array.from(order, entry => moments[part[entry]]), of: Uint32Array.from(order, entry => of[entry]),
    change: Float64Array.from(order, entry => change[entry])};
}

/** The last place of an ascending array that is at most a moment; -1 if all are later. */
export const lastUpTo = (ascending, moment) => countBelow(ascending, moment + 1) - 1;

/** What the rest's cells hold together at a moment. @param {Track} track @param {number} moment */
export function toldAt({rest}, moment) {
  const change = lastUpTo(rest.moment, moment);
  return change < 0 ? 0 : rest.told[change];
}

/** How the rest stands at each sample: what its cells tell is multiplied by factor, and untold is on top of it. */
function fitRest(track, most) {
  const {sample, moment, held} = track;
  const factor = new Float64Array(sample.length), untold = new Float64Array(sample.length);
  for (let i = 0, event = 0; i < sample.length; ++i) {
    const told = toldAt(track, sample[i]);
    while (event < moment.length && moment[event] <= sample[i]) ++event;
    const lacked = Math.max(0, most[i] - (event ? held[event - 1] : 0));
    factor[i] = told > lacked ? lacked / told : 1;
    untold[i] = Math.max(0, lacked - told);
  }
  return {factor, untold};
}

/**
 * @typedef {object} Rest
 * @property {Uint32Array} names ids of the cells' pixels
 * @property {Uint32Array} cells
 * @property {Uint32Array} moment of each change, ascending
 * @property {Uint32Array} of which cell it changes
 * @property {Float64Array} change
 * @property {Float64Array} told what all of them hold after it
 */

/**
 * @typedef {object} Track
 * @property {boolean} complete
 * @property {Uint32Array} blocks the block at each place
 * @property {Uint32Array} names ids of their pixels
 * @property {Uint32Array} start
 * @property {Uint32Array} end
 * @property {Float64Array} bytes
 * @property {Uint32Array} ending places of blocks that end, in the order of it
 * @property {Uint32Array} endAt when
 * @property {Uint32Array} moment of each event of a kept block, ascending
 * @property {Float64Array} held what the kept blocks hold after it
 * @property {Pyramid} heldHighest
 * @property {Uint32Array} sample highest moments of the parts, ascending; empty if complete
 * @property {Float64Array} most
 * @property {Pyramid} mostHighest
 * @property {Float64Array} factor
 * @property {Float64Array} untold
 * @property {Rest} rest
 */

/**
 * @param {object} input what client.js sends: start, end, bytes, cell of the blocks; cellDevice, cellKind; rest; tracks; complete
 * @param {number} which place in input.tracks
 * @returns {Track}
 */
export function makeTrack(input, which) {
  const wanted = input.tracks[which];
  const isIn = Uint8Array.from(input.cellDevice, (device, cell) => Number(device === wanted.device &&
    (wanted.kind === null || input.cellKind[cell] === wanted.kind)));
  const blocks = blocksOf(input, isIn);
  const swept = sweep(blocks);
  const isSampled = !input.complete && wanted.moment !== null;
  const whole = input.tracks.find(track => track.device === wanted.device && track.kind === null) || wanted;
  const none = {cell: [], begin: [], part: [], change: []};
  const track = {
    complete: input.complete, ...blocks, ...swept, heldHighest: new Pyramid(swept.held),
    sample: isSampled ? wanted.moment : new Uint32Array(0), most: isSampled ? wanted.most : new Float64Array(0),
    rest: restOf(isSampled && whole.moment ? input.rest : none, isIn, whole.moment)};
  return Object.assign(track, {mostHighest: new Pyramid(track.most)}, fitRest(track, track.most));
}
