/**
 * ticks.js - the positions of the ticks of an axis, and their texts: all in the unit of the largest tick, with as few digits as distinguish two of
 * them. The pictures of the overview, the timeline and the samples call it.
 */
import {exact} from './format.js';

const TIMES = [[1e9, 's'], [1e6, 'ms'], [1e3, 'us'], [1, 'ns']];
const SIZES = [[2 ** 40, 'TiB'], [2 ** 30, 'GiB'], [2 ** 20, 'MiB'], [2 ** 10, 'KiB'], [1, 'B']];

/** 1, 2 or 5 times a power of ten, not less than a width. */
export function niceStep(width) {
  const power = 10 ** Math.floor(Math.log10(Math.max(width, 1e-9)));
  return [1, 2, 5, 10].find(factor => factor * power >= width * (1 - 1e-9)) * power;
}

/** The steps that a library may choose from. */
export const STEPS = Array.from({length: 16}, (_, power) => [1, 2, 5].map(factor => factor * 10 ** power)).flat();

const isWhole = number => Math.abs(number - Math.round(number)) < 1e-9 * Math.max(1, number);

/** Nanoseconds. @param {number} value @param {number} step between two that are distinguished @param {number} [largest] of the axis, whose unit all have */
export function timeText(value, step, largest = value) {
  const [size, unit] = TIMES.find(([limit]) => Math.abs(largest) >= limit) || [1, 'ns'];
  const width = (step || Math.abs(value) / 1000 || 1) / size, digits = Math.max(0, Math.ceil(-Math.log10(width) - 1e-9));
  const isHalf = !isWhole(width * 10 ** digits) && isWhole(width * 10 ** (digits + 1)); // 0.25
  return `${(value / size).toFixed(Math.min(9, digits + isHalf))} ${unit}`;
}

/** The texts of ticks that a library chose. @param {number[]} values nanoseconds, ascending at equal steps @returns {string[]} */
export const timeTexts = values => values.map(value => timeText(value, values[1] - values[0] || 0, values[values.length - 1]));

/** Digits behind the point that a step has in a unit, 0 to 2; 3: it has more. */
const digitsOf = (step, size) => [0, 1, 2].find(digits => isWhole(step / size * 10 ** digits)) ?? 3;

/** The unit of the largest tick, or the largest below it in which no tick has to be rounded. */
const sizeFor = (step, largest) => SIZES.find(([size]) => largest >= size && digitsOf(step, size) < 3) || SIZES[SIZES.length - 1];

/** Bytes; 0 has no unit. @param {number} value @param {number} step @param {number} largest */
function byteText(value, step, largest) {
  const [size, unit] = sizeFor(step, largest), digits = digitsOf(step, size);
  return value === 0 ? '0' : `${digits ? (value / size).toFixed(digits) : exact(Math.round(value / size))} ${unit}`;
}

/** Ticks of bytes at 1, 2, 5, 10 … 500 of a unit. @param {number} low @param {number} high @param {number} most @returns {{value: number, text: string}[]} */
export function byteTicks(low, high, most) {
  const width = (high - low) / Math.max(1, most), values = [];
  let unit = 1;
  while (width > unit * 500) unit *= 1024;
  const step = unit * ([1, 2, 5, 10, 20, 50, 100, 200, 500].find(factor => factor * unit >= width) || 1024);
  for (let value = Math.ceil(low / step) * step; value <= high; value += step) values.push(value);
  return values.map(value => ({value, text: byteText(value, step, values[values.length - 1])}));
}
