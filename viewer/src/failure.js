/**
 * failure.js - a sentence instead of a page or a view: a damaged section, a browser that is too old, an error of the viewer itself.
 *
 * main.js and shell.js call it. It says what to do. A view that fails does not affect the others.
 */
import {el} from './dom.js';

/** What this browser lacks, as a sentence; "" if nothing. @returns {string} */
export function missingHere() {
  const needed = [['DecompressionStream', 'decompression'], ['ReadableStream', 'streams'], ['BigInt', 'large numbers']];
  const lacks = needed.filter(([name]) => !(name in globalThis)).map(([, what]) => what);
  return lacks.length ? `This browser is too old for the page: it lacks ${lacks.join(', ')}. ` +
    'Open it in Chromium or Chrome 110, Firefox 115, Safari 16.4, or any later one.' : '';
}

/** Fills the element with the sentence of the error. @param {Element} root @param {Error} error */
export function showFailure(root, error) {
  root.replaceChildren(el('div', {class: 'failure', role: 'alert'},
    el('h2', {}, 'This cannot be shown'), el('p', {}, error.message || String(error)),
    error.stack ? el('details', {}, el('summary', {}, 'Details for a bug report'), el('pre', {class: 'quiet'}, error.stack)) : null));
}
