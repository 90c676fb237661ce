/**
 * lanes.js - what lies below the picture on the same axis: steps, marks, out-of-memory events, labels, scopes of each thread.
 *
 * view.js makes them for an axis and draws them with every frame. A lane is rows of intervals (intervals.js); what is too narrow to
 * be seen is drawn together and says how many it is. A click on an interval shows that part of the run. For keys there are
 * "[" and "]" in the view, which go from moment to moment of `stops`.
 */
import {category, inkOn} from '../color.js';
import {el} from '../dom.js';
import {bytes, exact, plural, time} from '../format.js';
import {frameOf, placeText, textOf} from '../model.js';
import {boxesOf, nestedRows, runsOf} from './intervals.js';
import {LEFT, RIGHT} from './picture.js';

/** Colours that are none of the categories: a step is no thing of its own, an out-of-memory event is one that went wrong. */
const STEP = -2, BAD = -1;
const ROW = 15, ROWS_SHOWN = 6, THREADS_SHOWN = 4;

/**
 * @typedef {object} Lane
 * @property {string} title
 * @property {import('./intervals.js').Row[]} rows
 * @property {(item: number) => string} name
 * @property {(item: number) => string} about all that is known of it
 * @property {(item: number) => number} color place among categories, STEP or BAD
 */

const row = (from, to) => ({from: Float64Array.from(from), to: Float64Array.from(to), item: Uint32Array.from(from, (_, i) => i)});

/** Moments of the profile: columns or a list of objects, whichever way they come. */
const listed = given => Array.isArray(given) ? given
  : Object.keys(given || {}).length ? Array.from(given.clock || [], (_, i) => Object.fromEntries(Object.entries(given).map(([key, of]) => [key, of[i]]))) : [];

/** Moments in the order of the axis, with the name that people know them by. */
export function stopsOf(page, axis) {
  const {steps, marks, ooms} = page.profile;
  return [...listed(steps).map(one => ({...one, text: `step ${one.number ?? one.name}`, type: 'step'})),
    ...listed(marks).map(one => ({...one, text: `mark ${one.name}`, type: 'mark'})),
    ...listed(ooms).map(one => ({...one, text: `out of memory: ${bytes(one.bytes)} asked for at ${
      one.node ? placeText(frameOf(page, one.node)) : 'an unknown place'}`, type: 'oom'}))]
    .map(one => ({...one, at: axis.ofClock(one.clock)})).sort((a, b) => a.at - b.at);
}

/** Numbers of 64 bits as one array. */
const joined = (arrays, name) => {
  const high = arrays[`${name}_high`];
  return Float64Array.from(arrays[`${name}_low`], (low, i) => high[i] * 2 ** 32 + low);
};

/** Scopes of each thread as lanes, those of the busiest threads first. */
function scopeLanes(page, events, axis) {
  const {arrays} = events, threads = new Map(), begins = joined(arrays, 'scope.time'), spans = joined(arrays, 'scope.span');
  for (let i = 0; i < events.scopes; ++i) {
    const thread = arrays['scope.thread'][i];
    if (!threads.has(thread)) threads.set(thread, []);
    threads.get(thread).push(i);
  }
  const starts = arrays['scope.start'], ends = arrays['scope.end'];
  const begin = axis.name === 'time' ? i => begins[i] : i => starts[i];
  const end = axis.name === 'time' ? i => begins[i] + spans[i] : i => Math.max(starts[i], ends[i]);
  const frame = i => frameOf(page, arrays['scope.node'][i]);
  const name = i => frame(i).name || frame(i).function || '(unknown)';
  return [...threads].sort((a, b) => b[1].length - a[1].length || a[0] - b[0]).map(([thread, items]) => ({
    title: `scopes, thread ${thread}`, rows: nestedRows(items, begin, end), name, color: i => arrays['scope.node'][i],
    about: i => `${placeText(frame(i))}: ${time(spans[i])}, ticks ${exact(starts[i])} to ${exact(ends[i])}`}));
}

/** @returns {Lane[]} */
function lanesOf(page, events, axis, stops) {
  const lanes = [], of = type => stops.filter(stop => stop.type === type);
  const moments = (title, list, color) => list.length && lanes.push({title, rows: [row(list.map(one => one.at), list.map(one => one.at))],
    name: i => list[i].text, about: i => `${list[i].text}: tick ${exact(list[i].clock)}, ${time(list[i].time_ns)}`, color: () => color});
  const steps = of('step');
  if (steps.length) {
    lanes.push({title: 'steps', rows: [row(steps.map(one => one.at), steps.map((_, i) => i + 1 < steps.length ? steps[i + 1].at : axis.end))],
      name: i => String(steps[i].number ?? steps[i].name), about: i => `${steps[i].text}: from tick ${exact(steps[i].clock)}, ${time(steps[i].time_ns)}`,
      color: () => STEP});
  }
  moments('marks', of('mark'), 2);
  moments('out of memory', of('oom'), BAD);
  const {label} = page.profile.cells, cellOf = events.arrays['block.cell'];
  if (label.some(Boolean)) {
    const at = axis.name === 'time' ? joined(events.arrays, 'block.time') : events.arrays['block.start'];
    const runs = runsOf(at, Uint32Array.from(cellOf, cell => label[cell]));
    lanes.push({title: 'labels', rows: [runs], name: text => textOf(page, text), about: text => `blocks with the label ${textOf(page, text)}`,
      color: text => text});
  }
  return [...lanes, ...scopeLanes(page, events, axis)];
}

export class Lanes {
  /** @param {object} page @param {import('../events.js').Events} events @param {(from: number, to: number) => void} onRange on the axis */
  constructor(page, events, onRange) {
    this.page = page;
    this.events = events;
    this.onRange = onRange;
    this.text = el('p', {class: 'tl-lane-text quiet'}, '');
    this.list = el('div', {});
    this.root = el('div', {class: 'tl-lanes'}, this.list, this.text);
    this.isAll = false;
  }

  /** @param {import('./axis.js').Axis} axis */
  setAxis(axis) {
    this.axis = axis;
    this.stops = stopsOf(this.page, axis);
    this.lanes = lanesOf(this.page, this.events, axis, this.stops);
    this.#build();
  }

  #build() {
    const scopes = this.lanes.filter(({title}) => title.startsWith('scopes')), {kept, seen} = this.events.header.scopes;
    const left = this.isAll ? [] : scopes.slice(THREADS_SHOWN);
    this.shown = this.lanes.filter(lane => !left.includes(lane)).map(lane => {
      const rows = this.isAll || !scopes.includes(lane) ? lane.rows : lane.rows.slice(0, ROWS_SHOWN);
      const canvas = el('canvas', {'aria-hidden': 'true', onpointermove: event => this.#tell(event, true), onclick: event => this.#tell(event, false)});
      return {lane, rows, canvas, hidden: lane.rows.length - rows.length,
        root: el('div', {class: 'tl-lane'}, el('span', {class: 'tl-lane-title'}, lane.title), canvas)};
    });
    const deeper = this.shown.reduce((sum, {hidden}) => sum + hidden, 0);
    const notes = [];
    if (left.length || deeper) {
      notes.push(el('button', {type: 'button', onclick: () => {
        this.isAll = true;
        this.#build();
        this.measure(this.width, this.ratio);
        this.draw(this.range, this.style);
      }}, [left.length ? `${plural(left.length, 'more thread')}` : '', deeper ? `${plural(deeper, 'deeper row')}` : ''].filter(Boolean).join(' and ')));
    }
    if (kept < seen) {
      notes.push(el('p', {class: 'quiet'}, `${plural(seen - kept, 'scope')} of ${exact(seen)}, the shortest, are not in this page. A higher --max-size has more.`));
    }
    this.list.replaceChildren(...this.shown.map(({root}) => root), ...notes);
  }

  /** @param {number} width CSS pixels, without the room for the axis @param {number} ratio */
  measure(width, ratio) {
    this.width = width;
    this.ratio = ratio;
    for (const {canvas, rows} of this.shown) {
      const high = rows.length * ROW;
      canvas.width = Math.round((width + RIGHT) * ratio);
      canvas.height = Math.round(high * ratio);
      canvas.style.width = `${width + RIGHT}px`;
      canvas.style.height = `${high}px`;
    }
    this.root.style.setProperty('--tl-left', `${LEFT}px`);
  }

  /** @param {{from: number, to: number}} range @param {CSSStyleDeclaration} style */
  draw(range, style) {
    this.range = range;
    this.style = style;
    const [bad, quiet, bar] = ['--bad', '--quiet', '--bar'].map(name => style.getPropertyValue(name).trim()), colors = {bad, quiet, bar};
    for (const shown of this.shown) {
      const context = shown.canvas.getContext('2d');
      context.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
      context.clearRect(0, 0, this.width + RIGHT, shown.rows.length * ROW);
      context.font = `11px ${style.getPropertyValue('--sans')}`;
      context.textBaseline = 'middle';
      shown.boxes = shown.rows.map(one => boxesOf(one, range.from, range.to, this.width));
      shown.boxes.forEach((boxes, depth) => boxes.forEach(box => this.#box(context, shown.lane, box, depth * ROW, colors)));
    }
  }

  #box(context, lane, box, y, {bad, quiet, bar}) {
    const left = Math.max(0, box.from), right = Math.min(this.width, box.to), place = box.item < 0 ? null : lane.color(box.item);
    const color = place === null ? quiet : place === BAD ? bad : place === STEP ? bar : category(place);
    context.fillStyle = color;
    context.fillRect(left, y + 1, Math.max(right - left - (right - left > 3 ? 1 : 0), lane.rows[0].to === lane.rows[0].from ? 2 : 1), ROW - 2);
    const letters = Math.floor((right - left - 6) / 6.2);
    if (place === null || letters < 2) return;
    const name = lane.name(box.item);
    context.fillStyle = color.startsWith('#') ? inkOn(color) : '#ffffff';
    context.fillText(name.length > letters ? `${name.slice(0, letters - 1)}…` : name, left + 3, y + ROW / 2 + 0.5);
  }

  #tell(event, isHover) {
    const shown = this.shown.find(({canvas}) => canvas === event.target), box = shown.canvas.getBoundingClientRect();
    const x = event.clientX - box.left, boxes = shown.boxes[Math.floor((event.clientY - box.top) / ROW)] || [];
    const found = boxes.find(({from, to}) => x >= from - 2 && x <= Math.max(to, from + 2));
    if (isHover) {
      this.text.textContent = !found ? '' : found.item < 0 ? `${plural(found.count, 'interval')} of ${shown.lane.title}, too narrow to tell apart: zoom in`
        : shown.lane.about(found.item);
    } else if (found) {
      const perPixel = (this.range.to - this.range.from) / this.width, width = (found.to - found.from) * perPixel;
      const from = this.range.from + found.from * perPixel;
      this.onRange(from - width * 0.02, from + width * 1.02);
    }
  }
}
