/**
 * view_keys.js - the keys of the timeline. view.js starts it; what a key does is a method there.
 *
 * They work wherever the focus is in the view, except in text fields, and leave Enter to links and buttons.
 */
import {blockKey, deviceKey} from '../model.js';

/** For the help of the page. */
export const KEYS = [
  {key: '← →', text: 'pan (with Shift: by a whole width)'}, {key: '+ −', text: 'zoom'}, {key: 'Home', text: 'the whole run'}, {key: 'p', text: 'to the peak'},
  {key: '↑ ↓', text: 'the next block above, below at this moment'}, {key: 'Enter', text: 'keep the block; again: to its details'},
  {key: 'Esc', text: 'do not keep the block'}, {key: '[ ]', text: 'to the previous, next step, mark or out-of-memory event'},
  {key: '/', text: 'search; Enter there, n and N: to the next and previous block found'},
  {key: 'v V', text: 'zoom bytes in, out (with the mouse: Alt and the wheel)'}, {key: 'Page Up, Page Down', text: 'up and down where bytes are zoomed'},
  {key: 'm', text: 'choose this moment (with the mouse: click)'}, {key: 's', text: 'the state at this moment'}];

const isTyping = target => target instanceof HTMLInputElement || target instanceof HTMLSelectElement || target instanceof HTMLTextAreaElement;
const isFollowed = target => target instanceof HTMLButtonElement || target instanceof HTMLAnchorElement || target.closest?.('summary');

/** The block above or below the cursor in its column; without a cursor the selected block, or the lowest one, at the highest moment. */
function step(view, up) {
  const {shown} = view.picture;
  if (!shown || !view.picture.isExact) return;
  const column = view.pointed.cursor.column >= 0 ? view.pointed.cursor.column : shown.highest, {height} = shown;
  const ids = shown.ids.subarray(column * height, (column + 1) * height);
  const id = view.pointed.cursor.id || view.pointed.selected + 1, at = id ? ids.indexOf(id) : -1;
  let row = at;
  if (up) while (row < height && row >= 0 && ids[row] === id) ++row;
  else --row;
  if (at < 0) row = up ? 0 : ids.indexOf(0) < 0 ? height - 1 : ids.indexOf(0) - 1;
  if (row >= 0 && row < height && ids[row]) view.pointed.moveTo({column, id: ids[row]});
}

/** The height of the cursor in the picture; without a cursor the middle. */
function cursorShare(view) {
  const {shown} = view.picture, {column, id} = view.pointed.cursor;
  if (!id || !shown) return 0.5;
  const {ids, height} = shown;
  return ids.subarray(column * height, (column + 1) * height).indexOf(id) / height;
}

/** Goes to the moment before or after the middle of the visible range. */
function toStop(view, isNext) {
  const {from, to} = view.range, middle = (from + to) / 2, least = (to - from) / 1000, {stops} = view.lanes;
  const found = isNext ? stops.find(({at}) => at > middle + least) : stops.findLast(({at}) => at < middle - least);
  if (!found) {
    view.status.textContent = stops.length ? `There is none ${isNext ? 'after' : 'before'} it.` : 'The run has no steps, marks or out-of-memory events.';
    return;
  }
  const width = to - from < view.axis.end - view.axis.begin ? to - from : (view.axis.end - view.axis.begin) / 20;
  view.setRange(found.at - width / 2, found.at + width / 2, `${found.text}, ${view.where(found.clock)}. `);
}

/** Keeps the next of the blocks found, by allocation, and shows when it lived. @param {import('./view.js').TimelineView} view @param {number} step 1 or -1 */
export function toFound(view, step) {
  const {appearance: {found}, pointed, events: {arrays}, axis, range, track} = view, count = arrays['block.start'].length;
  const {device, kind} = view.page.profile.cells, cellOf = arrays['block.cell'];
  const isIn = i => found.block[i] && device[cellOf[i]] === track.device && (track.kind === null || kind[cellOf[i]] === track.kind);
  let at = pointed.selected < 0 && step < 0 ? 0 : pointed.selected, left = found ? count : 0;
  do at = (at + step + count) % count;
  while (left-- > 0 && !isIn(at));
  if (left < 0) {
    view.status.textContent = found ? 'No block of this device and kind matches.' : 'The search is empty.';
    return;
  }
  const begin = axis.ofClock(arrays['block.start'][at]), end = axis.ofClock(Math.min(arrays['block.end'][at], axis.last + 1));
  const isSeen = begin < range.to && end > range.from && (end - begin) / (range.to - range.from) * view.picture.width >= 4;
  view.keep(blockKey(view.events, at));
  if (!isSeen) view.setRange(begin - 2 * (end - begin), end + 2 * (end - begin));
}

function toBlock(view) {
  const id = view.pointed.cursor.id || view.pointed.selected + 1;
  if (view.pointed.selected >= 0 && id === view.pointed.selected + 1) {
    view.pointed.panel.focus();
    view.pointed.panel.scrollIntoView({block: 'nearest'});
  } else if (id) {
    view.pointed.select(id);
  }
}

function toState({page, track, pointed, state, go}) {
  const at = {device: deviceKey(page, track.device), at: String(Math.round(pointed.moment))};
  go('state', state.block ? {...at, block: state.block} : at);
}

/** @param {import('./view.js').TimelineView} view @returns {() => void} stops it */
export function followKeys(view) {
  const actions = {
    ArrowLeft: event => view.pan(event.shiftKey ? -1 : -0.1), ArrowRight: event => view.pan(event.shiftKey ? 1 : 0.1),
    ArrowUp: () => step(view, true), ArrowDown: () => step(view, false),
    '+': () => view.zoom(0.5, 0.5), '=': () => view.zoom(0.5, 0.5), '-': () => view.zoom(0.5, 2), '−': () => view.zoom(0.5, 2),
    Home: () => view.toWhole(), p: () => view.toPeak(),
    v: () => view.stretch(cursorShare(view), 0.5), V: () => view.stretch(cursorShare(view), 2), PageUp: () => view.climb(0.5), PageDown: () => view.climb(-0.5),
    '/': () => view.controls.search.focus(), '[': () => toStop(view, false), ']': () => toStop(view, true),
    n: () => toFound(view, 1), N: () => toFound(view, -1),
    Escape: () => view.state.at !== '' && view.pointed.selected < 0 ? view.choose(-1) : view.pointed.select(0),
    m: () => view.choose(view.pointed.cursor.column >= 0 ? view.pointed.cursor.column : view.picture.shown?.highest ?? -1), Enter: () => toBlock(view),
    s: () => toState(view),
  };
  const pressed = event => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || document.querySelector('dialog[open]')) return;
    if (isTyping(event.target)) {
      if (event.key === 'Escape') view.picture.root.focus();
      return;
    }
    // These scroll the page as ever where the picture does not have the focus.
    const needsPicture = ['ArrowUp', 'ArrowDown', 'Home', 'PageUp', 'PageDown'].includes(event.key);
    if (needsPicture && event.target !== view.picture.root) return;
    if (event.key === 'Enter' && isFollowed(event.target)) return;
    const action = Object.hasOwn(actions, event.key) ? actions[event.key] : null;
    if (!action) return;
    event.preventDefault();
    action(event);
  };
  document.addEventListener('keydown', pressed);
  return () => document.removeEventListener('keydown', pressed);
}
