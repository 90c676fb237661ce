/**
 * times.js - the clock of a run and its time: from the ticks whose time the page knows, linear in between (docs/PAGE.md, Time).
 *
 * Views with an axis in time call it. Both columns ascend, so a binary search finds the two known ticks around one.
 */

/** The place of the last value that is not above the wanted one; -1 if all are. */
function lastUpTo(values, wanted) {
  let from = 0, to = values.length;
  while (from < to) {
    const middle = (from + to) >> 1;
    if (values[middle] <= wanted) from = middle + 1;
    else to = middle;
  }
  return from - 1;
}

/** @param {ArrayLike<number>} from ascending @param {ArrayLike<number>} to @param {number} at */
function between(from, to, at) {
  const place = Math.max(0, lastUpTo(from, at));
  if (place + 1 >= from.length) return to[Math.min(place, to.length - 1)] ?? 0;
  const width = from[place + 1] - from[place];
  return at <= from[place] || !width ? to[place] : to[place] + (to[place + 1] - to[place]) * (at - from[place]) / width;
}

/**
 * @param {import('./events.js').Events} events
 * @returns {{timeAt(clock: number): number, clockAt(time: number): number}} nanoseconds since the program's start
 */
export function timesOf(events) {
  const {'time.clock': clock = [0], time_low: low = [0], time_high: high = [0]} = events.arrays;
  const time = Float64Array.from(clock, (_, i) => high[i] * 2 ** 32 + low[i]);
  return {timeAt: at => between(clock, time, at), clockAt: at => between(time, clock, at)};
}
