/**
 * format.js - numbers as people read them: bytes, counts, times, shares. All views call it.
 *
 * Sizes and times are written as the tool's reports write them (tools/support/text.c; test/figures.txt has them side by side): sizes in units of 1024,
 * "1.50 GiB", a difference with a sign. What does not apply (null) is "-", as in reports. exact() groups digits by a thin space
 * that does not break.
 */

const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'];
const NONE = '-';

/** Digits in groups of three: "1 536". @param {number|null} value */
export function exact(value) {
  if (value === null || value === undefined) return NONE;
  return String(value).replace(/^(-?\d+)/, digits => digits.replace(/\B(?=(\d{3})+$)/g, '\u202f'));
}

/** "1.50 GiB". @param {number|null} value bytes */
export function bytes(value) {
  if (value === null || value === undefined) return NONE;
  if (!value) return '0';
  let size = Math.abs(value), unit = 0;
  while (unit + 1 < UNITS.length && Number(size.toFixed(2)) >= 1024) {
    size /= 1024;
    ++unit;
  }
  return `${value < 0 ? '-' : ''}${unit ? size.toFixed(2) : size} ${UNITS[unit]}`;
}

/** "+1.50 GiB". @param {number|null} value bytes, a difference */
export const signed = value => (value > 0 ? '+' : '') + bytes(value);

/** @param {number|null} value */
export const count = value => exact(value);

/** "98.63 %"; what is there is never 0. @param {number|null} value hundredths are kept */
export const percent = value => value === null || value === undefined ? NONE : value > 0 && value < 0.005 ? '<\u202f0.01\u202f%' : `${value.toFixed(2)}\u202f%`;

/** "35.1 ms". @param {number|null} value nanoseconds */
export function time(value) {
  if (value === null || value === undefined) return NONE;
  const size = Math.abs(Math.round(value)), sign = value < 0 ? '-' : '', rounded = step => Math.floor((size + step / 2) / step); // halves up, and exactly
  if (size < 1e3) return `${sign}${size} ns`;
  if (size < 999950) return `${sign}${(rounded(1e2) / 10).toFixed(1)} us`;
  if (size < 999950000) return `${sign}${(rounded(1e5) / 10).toFixed(1)} ms`;
  return `${sign}${(rounded(1e6) / 1000).toFixed(3)} s`;
}

/**
 * A figure of a column in its unit.
 * @param {string} unit of profile.columns: bytes, signed, count, percent, time
 * @param {number|null} value
 * @param {boolean} [isExact] bytes and times in full
 */
export function figure(unit, value, isExact = false) {
  if (value === null || value === undefined) return NONE;
  if (isExact && unit !== 'percent') return (unit === 'signed' && value > 0 ? '+' : '') + exact(value);
  return {bytes, signed, count, percent, time}[unit](value);
}

/** "1 us" of "1.0 us": of the limits of bins, which are whole. @param {string} text */
export const short = text => text.replace(/\.0+ /, ' ');

/** "1 block", "2 blocks". @param {number} number @param {string} word */
export const plural = (number, word) => `${exact(number)} ${word}${number === 1 ? '' : 's'}`;
