/**
 * search.js - which frames match a search, and the sum of the figure over the paths through them.
 *
 * A path with several matches counts once. The sum is the same in both orders of the tree, because it is over paths, not over boxes.
 */
import {words} from '../filter.js';
import {searchedText} from './frames.js';

const texts = new WeakMap(); // Frames -> texts by frame, made at the first search

/**
 * @param {import('./frames.js').Frames} frames
 * @param {string} term parts of names, places, variables, in any case: all of them; "several words" as one, "-" before what must not be there
 * @returns {Uint8Array|null} by frame 1 where it fits; null where nothing is searched for
 */
export function matching(frames, term) {
  const asked = words(term.toLowerCase());
  if (!asked.length) return null;
  if (!texts.has(frames)) texts.set(frames, Array.from({length: frames.count}, (_, frame) => frame ? searchedText(frames, frame) : ''));
  const all = texts.get(frames);
  return Uint8Array.from(all, text => asked.every(({word, not}) => text.includes(word) !== not) ? 1 : 0);
}

/**
 * @param {import('./frames.js').Frames} frames @param {Uint8Array} fits @param {string} width one of ADDING
 * @returns {{frames: number, value: number, share: number}} how many fit; what paths through them have, and its share of all
 */
export function sumOf({count, parent, self, all}, fits, width) {
  const within = fits.slice();
  let found = 0, value = 0;
  for (let frame = 0; frame < count; ++frame) { // parents come before their children
    found += fits[frame];
    if (frame && within[parent[frame]]) within[frame] = 1;
    if (within[frame]) value += self[width][frame];
  }
  const whole = all[width][0];
  return {frames: found, value, share: whole > 0 ? value / whole : 0};
}
