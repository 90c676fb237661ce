// shared.test.mjs - the modules that all views share, against plain computations: links, formats, colours, paths, times, curves, histograms.
import assert from 'node:assert/strict';
import test from 'node:test';
import {decodeEvents, NONE} from '../src/events.js';
import {bytes, exact, figure, percent, plural, signed, time} from '../src/format.js';
import {histograms} from '../src/histogram.js';
import {curvesOf, thinned} from '../src/live.js';
import {doneText, leftOutNote, leftOutText, lineKey, nodesByLine, pathOf, placeOf, textOf, whatText} from '../src/model.js';
import {linkTo, parseLink} from '../src/route.js';
import {timesOf} from '../src/times.js';
import {fixture} from './fixture.mjs';
import {fixtureEvents} from './fixture_events.mjs';
import {random} from './program.mjs';

const {profile, made} = fixture({seed: 3, steps: 12}), page = {profile};

test('a link keeps every state', () => {
  const unusual = ['a b', 'x&y=z', '100%', 'naïve/ß.cu:4', '#?+', '"quoted"', '%41'];
  for (const file of unusual) {
    const link = linkTo('source', {file, line: 4, none: '', gone: null});
    assert.deepEqual({...parseLink(link).state}, {file, line: '4'}, link);
    assert.equal(parseLink(link).view, 'source');
  }
  assert.equal(linkTo('source', {file: '/a/b.cu', line: 4}), '#/source?file=/a/b.cu&line=4');
  assert.deepEqual({...parseLink('').state}, {});
  assert.equal(parseLink('#/lines?filter=100%').state.filter, '100%');
});

test('a page that has not all call paths says it', () => {
  assert.equal(leftOutNote(page) + leftOutText(page, 1), '');
  const some = {profile: {...profile, page: {...profile.page, paths: {kept: 1200, seen: 34567}}, tree: {...profile.tree, left_out: [0, 33367]}}};
  assert.ok(leftOutNote(some).includes(`the ${exact(1200)} largest of ${exact(34567)} nodes of the call tree`), leftOutNote(some));
  assert.match(leftOutNote(some), /A page made with a higher --max-size has more/);
  assert.equal(leftOutText(some, 1), ` (with ${exact(33367)} calls below it that are not in this page)`);
  assert.equal(leftOutText(some, 0), '');
  assert.equal(leftOutNote({profile: {...profile, page: {...profile.page, paths: {kept: 7, seen: 7}}}}), '');
});

test('a line says what it allocates or calls, and how many of its other calls moved memory', () => {
  assert.equal(doneText({variable: 'p', type: 'float', size_expr: 'n', callee: 'cudaMalloc', others: 0}), 'float *p = n');
  assert.equal(doneText({variable: null, type: null, size_expr: null, callee: 'big', others: 2}), '→ big (+2 more)');
  assert.equal(doneText({variable: null, type: null, size_expr: null, callee: null, others: null}), '');
});

test('sizes are in units of 1024, and never "1024.00 KiB"', () => {
  assert.equal(bytes(0), '0');
  assert.equal(bytes(1023), '1023 B');
  assert.equal(bytes(1024), '1.00 KiB');
  assert.equal(bytes(2 ** 20 - 1), '1.00 MiB');
  assert.equal(bytes(-1.5 * 2 ** 30), '-1.50 GiB');
  assert.equal(signed(2048), '+2.00 KiB');
  assert.equal(bytes(null), '-');
  assert.equal(exact(1234567), '1\u202f234\u202f567');
  assert.equal(exact(-999), '-999');
  assert.equal(time(35077399), '35.1 ms');
  assert.equal(time(12), '12 ns');
  assert.equal(percent(98.6), '98.60\u202f%');
  assert.equal(percent(0), '0.00\u202f%');
  assert.equal(percent(0.0016), '<\u202f0.01\u202f%', 'what is there does not look like nothing');
  assert.equal(plural(1, 'block'), '1 block');
  assert.equal(plural(1500, 'block'), '1\u202f500 blocks');
  assert.equal(figure('signed', 5, true), '+5');
  assert.equal(figure('time', null), '-');
});

test('the path of a node goes from the outermost call to the node', () => {
  const {parent} = profile.tree;
  parent.forEach((_, node) => {
    const path = pathOf(page, node).map(frame => frame.node), expected = [];
    for (let at = node; at; at = parent[at]) expected.unshift(at);
    assert.deepEqual(path, expected);
  });
  const leaf = profile.tree.blocks.findIndex(Boolean);
  assert.match(placeOf(page, leaf), /^train\.cu:5 zeros$/);
  assert.equal(whatText(pathOf(page, leaf).pop()), 'float *p = n * sizeof(float)');
});

test('nodes of a line are those that have its place', () => {
  for (const row of profile.tables.line) {
    const nodes = nodesByLine(page).get(lineKey(row));
    const expected = profile.tree.parent.map((_, node) => node).filter(node => profile.tree.line[node] === row.line &&
      textOf(page, profile.tree.function[node]) === row.function && textOf(page, profile.tree.file[node]) === row.file);
    assert.deepEqual(nodes, expected);
  }
});

test('times between known ticks are linear, and the way back agrees', () => {
  const events = {arrays: {'time.clock': [0, 10, 20, 40], 'time_low': [100, 200, 200, 1200], 'time_high': [0, 0, 1, 1]}};
  const {timeAt, clockAt} = timesOf(events);
  assert.equal(timeAt(0), 100);
  assert.equal(timeAt(5), 150);
  assert.equal(timeAt(20), 2 ** 32 + 200);
  assert.equal(timeAt(30), 2 ** 32 + 700);
  assert.equal(timeAt(99), 2 ** 32 + 1200);
  assert.equal(clockAt(150), 5);
  assert.equal(clockAt(0), 0);
});

test('a thinned curve keeps the highest of each part', () => {
  const next = random(5), x = Array.from({length: 9973}, (_, i) => i), y = x.map(() => next());
  const thin = thinned({place: 0, x, y}, 100);
  assert.equal(thin.x.length, 100);
  thin.y.forEach((value, part) => assert.equal(value, Math.max(...y.slice(Math.floor(part * 9973 / 100), Math.floor((part + 1) * 9973 / 100)))));
});

test('the curve of a device reaches its peak', () => {
  const events = decodeEvents(fixtureEvents(made));
  for (const {place, y} of curvesOf(page, events)) assert.equal(Math.max(...y), profile.devices[place].peak);
});

test('without events a curve has the samples of the monitor, the peak where it was, and the end', () => {
  for (const curve of curvesOf(page, null)) {
    const device = profile.devices[curve.place], at = curve.y.indexOf(device.peak);
    const sampled = new Map(profile.samples.device.map((place, i) => [profile.samples.time_ns[i], place === curve.place ? profile.samples.ledger[i] : -1]));
    assert.equal(curve.sparse, !profile.samples.device.includes(curve.place));
    assert.ok(at >= 0 && (curve.x[at] === device.peak_time_ns || sampled.get(curve.x[at]) === device.peak), 'the peak is in it');
    assert.deepEqual([curve.x[0], curve.y[0], curve.x.at(-1), curve.y.at(-1)], [0, 0, profile.page.duration_ns, device.live_at_exit]);
    for (let i = 1; i < curve.x.length; ++i) assert.ok(curve.x[i - 1] <= curve.x[i], 'time goes on');
  }
});

test('without events and a monitor only the beginning, the peak and the end are drawn, whatever other samples say', () => {
  const samples = {...profile.samples, by_monitor: profile.samples.by_monitor.map(() => 0)};
  for (const {place, x, y, sparse} of curvesOf({...page, profile: {...profile, samples}}, null)) {
    const {peak, peak_time_ns: when, live_at_exit: last} = profile.devices[place];
    assert.deepEqual([sparse, Array.from(x), Array.from(y)], [true, [0, when, profile.page.duration_ns], [0, peak, last]]);
  }
  const reset = {...profile, samples, page: {...profile.page, resets: 1}};
  for (const {x} of curvesOf({...page, profile: reset}, null)) assert.equal(x.length, 2, 'what was live at the reset is not known');
});

test('histograms count every block once, in the right bin', async () => {
  const events = decodeEvents(fixtureEvents(made)), {sizes, ages} = await histograms(events);
  const sum = (bins, key) => bins.reduce((total, bin) => total + bin[key], 0);
  const total = made.blocks.reduce((all, block) => all + block.bytes, 0);
  for (const bins of [sizes, ages]) {
    assert.equal(sum(bins, 'blocks'), made.blocks.length);
    assert.equal(sum(bins, 'bytes'), total);
  }
  const large = made.blocks.filter(block => block.bytes >= 2 ** 20 && block.bytes < 2 ** 21);
  assert.equal(sizes.find(bin => bin.text === '1 MiB to below 2 MiB').blocks, large.length);
  assert.equal(ages.find(bin => bin.text === '(not freed)').blocks, made.blocks.filter(block => block.end === NONE).length);
  const young = made.blocks.filter(block => block.end !== NONE && block.age >= 1000 && block.age < 10000);
  assert.equal(ages.find(bin => bin.text === '1.0 us to below 10.0 us').blocks, young.length);
  for (const [i, bin] of sizes.entries()) assert.equal(bin.blocks, made.blocks.filter(block => block.bytes >= 2 ** (16 + i) && block.bytes < 2 ** (17 + i)).length, bin.text);
  const some = await histograms(events, cell => cell === 0);
  assert.equal(sum(some.sizes, 'blocks'), made.blocks.filter(block => block.cell === 0).length);
});
