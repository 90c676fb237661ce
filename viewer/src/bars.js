/**
 * bars.js - a short list of things with their bytes as bars: a table for screen readers, bars for the eye. Overview, leaks and diff call it. Colour
 * adds no information to the figures.
 */
import {el} from './dom.js';
import {bytes, exact, percent} from './format.js';

/**
 * @param {string} caption
 * @param {string} title of the column of bytes
 * @param {{name: Node|string, bytes: number, share: number|null}[]} items share: of the whole, 0 to 1; null: of nothing
 * @returns {Element}
 */
export function topBars(caption, title, items) {
  const most = items.reduce((top, item) => Math.max(top, Math.abs(item.bytes)), 1);
  return el('table', {class: 'bars'}, el('caption', {class: 'unseen'}, caption),
    el('thead', {class: 'unseen'}, el('tr', {}, el('th', {scope: 'col'}, 'location'), el('th', {scope: 'col'}, title), el('th', {scope: 'col'}, 'share'))),
    el('tbody', {}, items.map(item => el('tr', {}, el('th', {scope: 'row'}, item.name),
      el('td', {class: 'figure', title: `${exact(item.bytes)} bytes`}, el('span', {class: 'stroke', style: {width: `${100 * Math.abs(item.bytes) / most}%`}}),
        el('span', {class: 'value'}, bytes(item.bytes))),
      el('td', {class: 'number'}, percent(item.share === null ? null : 100 * item.share))))));
}
