/**
 * compose.js - what a track holds at a moment, added up by groups: of cells (lines, labels) or of blocks (ages, those found).
 *
 * The worker calls it for the legend, the table beside the picture and the number of matches. It walks once over the blocks allocated by then, which
 * takes a millisecond for some hundred thousand.
 */
import {countBelow} from './pyramid.js';
import {restAt, wayAt} from './rest.js';

/**
 * @typedef {object} Groups which group each belongs to
 * @property {number} count
 * @property {ArrayLike<number>|null} ofBlock by the number of the block; null: that of its cell
 * @property {ArrayLike<number>} ofCell of the blocks of the cell, if ofBlock is null, and of its rest
 */

/**
 * @param {import('./track.js').Track} track
 * @param {ArrayLike<number>} cellOf by the number of the block
 * @param {number} moment
 * @param {Groups} groups
 * @returns {{moment: number, total: number, bytes: Float64Array, blocks: Uint32Array, rest: Float64Array, unknown: number, isExact: boolean}} by group
 * bytes (with those of the rest, also one by one) and kept blocks; unknown: bytes of the rest whose line is not known; isExact: the total is not
 * estimated
 */
export function compose(track, cellOf, moment, groups) {
  const {blocks, start, end, bytes, rest} = track;
  const made = {moment, total: 0, bytes: new Float64Array(groups.count), blocks: new Uint32Array(groups.count),
    rest: new Float64Array(groups.count), unknown: 0, isExact: true};
  const began = countBelow(start, moment + 1);
  let held = 0;
  for (let i = 0; i < began; ++i) {
    if (end[i] <= moment) continue;
    const group = groups.ofBlock ? groups.ofBlock[blocks[i]] : groups.ofCell[cellOf[blocks[i]]];
    held += bytes[i];
    made.bytes[group] += bytes[i];
    ++made.blocks[group];
  }
  const {factor, unknown, height, isExact} = restAt(track, moment, held), {knot, way} = wayAt(rest, moment);
  for (let i = 0; i < rest.knot.length && rest.knot[i] <= knot + 1; ++i) {
    made.rest[groups.ofCell[rest.cells[rest.of[i]]]] += rest.change[i] * factor * (rest.knot[i] <= knot ? 1 : way);
  }
  for (let group = 0; group < groups.count; ++group) made.bytes[group] += made.rest[group];
  made.isExact = isExact;
  made.unknown = unknown;
  made.total = held + height;
  return made;
}

/**
 * What was allocated from one event to another and is live after the latter, by groups. Only blocks that are here one by one count.
 * @param {import('./track.js').Track} track
 * @param {ArrayLike<number>} cellOf by the number of the block
 * @param {number} from clock @param {number} to
 * @param {Groups} groups
 * @returns {{total: number, bytes: Float64Array, blocks: Uint32Array, isExact: boolean}} isExact: all blocks are here one by one
 */
export function allocated(track, cellOf, from, to, groups) {
  const {blocks, start, end, bytes} = track, made = {total: 0, bytes: new Float64Array(groups.count), blocks: new Uint32Array(groups.count), isExact: track.complete};
  const began = countBelow(start, to + 1);
  for (let i = countBelow(start, from); i < began; ++i) {
    if (end[i] <= to) continue;
    const group = groups.ofBlock ? groups.ofBlock[blocks[i]] : groups.ofCell[cellOf[blocks[i]]];
    made.total += bytes[i];
    made.bytes[group] += bytes[i];
    ++made.blocks[group];
  }
  return made;
}

/**
 * Bytes times ticks of each cell's blocks over the whole run: how much of the picture it covers.
 * @param {import('./track.js').Track} track
 * @param {ArrayLike<number>} cellOf by the number of the block
 * @param {number} cells
 * @param {number} last clock of the run
 */
export function areas(track, cellOf, cells, last) {
  const made = new Float64Array(cells);
  for (let i = 0; i < track.blocks.length; ++i) {
    made[cellOf[track.blocks[i]]] += track.bytes[i] * (Math.min(track.end[i], last + 1) - track.start[i]);
  }
  const {rest} = track;
  for (let i = 0; i < rest.knot.length; ++i) made[rest.cells[rest.of[i]]] += rest.change[i] * (last + 1 - rest.knots[rest.knot[i]]);
  return made;
}
