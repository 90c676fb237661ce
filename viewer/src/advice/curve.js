/**
 * curve.js - the total of a device over its positions, before the changes of a finding (grey) and after those that are made (a solid line).
 *
 * views/advice.js calls it. It is SVG, whose colours are variables of the theme, so that print and both themes need no second drawing. A curve has the
 * highest total of each part (docs/PAGE.md), so that its peak is the peak.
 */
import {el} from '../dom.js';
import {bytes, exact} from '../format.js';
import {byteTicks} from '../ticks.js';

const HEIGHT = 100, ROOM = 1.05; // of the picture, in its own units; what it is higher than the curve

/** @param {number[]} curve @param {number} highest @returns {string} the line along the tops of its parts */
function lineOf(curve, highest) {
  const y = value => (HEIGHT * (1 - value / highest)).toFixed(3);
  return curve.map((value, i) => `${i ? 'L' : 'M'}${i} ${y(value)}H${i + 1}`).join('');
}

/** @param {number[]} curve @param {number} highest @returns {string} the area below it */
const areaOf = (curve, highest) => `${lineOf(curve, highest)}V${HEIGHT}H0Z`;

/**
 * @param {{curve: number[], peak: number, positions: number}} device of the section
 * @param {number[]|null} after the curve with the changes that are made; null: none is
 * @param {string} title of the device
 * @returns {Element}
 */
export function curvePicture(device, after, title) {
  const {curve} = device, highest = Math.max(1, device.peak) * ROOM, shape = (name, d) => el('svg:path', {class: name, d, 'vector-effect': 'non-scaling-stroke'});
  const peak = after ? Math.max(...after) : device.peak;
  return el('div', {class: 'advice-curve', role: 'img', 'aria-label': `Total of ${title} over ${exact(device.positions)} allocations and operations: at most ${bytes(device.peak)} in this run` +
    (after ? `, ${bytes(peak)} with the changes` : '')},
  el('svg:svg', {viewBox: `0 0 ${Math.max(1, curve.length)} ${HEIGHT}`, preserveAspectRatio: 'none', 'aria-hidden': 'true'},
    shape('area', areaOf(curve, highest)), shape('before', lineOf(curve, highest)), after ? shape('after', lineOf(after, highest)) : null),
  byteTicks(0, device.peak, 4).map(({value, text}) => el('span', {class: 'tick', 'aria-hidden': 'true', style: {bottom: `${100 * value / highest}%`}}, text)));
}
