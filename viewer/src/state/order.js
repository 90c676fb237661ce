/**
 * order.js - sorts numbers of things by whole-number keys of theirs, in time linear in their number. layout.js and steps.js call it.
 *
 * A page may hold millions of blocks; a comparing sort of that many takes seconds. The keys are sorted by 16 bits at a time, lowest first, and each
 * pass keeps the order of the one before (LSD radix sort). A pass is left out if all keys have the same digit.
 */

const DIGIT = 16, DIGITS = 1 << DIGIT;

/** One pass over a digit of the keys; false if all have the same, and nothing is moved. */
function pass(items, spare, key, shift) {
  const begin = new Uint32Array(DIGITS + 1);
  for (let i = 0; i < items.length; ++i) {
    ++begin[((key[items[i]] >>> shift) & (DIGITS - 1)) + 1];
  }
  if (items.length === 0 || begin[((key[items[0]] >>> shift) & (DIGITS - 1)) + 1] === items.length) {
    return false;
  }
  for (let digit = 1; digit <= DIGITS; ++digit) {
    begin[digit] += begin[digit - 1];
  }
  for (let i = 0; i < items.length; ++i) {
    const item = items[i];
    spare[begin[(key[item] >>> shift) & (DIGITS - 1)]++] = item;
  }
  return true;
}

/**
 * Sorts in place; items of equal keys stay in their order.
 * @param {Uint32Array} items indices into the keys
 * @param {...Uint32Array} keys by item, the least significant word first
 * @returns {Uint32Array} items
 */
export function sortBy(items, ...keys) {
  let from = items, to = new Uint32Array(items.length);
  for (const key of keys) {
    for (const shift of [0, DIGIT]) {
      if (pass(from, to, key, shift)) [from, to] = [to, from];
    }
  }
  if (from !== items) items.set(from);
  return items;
}

/**
 * How many of the ascending numbers are at most the value.
 * @param {ArrayLike<number>} ascending @param {number} value
 * @param {number} [low] where to look @param {number} [high] its end
 * @returns {number} the index of the first that is higher
 */
export function countUpTo(ascending, value, low = 0, high = ascending.length) {
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (ascending[middle] <= value) low = middle + 1;
    else high = middle;
  }
  return low;
}
