/**
 * paint.js - ids of pixels become colours, and the outline of one block.
 *
 * picture.js calls it when a picture or the colours change; nothing here calls the worker, so a click on the legend takes effect at once. A block of
 * at least three pixels has an edge that is a shade darker, so that two blocks of one line can be distinguished. A group may be hatched, rising to
 * the right. The rest has stripes that fall to the right, because it is not a block. Blocks that do not match the search, or are not chosen in the
 * legend, are paler. Colours are 32 bits as an ImageData has them.
 */
import {inkOn} from '../color.js';
import {REST, UNKNOWN} from './tracks/rest.js';

const SHADES = 6; // of each group: plain, edge, hatching, and the same pale

/** "#rrggbb" or "rgb(r, g, b)". @returns {number[]} */
export const partsOf = color => color[0] === '#' ? [1, 3, 5].map(at => parseInt(color.slice(at, at + 2), 16)) : color.match(/\d+/g).map(Number);
const packed = ([red, green, blue]) => ((255 << 24) | (blue << 16) | (green << 8) | red) >>> 0;
const mixed = (from, to, share) => from.map((part, i) => Math.round(part + (to[i] - part) * share));

/** @param {string[]} colors CSS, by group @param {string} ground of the page @param {boolean} dark */
export function shadesOf(colors, ground, dark) {
  const under = partsOf(ground), edge = dark ? [255, 255, 255] : [0, 0, 0], made = new Uint32Array(colors.length * SHADES);
  colors.forEach((color, group) => {
    const plain = partsOf(color), pale = mixed(plain, under, 0.8);
    const line = partsOf(inkOn(color) === '#000000' ? '#ffffff' : '#000000');
    [plain, mixed(plain, edge, 0.3), mixed(plain, line, 0.55), pale, mixed(pale, edge, 0.15), mixed(pale, plain, 0.3)].forEach((shade, i) => {
      made[group * SHADES + i] = packed(shade);
    });
  });
  return made;
}

/**
 * @param {{ids: Uint32Array, height: number}} picture as service.js gives it
 * @param {Uint32Array} out pixels, row by row from the top, as many
 * @param {object} appearance
 * @param {Uint32Array} appearance.shades of shadesOf
 * @param {ArrayLike<number>|null} appearance.ofBlock groups, null: by cell
 * @param {ArrayLike<number>} appearance.ofCell
 * @param {ArrayLike<number>} appearance.cellOf of blocks
 * @param {ArrayLike<number>} appearance.restCell cell of each entry of the rest
 * @param {boolean[]} appearance.hatched groups
 * @param {number} appearance.otherGroup of what has no cell
 * @param {Uint8Array|null} appearance.found blocks that are not paler, null: all
 * @param {Uint8Array|null} appearance.foundCell cells whose rest is not paler
 */
export function paint({ids, height}, out, appearance) {
  const {shades, hatched, ofBlock, ofCell, cellOf, restCell, otherGroup, found, foundCell} = appearance;
  const width = ids.length / height;
  for (let x = 0; x < width; ++x) {
    const column = x * height;
    let pixel = 0;
    while (pixel < height) {
      const id = ids[column + pixel];
      let end = pixel + 1;
      while (end < height && ids[column + end] === id) ++end;
      if (id === 0) {
        for (let i = pixel; i < end; ++i) out[(height - 1 - i) * width + x] = 0;
        pixel = end;
        continue;
      }
      let group, isPale, isRest = false;
      if (id < REST) {
        group = ofBlock ? ofBlock[id - 1] : ofCell[cellOf[id - 1]];
        isPale = found !== null && !found[id - 1];
      } else {
        const cell = id === UNKNOWN ? -1 : restCell[id - REST];
        group = cell < 0 ? otherGroup : ofCell[cell];
        isPale = foundCell !== null && (cell < 0 || !foundCell[cell]);
        isRest = true;
      }
      const first = group * SHADES + (isPale ? 3 : 0), plain = shades[first], edge = shades[first + 1], line = hatched[group] ? shades[first + 2] : plain;
      for (let i = pixel; i < end; ++i) {
        const ground = (x - i + height) % 8 < 3 ? line : plain;
        out[(height - 1 - i) * width + x] = isRest && (x + i) % 8 < 2 ? edge : ground;
      }
      if (end - pixel >= 3) out[(height - end) * width + x] = edge;
      pixel = end;
    }
  }
}

/**
 * Where a block lies in a picture: for each column its lowest and highest pixel, counted from the bottom.
 * @param {{ids: Uint32Array, height: number}} picture
 * @param {number} id
 * @param {number} from column
 * @param {number} to column, not in it
 * @returns {{column: number, low: number, high: number}[]} of columns in which it has pixels
 */
export function outlineOf({ids, height}, id, from, to) {
  const found = [];
  for (let column = from; column < to; ++column) {
    const low = ids.subarray(column * height, (column + 1) * height).indexOf(id);
    if (low < 0) continue;
    let high = low;
    while (high + 1 < height && ids[column * height + high + 1] === id) ++high;
    found.push({column, low, high});
  }
  return found;
}
