/**
 * histogram.js - how many blocks are of which size, and live how long: bins of the blocks of the events. The view of lifetimes calls it.
 *
 * Bins are those of `gpumemprof histogram`: sizes from 2^k to below 2^(k+1); ages below 100 ns, then one for each power of ten. What is live at the
 * end has a bin of its own. Only blocks that are in the page one by one can be counted; the caller says how many are not.
 */
import {NONE} from './events.js';
import {bytes, time} from './format.js';

/**
 * @typedef {object} Bin
 * @property {string} text
 * @property {number} blocks
 * @property {number} bytes
 */

/** Bins between the first and the last that has blocks, the empty ones between them included. @param {Map<number, Bin>} found */
function filled(found, text) {
  const keys = [...found.keys()];
  const bins = [];
  for (let key = Math.min(...keys); key <= Math.max(...keys); ++key) bins.push({text: text(key), ...(found.get(key) || {blocks: 0, bytes: 0})});
  return bins;
}

const count = (found, key, size) => {
  const bin = found.get(key) || {blocks: 0, bytes: 0};
  bin.blocks += 1;
  bin.bytes += size;
  found.set(key, bin);
};

const short = text => text.replace(/\.0+ /, ' ');

const digits = age => age < 100 ? 2 : String(Math.floor(age)).length;

/**
 * @param {import('./events.js').Events} events
 * @param {(cell: number) => boolean} [keep] of which cells blocks count
 * @returns {{sizes: Bin[], ages: Bin[]}} nothing where no block counts
 */
export function histograms(events, keep = () => true) {
  const sizes = new Map(), ages = new Map(), {arrays} = events;
  const cell = arrays['block.cell'], end = arrays['block.end'], live = {text: 'live at the end', blocks: 0, bytes: 0};
  for (let i = 0; i < events.blocks; ++i) {
    if (!keep(cell[i])) continue;
    const size = events.f64('block.bytes', i);
    count(sizes, size ? Math.floor(Math.log2(size)) : -1, size);
    if (end[i] === NONE) {
      live.blocks += 1;
      live.bytes += size;
    } else {
      count(ages, digits(events.f64('block.age', i)), size);
    }
  }
  const sizeText = power => power < 0 ? 'empty' : `${short(bytes(2 ** power))} to below ${short(bytes(2 ** (power + 1)))}`;
  const ageText = power => power === 2 ? 'below 100 ns' : `${short(time(10 ** (power - 1)))} to below ${short(time(10 ** power))}`;
  return {sizes: sizes.size ? filled(sizes, sizeText) : [], ages: [...(ages.size ? filled(ages, ageText) : []), ...(live.blocks ? [live] : [])]};
}
