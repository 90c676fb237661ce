/**
 * groups.js - the groups by which blocks are coloured and added up: source line, call path, function, label, or age.
 *
 * The view makes groups when colours or the track change; paint.js, the legend and compose.js use them. Lines, call paths, functions and labels are
 * ranked by what they hold at the track's peak and by how much of the picture they cover; the first have a colour each, all others share the last
 * group. The colour of a line is that of the whole page (line_colors.js); its rank is only its place in the legend. Ages are grouped by powers of ten and coloured from cividis; blocks that are not kept one by one have no age.
 */
import {CATEGORIES, category, isHatched, restColor, sequence} from '../color.js';
import {short, time} from '../format.js';
import {placesOfLines} from '../line_colors.js';
import {frameOf, lineKey, pathOf, placeText, textOf} from '../model.js';

export const COLORS = [
  {name: 'line', title: 'line'}, {name: 'path', title: 'call path'}, {name: 'function', title: 'function'}, {name: 'label', title: 'label'}, {name: 'age', title: 'age'}];

/**
 * @typedef {object} Coloring
 * @property {string} by of COLORS
 * @property {number} count of groups; the last one is all others
 * @property {string[]} names
 * @property {string[]} colors CSS
 * @property {boolean[]} hatched
 * @property {number[]} nodes a path node of each group, 0 where it has none
 * @property {Uint16Array} ofCell
 * @property {Uint8Array|null} ofBlock null: that of its cell
 * @property {number} others how many are in the last group; it is not shown if there are none
 */

const KEYS = {
  line: (page, cell) => {
    const frame = frameOf(page, page.profile.cells.node[cell]);
    return {key: lineKey(frame), name: placeText(frame)};
  },
  path: (page, cell) => {
    const node = page.profile.cells.node[cell], calls = pathOf(page, node).filter(({kind, line}, i, all) => kind === 'call' || kind === 'native' || i + 1 === all.length);
    return {key: String(node), name: calls.reverse().map(frame => `${frame.function || frame.name}${frame.line ? `:${frame.line}` : ''}`).join(' < ') || '(unknown)'};
  },
  function: (page, cell) => {
    const frame = frameOf(page, page.profile.cells.node[cell]), name = frame.function || frame.name || '(unknown)';
    return {key: name, name};
  },
  label: (page, cell) => {
    const name = textOf(page, page.profile.cells.label[cell]) || '(no label)';
    return {key: name, name};
  },
};

/**
 * @param {object} page
 * @param {'line'|'path'|'function'|'label'} by
 * @param {ArrayLike<number>} weights of cells: the heavier, the earlier in the order
 * @returns {Coloring}
 */
function byCell(page, by, weights, dark) {
  const {node} = page.profile.cells, found = new Map();
  for (let cell = 0; cell < node.length; ++cell) {
    const {key, name} = KEYS[by](page, cell);
    if (!found.has(key)) found.set(key, {key, name, weight: 0, cells: [], node: node[cell]});
    const one = found.get(key);
    one.weight += weights[cell];
    one.cells.push(cell);
  }
  const ranked = [...found.values()].sort((a, b) => b.weight - a.weight || (a.name < b.name ? -1 : 1));
  const places = by === 'line' ? placesOfLines(page) : null;
  const named = places ? ranked.filter(one => places.has(one.key)) : ranked.slice(0, CATEGORIES), placeOf = group => places ? places.get(named[group].key) : group;
  const ofCell = new Uint16Array(node.length).fill(named.length);
  named.forEach((one, group) => one.cells.forEach(cell => {
    ofCell[cell] = group;
  }));
  const others = ranked.length - named.length;
  return {by, count: named.length + 1, ofCell, ofBlock: null, others, nodes: [...named.map(one => one.node), 0],
    names: [...named.map(one => one.name), `${others} other ${by === 'path' ? 'call path' : by}s`],
    colors: [...named.map((_, group) => category(placeOf(group), dark)), restColor(dark)], hatched: [...named.map((_, group) => isHatched(placeOf(group))), false]};
}

/** Powers of ten from 1 us to an hour; the last group has blocks that were not freed. */
const AGES = Array.from({length: 10}, (_, i) => 1e3 * 10 ** i);

/** @param {object} page @param {import('../events.js').Events} events @returns {Coloring} */
function byAge(page, events, dark) {
  const low = events.arrays['block.age_low'], high = events.arrays['block.age_high'], end = events.arrays['block.end'];
  const step = new Uint8Array(low.length), used = new Set();
  for (let i = 0; i < low.length; ++i) {
    const age = high[i] * 2 ** 32 + low[i];
    let at = 0;
    while (at < AGES.length && age >= AGES[at]) ++at;
    used.add(step[i] = end[i] === 0xffffffff ? AGES.length + 1 : at);
  }
  const steps = [...used].sort((a, b) => a - b), groupOf = new Uint8Array(AGES.length + 2);
  steps.forEach((at, group) => {
    groupOf[at] = group;
  });
  const name = at => at > AGES.length ? 'not freed' : at === 0 ? `under ${short(time(AGES[0]))}`
    : at === AGES.length ? `from ${short(time(AGES[at - 1]))}` : `${short(time(AGES[at - 1]))} to ${short(time(AGES[at]))}`;
  return {by: 'age', count: steps.length + 1, ofBlock: step.map(at => groupOf[at]), others: events.header.complete ? 0 : 1, nodes: steps.map(() => 0).concat(0),
    ofCell: new Uint16Array(page.profile.cells.node.length).fill(steps.length), names: [...steps.map(name), 'age not known (not one by one)'],
    colors: [...steps.map((_, group) => sequence(steps.length > 1 ? group / (steps.length - 1) : 1, dark)), restColor(dark)],
    hatched: [...steps.map(() => false), false]};
}

/**
 * @param {object} page @param {import('../events.js').Events} events @param {string} by of COLORS @param {ArrayLike<number>} weights of cells
 * @param {boolean} dark
 * @returns {Coloring}
 */
export const coloringOf = (page, events, by, weights, dark) => by === 'age' ? byAge(page, events, dark) : byCell(page, by, weights, dark);

/** How heavy cells are: their share of the peak and of the picture. @param {ArrayLike<number>} atPeak @param {ArrayLike<number>} areas */
export function weightsOf(atPeak, areas) {
  const sum = list => list.reduce((total, value) => total + value, 0) || 1;
  const peak = sum(atPeak), area = sum(areas);
  return Float64Array.from(atPeak, (value, cell) => value / peak + areas[cell] / area);
}
