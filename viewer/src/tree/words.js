/**
 * words.js - a frame of the tree in words: its name and its figures. Boxes, their tips, the panel and screen readers use the same texts.
 */
import {bytes, exact, percent, plural} from '../format.js';
import {labelOf} from './frames.js';

/** A value of a figure in its unit. @param {import('./figures.js').Figure} figure @param {number} value */
export const valueText = (figure, value) => figure.unit === 'bytes' ? bytes(value) : plural(value, 'block');

/**
 * @param {import('./frames.js').Frames} frames @param {import('./orders.js').Vertex} vertex
 * @returns {{name: string, where: string, verb: string, what: string, variable: string}}
 */
export function vertexLabel(frames, vertex) {
  if (!vertex.parent) return {name: vertex.leaves ? 'all allocating lines' : 'all calls', where: '', verb: '', what: '', variable: ''};
  return vertex.frame ? labelOf(frames, vertex.frame) :
    {name: '(outside of all recorded calls)', where: '', verb: '', what: '', variable: ''};
}

/** "p = cudaMalloc": a text short enough for a box. @param {{name: string, variable: string}} label */
export const shortName = ({name, variable}) => variable ? `${variable} = ${name}` : name;

/** "step, called at main.c:11". */
export function nameText(frames, vertex) {
  const {name, where, verb} = vertexLabel(frames, vertex);
  return where ? `${name}, ${verb} ${where}` : name;
}

/**
 * What a box says: "step, called at main.c:11: 1.50 GiB, 45.00 % of all; own peak 200 MiB".
 * @param {{frames: object, figure: object, order: import('./orders.js').Order, shade: ((vertex: object) => number)|null}} shown
 * @param {import('./layout.js').Box} box
 */
export function boxText({frames, figure, order, shade}, {vertex, joined, value}) {
  const share = order.root.value > 0 ? `, ${percent(100 * value / order.root.value)} of all` : '';
  if (!vertex) return `${plural(joined.length, 'more frame')}, too narrow to draw: together ${valueText(figure, value)}${share}. Press Enter to list them.`;
  const shaded = shade && vertex.parent ? `; ${figure.title} ${valueText(figure, shade(vertex))}` : '';
  return `${nameText(frames, vertex)}: ${valueText(figure, value)}${figure.color === 'line' ? '' : ' allocated'}${share}${shaded}`;
}

/**
 * The sentence about frames without width.
 * @param {import('./frames.js').Frames} frames @param {import('./figures.js').Figure} figure
 */
export function undrawnText({count, all, ownPeak}, figure) {
  let without = 0, peaks = 0;
  for (let frame = 1; frame < count; ++frame) {
    if (all[figure.width][frame] > 0) continue;
    ++without;
    if (figure.color === 'ownPeak' && ownPeak[frame] > 0) ++peaks;
  }
  if (!without) return '';
  const what = {at_peak: 'held nothing at a peak', leaked: 'leaked nothing', live: 'held nothing then', live_blocks: 'held nothing then', kept: 'kept nothing', kept_blocks: 'kept nothing'}[figure.key] || 'allocated nothing';
  return `${exact(without)} of ${plural(count - 1, 'frame')} ${what} and ${without === 1 ? 'is' : 'are'} not drawn` +
    (peaks ? `, though ${exact(peaks)} of them ${peaks === 1 ? 'has' : 'have'} an own peak: the table of lines has ${peaks === 1 ? 'it' : 'them'}.` : '.');
}
