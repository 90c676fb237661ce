// timeline.test.mjs - what surrounds the picture: axis, groups, search, lanes, the worker's service.
import assert from 'node:assert/strict';
import test from 'node:test';
import {decodeEvents} from '../src/events.js';
import {blockKey, blockNamed, placeOf} from '../src/model.js';
import {byteTicks, timeTexts} from '../src/ticks.js';
import {Axis} from '../src/timeline/axis.js';
import {trackOf} from '../src/timeline/controls.js';
import {coloringOf, weightsOf} from '../src/timeline/groups.js';
import {boxesOf, nestedRows, runsOf} from '../src/timeline/intervals.js';
import {laneRows} from '../src/timeline/lane_rows.js';
import {Latest} from '../src/timeline/latest.js';
import {outlineOf, paint, shadesOf} from '../src/timeline/paint.js';
import {samplesIn} from '../src/timeline/sample_range.js';
import {search} from '../src/timeline/search.js';
import {Service} from '../src/timeline/service.js';
import {REST, UNKNOWN} from '../src/timeline/tracks/rest.js';
import {timesOf} from '../src/times.js';
import {fixture} from './fixture.mjs';
import {fixtureEvents, randomOf} from './fixture_events.mjs';

const {profile, made} = fixture({steps: 12});
const page = {profile};
const events = decodeEvents(fixtureEvents(made));
const known = (clock, time) => timesOf({arrays: {'time.clock': clock, time_low: time.map(value => value % 2 ** 32),
  time_high: time.map(value => Math.floor(value / 2 ** 32))}});
const stamps = known([0, 10, 20, 100], [0, 1000, 5000, 9000]);

test('time between two known ticks is linear, and the way back is the same', () => {
  const axis = new Axis('time', stamps, 0, 99);
  assert.equal(axis.ofClock(15), 3000);
  assert.equal(axis.toClock(3000), 15);
  for (const clock of [0, 3.5, 10, 60, 99]) assert.ok(Math.abs(axis.toClock(axis.ofClock(clock)) - clock) < 1e-9);
  assert.ok(axis.end > axis.ofClock(99), 'what is live at the end is in sight');
  assert.equal(axis.toClock(axis.end), 100, 'and its tick in the last column');
});

test('a range stays inside of the run and has some width', () => {
  const axis = new Axis('clock', stamps, 0, 99);
  assert.deepEqual(axis.clamped(-50, 20), [0, 70]);
  assert.deepEqual(axis.clamped(90, 120), [70.98, 100.98]);
  assert.deepEqual(axis.clamped(50, 50), [48, 52]);
  assert.deepEqual(axis.clamped(-1000, 1000), [0, 100.98]);
});

test('ticks are at round values and can be distinguished', () => {
  const axis = new Axis('time', known([0, 1000], [0, 40e9]), 0, 999);
  for (const [from, to] of [[0, 40e9], [12e9, 12e9 + 5000], [1e6, 1.2e6]]) {
    const texts = axis.ticks(from, to, 8).map(({text}) => text);
    assert.ok(texts.length >= 3 && texts.length <= 9, `${texts}`);
    assert.equal(new Set(texts).size, texts.length, `${texts}`);
  }
  assert.deepEqual(byteTicks(0, 5 * 2 ** 30, 5).map(({text}) => text), ['0', '1 GiB', '2 GiB', '3 GiB', '4 GiB', '5 GiB']);
  const close = byteTicks(10 * 2 ** 30, 10 * 2 ** 30 + 9000, 6).map(({text}) => text);
  assert.equal(new Set(close).size, close.length, `${close}`);
});

test('lines are ranked by what they hold at the peak and by how much of the picture they cover', () => {
  assert.deepEqual(Array.from(weightsOf([3, 1], [1, 1])), [1.25, 0.75]);
  const weights = profile.cells.node.map((_, cell) => cell === 2 ? 10 : 1);
  const coloring = coloringOf(page, events, 'line', weights, false);
  assert.equal(coloring.ofCell[2], 0);
  assert.equal(coloring.names.length, coloring.count);
  assert.equal(new Set(coloring.names).size, coloring.count);
  const paths = coloringOf(page, events, 'path', weights, false);
  assert.ok(paths.names.some(name => /^zeros:5 < forward:10 < main:33$/.test(name)), `${paths.names}`);
  const ages = coloringOf(page, events, 'age', weights, true);
  assert.equal(ages.ofBlock.length, events.blocks);
  assert.ok(ages.names.includes('not freed'));
  assert.equal(ages.colors.length, ages.count);
});

test('a search finds words, addresses, sizes, and what has none of them', () => {
  const all = events.blocks, found = text => search(page, events, text);
  const count = keep => made.blocks.filter(keep).length;
  const functionOf = block => made.texts[made.nodes[made.cells[block.cell].node].function];
  assert.equal(found(' '), null);
  assert.equal(found('>=1MiB').blocks, count(block => block.bytes >= 2 ** 20));
  assert.equal(found('size<1MiB').blocks, all - found('>=1MiB').blocks);
  assert.equal(found('-size>=1MiB').blocks, found('size<1MiB').blocks);
  assert.equal(found('function:zeros').blocks, count(block => functionOf(block) === 'zeros'));
  assert.equal(found('function:zeros >=1MiB').blocks, count(block => functionOf(block) === 'zeros' && block.bytes >= 2 ** 20));
  assert.equal(found('label:odd').blocks, count(block => made.texts[made.cells[block.cell].label] === 'odd steps'));
  assert.equal(found('backward').blocks, count(block => block.bytes && /backward/.test(pathText(block))), 'also above it on the call path');
  const name = blockKey(events, 5), address = name.replace(/_.*/, '');
  assert.equal(found(name).blocks, 1);
  assert.equal(found(address).blocks, count(block => block.address.toString(16) === address));
  const zeros = placeOf(page, profile.cells.node[events.arrays['block.cell'][0]]);
  assert.equal(found(`line:"${zeros}"`).blocks, count(block => functionOf(block) === 'zeros'));
  assert.equal(found('no such thing').blocks, 0);
  assert.equal(found('>=1MiB').cell.some(Boolean), false, 'the rest has no sizes');
  assert.ok(found('function:zeros').cell.some(Boolean));
});

function pathText(block) {
  const names = [];
  for (let node = made.cells[block.cell].node; node > 0; node = made.nodes[node].parent) names.push(made.texts[made.nodes[node].function]);
  return names.join(' ');
}

test('a block is found by its name', () => {
  for (const i of [0, 7, events.blocks - 1]) assert.equal(blockNamed(events, blockKey(events, i)), i);
  for (const name of ['', '7f_99', 'nonsense', undefined]) assert.equal(blockNamed(events, name), -1);
});

test('boxes of a row hold all intervals in sight, each once, at any zoom', () => {
  const random = randomOf(3), from = [], to = [];
  for (let at = 0; from.length < 3000;) {
    at += random() * 4;
    from.push(at);
    at += random() < 0.05 ? random() * 200 : random() * 2;
    to.push(at);
  }
  const row = {from: Float64Array.from(from), to: Float64Array.from(to), item: Uint32Array.from(from, (_, i) => i)};
  for (const [begin, end] of [[0, to[2999]], [100, 900], [500, 510], [to[2999] + 1, to[2999] + 5]]) {
    const boxes = boxesOf(row, begin, end, 300), inSight = from.filter((value, i) => value < end && to[i] >= begin).length;
    assert.equal(boxes.reduce((sum, box) => sum + box.count, 0), inSight);
    assert.ok(boxes.length <= 620, `${boxes.length} boxes`);
    for (const box of boxes) {
      assert.ok(box.to > box.from);
      if (box.item >= 0) assert.ok(Math.abs(box.from - (from[box.item] - begin) * 300 / (end - begin)) <= 1);
    }
  }
});

test('nested scopes are in rows by depth, and none overlaps its neighbour', () => {
  const scopes = [[0, 100], [0, 40], [10, 20], [20, 30], [50, 90], [60, 60], [100, 120]];
  const rows = nestedRows(scopes.keys(), i => scopes[i][0], i => scopes[i][1]);
  assert.deepEqual(rows.map(row => Array.from(row.item)), [[0, 6], [1, 4], [2, 3, 5]]);
  const labels = runsOf([1, 2, 3, 5, 9], [7, 7, 0, 7, 8]);
  assert.deepEqual([...labels.from], [1, 5, 9]);
  assert.deepEqual([...labels.to], [2, 5, 9]);
  assert.deepEqual([...labels.item], [7, 7, 8]);
});

test('colours: a block has an edge where it is high enough, what was not found is paler, the rest is striped', () => {
  const shades = shadesOf(['#ff0000', '#00ff00', '#888888'], '#ffffff', false), height = 8, ids = new Uint32Array(2 * height);
  ids.set([1, 1, 1, 1, 2, 0, 0, 0], 0);
  ids.set([REST, REST, UNKNOWN, 2, 2, 2, 0, 0], height);
  const out = new Uint32Array(2 * height);
  const appearance = {shades, hatched: [false, false, false], ofBlock: null, ofCell: [0, 1], cellOf: [0, 1], restCell: [1], otherGroup: 2, found: null, foundCell: null};
  paint({ids, height}, out, appearance);
  const at = (x, y) => out[(height - 1 - y) * 2 + x];
  assert.equal(at(0, 0), 0xff0000ff);
  assert.equal(at(0, 3), shades[1], 'its upper edge');
  assert.equal(at(0, 4), 0xff00ff00, 'too thin for an edge');
  assert.equal(at(0, 5), 0);
  assert.ok([shades[6], shades[7]].includes(at(1, 0)));
  assert.ok([shades[12], shades[13]].includes(at(1, 2)));
  paint({ids, height}, out, {...appearance, found: Uint8Array.of(0, 1), foundCell: Uint8Array.of(0, 0)});
  assert.equal(at(0, 0), shades[3]);
  assert.equal(at(0, 4), 0xff00ff00);
  assert.deepEqual(outlineOf({ids, height}, 2, 0, 2), [{column: 0, low: 4, high: 4}, {column: 1, low: 3, high: 5}]);
});

test('damaged events are reported, whatever is asked for', () => {
  const service = new Service();
  assert.throws(() => service.open({bytes: new Uint8Array(20), cells: profile.cells}), /damaged/);
  assert.throws(() => service.curve({which: 0, borders: new Float64Array(2)}), /damaged/);
});

test('the service answers pictures and sums of the same moment alike', () => {
  const service = new Service(), bytes = fixtureEvents(made);
  service.open({bytes, cells: profile.cells});
  const axis = new Axis('clock', stamps, 0, made.clock);
  const picture = service.picture({which: 0, borders: axis.borders(axis.begin, axis.end, 100), height: 60, bottom: 0, top: 0});
  assert.equal(picture.ids.length, 6000);
  assert.equal(picture.total[picture.highest], profile.devices[0].peak);
  assert.equal(picture.moment[picture.highest], profile.devices[0].peak_clock);
  service.setGroups({name: 'cells', groups: {count: profile.cells.node.length, ofBlock: null, ofCell: profile.cells.node.map((_, i) => i)}});
  const sums = service.compose({which: 0, moment: profile.devices[0].peak_clock, name: 'cells'});
  assert.equal(sums.total, profile.devices[0].peak);
  assert.equal(sums.bytes.reduce((a, b) => a + b, 0), sums.total);
  const {areas, blocks} = service.overview({which: 0});
  assert.equal(blocks, made.blocks.filter(block => block.place === 0).length);
  assert.equal(areas.length, profile.cells.node.length);
});

test('lanes have every scope once, outermost first, and each label where its blocks are allocated', () => {
  const {labels, threads} = laneRows(events, 'clock', profile.cells.label);
  assert.deepEqual(threads.map(({thread}) => thread), [0]);
  assert.equal(threads[0].rows.reduce((sum, {item}) => sum + item.length, 0), made.scopes.length);
  assert.equal(made.texts[made.nodes[made.scopes[threads[0].rows[0].item[0]].node].name], 'main');
  const labelled = made.blocks.filter(block => made.cells[block.cell].label);
  assert.ok(labelled.length > 0);
  for (const block of labelled) assert.ok(labels.from.some((from, i) => from <= block.start && block.start <= labels.to[i]));
  const inTime = laneRows(events, 'time', profile.cells.label);
  assert.equal(inTime.threads[0].rows[0].to[0], made.scopes[0].time + made.scopes[0].span);
});

test('a link to a track that is not there shows all of its device, or the device that held most', () => {
  const tracks = [{device: 0, kind: null, peak: 5}, {device: 0, kind: 1, peak: 3}, {device: 1, kind: null, peak: 9}];
  assert.equal(trackOf(page, tracks, {device: '0', kind: 'pool'}), 1);
  assert.equal(trackOf(page, tracks, {device: '0', kind: 'pinned'}), 0);
  assert.equal(trackOf(page, tracks, {device: 'host'}), 2);
  assert.equal(trackOf(page, tracks, {device: '7'}), 2);
  assert.equal(trackOf(page, tracks, {}), 2);
});

test('of questions of one name the newest is asked next, those it replaces get nothing', async () => {
  const asked = [], answers = new Map();
  const latest = new Latest(question => {
    asked.push(question);
    return new Promise((resolve, reject) => answers.set(question, {resolve, reject}));
  });
  const [first, second, third, other] = [latest.call('a', 1), latest.call('a', 2), latest.call('a', 3), latest.call('b', 9)];
  assert.deepEqual(asked, [1, 9], 'one of each name is under way');
  assert.equal(await second, null);
  answers.get(1).resolve('one');
  assert.equal(await first, 'one');
  await new Promise(setImmediate);
  assert.deepEqual(asked, [1, 9, 3]);
  answers.get(3).reject(new Error('no'));
  await assert.rejects(third, /no/);
  answers.get(9).resolve('nine');
  assert.equal(await other, 'nine');
  latest.call('a', 4);
  assert.deepEqual(asked, [1, 9, 3, 4], 'after an error too');
});

test('a curve goes on beyond the samples in sight, not beyond the first and the last', () => {
  const at = [10, 20, 40], used = [0, 100, 300];
  assert.deepEqual(samplesIn(at, [used], 15, 30), [[15, 20, 30], [50, 100, 200]]);
  assert.deepEqual(samplesIn(at, [used], 22, 30), [[22, 30], [120, 200]]);
  assert.deepEqual(samplesIn(at, [used], 0, 50), [[0, 10, 20, 40, 50], [null, 0, 100, 300, null]]);
  assert.deepEqual(samplesIn(at, [[0, null, 5]], 12, 30), [[12, 20, 30], [null, null, null]]);
});
