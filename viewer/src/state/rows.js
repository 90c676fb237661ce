/**
 * rows.js - the segments of a device cut into lines of equal length, like text, and which live blocks lie in a line. map.js draws them.
 *
 *   segment 7f0000000000 ..   [line: bytes 0 to 256 MiB            ]      every line of the picture is as many bytes long, so that
 *                             [line: 256 to 512 MiB  ]                    sizes can be compared; a short segment is a short line
 *
 * Blocks without an address are placed one after the other, in the order of their allocation.
 */
import {PIECE} from './layout.js';
import {countUpTo} from './order.js';

export const HEAD = 20, LINE = 24, GAP = 8; // pixels: above a segment's lines, of a line, below them
export const LEAST_ROW = 4096, DEFAULT_LINES = 24, MOST_LINES = 250000; // bytes; lines: a browser has no room for more pixels

/** The length of a segment now. The group without addresses is as long as its live blocks. */
export const lengthOf = (moment, number) => {
  const segment = moment.layout.segments[number];
  return segment.placeless ? moment.figures(number).held : segment.end - segment.begin;
};

/** The shortest line, a power of two, at which all segments together have at most this many lines. */
export function rowFor(layout, lines) {
  let row = LEAST_ROW;
  const count = () => layout.segments.reduce((sum, {begin, end}) => sum + Math.max(1, Math.ceil((end - begin) / row)), 0);
  while (count() > Math.max(lines, layout.segments.length)) row *= 2;
  return row;
}

/**
 * @typedef {object} Rows
 * @property {number} row bytes of a line
 * @property {number[]} order numbers of the segments from the top down
 * @property {number[]} top pixels, by place in the order @property {number} height of all
 */

/**
 * @param {import('./moment.js').Moment} moment @param {number} row bytes of a line @param {'size'|'address'} sort
 * @returns {Rows}
 */
export function rowsOf(moment, row, sort) {
  const {segments} = moment.layout, order = segments.map((_, number) => number);
  const size = number => segments[number].placeless ? -1 : segments[number].end - segments[number].begin; // those last
  if (sort === 'size') order.sort((a, b) => size(b) - size(a) || a - b);
  const top = [];
  let height = 0;
  for (const number of order) {
    top.push(height);
    height += HEAD + LINE * Math.max(1, Math.ceil(lengthOf(moment, number) / row)) + GAP;
  }
  return {row, order, top, height};
}

/** The segment and the line at a height; line -1 is the segment's head. @param {Rows} rows @param {number} y pixels */
export function lineAt(rows, y) {
  const place = Math.max(0, countUpTo(rows.top, y) - 1);
  return {place, segment: rows.order[place], line: y - rows.top[place] < HEAD ? -1 : Math.floor((y - rows.top[place] - HEAD) / LINE)};
}

/** The height at which a line begins. @param {Rows} rows */
export const lineTop = (rows, place, line) => rows.top[place] + HEAD + LINE * line;

/**
 * @typedef {object} Spans the live blocks of a segment, by where they begin
 * @property {Uint32Array} ranks
 * @property {Float64Array} from bytes from the begin of the segment @property {Float64Array} to
 * @property {Float64Array} reach the furthest end up to here, so it ascends @property {Float64Array} solid the same of blocks without pieces
 */

/** @param {import('./moment.js').Moment} moment @param {number} number of the segment @returns {Spans} */
export function spansOf(moment, number) {
  const {layout} = moment, {begin, placeless} = layout.segments[number], ranks = moment.live(number);
  const from = new Float64Array(ranks.length), to = new Float64Array(ranks.length), reach = new Float64Array(ranks.length);
  const solid = new Float64Array(ranks.length);
  for (let i = 0, behind = 0, furthest = 0, filled = 0; i < ranks.length; ++i) {
    from[i] = placeless ? behind : layout.address[ranks[i]] - begin;
    to[i] = behind = from[i] + layout.bytes[ranks[i]];
    reach[i] = furthest = Math.max(furthest, to[i]);
    solid[i] = filled = layout.layer[ranks[i]] === PIECE ? filled : Math.max(filled, to[i]);
  }
  return {ranks: ranks.slice(), from, to, reach, solid};
}

/** Indices of the spans that lie in a range of bytes. @param {Spans} spans @returns {{first: number, last: number}} some of them may not */
export const spansIn = (spans, begin, end) => ({first: countUpTo(spans.reach, begin), last: countUpTo(spans.from, end - 1)});

/** The index of the span at a byte: a piece rather than the block it lies in; -1 in a hole. @param {Spans} spans */
export function spanAt(spans, layout, byte) {
  let found = -1;
  for (let {first, last} = spansIn(spans, byte, byte + 1); first < last; ++first) {
    if (spans.from[first] <= byte && byte < spans.to[first] && (found < 0 || layout.layer[spans.ranks[first]] === PIECE)) found = first;
  }
  return found;
}

/** Holes of a segment in a range of bytes, from and to as of the whole hole. @param {Spans} spans @returns {{from: number, to: number}[]} */
export function holesIn(spans, layout, length, begin, end) {
  const holes = [], {first, last} = spansIn(spans, begin, end);
  let reached = first > 0 ? spans.solid[first - 1] : 0;
  for (let i = first; i < last && reached < end; ++i) {
    if (layout.layer[spans.ranks[i]] === PIECE || spans.to[i] === spans.from[i]) continue;
    if (spans.from[i] > reached) holes.push({from: reached, to: spans.from[i]});
    reached = Math.max(reached, spans.to[i]);
  }
  if (reached < end) {
    let next = last; // where the hole at the end of the range ends
    while (next < spans.ranks.length && (layout.layer[spans.ranks[next]] === PIECE || spans.to[next] === spans.from[next])) ++next;
    holes.push({from: reached, to: next < spans.ranks.length ? spans.from[next] : length});
  }
  return holes.filter(hole => hole.to > hole.from && hole.to > begin);
}
