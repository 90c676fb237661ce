// leak_lines.test.mjs - call paths of a line are one entry with their sum.
import assert from 'node:assert/strict';
import {test} from 'node:test';
import {leakLines} from '../src/leak_lines.js';

test('leaks of a line are one entry with their sum', () => {
  const leak = (line, variable, bytes, node) => ({file: '/d.c', line, function: 'make', variable, size_expr: 'n', type: null, bytes, blocks: 1, node, path: []});
  const lines = leakLines([leak(2, 'y', 50, 1), leak(501, 'x', 40, 2), leak(501, 'x', 30, 3), leak(501, 'z', 20, 4)]);
  assert.deepEqual(lines.map(({line, variable, bytes, blocks, node, paths}) => [line, variable, bytes, blocks, node, paths.length]),
    [[501, 'x', 70, 2, 2, 2], [2, 'y', 50, 1, 1, 1], [501, 'z', 20, 1, 4, 1]]);
});
