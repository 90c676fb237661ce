/**
 * bar.js - the line above a table or the tree that says which moment or range of the run it is about, with the ways to another one.
 *
 * A moment can be moved here, by a slider below the device's curve; a range comes from the timeline, which shows it. views/lines.js and views/tree.js
 * have one.
 */
import '../state/state.css';
import {oneOf, restrictedTo} from '../device.js';
import {el} from '../dom.js';
import {howToRecord} from '../eventful.js';
import {bytes, exact, plural} from '../format.js';
import {deviceTitle} from '../model.js';
import {linkTo} from '../route.js';
import {Scrubber} from '../state/scrubber.js';
import {timesOf} from '../times.js';
import {linkOf, whenText} from './when.js';

/** The track of all kinds of a device. */
const trackOf = ({header, arrays}, place) => {
  const track = header.tracks.find(one => one.device === place && (one.kind ?? null) === null);
  return track ? {...track, moment: arrays[`${track.prefix}.moment`], most: arrays[`${track.prefix}.most`]} : null;
};

export class MomentBar {
  /**
   * @param {object} page @param {'lines'|'tree'} view
   * @param {(change: {at?: string|number, from?: string, to?: string}, how?: {replace: boolean}) => void} onWhen
   */
  constructor(page, view, onWhen) {
    Object.assign(this, {page, view, onWhen, scrubber: null});
    this.text = el('p', {class: 'moment-text', role: 'status'});
    this.place = el('div', {class: 'moment-scrubber', hidden: true});
    this.note = el('div', {});
    this.root = el('div', {class: 'moment-bar'}, this.text, this.note, this.place);
    this.resized = new ResizeObserver(() => this.scrubber?.draw());
    this.resized.observe(this.root);
  }

  close() {
    this.resized.disconnect();
  }

  #links(when, state) {
    const {page, view} = this, place = oneOf(page, state), other = view === 'lines' ? 'tree' : 'lines', device = state.device || '';
    const link = (to, keys, text) => [' · ', el('a', {href: linkTo(to, {device, ...keys})}, text)];
    const peak = page.profile.devices[place]?.peak_clock, at = {device, at: when.to};
    const links = when.kind === 'run' ? [peak ? link(view, {order: state.order, at: peak}, `at the peak of ${deviceTitle(page, place)}`) : null, link('timeline', {}, 'at another moment, chosen in the timeline')] :
      [link(other, linkOf(when), other === 'lines' ? 'by line' : 'as a flame graph'), other === 'tree' ? link('lines', {...linkOf(when), by: state.by === 'path' ? '' : 'path'}, state.by === 'path' ? 'by line' : 'by call path') :
        link('lines', {...linkOf(when), by: 'path'}, 'by call path'), when.kind === 'moment' ? link('state', at, 'as a map of addresses') : null, link('timeline', linkOf(when), 'in the timeline'),
      link(view, {}, 'the whole run')];
    return links.flat().filter(Boolean);
  }

  /**
   * @param {import('./when.js').When} when @param {Object<string, string>} state @param {import('../events.js').Events|null} events
   * @param {import('./sums.js').Sums|null} sums null of the whole run
   */
  set(when, state, events, sums) {
    this.place.hidden = when.kind !== 'moment' || !events;
    this.note.replaceChildren();
    this.root.hidden = oneOf(this.page, state) < 0 || (when.kind === 'run' && !this.page.has('events'));
    if (this.root.hidden) return;
    if (when.kind === 'run') {
      this.text.replaceChildren('Figures of the whole run', ...this.#links(when, state));
      return;
    }
    if (!events) {
      this.text.replaceChildren();
      this.note.replaceChildren(howToRecord(this.page.profile, 'it is not known what was live at a moment or allocated in a range: these are figures of the whole run'));
      return;
    }
    const {page} = this, times = timesOf(events), last = events.header.last_clock, place = restrictedTo(page, state);
    const on = place < 0 ? '' : ` on ${deviceTitle(page, place)}`;
    const count = sums.blocks.reduce((sum, one) => sum + one, 0);
    this.text.replaceChildren(when.kind === 'moment' ? `Live ${whenText(when, times, last)}${on}: ` : `Allocated ${whenText(when, times, last)}${on} and not freed by then: `,
      sums.isExact || when.kind === 'range' ? '' : 'about ', el('strong', {class: 'moment-total', title: `${exact(sums.total)} bytes`}, bytes(sums.total)), ` in ${plural(count, 'block')}`, ...this.#links(when, state));
    const notes = [sums.unknown > 0 ? `${bytes(sums.unknown)} of this belong to lines that the page does not know.` : '',
      sums.leftOut ? `Only blocks that this page has one by one are counted: it lacks ${exact(sums.leftOut)} of the run. A page made with a higher --max-size has more of them.` : ''].filter(Boolean);
    this.note.replaceChildren(...notes.map(text => el('p', {class: 'note'}, text)));
    if (when.kind === 'moment') this.#scrub(when, state, events, times);
  }

  #scrub(when, state, events, times) {
    const place = oneOf(this.page, state), last = events.header.last_clock;
    if (!this.scrubber) {
      this.scrubber = new Scrubber(last, clock => this.onWhen({at: clock}, {replace: true}));
      this.place.append(this.scrubber.root);
    }
    this.scrubber.setTrack(trackOf(events, place), this.page.profile.ooms.filter(oom => oom.device === place).map(oom => oom.clock));
    this.scrubber.set(Math.min(when.to, last), whenText(when, times, last));
  }
}
