/**
 * stack.js - many heights on top of each other, most of them 0; finds the one at a pixel.
 *
 * raster.js keeps one for the blocks of a track and one for its rest, and moves both from column to column. A tree of sums, 16 to a node: a change
 * writes one number per level (six levels for sixteen million), and a column of pixels is read in one walk from the bottom that goes into a node only
 * where the centre of a pixel lies in it. A Fenwick tree costs a logarithm for either; with 64 to a node columns of half a million live blocks take
 * twice as long.
 */

const SHIFT = 4;
const FAN = 1 << SHIFT;

export class Stack {
  /** @param {number} count heights, all 0 */
  constructor(count) {
    /** @type {Float64Array[]} heights, sums of 16, of 256 … */
    this.levels = [new Float64Array(count)];
    while (this.levels[this.levels.length - 1].length > FAN) {
      this.levels.push(new Float64Array(Math.ceil(this.levels[this.levels.length - 1].length / FAN)));
    }
    this.total = 0;
  }

  /** The heights themselves: the code that fills them calls settle() then. */
  get heights() {
    return this.levels[0];
  }

  /** Makes all sums again. */
  settle() {
    for (let level = 1; level < this.levels.length; ++level) {
      const below = this.levels[level - 1], above = this.levels[level];
      for (let i = 0; i < above.length; ++i) {
        const last = Math.min(below.length, (i + 1) << SHIFT);
        let sum = 0;
        for (let j = i << SHIFT; j < last; ++j) sum += below[j];
        above[i] = sum;
      }
    }
    const top = this.levels[this.levels.length - 1];
    let total = 0;
    for (let i = 0; i < top.length; ++i) total += top[i];
    this.total = total;
  }

  /** @param {number} place @param {number} change */
  add(place, change) {
    for (let level = 0; level < this.levels.length; ++level) {
      this.levels[level][place] += change;
      place >>>= SHIFT;
    }
    this.total += change;
  }

  /**
   * Finds which height each pixel lies in. The centre of pixel i is (i + 0.5) * perPixel above the picture's bottom.
   * @param {Uint32Array} out
   * @param {number} at of pixel 0 in out
   * @param {number} first pixel to be found
   * @param {number} end the pixel after the last one
   * @param {number} bottom where this stack begins, above the picture's bottom; may be below it
   * @param {number} perPixel
   * @param {Uint32Array} names what to write for each place
   * @returns {number} the first pixel above the stack, or end
   */
  fill(out, at, first, end, bottom, perPixel, names) {
    const {levels} = this;
    let pixel = first;
    let centre = (first + 0.5) * perPixel - bottom;
    const walk = (level, from, to, before) => {
      const sums = levels[level];
      for (let i = from; i < to && pixel < end; ++i) {
        const after = before + sums[i];
        if (after > centre && sums[i] > 0) {
          if (level) {
            walk(level - 1, i << SHIFT, Math.min(levels[level - 1].length, (i + 1) << SHIFT), before);
          } else {
            const name = names[i];
            do {
              out[at + pixel] = name;
              centre = (++pixel + 0.5) * perPixel - bottom;
            } while (centre < after && pixel < end);
          }
        }
        before = after;
      }
    };
    walk(levels.length - 1, 0, levels[levels.length - 1].length, 0);
    return pixel;
  }
}
