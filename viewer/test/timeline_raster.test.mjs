// timeline_raster.test.mjs - the picture against one computed from the definition: for each pixel, all blocks are looked at.
import assert from 'node:assert/strict';
import test from 'node:test';
import {decodeEvents} from '../src/events.js';
import {compose} from '../src/timeline/tracks/compose.js';
import {inputOf} from '../src/timeline/tracks/input.js';
import {Pyramid, countBelow} from '../src/timeline/tracks/pyramid.js';
import {momentsOf, raster} from '../src/timeline/tracks/raster.js';
import {Stack} from '../src/timeline/tracks/stack.js';
import {orderOf} from '../src/timeline/tracks/order.js';
import {REST, UNKNOWN} from '../src/timeline/tracks/rest.js';
import {makeTrack} from '../src/timeline/tracks/track.js';
import {randomBlocks, randomOf, writeEvents} from './fixture_events.mjs';

const cells = {device: [0, 0, 0, 0, 1, 1], kind: [0, 0, 1, 2, 0, 1]};
const tracks = [{device: 0, kind: null}, {device: 1, kind: null}, {device: 0, kind: 0}, {device: 0, kind: 1}];
const isIn = (track, cell) => cells.device[cell] === track.device && (track.kind === null || cells.kind[cell] === track.kind);

function opened(run, options = {}) {
  const events = decodeEvents(writeEvents(run, {cells, tracks, ...options}));
  return inputOf(events, {cells});
}

const bordersOf = (from, to, columns) => Float64Array.from({length: columns + 1}, (_, i) => from + (to - from) * i / columns);

/** Blocks of a track that are live after a tick, oldest first. */
function liveAt({blocks}, track, clock, keep = () => true) {
  const live = [];
  for (let i = 0; i < blocks.count; ++i) {
    if (isIn(track, blocks.cell[i]) && blocks.start[i] <= clock && clock < blocks.end[i] && keep(i)) live.push(i);
  }
  return live;
}

const sum = (run, live) => live.reduce((total, i) => total + run.blocks.bytes[i], 0);

/** The pixels of a column from heights [name, bytes]. */
function column(heights, height, bottom, perPixel) {
  return Array.from({length: height}, (_, pixel) => {
    const centre = (pixel + 0.5) * perPixel + bottom;
    let before = 0;
    for (const [name, bytes] of heights) {
      if (centre < before + bytes) return name;
      before += bytes;
    }
    return 0;
  });
}

test('the pyramid finds the first largest value of any range', () => {
  const random = randomOf(5);
  for (const count of [0, 1, 15, 16, 17, 300, 5000]) {
    const values = Float64Array.from({length: count}, () => Math.floor(random() * 50));
    const pyramid = new Pyramid(values);
    for (let round = 0; round < 300; ++round) {
      const from = Math.floor(random() * (count + 1)), to = from + Math.floor(random() * (count + 1 - from));
      let best = from < to ? from : -1;
      for (let i = from; i < to; ++i) if (values[i] > values[best]) best = i;
      assert.equal(pyramid.highest(from, to), best, `${from} to ${to} of ${count}`);
    }
  }
});

test('places are ordered by keys of 32 bits, equal ones stay as they were', () => {
  const random = randomOf(9), keys = Uint32Array.from({length: 5000}, () => random() < 0.1 ? 0xffffffff : Math.floor(random() * 2 ** 32) & ~0xff);
  const expected = Array.from(keys.keys()).sort((a, b) => keys[a] - keys[b] || a - b);
  assert.deepEqual(Array.from(orderOf(keys)), expected);
  assert.equal(countBelow([1, 3, 3, 7], 3), 1);
});

test('a stack tells the height at each pixel after any changes', () => {
  const random = randomOf(11), count = 9000, stack = new Stack(count), heights = new Float64Array(count);
  const names = Uint32Array.from({length: count}, (_, i) => i + 1);
  for (let round = 0; round < 30; ++round) {
    for (let change = 0; change < 100; ++change) {
      const place = Math.floor(random() * count), value = random() < 0.5 ? 0 : Math.floor(random() * 1000);
      stack.add(place, value - heights[place]);
      heights[place] = value;
    }
    const perPixel = stack.total / 80, bottom = round % 3 * perPixel * 2.5 - perPixel, out = new Uint32Array(100);
    const end = stack.fill(out, 0, Math.max(0, Math.round(bottom / perPixel)), 100, bottom, perPixel, names);
    const expected = column(Array.from(heights, (bytes, i) => [i + 1, bytes]), 100, -bottom, perPixel);
    for (let pixel = Math.max(0, Math.round(bottom / perPixel)); pixel < 100; ++pixel) assert.equal(out[pixel], expected[pixel]);
    assert.ok(end === 100 || out[end] === 0);
  }
});

for (const seed of [1, 2, 3]) {
  test(`each pixel of a complete track holds the block that lies there (run ${seed})`, () => {
    const run = randomBlocks({seed, blocks: 400, live: 30}), input = opened(run), random = randomOf(seed + 100);
    tracks.forEach((wanted, which) => {
      const track = makeTrack(input, which);
      for (const [from, to, columns] of [[0, run.lastClock + 1, 60], [0, run.lastClock + 1, 2000], [100, 130, 90],
        ...Array.from({length: 5}, () => [random() * 300, 300 + random() * 400, 40])]) {
        const borders = bordersOf(from, to, columns), moments = momentsOf(track, borders);
        const top = Math.max(1, ...moments.total), bottom = random() < 0.5 ? 0 : top / 3, height = 50, perPixel = (top * 1.1 - bottom) / height;
        const ids = raster(track, moments.moment, height, bottom, perPixel);
        for (let x = 0; x < columns; ++x) {
          const first = Math.ceil(borders[x]) < Math.ceil(borders[x + 1]) ? Math.ceil(borders[x]) : Math.floor(borders[x]);
          let highest = -1;
          for (let clock = first; clock < Math.max(first + 1, Math.ceil(borders[x + 1])); ++clock) {
            highest = Math.max(highest, sum(run, liveAt(run, wanted, clock)));
          }
          const live = liveAt(run, wanted, moments.moment[x]);
          assert.equal(sum(run, live), highest, `column ${x} shows the highest moment`);
          assert.equal(moments.total[x], highest);
          assert.equal(moments.exact[x], 1);
          assert.deepEqual(Array.from(ids.subarray(x * height, (x + 1) * height)),
            column(live.map(i => [i + 1, run.blocks.bytes[i]]), height, bottom, perPixel));
        }
      }
    });
  });
}

test('what is not kept lies below, cell by cell, and a column is as high as the track was', () => {
  const run = randomBlocks({seed: 8, blocks: 600, live: 40}), random = randomOf(4);
  const keep = Uint8Array.from({length: 600}, () => random() < 0.3 ? 1 : 0), keptBefore = Uint32Array.from(keep);
  for (let i = 0, n = 0; i < 600; ++i) keptBefore[i] = keep[i] ? n++ : 0;
  const input = opened(run, {keep, parts: 50}), track = makeTrack(input, 0), height = 64;
  const moments = momentsOf(track, bordersOf(0, run.lastClock + 1, 25)), perPixel = Math.max(...moments.total) / height;
  const ids = raster(track, moments.moment, height, 0, perPixel);
  for (let x = 0; x < 25; ++x) {
    const clock = moments.moment[x], rest = new Map();
    for (const i of liveAt(run, tracks[0], clock, i => !keep[i])) {
      rest.set(run.blocks.cell[i], (rest.get(run.blocks.cell[i]) || 0) + run.blocks.bytes[i]);
    }
    const cellsOf = Array.from(input.rest.cell), heights = cellsOf.map((cell, i) => [(REST | i) >>> 0, rest.get(cell) || 0]);
    for (const i of liveAt(run, tracks[0], clock, i => keep[i])) heights.push([keptBefore[i] + 1, run.blocks.bytes[i]]);
    assert.equal(moments.total[x], sum(run, liveAt(run, tracks[0], clock)));
    assert.deepEqual(Array.from(ids.subarray(x * height, (x + 1) * height)), column(heights, height, 0, perPixel));
  }
});

test('of a kind the rest is as high as what the kept blocks lack, at every zoom no higher than the track ever was', () => {
  const run = randomBlocks({seed: 12, blocks: 600, live: 40}), random = randomOf(6);
  const keep = Uint8Array.from({length: 600}, () => random() < 0.3 ? 1 : 0), input = opened(run, {keep, parts: 40});
  for (const which of [0, 2, 3]) {
    const track = makeTrack(input, which), height = 40;
    for (const [from, to, columns] of [[0, run.lastClock + 1, 30], [200, 300, 100], [50, 60, 80]]) {
      const moments = momentsOf(track, bordersOf(from, to, columns)), peak = Math.max(...track.most), perPixel = peak / height;
      const ids = raster(track, moments.moment, height, 0, perPixel);
      for (let x = 0; x < columns; ++x) {
        if (moments.exact[x]) assert.equal(moments.total[x], sum(run, liveAt(run, tracks[which], moments.moment[x])));
        const behind = countBelow(track.sample, moments.moment[x]), near = [Math.max(0, behind - 1), Math.min(behind, track.sample.length - 1)];
        if (!moments.exact[x]) {
          assert.ok(moments.total[x] <= Math.max(...near.map(i => track.most[i])));
          assert.ok(moments.total[x] >= Math.min(...near.map(i => track.least[i])), 'no dip that never was');
        }
        const filled = ids.subarray(x * height, (x + 1) * height).filter(id => id).length;
        assert.ok(Math.abs(filled - moments.total[x] / perPixel) <= 1, `column ${x}`);
      }
    }
  }
});

test('sums by group are those of the live blocks, with the rest and what is not known', () => {
  const run = randomBlocks({seed: 21, blocks: 500, live: 40}), random = randomOf(2);
  const keep = Uint8Array.from({length: 500}, () => random() < 0.4 ? 1 : 0);
  for (const options of [{}, {keep, parts: 30}]) {
    const input = opened(run, options);
    for (const which of [0, 1, 2]) {
      const track = makeTrack(input, which), groups = {count: 6, ofBlock: null, ofCell: [0, 1, 2, 3, 4, 5]};
      const exact = options.keep ? Array.from(track.sample) : [0, 50, 100, 333, run.lastClock];
      for (const clock of [...exact, ...Array.from({length: 20}, () => Math.floor(random() * run.lastClock))]) {
        const got = compose(track, input.cell, clock, groups), live = liveAt(run, tracks[which], clock);
        if (exact.includes(clock)) assert.equal(got.total, sum(run, live));
        const added = got.bytes.reduce((a, b) => a + b, 0) + got.unknown;
        assert.ok(Math.abs(added - got.total) <= got.total * 1e-9, `${added} of ${got.total}`);
        if (options.keep && (which === 2 || !exact.includes(clock))) continue;
        for (let cell = 0; cell < 6; ++cell) assert.equal(got.bytes[cell], sum(run, live.filter(i => run.blocks.cell[i] === cell)));
      }
    }
  }
  assert.ok(UNKNOWN > REST);
});
