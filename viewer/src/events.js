/**
 * events.js - decodes the section `events` (docs/PAGE.md) into typed arrays.
 *
 * page.js calls it in the page, the timeline's worker in its thread: it needs only the bytes. An array is decoded on its first use, so a view pays
 * only for what it draws. Numbers of 64 bits are in two arrays, NAME_low and NAME_high, joined by f64. Bytes that violate the format lead to an error
 * message, never to a wrong picture.
 */

const MAGIC = 'GPMPAGE1';
const TYPES = {u8: Uint8Array, u32: Uint32Array, f64: Float64Array};
/** block.end of a block that is live at the end, block.pair of one not freed or not known by whom. */
export const NONE = 0xffffffff;

/**
 * @typedef {object} Events
 * @property {Uint8Array} bytes the section as it is in the page: what a worker is handed
 * @property {object} header the JSON at its begin: blocks, complete, first_clock, last_clock, tracks, scopes
 * @property {Object<string, Uint8Array|Uint32Array|Float64Array>} arrays by name, decoded when first asked for
 * @property {(name: string, i: number) => number} f64 element i of NAME_low and NAME_high as one number
 * @property {number} blocks how many blocks are here one by one
 * @property {number} scopes how many scopes are here
 */

const damaged = what => new Error(`the events of this page are damaged: ${what}`);

/** Puts bytes that are stored plane by plane back together. */
function joined(stored, count, width) {
  const bytes = new Uint8Array(count * width);
  for (let plane = 0; plane < width; ++plane) {
    const from = plane * count;
    for (let i = 0, to = plane; i < count; ++i, to += width) {
      bytes[to] = stored[from + i];
    }
  }
  return bytes;
}

/** @param {Uint8Array} bytes @param {{type: string, count: number, offset: number, delta?: boolean, planes?: boolean}} entry */
function decoded(bytes, start, name, entry) {
  const Type = TYPES[entry.type], width = Type ? Type.BYTES_PER_ELEMENT : 0;
  const from = start + entry.offset, length = entry.count * width;
  if (!Type || !(entry.count >= 0) || !(entry.offset >= 0) || from + length > bytes.length) {
    throw damaged(`${name} does not lie in them`);
  }
  const stored = bytes.subarray(from, from + length);
  const whole = entry.planes ? joined(stored, entry.count, width) : stored.slice();
  const array = new Type(whole.buffer, 0, entry.count);
  if (entry.delta) { // a typed array of whole numbers wraps round by itself
    for (let i = 1; i < array.length; ++i) {
      array[i] += array[i - 1];
    }
  }
  return array;
}

/**
 * @param {Uint8Array} bytes the section
 * @returns {Events}
 */
export function decodeEvents(bytes) {
  const text = new TextDecoder();
  if (bytes.length < 12 || text.decode(bytes.subarray(0, 8)) !== MAGIC) {
    throw damaged('they do not begin as such');
  }
  const length = new DataView(bytes.buffer, bytes.byteOffset).getUint32(8, true);
  if (12 + length > bytes.length) {
    throw damaged('they are cut off');
  }
  const header = JSON.parse(text.decode(bytes.subarray(12, 12 + length)));
  const start = Math.ceil((12 + length) / 8) * 8;
  const arrays = Object.create(null);
  for (const [name, entry] of Object.entries(header.arrays)) {
    Object.defineProperty(arrays, name, {configurable: true, enumerable: true, get() {
      const value = decoded(bytes, start, name, entry);
      if (entry.from) {
        const base = arrays[entry.from];
        for (let i = 0; i < value.length; ++i) {
          value[i] += base[i];
        }
      }
      Object.defineProperty(arrays, name, {value, enumerable: true});
      return value;
    }});
  }
  const countOf = name => header.arrays[name] ? header.arrays[name].count : 0;
  return {
    bytes, header, arrays,
    f64: (name, i) => arrays[`${name}_high`][i] * 2 ** 32 + arrays[`${name}_low`][i],
    blocks: countOf('block.start'),
    scopes: countOf('scope.start'),
  };
}
