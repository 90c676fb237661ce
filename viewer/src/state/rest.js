/**
 * rest.js - how much a device held, at a moment, in blocks that the page does not have one by one. views/state.js shows it.
 *
 * The section `events` has it at the highest moment of each part of the run (docs/PAGE.md), so the sentence names that moment.
 */
import {countUpTo} from './order.js';

/**
 * @typedef {object} Rest
 * @property {Uint32Array} moment of each part, ascending
 * @property {Float64Array} held bytes of the rest after it
 */

/**
 * @param {object} profile the section `profile`
 * @param {import('../events.js').Events} events
 * @param {number} device place in profile.devices
 * @returns {Rest|null} null if every block is there one by one
 */
export function restOf(profile, {header, arrays}, device) {
  const track = header.tracks.find(one => one.device === device && (one.kind ?? null) === null);
  if (header.complete || !track) return null;
  const moment = arrays[`${track.prefix}.moment`], held = new Float64Array(moment.length);
  const cell = arrays['rest.cell'], begin = arrays['rest.begin'], part = arrays['rest.part'], change = arrays['rest.change'];
  const custom = profile.kinds.indexOf('custom'), isPieces = profile.devices[device].device === 'custom';
  for (let i = 0; i < cell.length; ++i) {
    if (profile.cells.device[cell[i]] !== device || (profile.cells.kind[cell[i]] === custom && !isPieces)) continue;
    for (let entry = begin[i]; entry < begin[i + 1]; ++entry) held[part[entry]] += change[entry];
  }
  for (let i = 1; i < held.length; ++i) held[i] += held[i - 1];
  return {moment, held};
}

/**
 * @param {Rest} rest
 * @param {number} clock
 * @returns {{bytes: number, clock: number}} at the last moment up to the tick of which it is known; clock -1 if it is none
 */
export function restAt(rest, clock) {
  const at = countUpTo(rest.moment, clock) - 1;
  return at < 0 ? {bytes: 0, clock: -1} : {bytes: rest.held[at], clock: rest.moment[at]};
}
