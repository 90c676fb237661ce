/**
 * lanes.js - what lies below the picture on the same axis: steps, marks, out-of-memory events, labels, scopes of each thread.
 *
 * view.js makes them for an axis and draws them with every frame; rows of labels and scopes come from the worker (lane_rows.js). A lane is rows of
 * intervals (intervals.js); intervals too narrow to be seen are drawn together, with their number. A click on an interval shows that part of the run.
 * The keys "[" and "]" of the view go from one moment of `stops` to another.
 */
import {category, inkOn, isHatched} from '../color.js';
import {fitted} from '../cut.js';
import {el} from '../dom.js';
import {bytes, exact, plural, time} from '../format.js';
import {hatchBox} from '../hatch.js';
import {frameOf, placeText, textOf} from '../model.js';
import {boxesOf} from './intervals.js';
import {LEFT, RIGHT} from './picture.js';

/** Colours that are none of the categories: a step is no thing of its own, an out-of-memory event is one that went wrong. */
const STEP = -2, BAD = -1;
const ROW = 15, ROWS_SHOWN = 6, THREADS_SHOWN = 4, LEAST_NAMED = 20; // ROW and the last are pixels

/**
 * @typedef {object} Lane
 * @property {string} title
 * @property {import('./intervals.js').Row[]} rows
 * @property {(item: number) => string} name
 * @property {(item: number) => string} about all that is known of it
 * @property {(item: number) => number} color place among categories, STEP or BAD
 */

const row = (from, to) => ({from: Float64Array.from(from), to: Float64Array.from(to), item: Uint32Array.from(from, (_, i) => i)});

/** Moments of the profile, which may be columns or a list of objects. */
const listed = given => Array.isArray(given) ? given
  : Object.keys(given || {}).length ? Array.from(given.clock || [], (_, i) => Object.fromEntries(Object.entries(given).map(([key, of]) => [key, of[i]]))) : [];

/** Moments in the order of the axis, with their names. */
export function stopsOf(page, axis) {
  const {steps, marks, ooms} = page.profile;
  return [...listed(steps).map(one => ({...one, text: `step ${one.number ?? one.name}`, type: 'step'})),
    ...listed(marks).map(one => ({...one, text: `mark ${one.name}`, type: 'mark'})),
    ...listed(ooms).map(one => ({...one, text: `out of memory: ${bytes(one.bytes)} requested at ${
      one.node ? placeText(frameOf(page, one.node)) : 'an unknown place'}`, type: 'oom'}))]
    .map(one => ({...one, at: axis.ofClock(one.clock)})).sort((a, b) => a.at - b.at);
}

/** Scopes of each thread as lanes, those of the busiest threads first. @param {{thread: number, rows: object[]}[]} threads of lane_rows.js */
function scopeLanes(page, events, threads) {
  const {arrays, f64} = events, frame = i => frameOf(page, arrays['scope.node'][i]);
  return threads.map(({thread, rows}) => ({
    title: `scopes, thread ${thread}`, rows, name: i => frame(i).name || frame(i).function || '(unknown)', color: i => arrays['scope.node'][i],
    about: i => `${placeText(frame(i))}: ${time(f64('scope.span', i))}, events ${exact(arrays['scope.start'][i])} to ${exact(arrays['scope.end'][i])}`}));
}

/** @param {object|null} found of lane_rows.js, null: not there yet @returns {Lane[]} */
function lanesOf(page, events, axis, stops, found) {
  const lanes = [], of = type => stops.filter(stop => stop.type === type);
  const moments = (title, list, color) => list.length && lanes.push({title, rows: [row(list.map(one => one.at), list.map(one => one.at))],
    name: i => list[i].text, about: i => `${list[i].text}: event ${exact(list[i].clock)}, ${time(list[i].time_ns)}`, color: () => color});
  const steps = of('step');
  if (steps.length) {
    lanes.push({title: 'steps', rows: [row(steps.map(one => one.at), steps.map((_, i) => i + 1 < steps.length ? steps[i + 1].at : axis.end))],
      name: i => String(steps[i].number ?? steps[i].name), about: i => `${steps[i].text}: from event ${exact(steps[i].clock)}, ${time(steps[i].time_ns)}`,
      color: () => STEP});
  }
  moments('marks', of('mark'), 2);
  moments('out of memory', of('oom'), BAD);
  if (found && found.labels.from.length) {
    lanes.push({title: 'labels', rows: [found.labels], name: text => textOf(page, text), about: text => `blocks with the label ${textOf(page, text)}`,
      color: text => text});
  }
  return [...lanes, ...(found ? scopeLanes(page, events, found.threads) : [])];
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

  /** The moments are there at once, what is made of events when the worker has it. @param {import('./axis.js').Axis} axis @param {object|null} found */
  setAxis(axis, found) {
    if (this.axis !== axis) {
      this.stops = stopsOf(this.page, axis);
      this.ooms = this.stops.filter(({type}) => type === 'oom');
    }
    this.axis = axis;
    this.lanes = lanesOf(this.page, this.events, axis, this.stops, found);
    this.#build();
    if (this.width) this.measure(this.width, this.ratio);
  }

  #build() {
    const scopes = this.lanes.filter(({title}) => title.startsWith('scopes')), {kept, seen} = this.events.header.scopes || {kept: 0, seen: 0};
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
      notes.push(el('p', {class: 'quiet'}, `${plural(seen - kept, 'scope')} of ${exact(seen)}, the shortest or of call paths that were left out, are not in this page. A page made with a higher --max-size has more.`));
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

  #box(context, lane, {from, to, item}, y, {bad, quiet, bar}) {
    const left = Math.max(0, from), right = Math.min(this.width, to), place = item < 0 ? null : lane.color(item);
    const color = place === null ? quiet : place === BAD ? bad : place === STEP ? bar : category(place);
    context.fillStyle = color;
    const box = [left, y + 1, Math.max(right - left - (right - left > 3 ? 1 : 0), lane.rows[0].to === lane.rows[0].from ? 2 : 1), ROW - 2];
    context.fillRect(...box);
    if (place >= 0 && isHatched(place)) hatchBox(context, color, box);
    if (place === null || right - left < LEAST_NAMED) return;
    context.fillStyle = color.startsWith('#') ? inkOn(color) : '#ffffff';
    context.fillText(fitted(text => context.measureText(text).width, lane.name(item), right - left - 6), left + 3, y + ROW / 2 + 0.5);
  }

  #tell(event, isHover) {
    const shown = this.shown.find(({canvas}) => canvas === event.target), box = shown.canvas.getBoundingClientRect();
    const x = event.clientX - box.left, boxes = shown.boxes[Math.floor((event.clientY - box.top) / ROW)] || [];
    const found = boxes.find(({from, to}) => x >= from - 2 && x <= Math.max(to, from + 2));
    if (isHover) {
      this.text.textContent = !found ? '' : found.item < 0 ? `${plural(found.count, 'interval')} of ${shown.lane.title}, too narrow to distinguish: zoom in`
        : shown.lane.about(found.item);
    } else if (found) {
      const perPixel = (this.range.to - this.range.from) / this.width, width = (found.to - found.from) * perPixel;
      const from = this.range.from + found.from * perPixel;
      this.onRange(from - width * 0.02, from + width * 1.02);
    }
  }
}
