/**
 * when.js - the moment or the range of the run that tables and the tree are about: in the link, and in words.
 *
 *   at=17          what was live after event 17 of the allocation clock
 *   from=3&to=17   what events 3 to 17 allocated, and was still live after event 17
 *
 * Without these keys they are about the whole run.
 */
import {exact, time} from '../format.js';

/**
 * @typedef {object} When
 * @property {'run'|'moment'|'range'} kind
 * @property {number} from clock of the first event of a range; of a moment 0
 * @property {number} to clock
 */

const clockOf = text => /^\d+(\.\d+)?$/.test(text || '') ? Number(text) : -1;

/** @param {Object<string, string>} state of the link @returns {When} */
export function whenOf(state) {
  const at = clockOf(state.at), from = clockOf(state.from), to = clockOf(state.to);
  if (at >= 0) return {kind: 'moment', from: 0, to: Math.floor(at)};
  if (from < 0 && to < 0) return {kind: 'run', from: 0, to: 0};
  return {kind: 'range', from: Math.max(0, Math.ceil(from)), to: to < 0 ? Infinity : Math.floor(to)};
}

/** A key that is the same for the same moment or range. @param {When} when */
export const keyOf = ({kind, from, to}) => `${kind} ${from} ${to}`;

/** The keys of a link to it. @param {When} when @returns {{at?: number, from?: number, to?: number}} */
export const linkOf = ({kind, from, to}) => kind === 'moment' ? {at: to} : kind === 'range' ? {from, to: to === Infinity ? '' : to} : {};

/** @param {When} when @param {{timeAt(clock: number): number}} times @param {number} last clock of the run */
export function whenText({kind, from, to}, times, last) {
  const end = Math.min(to, last), point = clock => `event ${exact(clock)} (${time(times.timeAt(clock))})`;
  return kind === 'moment' ? `after ${point(end)}` : `from ${point(from)} to ${point(end)}`;
}
