/**
 * eventful.js - the common part of views that need the events: it waits for them, or says how to record them if there are none.
 *
 * views/timeline.js and views/state.js are made of it. A link may change while the events are read: the view opens at the newest.
 */
import {el} from './dom.js';
import {showFailure} from './failure.js';

/** What to check if nothing was recorded at all; a history would not help then. @param {object} page @returns {Element|null} */
export function nothingNote({profile: {page: {nothing}}}) {
  return nothing ? el('p', {class: 'note'}, nothing[0].toUpperCase() + nothing.slice(1)) : null;
}

/**
 * @param {object} profile
 * @param {string} unknown what is not known without events, the end of a sentence
 * @returns {Element}
 */
export const howToRecord = ({page}, unknown) => nothingNote({profile: {page}}) || el('p', {class: 'note'},
  page.history === 'window' ? `This page covers a part of the run, without its events, so ${unknown}. Make a page of the whole run to see it.` :
    [`The capture has ${page.history === 'part' ? 'only a part of the events of the run' : 'sums, but not the events of the run'}, so ${unknown}. `,
      'Record them with ', el('code', {}, 'GPUMEMPROF_OPTIONS=history=all'), ' and make the page again.']);

/**
 * @param {Element} root
 * @param {import('./page.js').Page} page
 * @param {object} state
 * @param {{wide: string, keys: object[], show: (events: import('./events.js').Events|null, state: object) => ({update?: Function, close?: Function}|void)}} how
 *   wide: the class of what is as wide as the view; show draws, once
 * @returns {{keys: object[], update: (state: object) => void, close: () => void}} of a view's open()
 */
export function whenRead(root, page, state, {wide, keys, show}) {
  let now = state, shown = null, isClosed = false;
  const waiting = el('p', {class: `wait ${wide}`, role: 'status'}, 'Reading the events…');
  root.append(waiting);
  page.events().then(async events => {
    await new Promise(resolve => setTimeout(resolve)); // so that the sentence is drawn before a million blocks are sorted
    if (isClosed) return;
    waiting.remove();
    shown = show(events, now);
  }).catch(error => showFailure(root, error));
  return {
    keys,
    update(next) {
      now = next;
      shown?.update?.(next);
    },
    close() {
      isClosed = true;
      shown?.close?.();
    },
  };
}
