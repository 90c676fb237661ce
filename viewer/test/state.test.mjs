// state.test.mjs - the state view's pure parts against computations that go over everything: layout, steps, what is live at a moment, rest.
import assert from 'node:assert/strict';
import {test} from 'node:test';
import {NONE} from '../src/events.js';
import {BLOCK, GRANULE, PIECE, PLACELESS, layoutOf} from '../src/state/layout.js';
import {Moment, fragmentation} from '../src/state/moment.js';
import {countUpTo, sortBy} from '../src/state/order.js';
import {eventsOf, positionAfter, stepFrom, stepsOf} from '../src/state/steps.js';
import {processorTime} from './processor_time.mjs';
import {random} from './program.mjs';

const KINDS = ['device', 'pool', 'array', 'custom'];
// By number of the cell; the third device is that of pieces.
const CELLS = {node: [1, 2, 3, 4, 5], device: [0, 0, 0, 1, 2], kind: [0, 1, 2, 0, 3], label: [0, 0, 0, 0, 0]};
const PROFILE = {kinds: KINDS, cells: CELLS, devices: [{device: 0}, {device: 1}, {device: 'custom'}]};

/** Events as decodeEvents gives them, of blocks {start, end, bytes, address, cell}. */
function eventsFrom(blocks) {
  const word = (key, high) => Uint32Array.from(blocks, block => high ? Math.floor(block[key] / 2 ** 32) : block[key] % 2 ** 32);
  const arrays = {'block.start': Uint32Array.from(blocks, block => block.start), 'block.end': Uint32Array.from(blocks, block => block.end),
    'block.cell': Uint32Array.from(blocks, block => block.cell)};
  for (const key of ['bytes', 'address']) {
    arrays[`block.${key}_low`] = word(key, false);
    arrays[`block.${key}_high`] = word(key, true);
  }
  return {arrays, blocks: blocks.length, f64: (name, i) => arrays[`${name}_high`][i] * 2 ** 32 + arrays[`${name}_low`][i]};
}

/** A program that allocates where there is room, frees at random, hands out pieces, and uses two devices. */
function randomBlocks(seed, count) {
  const next = random(seed), blocks = [], live = [];
  const areas = [0x7f0000000000, 0x7f0800000000, 0x7f4000000000];
  let clock = 0;
  while (blocks.length < count) {
    ++clock;
    if (next() < 0.2) { // a tick of something that the page does not have one by one
      continue;
    } else if (live.length && next() < 0.45) {
      live.splice(Math.floor(next() * live.length), 1)[0].end = clock;
      continue;
    }
    const cell = Math.floor(next() * CELLS.node.length), bytes = next() < 0.05 ? 0 : 512 * Math.ceil(next() ** 3 * 9000);
    let address = areas[Math.floor(next() * areas.length)] + Math.floor(next() * 60) * 2 * GRANULE + 512 * Math.floor(next() * 4000);
    const holder = live.filter(block => CELLS.device[block.cell] === 0)[0];
    if (cell === 2) address = 1 + blocks.length;
    else if (cell === 3) address += 0x10000000000;
    else if (cell === 4 && holder && next() < 0.7) address = holder.address + 512 * Math.floor(next() * 4);
    const overlaps = block => CELLS.kind[block.cell] === CELLS.kind[cell] && block.address < address + bytes && address < block.address + block.bytes;
    if (live.some(overlaps) && next() < 0.9) continue;
    const block = {start: clock, end: NONE, bytes, address, cell};
    blocks.push(block);
    live.push(block);
  }
  return {blocks, clock};
}

const isLive = (block, clock) => block.start <= clock && clock < block.end;

/** Every byte of a segment is looked at in steps of 512, what all sizes and addresses are multiples of. */
function measuredByBytes(layout, segment, blocks, clock) {
  const cells = new Uint8Array((segment.end - segment.begin) / 512);
  const inside = blocks.filter(block => CELLS.device[block.cell] === 0 && block.cell !== 2 && isLive(block, clock) &&
    block.address >= segment.begin && block.address + block.bytes <= segment.end);
  for (const block of inside) cells.fill(1, (block.address - segment.begin) / 512, (block.address + block.bytes - segment.begin) / 512);
  let used = 0, hole = 0, run = 0;
  for (const cell of cells) {
    used += cell * 512;
    run = cell ? 0 : run + 512;
    hole = Math.max(hole, run);
  }
  return {used, free: cells.length * 512 - used, hole, blocks: inside.length, held: inside.reduce((sum, block) => sum + block.bytes, 0)};
}

test('sorting by words is stable and as comparing does it', () => {
  const next = random(5), word = () => Math.floor(next() ** 4 * 2 ** 32);
  const low = Uint32Array.from({length: 3000}, word), high = Uint32Array.from({length: 3000}, () => Math.floor(next() * 3));
  const items = Uint32Array.from({length: 3000}, (_, i) => i);
  assert.deepEqual([...sortBy(items.slice(), low, high)],
    [...items].sort((a, b) => high[a] - high[b] || low[a] - low[b] || a - b));
  assert.deepEqual([...sortBy(new Uint32Array(0), low)], []);
  assert.deepEqual([0, 1, 4, 5, 9, 10].map(value => countUpTo([1, 4, 4, 9], value)), [0, 1, 3, 3, 4, 4]);
});

test('segments join what lies in the same or neighbouring granules, whenever it lived', () => {
  const at = (granule, offset, bytes, more) => ({start: 1, end: 2, address: 0x7f0000000000 + granule * GRANULE + offset, bytes, cell: 0, ...more});
  const blocks = [at(0, 0, 512), at(1, GRANULE - 512, 512, {start: 8, end: 9}), at(3, 0, 512), at(5, 512, 2 * GRANULE), at(8, 0, 512)];
  const layout = layoutOf(PROFILE, eventsFrom(blocks), 0);
  assert.deepEqual(layout.segments.map(({begin, end, first, last}) => [begin, end, first, last]), [
    [blocks[0].address, blocks[1].address + 512, 0, 2], [blocks[2].address, blocks[2].address + 512, 2, 3],
    [blocks[3].address, blocks[4].address + 512, 3, 5]]);
});

test('pieces lie in the segments of the device whose memory they are, arrays behind these, other devices nowhere', () => {
  const base = 0x7f0000000000;
  const blocks = [{start: 1, end: NONE, address: base, bytes: 4096, cell: 0}, {start: 2, end: NONE, address: base + 512, bytes: 512, cell: 4},
    {start: 3, end: NONE, address: 7, bytes: 1000, cell: 2}, {start: 4, end: NONE, address: base + GRANULE, bytes: 512, cell: 3},
    {start: 5, end: NONE, address: base + 2 ** 33, bytes: 512, cell: 4}, {start: 6, end: NONE, address: base, bytes: 256, cell: 4}];
  const events = eventsFrom(blocks), layout = layoutOf(PROFILE, events, 0);
  assert.deepEqual([...layout.block], [0, 5, 1, 2]);
  assert.deepEqual([...layout.layer], [BLOCK, PIECE, PIECE, PLACELESS]);
  assert.deepEqual(layout.segments.map(one => one.placeless), [false, true]);
  const moment = new Moment(layout, stepsOf(layout, events));
  moment.seek(6);
  assert.deepEqual(moment.figures(0), {used: 4096, free: 0, hole: 0, holeAt: base, held: 4096, blocks: 1, pieces: 2});
  assert.equal(moment.totals().placeless, 1000);
  assert.equal(fragmentation(moment.figures(0)), null);
  const own = layoutOf(PROFILE, eventsFrom(blocks), 2); // of the pieces themselves
  assert.deepEqual([...own.block], [5, 1, 4]);
  assert.deepEqual([...own.layer], [BLOCK, BLOCK, BLOCK]);
});

for (const seed of [1, 2, 3]) {
  test(`what is live after any tick is as going over all blocks finds it (seed ${seed})`, () => {
    const next = random(seed * 77), {blocks, clock} = randomBlocks(seed, 700);
    const events = eventsFrom(blocks), layout = layoutOf(PROFILE, events, 0), steps = stepsOf(layout, events), moment = new Moment(layout, steps);
    let at = 0;
    for (let turn = 0; turn < 60; ++turn) {
      const how = next();
      at = how < 0.2 ? Math.floor(next() * (clock + 2)) : stepFrom(steps, at, Math.ceil((how - 0.6) * (how < 0.9 ? 6 : 300)));
      moment.seek(at);
      const shown = [];
      layout.segments.forEach((segment, number) => {
        const live = [...moment.live(number)], {pieces, holeAt, ...figures} = moment.figures(number);
        assert.deepEqual(live, [...live].sort((a, b) => a - b));
        assert.ok(live.every(rank => moment.isLive(rank) && moment.segmentOf(rank) === number));
        shown.push(...live.map(rank => layout.block[rank]));
        if (segment.placeless) return;
        assert.deepEqual(figures, measuredByBytes(layout, segment, blocks, at));
        assert.ok(holeAt >= segment.begin && holeAt + figures.hole <= segment.end);
      });
      const mine = new Set(layout.block);
      assert.deepEqual(shown.sort((a, b) => a - b), blocks.map((_, i) => i).filter(i => mine.has(i) && isLive(blocks[i], at)));
      const totals = moment.totals();
      assert.equal(totals.held, blocks.reduce((sum, block) => sum + (CELLS.device[block.cell] === 0 && isLive(block, at) ? block.bytes : 0), 0));
    }
  });
}

test('steps go over every event of the device, forth and back', () => {
  const {blocks, clock} = randomBlocks(9, 400), events = eventsFrom(blocks), layout = layoutOf(PROFILE, events, 0), steps = stepsOf(layout, events);
  const mine = new Set(layout.block);
  const ticks = [...new Set(blocks.flatMap((block, i) => mine.has(i) ? [block.start, block.end] : []))].filter(tick => tick !== NONE).sort((a, b) => a - b);
  const forth = [], back = [];
  for (let at = stepFrom(steps, 0, 1); forth.at(-1) !== at; at = stepFrom(steps, at, 1)) forth.push(at);
  assert.deepEqual(forth, ticks);
  for (let at = stepFrom(steps, clock + 5, -1); back.at(-1) !== at; at = stepFrom(steps, at, -1)) back.push(at);
  assert.equal(back.pop(), ticks[0] - 1);
  assert.deepEqual(back.reverse(), ticks.slice(0, -1));
  assert.equal(positionAfter(steps, clock), steps.count);
  for (const tick of ticks.slice(0, 50)) {
    const {first, last} = eventsOf(steps, tick);
    const here = Array.from({length: last - first}, (_, i) => [layout.block[steps.rank[first + i]], steps.freed[first + i]]);
    assert.deepEqual(here.sort(), blocks.flatMap((block, i) => !mine.has(i) ? [] : block.start === tick ? [[i, 0]] : block.end === tick ? [[i, 1]] : []).sort());
  }
});

test('a million blocks: a jump and a hundred steps stay below what a key press may take', () => {
  const count = 1e6, next = random(3), blocks = [];
  for (let i = 0; i < count; ++i) {
    blocks.push({start: i + 1, end: next() < 0.1 ? NONE : i + 2 + Math.floor(next() * 2e5), cell: 0, bytes: 512 * Math.ceil(next() * 64),
      address: 0x7f0000000000 + 32768 * Math.floor(next() * 4e5)});
  }
  const events = eventsFrom(blocks), layout = layoutOf(PROFILE, events, 0), moment = new Moment(layout, stepsOf(layout, events));
  const jumps = [3e5, 7e5, 1e6, 4e5].map(clock => processorTime(() => {
    moment.seek(clock);
    moment.totals();
  }));
  const walks = [1, 2, 3, 4, 5].map(() => processorTime(() => {
    moment.seek(stepFrom(moment.steps, moment.clock, 100));
    moment.totals();
  }));
  assert.ok(Math.min(...jumps) < 250 && Math.min(...walks) < 250, `jumps ${jumps}, walks ${walks}`);
});
