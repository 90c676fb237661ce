/**
 * intervals.js - boxes of lanes (scopes, labels) that stay few at any zoom.
 *
 * lanes.js calls it. A row holds intervals that do not overlap, ascending. Intervals of at least a pixel are drawn. Narrower ones are joined, pixel
 * by pixel, into boxes that say how many they hold, so that none is left out without a count. The next box is found by binary search, so the cost of
 * a row depends on its pixels and not on its intervals.
 */
import {countBelow} from './tracks/pyramid.js';

/**
 * @typedef {object} Row
 * @property {Float64Array} from in values of the axis, ascending
 * @property {Float64Array} to
 * @property {ArrayLike<number>} item what each interval is
 */

/**
 * @typedef {object} Box
 * @property {number} from pixel, may lie outside of the picture
 * @property {number} to
 * @property {number} item what it is, -1 where it stands for several
 * @property {number} count how many intervals
 */

/**
 * @param {Row} row
 * @param {number} from of the visible range
 * @param {number} to
 * @param {number} width pixels
 * @returns {Box[]}
 */
export function boxesOf(row, from, to, width) {
  const scale = width / (to - from), boxes = [];
  const last = countBelow(row.from, to);
  for (let i = countBelow(row.to, from); i < last;) {
    const left = (row.from[i] - from) * scale, right = (row.to[i] - from) * scale;
    if (right - left >= 1) {
      boxes.push({from: left, to: right, item: row.item[i], count: 1});
      ++i;
      continue;
    }
    // All that begin within this pixel and are narrow, too: one box of a pixel.
    const pixel = Math.floor(left), end = Math.min(last, Math.max(i + 1, countBelow(row.from, from + (pixel + 1) / scale)));
    const wide = end > i + 1 && (row.to[end - 1] - row.from[end - 1]) * scale >= 1 ? end - 1 : end;
    const count = wide - i, before = boxes[boxes.length - 1];
    const joins = before && before.item === -1 && before.to >= pixel - 0.001;
    if (joins) {
      before.to = pixel + 1;
      before.count += count;
    } else {
      boxes.push({from: pixel, to: pixel + 1, item: count === 1 ? row.item[i] : -1, count});
    }
    i = wide;
  }
  return boxes;
}

/**
 * Nested intervals (the scopes of one thread) as rows: the outermost in row 0.
 * @param {ArrayLike<number>} items
 * @param {(item: number) => number} from
 * @param {(item: number) => number} to not before its from
 * @returns {Row[]}
 */
export function nestedRows(items, from, to) {
  const order = Array.from(items).sort((a, b) => from(a) - from(b) || to(b) - to(a) || a - b), open = [], rows = [];
  for (const item of order) {
    const begin = from(item);
    while (open.length && (open[open.length - 1] < begin || (open[open.length - 1] === begin && to(item) > begin))) open.pop();
    // One that outlives what is around it does not nest (times are rounded): it is drawn as far as that goes.
    const depth = open.length, end = depth ? Math.min(to(item), open[depth - 1]) : to(item);
    open.push(end);
    if (!rows[depth]) rows[depth] = {from: [], to: [], item: []};
    rows[depth].from.push(begin);
    rows[depth].to.push(end);
    rows[depth].item.push(item);
  }
  return rows.map(row => ({from: Float64Array.from(row.from), to: Float64Array.from(row.to), item: Uint32Array.from(row.item)}));
}

/**
 * Joins neighbours with the same value into one interval: labels of blocks, in the order of their allocation.
 * @param {ArrayLike<number>} at place of each on the axis, ascending
 * @param {ArrayLike<number>} what 0: none
 * @returns {Row}
 */
export function runsOf(at, what) {
  const from = [], to = [], item = [];
  for (let i = 0; i < at.length;) {
    let end = i + 1;
    while (end < at.length && what[end] === what[i]) ++end;
    if (what[i]) {
      from.push(at[i]);
      to.push(at[end - 1]);
      item.push(what[i]);
    }
    i = end;
  }
  return {from: Float64Array.from(from), to: Float64Array.from(to), item: Uint32Array.from(item)};
}
