/**
 * axis.js - the horizontal axis: the allocation clock or time, the conversion between them, and the positions of ticks.
 *
 * The view keeps its range in clocks, as the link does (docs/PAGE.md), and draws in values of the axis: ticks of the clock, or
 * nanoseconds.
 */
import {exact} from '../format.js';
import {niceStep, timeText} from '../ticks.js';

/** The share of the run that is added after its end, without events, because a peak at the end would be only a pixel wide. */
export const ROOM = 0.02;

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
    this.end = this.ofClock(last) + Math.max(1, (this.ofClock(last) - this.begin) * ROOM);
  }

  /** @param {number} clock @returns {number} its place on this axis */
  ofClock(clock) {
    return this.name === 'time' ? this.times.timeAt(clock) : clock;
  }

  /** @param {number} value on this axis @returns {number} clock, with fractions; in the room behind the run it is the last one */
  toClock(value) {
    if (value >= this.end) return this.last + 1;
    return this.name === 'time' ? this.times.clockAt(value) : Math.min(this.last, value);
  }

  /** Clocks at the borders of so many columns of equal width. @param {number} from on this axis @param {number} to @param {number} columns */
  borders(from, to, columns) {
    const made = new Float64Array(columns + 1);
    for (let i = 0; i <= columns; ++i) made[i] = this.toClock(from + (to - from) * i / columns);
    return made;
  }

  /** A range kept inside the run and not narrower than can be distinguished. @returns {[number, number]} */
  clamped(from, to) {
    const whole = this.end - this.begin, least = Math.min(whole, this.name === 'time' ? 100 : 4);
    const width = Math.min(whole, Math.max(least, to - from));
    const begin = Math.min(this.end - width, Math.max(this.begin, to - from < least ? (from + to - width) / 2 : from));
    return [begin, begin + width];
  }

  /** @param {number} value @param {number} [step] between two that are distinguished @param {number} [largest] of those beside it, whose unit it has */
  text(value, step = 0, largest = value) {
    return this.name === 'time' ? timeText(value, step, largest) : exact(Math.min(this.last, Math.round(value)));
  }

  /** @returns {{value: number, text: string}[]} at most about so many */
  ticks(from, to, most) {
    let step = niceStep((to - from) / Math.max(1, most));
    if (this.name === 'clock') step = Math.max(1, step);
    const values = [], end = this.name === 'clock' ? Math.min(to, this.last) : to;
    for (let i = Math.ceil(from / step); i * step <= end; ++i) values.push(i * step);
    return values.map(value => ({value, text: this.text(value, step, values[values.length - 1])}));
  }
}
