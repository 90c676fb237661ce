/**
 * axis.js - the horizontal axis: the allocation clock or time, from the one to the other, and where ticks stand.
 *
 * The view keeps its range in clocks, as the link does (docs/PAGE.md), and draws in values of the axis: ticks of the clock, or
 * nanoseconds. Ticks of the vertical axis, in bytes, are here too.
 */
import {bytes, exact} from '../format.js';

export class Axis {
  /**
   * @param {'clock'|'time'} name
   * @param {{timeAt(clock: number): number, clockAt(time: number): number}} times of times.js
   * @param {number} first clock of the run
   * @param {number} last
   */
  constructor(name, times, first, last) {
    this.name = name;
    this.times = times;
    this.last = last;
    this.begin = this.ofClock(first);
    // What is live at the end needs some room in time: nothing happens any more.
    this.end = name === 'time' ? this.begin + Math.max(1, (this.ofClock(last) - this.begin) * 1.005) : last + 1;
  }

  /** @param {number} clock @returns {number} its place on this axis */
  ofClock(clock) {
    return this.name === 'time' ? this.times.timeAt(clock) : clock;
  }

  /** @param {number} value on this axis @returns {number} clock, with fractions */
  toClock(value) {
    if (this.name === 'clock') return value;
    return value >= this.end ? this.last + 1 : this.times.clockAt(value);
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

/** Ticks of bytes: 1, 2, 5, 10 … 512 of a unit. @param {number} low @param {number} high @param {number} most @returns {{value: number, text: string}[]} */
export function byteTicks(low, high, most) {
  const width = (high - low) / Math.max(1, most);
  let unit = 1;
  while (width >= unit * 512) unit *= 1024;
  const step = unit * ([1, 2, 5, 10, 20, 50, 100, 200, 256, 512].find(factor => factor * unit >= width) || 1024);
  const made = [];
  for (let value = Math.ceil(low / step) * step; value <= high; value += step) made.push({value, text: byteText(value, step)});
  return made;
}

/** As few digits as tell two ticks apart: "1 GiB", "10.25 GiB", "10 485 761 KiB". */
function byteText(value, step) {
  const text = bytes(value).replace(/\.00 /, ' ');
  if (bytes(value) !== bytes(value + step)) return text;
  const unit = step >= 2 ** 20 ? 2 ** 20 : step >= 1024 ? 1024 : 1;
  return `${exact(Math.round(value / unit))} ${unit === 1 ? 'B' : unit === 1024 ? 'KiB' : 'MiB'}`;
}
