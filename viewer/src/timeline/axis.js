/**
 * axis.js - the horizontal axis: the allocation clock or time, from the one to the other, and where ticks stand.
 *
 * The view keeps its range in clocks, as the link does (docs/PAGE.md), and draws in values of the axis. Between the ticks whose time
 * the page knows, time is linear. Ticks of the vertical axis, in bytes, are here too.
 */
import {bytes, exact} from '../format.js';
import {countBelow} from './pyramid.js';

/** value at x of the line through the points (from[i], to[i]); before the first and behind the last the nearest part goes on */
function between(from, to, x) {
  const last = from.length - 1;
  if (last < 1) return x;
  const i = Math.min(last, Math.max(1, countBelow(from, x)));
  const span = from[i] - from[i - 1];
  return span ? to[i - 1] + (to[i] - to[i - 1]) * (x - from[i - 1]) / span : to[i];
}

export class Axis {
  /**
   * @param {'clock'|'time'} name
   * @param {{clock: ArrayLike<number>, time: ArrayLike<number>}} stamps the time of some ticks, both ascending
   * @param {number} first clock of the run
   * @param {number} last
   */
  constructor(name, stamps, first, last) {
    this.name = name;
    this.stamps = stamps;
    this.begin = this.ofClock(first);
    this.end = Math.max(this.ofClock(last + 1), this.begin + 1);
  }

  /** @param {number} clock @returns {number} its place on this axis */
  ofClock(clock) {
    return this.name === 'time' ? this.timeOf(clock) : clock;
  }

  /** @param {number} value on this axis @returns {number} clock, with fractions */
  toClock(value) {
    return this.name === 'time' ? between(this.stamps.time, this.stamps.clock, value) : value;
  }

  /** @param {number} clock @returns {number} nanoseconds */
  timeOf(clock) {
    return between(this.stamps.clock, this.stamps.time, clock);
  }

  /** Clocks at the borders of so many columns of equal width. @param {number} from on this axis @param {number} to @param {number} columns */
  borders(from, to, columns) {
    const made = new Float64Array(columns + 1);
    for (let i = 0; i <= columns; ++i) made[i] = this.toClock(from + (to - from) * i / columns);
    return made;
  }

  /** A range kept inside the run and not narrower than can be told apart. @returns {[number, number]} */
  clamped(from, to) {
    const whole = this.end - this.begin, least = Math.min(whole, this.name === 'time' ? 100 : 4);
    const width = Math.min(whole, Math.max(least, to - from));
    const begin = Math.min(this.end - width, Math.max(this.begin, to - from < least ? (from + to - width) / 2 : from));
    return [begin, begin + width];
  }

  /** @param {number} value @param {number} [step] between two that are told apart */
  text(value, step = 0) {
    return this.name === 'time' ? timeText(value, step) : exact(Math.round(value));
  }

  /** @returns {{value: number, text: string}[]} at most about so many */
  ticks(from, to, most) {
    let step = niceStep((to - from) / Math.max(1, most));
    if (this.name === 'clock') step = Math.max(1, step);
    const made = [];
    for (let i = Math.ceil(from / step); i * step <= to; ++i) made.push({value: i * step, text: this.text(i * step, step)});
    return made;
  }
}

/** 1, 2 or 5 times a power of ten, not less than a width. */
function niceStep(width) {
  const power = 10 ** Math.floor(Math.log10(Math.max(width, 1e-9)));
  return [1, 2, 5, 10].find(factor => factor * power >= width * (1 - 1e-9)) * power;
}

/** Nanoseconds in one unit for the whole axis, with as many digits as tell two ticks apart. */
function timeText(value, step) {
  const [size, unit] = [[1e9, 's'], [1e6, 'ms'], [1e3, 'us'], [1, 'ns']].find(([limit]) => Math.abs(value) >= limit) || [1, 'ns'];
  const digits = Math.max(0, Math.ceil(-Math.log10((step || Math.abs(value) / 1000 || 1) / size) - 1e-9));
  return `${(value / size).toFixed(Math.min(9, digits))} ${unit}`;
}

/** Ticks of bytes: 1, 2, 5, 10 … 500 of a unit. @param {number} top @param {number} most @returns {{value: number, text: string}[]} */
export function byteTicks(top, most) {
  const width = top / Math.max(1, most);
  let unit = 1;
  while (width >= unit * 512) unit *= 1024;
  const step = unit * ([1, 2, 5, 10, 20, 50, 100, 200, 256, 512].find(factor => factor * unit >= width) || 1024);
  const made = [];
  for (let value = 0; value <= top; value += step) made.push({value, text: bytes(value).replace(/\.00 /, ' ')});
  return made;
}
