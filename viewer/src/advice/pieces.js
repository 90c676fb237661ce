/**
 * pieces.js - the pages of a block in words: what strips.js draws, for those who cannot see it.
 *
 * The page has them as parts of a number of pages each (docs/PAGE.md, advice). Neighbouring parts that are alike are one piece.
 */
import {bytes, exact, plural} from '../format.js';
import {baseName} from '../model.js';

/** What each state of a page is called, in the order of the numbers of a part. */
export const STATES = ['not used', 'read', 'written', 'read and written'];

/**
 * @param {{pages: number, pages_of_part: number, parts: number[][]}} strip
 * @returns {{from: number, to: number, counts: number[], last: number|null}[]} pages from one to before another; counts by state
 */
export function piecesOf({pages, pages_of_part: size, parts}) {
  const pieces = [];
  parts.forEach(([none, read, written, both, last], i) => {
    const counts = [none, read, written, both], from = i * size, to = Math.min(pages, from + size), before = pieces.at(-1);
    const total = counts.reduce((sum, count) => sum + count, 0), alike = before && before.last === last &&
      counts.every((count, state) => count * (before.to - before.from) === before.counts[state] * total);
    if (!alike) return pieces.push({from, to, counts, last});
    before.to = to;
    before.counts = before.counts.map((count, state) => count + counts[state]);
  });
  return pieces;
}

/** "pages 0 to 2: read, last at event 4"; of a piece with several states, how many pages have each. */
export function pieceText({from, to, counts, last}) {
  const found = STATES.map((state, i) => [counts[i], state]).filter(([count]) => count);
  const what = found.length === 1 ? found[0][1] : found.map(([count, state]) => `${exact(count)} ${state}`).join(', ');
  return `${to - from === 1 ? `page ${exact(from)}` : `pages ${exact(from)} to ${exact(to - 1)}`}: ${what}${last === null ? '' : `, last at event ${exact(last)}`}`;
}

/** "10 pages: 3 read, 2 written, 7 not used; the last 20.00 KiB of 40.00 KiB are unused". */
export function stripText({bytes: size, pages, read, written, untouched, unused, judged}) {
  const end = !judged ? 'other code may have used it, too, so what is unused is not known' : unused ? `the last ${bytes(unused)} of ${bytes(size)} are unused` : 'its last page is used';
  return `${plural(pages, 'page')}: ${exact(read)} read, ${exact(written)} written, ${exact(untouched)} not used by kernels; ${end}`;
}

/** "x, allocated at a.cu:3". */
export const stripName = ({allocated: {file, line, variable}}) => `${variable || 'a block'}, allocated at ${file ? `${baseName(file)}:${line}` : 'an unknown line'}`;
