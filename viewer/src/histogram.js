/**
 * histogram.js - the distributions of block sizes and lifetimes: bins of the blocks in the section `events`. The view of lifetimes calls it.
 *
 * Bins are those of `gpumemprof histogram`: sizes from 2^k to below 2^(k+1); ages below 100 ns, then one for each power of ten. Blocks that are live
 * at the end have a separate bin. Only blocks that are in the page one by one can be counted; the caller says how many are not. Counting yields to
 * drawing and to input after each batch.
 */
import {NONE} from './events.js';
import {bytes, short, time} from './format.js';

const PORTION = 1 << 17;

/**
 * @typedef {object} Bin
 * @property {string} text
 * @property {number} blocks
 * @property {number} bytes
 */

/** floor(log(value) to the base), exact: it corrects the rounding of logarithms of large numbers. */
function powerOf(base, value) {
  let power = Math.floor(Math.log(value) / Math.log(base));
  if (base ** (power + 1) <= value) power += 1;
  if (base ** power > value) power -= 1;
  return power;
}

/** Counts of blocks and bytes by power of a base. */
class Counts {
  constructor(base, least) {
    this.base = base;
    this.least = least;
    this.found = new Map();
  }

  add(value, size) {
    const key = value < this.least ? -1 : powerOf(this.base, value), bin = this.found.get(key);
    if (bin) {
      bin.blocks += 1;
      bin.bytes += size;
    } else {
      this.found.set(key, {blocks: 1, bytes: size});
    }
  }

  /** Bins between the first and the last that has blocks, the empty ones between them included. What is below `least` comes first. */
  bins(text, textBelow) {
    const keys = [...this.found.keys()].filter(key => key >= 0), below = this.found.get(-1);
    const bins = below ? [{text: textBelow, ...below}] : [];
    const first = below ? Math.max(0, powerOf(this.base, this.least)) : Math.min(...keys);
    for (let key = first; key <= Math.max(...keys); ++key) bins.push({text: text(key), ...(this.found.get(key) || {blocks: 0, bytes: 0})});
    return bins;
  }
}

/**
 * @param {import('./events.js').Events} events
 * @param {(cell: number) => boolean} [keep] of which cells blocks count
 * @param {() => boolean} [isWanted] asked from time to time: false stops the counting
 * @returns {Promise<{sizes: Bin[], ages: Bin[]}|null>} nothing where no block counts; null if it was stopped
 */
export async function histograms(events, keep = () => true, isWanted = () => true) {
  const {arrays} = events, cell = arrays['block.cell'], end = arrays['block.end'], live = {text: '(not freed)', blocks: 0, bytes: 0};
  const low = arrays['block.bytes_low'], high = arrays['block.bytes_high'], ageLow = arrays['block.age_low'], ageHigh = arrays['block.age_high'];
  const sizes = new Counts(2, 1), ages = new Counts(10, 100);
  for (let i = 0; i < events.blocks; ++i) {
    if (i % PORTION === PORTION - 1) {
      await new Promise(resolve => setTimeout(resolve));
      if (!isWanted()) return null;
    }
    if (!keep(cell[i])) continue;
    const size = high[i] * 2 ** 32 + low[i];
    sizes.add(size, size);
    if (end[i] === NONE) {
      live.blocks += 1;
      live.bytes += size;
    } else {
      ages.add(ageHigh[i] * 2 ** 32 + ageLow[i], size);
    }
  }
  return {
    sizes: sizes.bins(power => `${short(bytes(2 ** power))} to below ${short(bytes(2 ** (power + 1)))}`, 'empty'),
    ages: [...ages.bins(power => `${time(10 ** power)} to below ${time(10 ** (power + 1))}`, 'below 100 ns'), ...(live.blocks ? [live] : [])],
  };
}
