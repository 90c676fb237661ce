// figures.test.mjs - sizes and times are written as the table says, by which the tool writes them, too (test/tools/figures_test.c).
import assert from 'node:assert/strict';
import fs from 'node:fs';
import test from 'node:test';
import {bytes, signed, time} from '../src/format.js';

const table = process.env.GPUMEMPROF_FIGURES || new URL('../../test/figures.txt', import.meta.url);

test('a figure reads the same on the page and in a terminal', () => {
  const rows = fs.readFileSync(table, 'utf8').split('\n').map(line => /^(bytes|time) (-?\d+) (.+)$/.exec(line)).filter(Boolean);
  assert.ok(rows.length >= 35);
  for (const [, what, number, text] of rows) {
    assert.equal({bytes, time}[what](Number(number)), text, `${what} ${number}`);
    if (what === 'bytes' && !number.startsWith('-')) assert.equal(signed(Number(number)), (number === '0' ? '' : '+') + text);
  }
  assert.equal(time(-1190000), '-1.2 ms', 'a difference');
});
