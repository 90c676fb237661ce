/**
 * lane_rows.js - rows of the lanes that are made of events: labels of blocks, scopes of each thread.
 *
 * The worker makes them once for each axis, because hundreds of thousands of scopes take longer than a frame. lanes.js draws them.
 */
import {nestedRows, runsOf} from './intervals.js';

/** Numbers of 64 bits as one array. */
function joined(arrays, name) {
  const low = arrays[`${name}_low`], high = arrays[`${name}_high`], made = new Float64Array(low.length);
  for (let i = 0; i < made.length; ++i) made[i] = high[i] * 2 ** 32 + low[i];
  return made;
}

/** Runs of blocks that have the same label, in the order of their allocation. @param {ArrayLike<number>} labelOf by cell, 0: none */
function labelRow(arrays, isTime, labelOf) {
  const cellOf = arrays['block.cell'], labels = new Uint32Array(cellOf.length);
  if (!labelOf.some(Boolean)) return runsOf([], []);
  for (let i = 0; i < labels.length; ++i) labels[i] = labelOf[cellOf[i]];
  return runsOf(isTime ? joined(arrays, 'block.time') : arrays['block.start'], labels);
}

/**
 * @param {import('../events.js').Events} events
 * @param {'clock'|'time'} axis
 * @param {ArrayLike<number>} labelOf the label of each cell
 * @returns {{labels: import('./intervals.js').Row, threads: {thread: number, rows: import('./intervals.js').Row[]}[]}} the threads with
 * most scopes first
 */
export function laneRows({arrays, scopes}, axis, labelOf) {
  const labels = labelRow(arrays, axis === 'time', labelOf);
  if (!scopes) return {labels, threads: []};
  const begins = axis === 'time' ? joined(arrays, 'scope.time') : Float64Array.from(arrays['scope.start']), ends = new Float64Array(scopes);
  const spans = axis === 'time' ? joined(arrays, 'scope.span') : null, threadOf = arrays['scope.thread'], threads = new Map();
  for (let i = 0; i < scopes; ++i) {
    ends[i] = spans ? begins[i] + spans[i] : Math.max(begins[i], arrays['scope.end'][i]);
    if (!threads.has(threadOf[i])) threads.set(threadOf[i], []);
    threads.get(threadOf[i]).push(i);
  }
  return {labels, threads: [...threads].sort((a, b) => b[1].length - a[1].length || a[0] - b[0])
    .map(([thread, items]) => ({thread, rows: nestedRows(items, i => begins[i], i => ends[i])}))};
}
