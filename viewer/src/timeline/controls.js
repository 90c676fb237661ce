/**
 * controls.js - the bar above the picture: kind, colours, axis, scale, search, zoom.
 *
 * view.js makes one and is called for each change; set() shows a state that came from the link.
 */
import {el} from '../dom.js';
import {exact, plural} from '../format.js';
import {deviceKey} from '../model.js';
import {COLORS} from './groups.js';

const DELAY_MS = 150; // the wait for more keys while the user types

const select = (name, options, onchange) => {
  const made = el('select', {'aria-label': name, onchange}, options.map(({value, text}) => el('option', {value}, text)));
  return {made, root: el('label', {}, name, made)};
};

/**
 * The track of a choice. If there is none, the track of all kinds of that device, or of the device that held most.
 * @param {object} page
 * @param {{device: number, kind: number|null, peak: number}[]} tracks
 * @param {{device?: string, kind?: string}} wanted key of the device, name of the kind
 * @returns {number} its place
 */
export function trackOf(page, tracks, {device, kind}) {
  const {kinds} = page.profile, wholes = tracks.filter(track => track.kind === null);
  const isOf = track => deviceKey(page, track.device) === device;
  const busiest = wholes.reduce((found, track) => track.peak > found.peak ? track : found, wholes[0] || tracks[0]);
  return tracks.indexOf(kind && tracks.find(track => isOf(track) && kinds[track.kind] === kind) || wholes.find(isOf) || busiest);
}

export class Controls {
  /**
   * @param {object} page
   * @param {{device: number, kind: number|null}[]} tracks
   * @param {object} on change(key, value) of kind, color, axis, scale, search; zoom(factor); whole(); peak();
   *   next(): to the next block found
   */
  constructor(page, tracks, on) {
    this.page = page;
    this.tracks = tracks;
    const changed = key => event => on.change(key, event.target.value);
    this.kind = select('kind', [], changed('kind'));
    this.color = select('colours', COLORS.map(({name, title}) => ({value: name, text: title})), changed('color'));
    this.axis = select('axis', [{value: 'clock', text: 'events'}, {value: 'time', text: 'time'}], changed('axis'));
    this.scale = select('scale', [{value: 'range', text: 'what is shown'}, {value: 'run', text: 'the whole run'}], changed('scale'));
    this.typed = 0;
    this.search = el('input', {type: 'search', class: 'filter', 'aria-label': 'Search blocks', 'aria-keyshortcuts': '/',
      placeholder: 'search: line, variable, label, address, >=1MiB',
      title: 'Words of a line, function, variable, label or call path; an address; size>=1MiB, lifetime>2ms, thread:1, function:step; a word with - before it excludes the blocks that have it',
      onkeydown: event => {
        if (event.key !== 'Enter') return;
        clearTimeout(this.typed);
        this.typed = 0;
        on.change('search', this.search.value);
        on.next();
      },
      oninput: () => {
        clearTimeout(this.typed);
        this.typed = setTimeout(() => {
          this.typed = 0;
          on.change('search', this.search.value);
        }, DELAY_MS);
      }});
    this.found = el('span', {class: 'quiet', role: 'status'});
    const button = (text, label, shortcut, onclick) => el('button', {type: 'button', 'aria-label': label, title: `${label} (${shortcut})`, onclick}, text);
    this.root = el('div', {class: 'bar tl-bar tl-wide', role: 'group', 'aria-label': 'What is shown'},
      this.kind.root, this.color.root, this.axis.root, this.scale.root,
      el('span', {}, button('−', 'Zoom out', '-', () => on.zoom(2)), ' ', button('+', 'Zoom in', '+', () => on.zoom(0.5)), ' ',
        button('whole run', 'Whole run', 'Home', on.whole), ' ', button('peak', 'To the peak', 'p', on.peak)),
      el('span', {}, this.search, ' ', this.found));
  }

  /** @param {{device: string, kind: string, color: string, axis: string, scale: string, search: string}} state */
  set(state) {
    const place = this.tracks.find(({device}) => deviceKey(this.page, device) === state.device)?.device;
    const kinds = this.tracks.filter(({device, kind}) => device === place && kind !== null).map(({kind}) => this.page.profile.kinds[kind]);
    this.kind.made.replaceChildren(el('option', {value: ''}, 'all'), ...kinds.map(kind => el('option', {value: kind}, kind)));
    this.kind.root.hidden = !kinds.length;
    for (const key of ['kind', 'color', 'axis', 'scale']) this[key].made.value = state[key];
    if (!this.typed && this.search.value !== state.search) this.search.value = state.search;
  }
}

/** What the page does not have one by one, and how to have it. @param {object} header of the events @returns {HTMLElement|string} */
export function notesOf({blocks, complete}) {
  return complete ? '' : el('p', {class: 'note tl-wide'},
    `This page has ${exact(blocks.kept)} of ${plural(blocks.seen, 'block')} one by one, those that cover most of the picture. The other ${
      exact(blocks.seen - blocks.kept)} are in every total and, line by line, in the striped areas at the bottom. A page made with a higher `,
    el('code', {}, '--max-size'), ' has more of them one by one.');
}

/** The help on mouse and touch, in a line below the picture. */
export const hint = () => el('p', {class: 'tl-hint quiet'},
  'Wheel: zoom. Drag: pan. Shift and drag: zoom to a range. Alt and wheel: zoom bytes. Click: choose a moment. Double-click: keep a block. Press ? for all keys.');
