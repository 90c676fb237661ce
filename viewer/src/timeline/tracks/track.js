/**
 * track.js - everything that the picture of one track (a device, or a kind on it) needs, made once when the track is chosen.
 *
 * The worker makes it from the arrays of the section `events` (docs/PAGE.md); raster.js and compose.js read it. Its blocks have places, 0 on, in the
 * order of their allocation. What the kept blocks hold after each of their events is swept once from their starts and ends. If all blocks are kept,
 * these are the totals of the track. Else the page has the exact total at the highest moment of each part (a sample); rest.js has what the other
 * blocks hold at these moments.
 */
import {countBelow, Pyramid} from './pyramid.js';
import {makeRest} from './rest.js';
import {orderOf, pick} from './order.js';

const NEVER = 0xffffffff;

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
  const order = orderOf(made.end), endAt = pick(made.end, order), ends = countBelow(endAt, NEVER);
  return {...made, ending: order.subarray(0, ends), endAt: endAt.subarray(0, ends)};
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
 * @property {Float64Array} least of each part
 * @property {Pyramid} mostHighest
 * @property {import('./rest.js').Rest} rest
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
  const most = isSampled ? wanted.most : new Float64Array(0);
  return {
    complete: input.complete, ...blocks, ...swept, heldHighest: new Pyramid(swept.held), sample: isSampled ? wanted.moment : new Uint32Array(0),
    most, least: isSampled ? wanted.least : most, mostHighest: new Pyramid(most),
    rest: makeRest(input.rest, isIn, isSampled && whole.moment || new Uint32Array(0))};
}
