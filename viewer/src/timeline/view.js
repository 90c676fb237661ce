/**
 * view.js - the timeline with events: what is in sight, what is asked of the worker, what the hand and the keys do.
 *
 * views/timeline.js opens it. A change goes one way: the state changes, a frame is drawn from what is there (picture.js moves the last
 * picture), and the exact picture is asked for; when it comes, another frame is drawn. The range is kept on the axis, in the link in clocks.
 */
import {el} from '../dom.js';
import {bytes, exact, plural, time} from '../format.js';
import {isDark} from '../color.js';
import {blockName, deviceKey, placeOf} from '../model.js';
import {timesOf} from '../times.js';
import {Axis} from './axis.js';
import {Client} from './client.js';
import {Controls} from './controls.js';
import {blockDetails, restDetails} from './details.js';
import {coloringOf, weightsOf} from './groups.js';
import {Lanes} from './lanes.js';
import {Legend} from './legend.js';
import {shadesOf} from './paint.js';
import {Picture} from './picture.js';
import {followPointer} from './pointer.js';
import {Samples, samplesOf} from './samples.js';
import {blockByName, search} from './search.js';
import {Strip} from './strip.js';
import {TopTable} from './top_table.js';
import {REST, UNTOLD} from './track.js';
import {followKeys} from './view_keys.js';

export {KEYS} from './view_keys.js';

const HEIGHT = 420, HEADROOM = 1.04, SETTLED_MS = 250;
const DEFAULTS = {kind: '', color: 'line', axis: 'clock', scale: 'range', search: '', block: ''};

export class TimelineView {
  constructor(root, page, events, state, go) {
    Object.assign(this, {page, events, go, root, times: timesOf(events), tracks: events.header.tracks.map(track => ({...track, kind: track.kind ?? null}))});
    this.client = new Client(events, page.profile);
    this.cellOf = events.arrays['block.cell'];
    this.restCell = events.arrays['rest.cell'] || [];
    this.state = {};
    this.cursor = {column: -1, id: 0};
    this.selected = -1;
    this.samples = null;
    this.controls = new Controls(page, this.tracks, {
      change: (key, value) => this.change({[key]: value, ...(key === 'device' ? {kind: ''} : {})}),
      zoom: factor => this.zoom(0.5, factor), whole: () => this.setRange(this.axis.begin, this.axis.end), peak: () => this.toPeak()});
    this.picture = new Picture(HEIGHT);
    this.strip = new Strip((from, to) => {
      const whole = this.axis.end - this.axis.begin;
      this.setRange(this.axis.begin + from * whole, this.axis.begin + to * whole);
    });
    this.lanes = new Lanes(page, events, (from, to) => this.setRange(from, to));
    this.legend = new Legend(() => this.recolor());
    this.table = new TopTable(page);
    this.status = el('p', {class: 'tl-status', role: 'status', id: 'tl-status'});
    this.block = el('div', {class: 'tl-block', tabindex: '-1', 'aria-label': 'Block'});
    this.tip = el('div', {class: 'tl-tip', hidden: true, 'aria-hidden': 'true'});
    this.samplesPlace = el('div', {});
    this.picture.root.append(this.tip);
    this.picture.root.setAttribute('aria-describedby', 'tl-status');
    root.append(this.controls.root, ...this.#notes(),
      el('div', {}, this.status, this.picture.root, this.strip.root, this.samplesPlace, this.lanes.root),
      el('aside', {class: 'tl-panel', 'aria-label': 'Colours and block'}, this.legend.root, this.block), this.table.root);
    followPointer(this.picture.root, {
      zoom: (x, factor) => this.zoom(this.#share(x), factor), pan: pixels => this.pan(pixels / this.picture.width),
      brush: (from, to, isDone) => this.brush(from, to, isDone), hover: (x, y) => this.hover(x, y), select: (x, y) => this.select(this.picture.at(x, y).id)});
    this.stopKeys = followKeys(this);
    this.onTheme = () => this.newColors();
    addEventListener('themechange', this.onTheme);
    this.resized = new ResizeObserver(() => this.measure());
    const {node} = page.profile.cells;
    this.client.call('setGroups', {name: 'cells', groups: {count: node.length, ofBlock: null, ofCell: Uint32Array.from(node, (_, cell) => cell)}});
    this.update(state);
    this.resized.observe(this.picture.root);
  }

  /** What the page does not have, and how to have it. */
  #notes() {
    const {blocks, complete} = this.events.header;
    return complete ? [] : [el('p', {class: 'note tl-wide'},
      `${plural(blocks.kept, 'block')} of ${exact(blocks.seen)} are here one by one, those that cover most of the picture. The other ${
        exact(blocks.seen - blocks.kept)} are in every total and, line by line, in the striped areas at the bottom. More of them are in a page made with a higher `,
      el('code', {}, '--max-size'), '.')];
  }

  // ---- the state of the link ----

  /** @param {Object<string, string>} given of the link */
  update(given) {
    const first = deviceKey(this.page, this.#busiest()), wanted = {...DEFAULTS, device: first, from: '', to: '', ...given};
    let which = this.#trackOf(wanted);
    if (which < 0) Object.assign(wanted, {device: this.tracks.some(one => deviceKey(this.page, one.device) === wanted.device) ? wanted.device : first, kind: ''});
    if (which < 0) which = this.#trackOf(wanted);
    const before = this.state, isNewAxis = before.axis !== wanted.axis, isNewTrack = this.which !== which;
    this.state = wanted;
    this.which = which;
    this.track = this.tracks[which];
    if (isNewAxis) this.#newAxis();
    const from = wanted.from === '' ? this.axis.begin : this.axis.ofClock(Number(wanted.from) || 0);
    const to = wanted.to === '' ? this.axis.end : Number(wanted.to) > this.axis.last ? this.axis.end : this.axis.ofClock(Number(wanted.to) || 0);
    const [begin, end] = this.axis.clamped(from, to > from ? to : this.axis.end);
    this.range = {from: begin, to: end};
    this.selected = blockByName(this.events, wanted.block);
    this.controls.set(wanted);
    if (before.search !== wanted.search) this.#find();
    if (isNewTrack || isNewAxis) {
      this.picture.forget();
      this.#newStrip();
      this.#newSamples();
    }
    if (isNewTrack) this.#newTrack();
    else if (before.color !== wanted.color) this.newColors();
    else if (before.search !== wanted.search) this.recolor();
    this.describe();
    this.invalidate();
    this.request();
  }

  /** The place of the device that held most. */
  #busiest() {
    return this.tracks.filter(({kind}) => kind === null).reduce((found, track) => track.peak > found.peak ? track : found, this.tracks[0]).device;
  }

  #trackOf({device, kind}) {
    const {kinds} = this.page.profile;
    return this.tracks.findIndex(track => deviceKey(this.page, track.device) === device && (kind ? kinds[track.kind] === kind : track.kind === null));
  }

  /** A choice: it is shown, and the link follows. */
  change(changes) {
    this.update({...this.state, ...changes});
    this.#link();
  }

  #link() {
    const {from, to} = this.range, {begin, end} = this.axis, isWhole = from <= begin && to >= end;
    const clock = value => Number(this.axis.toClock(value).toFixed(2));
    Object.assign(this.state, {from: isWhole ? '' : String(clock(from)), to: isWhole ? '' : String(clock(to))});
    const shown = Object.entries(this.state).filter(([key, value]) => value !== DEFAULTS[key]);
    this.go('timeline', Object.fromEntries(shown), {replace: true});
  }

  // ---- what depends on a choice ----

  #newAxis() {
    const {first_clock, last_clock} = this.events.header;
    this.axis = new Axis(this.state.axis === 'time' ? 'time' : 'clock', this.times, first_clock, last_clock);
    this.lanes.setAxis(this.axis);
    if (this.style) this.lanes.measure(this.picture.width, this.picture.ratio);
  }

  #newStrip() {
    const columns = 800, asked = `${this.which} ${this.axis.name}`, borders = this.axis.borders(this.axis.begin, this.axis.end, columns);
    this.strip.setTotals(null, 0);
    this.client.call('curve', {which: this.which, borders}).then(({total}) => {
      if (asked !== `${this.which} ${this.axis.name}`) return;
      this.strip.setTotals(total, this.track.peak);
      this.invalidate();
    }, this.#failed);
  }

  #newSamples() {
    if (this.samples) this.samples.close();
    const found = samplesOf(this.page.profile, this.track.device);
    this.samples = found ? new Samples(found, this.axis.name, value => this.axis.text(value)) : null;
    this.samplesPlace.replaceChildren(...(this.samples ? [this.samples.root] : []));
    if (this.samples && this.style) this.samples.measure(this.picture.width, this.style);
  }

  /** Lines are ranked anew: what is large on one device may be nothing on another. */
  #newTrack() {
    const {which} = this;
    this.coloring = null;
    Promise.all([this.client.call('overview', {which}), this.client.call('compose', {which, moment: this.track.peak_clock, name: 'cells'})])
      .then(([{areas}, sums]) => {
        if (which !== this.which) return;
        this.weights = weightsOf(sums.bytes, areas);
        this.newColors();
      }, this.#failed);
  }

  newColors() {
    this.style = getComputedStyle(document.documentElement);
    if (!this.weights) return;
    const dark = isDark();
    this.coloring = coloringOf(this.page, this.events, this.state.color, this.weights, dark);
    this.shades = shadesOf(this.coloring.colors, this.style.getPropertyValue('--ground').trim(), dark);
    this.legend.setColoring(this.coloring);
    this.client.call('setGroups', {name: 'colors', groups: {count: this.coloring.count, ofBlock: this.coloring.ofBlock, ofCell: this.coloring.ofCell}});
    if (this.samples) this.samples.measure(this.picture.width, this.style);
    this.recolor();
    this.sums();
  }

  #find() {
    this.found = search(this.page, this.events, this.state.search);
    this.controls.found.textContent = '';
    if (!this.found) return;
    const {found, which} = this, blocks = `${plural(found.blocks, 'block')} found`;
    this.controls.found.textContent = blocks;
    const groups = {count: 2, ofBlock: found.block, ofCell: found.cell};
    this.client.call('setGroups', {name: 'found', groups});
    this.client.latest('found', 'compose', {which, moment: this.track.peak_clock, name: 'found'}).then(sums => {
      if (sums && found === this.found) this.controls.found.textContent = `${blocks}, ${bytes(Math.round(sums.bytes[1]))} at the peak`;
    }, this.#failed);
  }

  /** Paints the picture that is there in the colours of now. */
  recolor() {
    if (!this.coloring) return;
    const {coloring, found, legend: {chosen}} = this, {ofBlock, ofCell} = coloring;
    let blocks = found ? found.block : null, cells = found ? found.cell : null;
    if (chosen.size) {
      const isChosen = Uint8Array.from({length: coloring.count}, (_, group) => Number(chosen.has(group)));
      cells = Uint8Array.from(ofCell, (group, cell) => isChosen[group] & (found ? found.cell[cell] : 1));
      blocks = Uint8Array.from(this.cellOf, (cell, i) => isChosen[ofBlock ? ofBlock[i] : ofCell[cell]] & (found ? found.block[i] : 1));
    }
    this.look = {shades: this.shades, ofBlock, ofCell, cellOf: this.cellOf, restCell: this.restCell, otherGroup: coloring.count - 1, found: blocks, foundCell: cells};
    this.picture.paint(this.look);
    this.invalidate();
  }

  // ---- drawing ----

  measure() {
    this.style = getComputedStyle(document.documentElement);
    if (!this.picture.measure()) return;
    const {width, ratio} = this.picture;
    this.strip.measure(width, ratio);
    this.lanes.measure(width, ratio);
    if (this.samples) this.samples.measure(width, this.style);
    this.invalidate();
    this.request();
  }

  invalidate() {
    this.frame ||= requestAnimationFrame(() => {
      this.frame = 0;
      if (!this.style) return;
      const {axis, range, track, style} = this, whole = axis.end - axis.begin;
      const ooms = this.lanes.stops.filter(({type, device}) => type === 'oom' && device === track.device).map(({at}) => at);
      this.picture.draw(range, axis, {peak: track.peak, peakAt: axis.ofClock(track.peak_clock), ooms}, style);
      this.strip.draw([(range.from - axis.begin) / whole, (range.to - axis.begin) / whole], style);
      this.lanes.draw(range, style);
      if (this.samples) this.samples.draw(range);
      this.drawUpper();
    });
  }

  drawUpper() {
    const {picture, style, selected, cursor: {id, column}} = this, ids = new Set([selected >= 0 ? selected + 1 : 0, id]);
    ids.delete(0);
    const columns = picture.shown ? picture.shown.ids.length / picture.shown.height : 0, ground = style.getPropertyValue('--ground');
    const outlined = [...ids].filter(one => one < REST).map(one => ({id: one, ground, from: 0, to: columns,
      color: style.getPropertyValue(one === selected + 1 ? '--accent' : '--ink')}));
    picture.drawUpper(outlined, column, this.brushed || null, style);
  }

  request() {
    if (!this.style || !this.picture.ratio) return;
    const {which, axis, range: {from, to}} = this, {columns, rows} = this.picture.resolution;
    const top = this.state.scale === 'run' ? this.track.peak * HEADROOM : 0, isWhole = from <= axis.begin && to >= axis.end;
    this.client.latest('picture', 'picture', {which, borders: axis.borders(from, to, columns), height: rows, top}).then(shown => {
      if (!shown || which !== this.which || axis !== this.axis) return;
      this.picture.show({...shown, from, to, isWhole}, this.look || null);
      this.cursor = {column: -1, id: 0};
      this.invalidate();
      clearTimeout(this.settling);
      this.settling = setTimeout(() => this.settle(), SETTLED_MS);
    }, this.#failed);
  }

  #failed = error => {
    this.status.textContent = `The picture cannot be drawn: ${error.message}`;
  };

  /** In words what is in sight, when nothing moved for a moment. */
  settle() {
    const {shown} = this.picture;
    if (!shown || !this.picture.isExact) return;
    const {axis, range} = this, moment = shown.moment[shown.highest], isWhole = range.from <= axis.begin && range.to >= axis.end;
    const estimated = shown.exact.reduce((sum, one) => sum + 1 - one, 0);
    this.status.textContent = `${this.arrived || ''}${isWhole ? 'The whole run' : `${axis.text(range.from, (range.to - range.from) / 100)} to ${axis.text(range.to, (range.to - range.from) / 100)}`}: at most ${
      bytes(shown.total[shown.highest])} after ${this.where(moment)}.${estimated ? ' Between the moments that this page knows of all blocks, the striped areas are drawn as they were before.' : ''}`;
    this.picture.root.setAttribute('aria-label', `Live blocks over the run. ${this.status.textContent}`);
    const {which} = this;
    this.client.latest('table', 'compose', {which, moment, name: 'cells'}).then(sums => {
      if (sums && which === this.which) this.table.set(this.where(moment), sums);
    }, this.#failed);
    this.sums();
  }

  where(moment) {
    return `tick ${exact(Math.round(moment))}, ${time(this.times.timeAt(moment))}`;
  }

  /** What the legend says: of the moment below the pointer, else of the highest in sight. */
  sums() {
    const {shown} = this.picture, {which, coloring} = this;
    if (!shown || !coloring) return;
    const moment = shown.moment[this.cursor.column >= 0 ? this.cursor.column : shown.highest];
    this.client.latest('sums', 'compose', {which, moment, name: 'colors'}).then(sums => {
      if (sums && which === this.which && coloring === this.coloring) this.legend.setSums(this.where(moment), sums);
    }, this.#failed);
  }

  // ---- what the hand and the keys do ----

  #share(x) {
    return (this.picture.valueAt(x) - this.range.from) / (this.range.to - this.range.from);
  }

  /** @param {number} from on the axis @param {number} to @param {string} [arrived] what is there, in words */
  setRange(from, to, arrived = '') {
    const [begin, end] = this.axis.clamped(from, to);
    this.arrived = arrived;
    if (begin === this.range.from && end === this.range.to) return;
    this.range = {from: begin, to: end};
    this.tip.hidden = true;
    this.invalidate();
    this.request();
    this.#link();
  }

  /** @param {number} share of the width that stays where it is @param {number} factor below 1: in */
  zoom(share, factor) {
    const {from, to} = this.range, at = from + Math.min(1, Math.max(0, share)) * (to - from);
    this.setRange(at - (at - from) * factor, at + (to - at) * factor);
  }

  /** @param {number} share of the width */
  pan(share) {
    const width = this.range.to - this.range.from;
    this.setRange(this.range.from + share * width, this.range.to + share * width);
  }

  toPeak() {
    const {axis, range, track} = this, at = axis.ofClock(track.peak_clock), whole = axis.end - axis.begin;
    const width = range.to - range.from < whole ? range.to - range.from : whole / 20;
    this.setRange(at - width / 2, at + width / 2);
  }

  brush(from, to, isDone) {
    this.brushed = isDone ? null : [from, to];
    if (isDone && Math.abs(to - from) > 4) this.setRange(this.picture.valueAt(Math.min(from, to)), this.picture.valueAt(Math.max(from, to)));
    else this.drawUpper();
  }

  hover(x, y) {
    this.setCursor(this.picture.isExact ? this.picture.at(x, y) : {column: -1, id: 0});
    const {id} = this.cursor;
    this.tip.hidden = !id;
    if (!id) return;
    this.tip.textContent = this.#title(id);
    const isRight = x > this.picture.width / 2 + 80;
    this.tip.style.left = isRight ? '' : `${x + 14}px`;
    this.tip.style.right = isRight ? `${this.picture.root.clientWidth - x + 14}px` : '';
    this.tip.style.top = `${Math.max(0, y - 8)}px`;
  }

  #title(id) {
    if (id === UNTOLD) return 'of lines that are not told';
    const cell = id < REST ? this.cellOf[id - 1] : this.restCell[id - REST], place = placeOf(this.page, this.page.profile.cells.node[cell]);
    return id < REST ? `${bytes(this.events.f64('block.bytes', id - 1))} ${place}` : `not one by one: ${place}`;
  }

  /** @param {{column: number, id: number}} cursor */
  setCursor(cursor) {
    const before = this.cursor;
    if (before.column === cursor.column && before.id === cursor.id) return;
    this.cursor = cursor;
    this.drawUpper();
    if (before.id !== cursor.id) this.describe();
    if (before.column !== cursor.column) this.sums();
  }

  /** The moment that the cursor, the selected block or the picture is about. */
  get moment() {
    const {shown} = this.picture, {arrays} = this.events;
    const moment = !shown ? this.track.peak_clock : shown.moment[this.cursor.column >= 0 ? this.cursor.column : shown.highest];
    if (this.cursor.column >= 0 || this.selected < 0) return moment;
    const start = arrays['block.start'][this.selected];
    return start <= moment && moment < arrays['block.end'][this.selected] ? moment : start;
  }

  /** The panel: the block below the cursor, else the selected one. */
  describe() {
    const id = this.cursor.id || (this.selected >= 0 ? this.selected + 1 : 0);
    if (!id) {
      const missing = this.state.block && this.selected < 0;
      this.block.replaceChildren(el('p', {class: 'quiet'}, missing ? `The block ${this.state.block} is not in this page one by one.`
        : 'Point at a block, or choose one with the arrows up and down, to see what it is. A double click or Enter keeps it here.'));
    } else if (id < REST) {
      this.block.replaceChildren(...blockDetails(this.page, this.events, this.times, id - 1, this.moment),
        id - 1 === this.selected ? el('button', {type: 'button', onclick: () => this.select(0)}, 'Let go of this block') : '');
    } else {
      this.#describeRest(id);
    }
  }

  #describeRest(id) {
    const cell = id === UNTOLD ? -1 : this.restCell[id - REST], {moment} = this;
    const show = size => this.block.replaceChildren(...restDetails(this.page, cell, size, moment));
    show(null);
    this.client.latest('rest', 'compose', {which: this.which, moment, name: 'cells'}).then(sums => {
      if (sums && this.cursor.id === id) show(Math.round(cell < 0 ? sums.untold : sums.rest[cell]));
    }, this.#failed);
  }

  /** @param {number} id of a pixel; 0 lets go */
  select(id) {
    if (id >= REST) return;
    this.state.block = id ? blockName(this.page, this.events, id - 1) : '';
    this.selected = id - 1;
    this.describe();
    this.drawUpper();
    this.#link();
  }

  close() {
    this.stopKeys();
    removeEventListener('themechange', this.onTheme);
    this.resized.disconnect();
    cancelAnimationFrame(this.frame);
    clearTimeout(this.settling);
    if (this.samples) this.samples.close();
    this.client.close();
  }
}
