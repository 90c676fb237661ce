// events.test.mjs - the section `events`: what a writer put in comes out, and damage ends in a sentence.
import assert from 'node:assert/strict';
import test from 'node:test';
import {decodeEvents} from '../src/events.js';
import {randomBlocks, writeEvents} from './fixture_events.mjs';

const cells = {device: [0, 0, 0, 1, 1, 1], kind: [0, 1, 2, 0, 1, 2]};
const run = randomBlocks({seed: 3, blocks: 300});

test('all columns of blocks come out as they were', () => {
  const events = decodeEvents(writeEvents(run, {cells}));
  assert.equal(events.blocks, 300);
  assert.equal(events.header.complete, true);
  for (const name of ['start', 'end', 'padding', 'generation', 'cell', 'pair', 'thread']) {
    assert.deepEqual(Array.from(events.arrays[`block.${name}`]), Array.from(run.blocks[name]), name);
  }
  for (const name of ['bytes', 'address', 'time', 'age']) {
    assert.deepEqual(Array.from({length: 300}, (_, i) => events.f64(`block.${name}`, i)), Array.from(run.blocks[name]), name);
  }
});

test('blocks that are not kept are in the totals', () => {
  const keep = run.blocks.start.map((_, i) => i % 3 === 0 ? 1 : 0);
  const all = decodeEvents(writeEvents(run, {cells})), some = decodeEvents(writeEvents(run, {cells, keep: Uint8Array.from(keep)}));
  assert.equal(some.header.complete, false);
  assert.deepEqual(some.header.blocks, {kept: 100, seen: 300});
  assert.deepEqual(some.arrays['track0.most'], all.arrays['track0.most']);
  assert.equal(some.arrays['rest.begin'].length, some.arrays['rest.cell'].length + 1);
});

test('damaged bytes end in a sentence', () => {
  const whole = writeEvents(run, {cells});
  for (const bytes of [new Uint8Array(4), whole.subarray(1), whole.subarray(0, 100)]) {
    assert.throws(() => decodeEvents(bytes), /the events of this page are damaged/);
  }
  assert.throws(() => decodeEvents(whole.subarray(0, 5000)).arrays['time_high'], /time_high does not lie in them/);
});
