/**
 * sample_range.js - samples, of the monitor and others: those of a device, and of these what a range of the axis shows.
 *
 * samples.js draws them.
 */
import {countBelow} from './tracks/pyramid.js';

/**
 * @param {object} profile @param {number} device place
 * @returns {{clock: number[], time: number[], used: number[], reserved: number[], byMonitor: number}|null}
 *   null where the device was not sampled; byMonitor: how many of them are the monitor's
 */
export function samplesOf(profile, device) {
  const {samples} = profile, own = [];
  if (!samples || !samples.device) return null;
  for (let i = 0; i < samples.device.length; ++i) if (samples.device[i] === device) own.push(i);
  const column = name => own.map(i => samples[name][i]);
  return own.length ? {clock: column('clock'), time: column('time_ns'), used: column('used'), reserved: column('reserved'),
    byMonitor: column('by_monitor').filter(Boolean).length} : null;
}

/**
 * The samples of a range, with what a straight line has at its ends: a curve that crosses the range without a sample in it is still one.
 * @param {number[]} at ascending
 * @param {(number|null)[][]} columns
 * @returns {(number|null)[][]} places, then each column
 */
export function samplesIn(at, columns, from, to) {
  const first = countBelow(at, from), end = countBelow(at, to), last = at.length - 1;
  const line = (values, i, x) => {
    if (i <= 0 || i > last) return x === at[i] ? values[i] : null;
    const [before, behind] = [values[i - 1], values[i]], span = at[i] - at[i - 1];
    return before === null || behind === null ? null : span ? before + (behind - before) * (x - at[i - 1]) / span : behind;
  };
  return [[from, ...at.slice(first, end), to], ...columns.map(values => [line(values, first, from), ...values.slice(first, end), line(values, end, to)])];
}
