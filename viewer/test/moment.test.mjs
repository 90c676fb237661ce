// moment.test.mjs - a moment and a range: what a link says of them, their sums against going over all blocks, rows of tables, colours of lines, text to copy.
import assert from 'node:assert/strict';
import test from 'node:test';
import {tsvOf} from '../src/copy.js';
import {fullest, nodeFigures, restrictedTo, rowsOf} from '../src/device.js';
import {decodeEvents} from '../src/events.js';
import {placesOfLines} from '../src/line_colors.js';
import {frameOf, lineKey} from '../src/model.js';
import {BY, byNode, rowsAt} from '../src/moment/rows.js';
import {linkOf, whenOf} from '../src/moment/when.js';
import {Service} from '../src/timeline/service.js';
import {framesOf, framesThen} from '../src/tree/frames.js';
import {invertedOrder, pathOrder} from '../src/tree/orders.js';
import {fixture} from './fixture.mjs';
import {fixtureEvents} from './fixture_events.mjs';

const {profile, made} = fixture({steps: 12}), page = {profile}, bytes = fixtureEvents(made), events = decodeEvents(bytes);
const service = new Service(), cells = profile.cells.node.length;
service.open({bytes, cells: profile.cells});
service.setGroups({name: 'cells', groups: {count: cells, ofBlock: null, ofCell: profile.cells.node.map((_, cell) => cell)}});

test('a link names a moment or a range, or the whole run', () => {
  assert.deepEqual(whenOf({}), {kind: 'run', from: 0, to: 0});
  assert.deepEqual(whenOf({at: '17'}), {kind: 'moment', from: 0, to: 17});
  assert.deepEqual(whenOf({from: '3.2', to: '17.9'}), {kind: 'range', from: 4, to: 17}, 'events that lie in the picture');
  assert.deepEqual(whenOf({from: '5'}), {kind: 'range', from: 5, to: Infinity});
  assert.deepEqual(whenOf({to: '5'}), {kind: 'range', from: 0, to: 5});
  assert.deepEqual(whenOf({at: 'x', from: '-1'}), {kind: 'run', from: 0, to: 0});
  for (const state of [{}, {at: 17}, {from: 4, to: 17}, {from: 5, to: ''}]) assert.deepEqual(linkOf(whenOf(Object.fromEntries(Object.entries(state)
    .map(([key, value]) => [key, String(value)])))), state);
});

test('a range has what it allocated and was live at its end', () => {
  const last = events.header.last_clock;
  for (const [which, track] of events.header.tracks.entries()) {
    for (const [from, to] of [[0, last], [3, 9], [Math.floor(last / 4), Math.floor(last / 2)], [last, last], [9, 3]]) {
      const found = service.allocated({which, from, to, name: 'cells'}), sums = new Float64Array(cells);
      for (const block of made.blocks) {
        const isOf = block.bytes && profile.cells.device[block.cell] === track.device && (track.kind === null || profile.cells.kind[block.cell] === track.kind);
        if (isOf && block.start >= from && block.start <= to && block.end > to) sums[block.cell] += block.bytes;
      }
      assert.deepEqual(found.bytes, sums, `track ${which}, ${from} to ${to}`);
      assert.equal(found.total, sums.reduce((all, one) => all + one, 0));
    }
  }
});

test('rows of a moment and both trees have all of it', () => {
  const track = events.header.tracks[0], sums = service.compose({which: 0, moment: track.peak_clock, name: 'cells'});
  assert.equal(sums.total, track.peak);
  for (const by of BY) {
    const rows = rowsAt(page, by, sums);
    assert.equal(rows.reduce((all, row) => all + row.bytes, 0), sums.total, by);
    assert.equal(new Set(rows.map(row => row.key)).size, rows.length, by);
    if (by === 'line' || by === 'function') assert.ok(rows.every(row => row.with_calls >= row.bytes && row.with_calls <= sums.total), by);
  }
  const frames = framesThen(framesOf(page), {bytes: byNode(page, sums.bytes), blocks: byNode(page, sums.blocks)});
  assert.equal(pathOrder(frames, 'then').root.value, sums.total);
  assert.equal(invertedOrder(frames, 'then').root.value, sums.total);
});

test('figures of one device are a part of those of all', () => {
  const places = [0, 1], all = nodeFigures(page, -1), parts = places.map(place => nodeFigures(page, place));
  for (const key of ['self_at_peak', 'self_alloc', 'leaked', 'blocks']) {
    assert.deepEqual(all[key].map((_, node) => parts[0][key][node] + parts[1][key][node]), Array.from(all[key]), key);
  }
  assert.equal(restrictedTo(page, {device: 'all'}), -1);
  assert.equal(restrictedTo(page, {}), fullest(page));
  assert.equal(restrictedTo(page, {device: 'nothing like it'}), fullest(page));
  assert.equal(rowsOf(page, 'line', 0).isRestricted, false, 'a page without figures by device says so');
  const rows = profile.tables.line, figures = {self_alloc: rows.map((row, i) => i ? i : null), at_peak: rows.map((row, i) => i ? 7 : null)};
  const known = rowsOf({profile: {...profile, by_device: [{device: 1, line: figures}]}}, 'line', 1);
  assert.deepEqual(known.rows.map(row => [row.line, row.self_alloc, row.at_peak]), rows.slice(1).map((row, i) => [row.line, i + 1, 7]));
});

test('a row has the peaks of a device that are recorded over all where it has nothing of another', () => {
  const row = (line, self, incl, freed) => ({line, self_alloc: self, incl_alloc: incl, incl_freed: freed, live_peak: 10 * line, own_peak_max: 11 * line});
  const peaksOn = (devices, more = {}) => {
    const tables = {line: [row(1, 5, 5, 0), row(2, 5, 9, 0), row(3, 6, 9, 0), row(4, 5, 5, 3)]};
    const figures = {self_alloc: [5, 5, 5, 5], incl_alloc: [5, 5, 5, 5], incl_freed: [0, 0, 0, 0], live_peak: [null, null, null, null], own_peak_max: [null, null, null, null]};
    const made = {tables, page: {history: 'all', resets: 0, ...more}, devices: devices.map(device => ({device})), cells: {device: devices.map((_, place) => place)},
      by_device: devices.map((_, device) => ({device, line: figures}))};
    return rowsOf({profile: made}, 'line', 0).rows.map(({live_peak: live, own_peak_max: own}) => [live, own]);
  };
  assert.deepEqual(peaksOn([0, 1]), [[10, 11], [20, null], [null, null], [40, null]]);
  assert.deepEqual(peaksOn([0, 'host', 'custom']), [[10, 11], [20, 22], [null, null], [40, 44]], 'pinned memory and pieces are in no own peak of a call');
  const none = Array(4).fill([null, null]);
  assert.deepEqual(peaksOn(['host', 0]), none);
  assert.deepEqual(peaksOn([0, 1], {history: 'window'}), none, 'a block from before the window may be of another device');
  assert.deepEqual(peaksOn([0, 1], {resets: 1}), none);
});

test('a line has one place among the colours, also if several devices have it', () => {
  const places = placesOfLines(page), lines = new Set(profile.cells.node.map(node => lineKey(frameOf(page, node))));
  assert.deepEqual([...places.values()].sort((a, b) => a - b), Array.from({length: places.size}, (_, place) => place));
  for (const key of places.keys()) assert.ok(lines.has(key));
  assert.ok(places.size >= 2 && places.size <= 16);
});

test('text to copy has one row a line and one cell a tab', () => {
  assert.equal(tsvOf(['a', 'b'], [['x\ty', 1], [null, 'two\nlines'], [undefined, 0]]), 'a\tb\nx y\t1\n\ttwo lines\n\t0\n');
});
