// pieces.test.mjs - the pages of a block in words, from a strip as docs/PAGE.md (advice) has it.
import assert from 'node:assert/strict';
import test from 'node:test';
import {piecesOf, pieceText, stripName, stripText} from '../src/advice/pieces.js';

const strip = {bytes: 40960, pages: 10, pages_of_part: 1, clock: 3, read: 3, written: 2, untouched: 6, unused: 20480, judged: true,
  allocated: {file: '/src/a.cu', line: 7, function: 'main', variable: 'w'},
  parts: [[0, 1, 0, 0, 4], [0, 1, 0, 0, 4], [0, 0, 1, 0, 4], [0, 0, 0, 1, 5], ...Array(6).fill([1, 0, 0, 0, null])]};
const texts = given => piecesOf(given).map(pieceText);

test('neighbouring parts that are alike are one piece', () => {
  assert.deepEqual(texts(strip), ['pages 0 to 1: read, last at event 4', 'page 2: written, last at event 4', 'page 3: read and written, last at event 5', 'pages 4 to 9: not used']);
  assert.deepEqual(piecesOf(strip).map(({from, to}) => [from, to]), [[0, 2], [2, 3], [3, 4], [4, 10]]);
});

test('a part of several pages says how many are in which state, and the last may be shorter', () => {
  const wide = {...strip, pages: 10, pages_of_part: 4, parts: [[1, 2, 1, 0, 9], [0, 4, 0, 0, 9], [0, 2, 0, 0, 9]]};
  assert.deepEqual(texts(wide), ['pages 0 to 3: 1 not used, 2 read, 1 written, last at event 9', 'pages 4 to 9: read, last at event 9']);
});

test('pages that were last used at different times are different pieces', () => {
  assert.deepEqual(texts({...strip, pages: 2, parts: [[0, 1, 0, 0, 4], [0, 1, 0, 0, 6]]}), ['page 0: read, last at event 4', 'page 1: read, last at event 6']);
});

test('a strip says how much was used and what is unused at its end', () => {
  assert.equal(stripText(strip), '10 pages: 3 read, 2 written, 6 not used by kernels; the last 20.00 KiB of 40.00 KiB are unused');
  assert.match(stripText({...strip, unused: 0}), /; its last page is used$/);
  assert.match(stripText({...strip, judged: false, unused: 0}), /; other code may have used it, too, so what is unused is not known$/);
  assert.equal(stripName(strip), 'w, allocated at a.cu:7');
  assert.equal(stripName({allocated: {file: null, line: 0, variable: null}}), 'a block, allocated at an unknown line');
});
