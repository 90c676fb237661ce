/**
 * pyramid.js - finds the position of the largest value in a range in a few steps, for millions of values.
 *
 * track.js makes one over the totals of a track, one per moment; raster.js queries it once for each pixel column. Above the values there are levels,
 * each with one entry for 16 entries below it: the position of their largest value. A query reads fewer than 32 entries of each level. Of equal
 * values the first one counts, so a plateau is represented by its begin.
 */

const FAN = 16;

export class Pyramid {
  /** @param {Float64Array} values stays the caller's and must not change */
  constructor(values) {
    this.values = values;
    /** @type {Uint32Array[]} places of the largest, by level: 16, 256, 4096 … values each */
    this.levels = [];
    let below = null;
    for (let count = values.length; count > FAN;) {
      const above = new Uint32Array(Math.ceil(count / FAN));
      for (let i = 0; i < above.length; ++i) {
        const last = Math.min(count, (i + 1) * FAN);
        let best = below ? below[i * FAN] : i * FAN;
        for (let j = i * FAN + 1; j < last; ++j) {
          const place = below ? below[j] : j;
          if (values[place] > values[best]) best = place;
        }
        above[i] = best;
      }
      this.levels.push(above);
      below = above;
      count = above.length;
    }
  }

  /**
   * The place of the first largest value.
   * @param {number} from
   * @param {number} to not in it
   * @returns {number} -1 where there is nothing from here to there
   */
  highest(from, to) {
    const {values, levels} = this;
    if (to <= from) return -1;
    let best = from, tail = -1;
    const tailPlaces = [];
    for (let level = 0; ; ++level) {
      const below = level ? levels[level - 1] : null;
      const above = levels[level];
      const next = above ? Math.ceil(from / FAN) : to, end = above ? Math.floor(to / FAN) : to;
      if (!above || next >= end) {
        for (let i = from; i < to; ++i) {
          const place = below ? below[i] : i;
          if (values[place] > values[best]) best = place;
        }
        break;
      }
      for (let i = from; i < next * FAN; ++i) {
        const place = below ? below[i] : i;
        if (values[place] > values[best]) best = place;
      }
      // What is right of the whole groups comes after all that higher levels find, so it is kept for later.
      tail = -1;
      for (let i = end * FAN; i < to; ++i) {
        const place = below ? below[i] : i;
        if (tail < 0 || values[place] > values[tail]) tail = place;
      }
      if (tail >= 0) tailPlaces.push(tail);
      from = next;
      to = end;
    }
    for (let i = tailPlaces.length - 1; i >= 0; --i) {
      if (values[tailPlaces[i]] > values[best]) best = tailPlaces[i];
    }
    return best;
  }
}

/**
 * How many values of an ascending array are below a limit.
 * @param {ArrayLike<number>} ascending
 * @param {number} limit
 * @returns {number} the first place whose value is at least limit
 */
export function countBelow(ascending, limit) {
  let low = 0, high = ascending.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (ascending[middle] < limit) low = middle + 1;
    else high = middle;
  }
  return low;
}
