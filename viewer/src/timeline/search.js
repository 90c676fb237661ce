/**
 * search.js - finds the blocks that match the search of the timeline.
 *
 *   zeros train.cu:41         words that line, function, variable, type, label or call path have; all of them
 *   7f0012000000_2  7f00      the begin of an address, with or without the block's number
 *   >=1MiB size<4KiB          bytes of the block
 *   lifetime>2ms thread:1     lifetime; the thread that allocated the block
 *   function:step -label:warm words in one of them; "-" before a word: blocks without it
 *
 * The view calls it when the text changes. A word is looked up in each cell once, not in each block. The rest can be found only by words, because it
 * has no address, size or thread.
 */
import {filterOf, quantity, words} from '../filter.js';
import {frameOf, pathOf, placeText, plainHigh, textOf} from '../model.js';

const NUMBERS = /^(size|bytes|lifetime|thread)?(>=|<=|[<>=:])(.+)$/i;
const COMPARE = {
  '=': (a, b) => a === b, ':': (a, b) => a === b, '>': (a, b) => a > b, '>=': (a, b) => a >= b, '<': (a, b) => a < b, '<=': (a, b) => a <= b,
};

/** The texts of a cell, under the names that users type. */
function rowOf(page, cell) {
  const node = page.profile.cells.node[cell], frame = frameOf(page, node);
  return {...frame, line: placeText(frame), label: textOf(page, page.profile.cells.label[cell]),
    kind: page.profile.kinds[page.profile.cells.kind[cell]], path: pathOf(page, node).map(placeText).join(' ')};
}

const COLUMNS = ['line', 'file', 'function', 'variable', 'type', 'label', 'kind', 'callee', 'size_expr', 'path']
  .map(key => ({key, value: row => row[key]}));
/** A word as one for filter.js: with its quotes. */
const asTyped = (word, quoted) => quoted ? `"${word}"` : /\s/.test(word) ? word.replace(/^([a-z_]+:)(.*)$/i, '$1"$2"') : word;
const rowsOf = new WeakMap();

/** The 64-bit numbers of blocks, with one lookup of the arrays for all blocks. */
function joined(events, name) {
  const low = events.arrays[`block.${name}_low`], high = events.arrays[`block.${name}_high`];
  return i => high[i] * 2 ** 32 + low[i];
}

/** What a word about blocks themselves asks of a block; null if it is not about that. @returns {((i: number) => boolean)|null} */
function ofBlocks(events, word) {
  const {arrays} = events, match = NUMBERS.exec(word);
  if (match) {
    const key = (match[1] || 'size').toLowerCase(), compare = COMPARE[match[2]];
    const wanted = quantity(key === 'lifetime' ? 'time' : key === 'thread' ? 'count' : 'bytes', match[3]);
    if (wanted === null) return null;
    const value = key === 'thread' ? i => arrays['block.thread'][i] : joined(events, key === 'lifetime' ? 'age' : 'bytes');
    return i => compare(value(i), wanted);
  }
  const address = /^(?:address:)?(?:0x)?([0-9a-f]{4,13})(?:_(\d+))?$/i.exec(word);
  if (!address) return null;
  const begins = parseInt(address[1], 16), wanted = address[2] ? Number(address[2]) : 0, generation = arrays['block.generation'];
  const low = arrays['block.address_low'], high = arrays['block.address_high'];
  return i => {
    if (wanted && generation[i] !== wanted) return false;
    let rest = plainHigh(high[i]) * 2 ** 32 + low[i];
    while (rest > begins) rest = Math.floor(rest / 16);
    return rest === begins;
  };
}

/**
 * @typedef {object} Found
 * @property {Uint8Array} block 1 for each block found
 * @property {Uint8Array} cell 1 for each cell whose rest is found
 * @property {number} blocks how many
 */

/**
 * @param {object} page @param {import('../events.js').Events} events
 * @param {string} text what was typed
 * @returns {Found|null} null where nothing is asked for
 */
export function search(page, events, text) {
  const asked = words(text || '');
  if (!asked.length) return null;
  if (!rowsOf.has(page)) rowsOf.set(page, page.profile.cells.node.map((_, cell) => rowOf(page, cell)));
  const rows = rowsOf.get(page), cellOf = events.arrays['block.cell'];
  const block = new Uint8Array(events.blocks).fill(1), cell = new Uint8Array(rows.length).fill(1);
  for (const {word, quoted, not} of asked) {
    const isOf = quoted ? null : ofBlocks(events, word), isNumber = isOf !== null && NUMBERS.test(word);
    const test = isNumber ? () => false : filterOf(asTyped(word, quoted), COLUMNS, row => COLUMNS.map(({value}) => value(row)).join('\n'));
    const fits = Uint8Array.from(rows, row => Number(test(row)));
    // A number says nothing about the rest, whichever way it is asked.
    for (let i = 0; i < cell.length; ++i) cell[i] &= isNumber ? 0 : fits[i] ^ Number(not);
    for (let i = 0; i < block.length; ++i) block[i] &= (fits[cellOf[i]] || Number(isOf !== null && isOf(i))) ^ Number(not);
  }
  let blocks = 0;
  for (let i = 0; i < block.length; ++i) blocks += block[i];
  return {block, cell, blocks};
}
