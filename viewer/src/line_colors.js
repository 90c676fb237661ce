/**
 * line_colors.js - the colour of each source line that allocates: the same in every view, whatever device, moment or range it shows.
 *
 * Lines are ranked once for a page, by the largest share that they have of a device: of its peak, and of what was ever allocated on it. So the lines of
 * a small device have colours, too, and short-lived blocks are not all of the rest. Wrappers count as the lines that call them, as everywhere in the
 * page. Lines beyond the sixteenth share the grey of the rest. Pictures ask for a place (color.js), tables for a mark in a colour that follows the theme.
 */
import {CATEGORIES, COLORS, category, hatchOn, isHatched} from './color.js';
import {el} from './dom.js';
import {frameOf, lineKey} from './model.js';

const ranked = new WeakMap(); // profile -> line key -> place
let ofMarks = null; // the page that marks are of

/** @param {object} page @returns {Map<string, number>} by lineKey the place in the order of colours; lines that share the rest have none */
export function placesOfLines(page) {
  const {profile} = page;
  if (!ranked.has(profile)) {
    const {cells, devices} = profile, weights = new Map(), whole = devices.map(() => [0, 0]);
    const figures = cell => [cells.self_at_peak[cell], cells.self_alloc[cell]];
    cells.node.forEach((_, cell) => figures(cell).forEach((value, i) => {
      whole[cells.device[cell]][i] += value;
    }));
    cells.node.forEach((node, cell) => {
      const key = `${cells.device[cell]}\0${lineKey(frameOf(page, node))}`;
      weights.set(key, (weights.get(key) || 0) + figures(cell).reduce((sum, value, i) => sum + value / (whole[cells.device[cell]][i] || 1), 0));
    });
    const lines = new Map();
    for (const [key, weight] of weights) {
      const line = key.slice(key.indexOf('\0') + 1);
      lines.set(line, Math.max(weight, lines.get(line) || 0));
    }
    const order = [...lines].filter(([, weight]) => weight > 0).sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)).slice(0, CATEGORIES);
    ranked.set(profile, new Map(order.map(([line], place) => [line, place])));
  }
  return ranked.get(profile);
}

/** Makes the colours of marks those of the theme, from now on. @param {object} page whose lines are marked */
export function startMarks(page) {
  ofMarks = page;
  const set = () => {
    for (let place = 0; place < COLORS; ++place) {
      document.documentElement.style.setProperty(`--category-${place}`, category(place));
      document.documentElement.style.setProperty(`--hatch-${place}`, hatchOn(category(place)));
    }
  };
  set();
  addEventListener('themechange', set);
}

/** The mark of a line's colour, to precede its name; null where it has none. @param {{file: string, line: number, function: string}} row */
export function lineMark(row) {
  const place = ofMarks && row.line ? placesOfLines(ofMarks).get(lineKey(row)) : undefined;
  if (place === undefined) return null;
  return el('span', {class: `mark${isHatched(place) ? ' hatched' : ''}`, 'aria-hidden': 'true',
    style: {'background-color': `var(--category-${place % COLORS})`, '--hatch': `var(--hatch-${place % COLORS})`}});
}
