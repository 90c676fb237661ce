/**
 * view.js - the timeline with events: the visible range, the requests to the worker, the drawing.
 *
 * views/timeline.js opens it. A change goes one way: the state changes, a frame is drawn from the available data (picture.js moves the last picture),
 * and the exact picture is requested; when it arrives, another frame is drawn. The range is kept on the axis, in the link in clocks.
 */
import {ALL, oneOf} from '../device.js';
import {el} from '../dom.js';
import {bytes, exact, time} from '../format.js';
import {blockNamed, deviceKey} from '../model.js';
import {timesOf} from '../times.js';
import {Axis} from './axis.js';
import {Choices} from './choices.js';
import {Client} from './client.js';
import {Controls, hint, notesOf, trackOf} from './controls.js';
import {Lanes} from './lanes.js';
import {Appearance} from './appearance.js';
import {Picture} from './picture.js';
import {Pointed} from './pointed.js';
import {followPointer} from './pointer.js';
import {HEADROOM} from './tracks/raster.js';
import {samplesOf} from './sample_range.js';
import {Samples} from './samples.js';
import {Strip} from './strip.js';
import {TopTable} from './top_table.js';
import {followKeys, toFound} from './view_keys.js';

const STRIP_COLUMNS = 800, SETTLED_MS = 250, LEAST_BYTES = 256;
const DEFAULTS = {kind: '', color: 'line', axis: 'clock', scale: 'range', from: '', to: '', low: '', high: '', search: '', block: '', at: ''};
/** Arrays that the panel reads: they are decoded while the page is idle, so that the first block below the pointer does not have to wait. */
const SOON = ['bytes_low', 'bytes_high', 'padding', 'start', 'end', 'pair', 'thread', 'generation', 'address_low', 'address_high',
  'time_low', 'time_high', 'age_low', 'age_high'];

export class TimelineView {
  /** As open() of a view; what follows the address is update() and close(). */
  constructor(root, page, events, state, go) {
    Object.assign(this, {page, events, go, state: {}, which: -1, samples: null, style: null, arrived: ''});
    this.times = timesOf(events);
    this.tracks = events.header.tracks.map(track => ({...track, kind: track.kind ?? null}));
    this.client = new Client(events, page.profile);
    this.controls = new Controls(page, this.tracks, {
      change: (key, value) => this.change({[key]: value, ...(key === 'scale' ? {low: '', high: ''} : {})}),
      zoom: factor => this.zoom(0.5, factor), whole: () => this.toWhole(), peak: () => this.toPeak(), next: () => toFound(this, 1)});
    this.picture = new Picture(Math.round(Math.min(680, Math.max(320, innerHeight * 0.46))));
    this.strip = new Strip((from, to) => {
      const whole = this.axis.end - this.axis.begin;
      this.setRange(this.axis.begin + from * whole, this.axis.begin + to * whole);
    });
    this.lanes = new Lanes(page, events, (from, to) => this.setRange(from, to));
    this.appearance = new Appearance(page, events, this.client, {failed: this.failed, changed: () => this.#repaint(), searched: text => {
      this.controls.found.textContent = text;
    }});
    this.pointed = new Pointed(this);
    this.table = new TopTable(page);
    this.choices = new Choices();
    this.status = el('p', {class: 'tl-status', role: 'status', id: 'tl-status'});
    this.samplesPlace = el('div', {});
    this.picture.root.setAttribute('aria-describedby', 'tl-status');
    root.append(this.controls.root, notesOf(events.header),
      el('div', {}, this.status, this.choices.root, this.picture.root, this.strip.root, hint(), this.samplesPlace, this.lanes.root),
      el('aside', {class: 'tl-panel', 'aria-label': 'Colours and block'}, this.appearance.legend.root, this.pointed.panel), this.table.root);
    followPointer(this.picture.root, {
      zoom: (x, factor) => this.zoom(this.picture.share(x), factor), pan: pixels => this.pan(pixels / this.picture.width),
      climb: pixels => this.climb(pixels / this.picture.height), stretch: (y, factor) => this.stretch(this.picture.shareUp(y), factor),
      brush: (from, to, isDone) => this.#brush(from, to, isDone), hover: (x, y) => this.pointed.hover(x, y),
      choose: (x, y) => this.choose(this.picture.at(x, y).column), select: (x, y) => this.pointed.select(this.picture.at(x, y).id)});
    this.stopKeys = followKeys(this);
    this.onTheme = () => {
      this.style = getComputedStyle(document.documentElement);
      this.appearance.setColor(this.state.color);
      if (this.samples) this.samples.measure(this.picture.width, this.style);
      this.#draw();
    };
    addEventListener('themechange', this.onTheme);
    this.resized = new ResizeObserver(() => this.#measure());
    this.update(state);
    this.resized.observe(this.picture.root);
  }

  // ---- the state of the link ----

  /** @param {Object<string, string>} given of the link */
  update(given) {
    const before = this.state, wanted = this.state = {...DEFAULTS, ...given}, named = wanted.device ? -1 : blockNamed(this.events, wanted.block);
    if (named >= 0) wanted.device = deviceKey(this.page, this.page.profile.cells.device[this.events.arrays['block.cell'][named]]);
    this.isAll = wanted.device === ALL; // the choice for other views, which stays
    if (this.isAll) wanted.device = deviceKey(this.page, oneOf(this.page, wanted));
    const which = trackOf(this.page, this.tracks, wanted), isNewAxis = before.axis !== wanted.axis, isNewTrack = this.which !== which;
    this.arrived = '';
    this.which = which;
    this.track = this.tracks[which];
    Object.assign(wanted, {device: deviceKey(this.page, this.track.device), kind: this.track.kind === null ? '' : this.page.profile.kinds[this.track.kind]});
    if (isNewAxis) this.#newAxis();
    this.range = this.#rangeOf(wanted);
    const low = Number(wanted.low), high = Number(wanted.high);
    this.height = wanted.high !== '' && high > low && low >= 0 ? {low, high} : null;
    this.controls.set(wanted);
    if (isNewTrack || isNewAxis) {
      this.picture.forget();
      this.#newStrip();
      this.#newSamples();
    }
    if (isNewTrack) {
      this.appearance.color = wanted.color;
      this.appearance.setTrack(which, this.track);
    } else if (before.color !== wanted.color) {
      this.appearance.setColor(wanted.color);
    }
    if (before.search !== wanted.search) this.appearance.setSearch(wanted.search);
    this.pointed.keep(wanted.block);
    this.invalidate();
    this.request();
    if (!isNewTrack) this.#offer();
    if (given.block && !given.device) this.#link(); // the device that the block is of
  }

  #rangeOf({from, to}) {
    const {axis} = this, begin = from === '' ? axis.begin : axis.ofClock(Number(from) || 0);
    const end = to === '' || Number(to) >= axis.last ? axis.end : axis.ofClock(Number(to) || 0);
    const [first, last] = axis.clamped(begin, end > begin ? end : axis.end);
    return {from: first, to: last};
  }

  /** Applies a choice: shows it and updates the link. */
  change(changes) {
    this.update({...this.state, ...(this.isAll ? {device: ALL} : {}), ...changes});
    this.#link();
  }

  /** @param {string} name of a block, "" for none */
  keep(name) {
    this.state.block = name;
    this.pointed.keep(name);
    this.#link({step: true});
  }

  /** Chooses the moment of a column of the picture. @param {number} column -1: none */
  choose(column) {
    const {shown, isExact} = this.picture, moment = column >= 0 && isExact ? String(shown.moment[column]) : '';
    if (column >= 0 && !isExact) return;
    if (moment === this.state.at) return;
    this.state.at = moment;
    this.#offer();
    this.invalidate();
    this.#link({step: true});
  }

  /** The ways to tables of the moment and of the range. */
  #offer() {
    const {picture: {shown}, axis, range: {from, to}, track, state} = this;
    if (!shown) return;
    const isChosen = state.at !== '', moment = isChosen ? Number(state.at) : shown.moment[shown.highest];
    this.choices.set({device: deviceKey(this.page, track.device), moment, where: this.where(moment), isChosen, letGo: () => this.choose(-1),
      range: this.isWhole ? null : [Math.ceil(axis.toClock(from)), Math.min(axis.last, Math.floor(axis.toClock(to)))]});
  }

  /** @param {{replace?: boolean, step?: boolean}} how */
  #link(how = {replace: true}) {
    const {axis, range: {from, to}, height} = this, isWhole = this.isWhole, clock = value => String(Number(axis.toClock(value).toFixed(2)));
    Object.assign(this.state, {from: isWhole ? '' : clock(from), to: isWhole ? '' : clock(to),
      low: height ? String(Math.round(height.low)) : '', high: height ? String(Math.round(height.high)) : ''});
    this.go('timeline', Object.fromEntries(Object.entries({...this.state, ...(this.isAll ? {device: ALL} : {})}).filter(([key, value]) => value !== DEFAULTS[key])), how);
  }

  get isWhole() {
    return this.range.from <= this.axis.begin && this.range.to >= this.axis.end;
  }

  // ---- what depends on a choice ----

  #newAxis() {
    const {first_clock, last_clock} = this.events.header;
    this.axis = new Axis(this.state.axis === 'time' ? 'time' : 'clock', this.times, first_clock, last_clock);
    this.lanes.setAxis(this.axis, null);
    this.lanesOf = null;
  }

  /** Requests the lanes' data from events after the first picture, which has priority. */
  #fillLanes() {
    const {axis} = this;
    if (this.lanesOf === axis) return;
    this.lanesOf = axis;
    this.client.call('lanes', {axis: axis.name}).then(found => {
      if (axis !== this.axis) return;
      this.lanes.setAxis(axis, found);
      this.invalidate();
    }, this.failed);
  }

  #newStrip() {
    const {which, axis} = this;
    this.strip.setTotals(null, 0);
    this.client.call('curve', {which, borders: axis.borders(axis.begin, axis.end, STRIP_COLUMNS)}).then(({total}) => {
      if (which !== this.which || axis !== this.axis) return;
      this.strip.setTotals(total, this.track.peak);
      this.invalidate();
    }, this.failed);
  }

  #newSamples() {
    if (this.samples) this.samples.close();
    const found = samplesOf(this.page.profile, this.track.device);
    this.samples = found ? new Samples(found, this.axis.name, value => this.axis.text(value)) : null;
    this.samplesPlace.replaceChildren(...(this.samples ? [this.samples.root] : []));
    if (this.samples && this.style) this.samples.measure(this.picture.width, this.style);
  }

  // ---- drawing ----

  #measure() {
    this.style = getComputedStyle(document.documentElement);
    if (!this.picture.measure()) return;
    const {width, ratio} = this.picture;
    this.strip.measure(width, ratio);
    this.lanes.measure(width, ratio);
    if (this.samples) this.samples.measure(width, this.style);
    this.invalidate();
    this.request();
  }

  #repaint() {
    this.picture.paint(this.appearance.now);
    this.invalidate();
    this.sums();
  }

  invalidate() {
    this.frame ||= requestAnimationFrame(() => this.#draw());
  }

  #draw() {
    cancelAnimationFrame(this.frame);
    this.frame = 0;
    if (!this.style) return;
    const {axis, range, track, style} = this, whole = axis.end - axis.begin;
    const ooms = this.lanes.ooms.filter(({device}) => device === track.device).map(({at}) => at);
    this.picture.draw({...range, ...this.height}, axis, {peak: track.peak, peakAt: axis.ofClock(track.peak_clock), ooms, chosen: this.state.at === '' ? null : axis.ofClock(Number(this.state.at))}, style);
    this.strip.draw([(range.from - axis.begin) / whole, (range.to - axis.begin) / whole], style);
    this.lanes.draw(range, style);
    if (this.samples) this.samples.draw(range);
    this.pointed.draw();
  }

  /** Requests the exact picture of the visible range. */
  request() {
    if (!this.style || !this.picture.ratio) return;
    const {which, axis, height, isWhole, range: {from, to}} = this, {columns, rows} = this.picture.resolution;
    const top = height ? height.high : this.state.scale === 'run' ? this.track.peak * HEADROOM : 0;
    const asked = {which, borders: axis.borders(from, to, columns), height: rows, bottom: height ? height.low : 0, top};
    this.client.latest('picture', 'picture', asked).then(shown => {
      if (!shown || which !== this.which || axis !== this.axis) return;
      this.#fillLanes();
      this.picture.show({...shown, from, to, isWhole: isWhole && !height}, this.appearance.now);
      this.pointed.leave();
      this.invalidate();
      clearTimeout(this.settling);
      this.settling = setTimeout(() => this.#settle(), SETTLED_MS);
    }, this.failed);
  }

  failed = error => {
    this.status.textContent = `The picture cannot be drawn: ${error.message}`;
  };

  /** Called when nothing has moved for a moment: describes the visible range in words. */
  #settle() {
    const {picture: {shown, isExact}, axis, range: {from, to}, which} = this;
    if (!shown || !isExact) return;
    const moment = shown.moment[shown.highest], isEstimated = shown.exact.includes(0), step = (to - from) / 100;
    this.status.textContent = `${this.arrived}${this.isWhole ? 'The whole run' : `${axis.text(from, step, to)} to ${axis.text(to, step)}`}: at most ${
      bytes(shown.total[shown.highest])} after ${this.where(moment)}.${
      isEstimated ? ' Between the moments at which this page knows what all blocks held, the striped areas are drawn as if they changed evenly.' : ''}`;
    this.picture.root.setAttribute('aria-label', `Live blocks over the run. ${this.status.textContent}`);
    this.client.latest('table', 'compose', {which, moment, name: 'cells'}).then(sums => {
      if (sums && which === this.which) this.table.set(this.where(moment), sums);
    }, this.failed);
    this.#offer();
    this.sums();
    this.#decodeSoon([...SOON]);
  }

  #decodeSoon(names) {
    if (!names.length || this.isClosed) return;
    this.events.arrays[`block.${names.pop()}`]; // decoded when first looked at
    setTimeout(() => this.#decodeSoon(names), 20);
  }

  /** "tick 17, 3.2 ms". @param {number} moment clock */
  where(moment) {
    return `event ${exact(Math.round(moment))}, ${time(this.times.timeAt(moment))}`;
  }

  /** What the legend says: of the moment below the pointer, else of the highest in sight. */
  sums() {
    const {picture: {shown}, which, appearance: {coloring, legend}, pointed: {cursor}} = this;
    if (!shown || !coloring) return;
    const moment = shown.moment[cursor.column >= 0 ? cursor.column : shown.highest];
    this.client.latest('sums', 'compose', {which, moment, name: 'colors'}).then(sums => {
      if (sums && which === this.which && coloring === this.appearance.coloring) legend.setSums(this.where(moment), sums);
    }, this.failed);
  }

  // ---- the visible range: mouse, touch and keys ----

  /** @param {number} from on the axis @param {number} to @param {string} [arrived] what is there, in words */
  setRange(from, to, arrived = '') {
    const [begin, end] = this.axis.clamped(from, to);
    this.arrived = arrived;
    if (begin === this.range.from && end === this.range.to) return;
    this.range = {from: begin, to: end};
    this.#moved();
  }

  /** @param {{low: number, high: number}|null} height bytes in sight; null: as the scale says */
  setHeight(height) {
    const most = this.track.peak * HEADROOM;
    const span = height ? Math.min(most, Math.max(LEAST_BYTES, height.high - height.low)) : most;
    const low = height ? Math.min(most - span, Math.max(0, height.low)) : 0;
    this.height = span >= most ? null : {low, high: low + span};
    this.#moved();
  }

  #moved() {
    this.pointed.leave();
    this.invalidate();
    this.request();
    this.#link({step: true});
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

  /** Zooms bytes. @param {number} share of the height, from the bottom, that stays where it is @param {number} factor below 1: in */
  stretch(share, factor) {
    // What was asked for last, which may not be drawn yet: keys come faster than pictures.
    const {low, high} = this.height || this.picture.view, at = low + Math.min(1, Math.max(0, share)) * (high - low);
    this.setHeight({low: at - (at - low) * factor, high: at + (high - at) * factor});
  }

  /** Pans bytes, where these are zoomed. @param {number} share of the height, upwards */
  climb(share) {
    if (!this.height) return;
    const by = share * (this.height.high - this.height.low);
    this.setHeight({low: this.height.low + by, high: this.height.high + by});
  }

  toWhole() {
    this.height = null;
    this.range = {from: this.axis.begin, to: this.axis.end};
    this.arrived = '';
    this.#moved();
  }

  toPeak() {
    const {axis, range, track} = this, at = axis.ofClock(track.peak_clock);
    const width = this.isWhole ? (axis.end - axis.begin) / 20 : range.to - range.from;
    this.setRange(at - width / 2, at + width / 2);
  }

  #brush(from, to, isDone) {
    this.pointed.brush = isDone ? null : [from, to];
    if (isDone) this.setRange(this.picture.valueAt(Math.min(from, to)), this.picture.valueAt(Math.max(from, to)));
    this.pointed.draw();
  }

  close() {
    this.isClosed = true;
    this.stopKeys();
    removeEventListener('themechange', this.onTheme);
    this.resized.disconnect();
    cancelAnimationFrame(this.frame);
    clearTimeout(this.settling);
    if (this.samples) this.samples.close();
    this.client.close();
  }
}
