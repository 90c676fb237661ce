/**
 * filter.js - parses the filter of a table: words that a row must have, and comparisons of its figures.
 *
 *   zeros train.cu:41 "batch * 4"     all of these texts, in any column of text
 *   at_peak>1MiB lifetime_ns<2ms      figures, in the unit of their column
 *   function:step -type:float         text in one column; "-" before a word: rows without it
 *
 * table.js calls it. A word whose column does not exist is text, so that "train.cu:41" finds a location. Case does not matter.
 */

const SIZES = {'': 1, b: 1, k: 2 ** 10, m: 2 ** 20, g: 2 ** 30, t: 2 ** 40};
const TIMES = {'': 1, ns: 1, us: 1e3, ms: 1e6, s: 1e9};
const COMPARE = {
  '=': (a, b) => a === b, '>': (a, b) => a > b, '>=': (a, b) => a >= b, '<': (a, b) => a < b, '<=': (a, b) => a <= b,
};

/**
 * "1.5MiB" as bytes, "2ms" as nanoseconds, "30" or "30%" as a number; null where it is none.
 * @param {string} unit of the column: bytes, signed, time, count, percent
 * @param {string} text
 */
export function quantity(unit, text) {
  const match = /^([+-]?\d+(?:\.\d+)?)\s*([a-z%]*)$/i.exec(text.trim());
  if (!match) return null;
  const suffix = match[2].toLowerCase();
  if (unit === 'time') return suffix in TIMES ? match[1] * TIMES[suffix] : null;
  if (unit === 'bytes' || unit === 'signed') {
    const size = /^([kmgt]?)(?:i?b)?$/.exec(suffix);
    return size ? match[1] * SIZES[size[1]] : null;
  }
  return suffix === '' || (suffix === '%' && unit === 'percent') ? Number(match[1]) : null;
}

/** @param {string} text @returns {{word: string, quoted: boolean, not: boolean}[]} */
export function words(text) {
  const found = [];
  for (const match of text.matchAll(/(-?)(?:([a-z_]+:)?"([^"]*)"?|(\S+))/gi)) {
    const word = match[4] === undefined ? (match[2] || '') + match[3] : match[4];
    if (word) found.push({word, quoted: match[4] === undefined && !match[2], not: match[1] === '-'});
  }
  return found;
}

/**
 * @typedef {object} Filtered a column as filters see it
 * @property {string} key
 * @property {string} [unit] of a figure; text has none
 * @property {(row: object) => any} value
 *
 * @param {string} text what was typed
 * @param {Filtered[]} columns
 * @param {(row: object) => string} wholeText all text of a row
 * @returns {(row: object) => boolean}
 */
export function filterOf(text, columns, wholeText) {
  const byKey = new Map(columns.map(column => [column.key, column]));
  const tests = words(text || '').map(({word, quoted, not}) => {
    const match = quoted ? null : /^([a-z_]+)(>=|<=|[:=<>])(.+)$/i.exec(word);
    const column = match && byKey.get(match[1].toLowerCase());
    const wanted = column && column.unit ? quantity(column.unit, match[3]) : null;
    let test;
    if (column && column.unit && wanted !== null && match[2] !== ':') {
      test = row => {
        const value = column.value(row);
        return value !== null && value !== undefined && COMPARE[match[2]](value, wanted);
      };
    } else if (column && !column.unit && (match[2] === ':' || match[2] === '=')) {
      const part = match[3].toLowerCase();
      const fits = match[2] === ':' ? value => value.includes(part) : value => value === part;
      test = row => fits(String(column.value(row) ?? '').toLowerCase());
    } else {
      const part = word.toLowerCase();
      test = row => wholeText(row).toLowerCase().includes(part);
    }
    return not ? row => !test(row) : test;
  });
  return row => tests.every(test => test(row));
}
