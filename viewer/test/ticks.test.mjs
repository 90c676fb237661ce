// ticks.test.mjs - axes: the texts of their ticks, and the room behind the end of a run, of the timeline and of the curve of the overview.
import assert from 'node:assert/strict';
import test from 'node:test';
import {curvesOf, withRoom} from '../src/live.js';
import {decodeEvents} from '../src/events.js';
import {byteTicks, timeTexts} from '../src/ticks.js';
import {timesOf} from '../src/times.js';
import {Axis} from '../src/timeline/axis.js';
import {momentsOf} from '../src/timeline/tracks/raster.js';
import {makeTrack} from '../src/timeline/tracks/track.js';
import {fixture} from './fixture.mjs';
import {fixtureEvents} from './fixture_events.mjs';
import {random} from './program.mjs';

const {profile, made} = fixture({seed: 3, steps: 12}), page = {profile};
const events = decodeEvents(fixtureEvents(made));

test('ticks of times are in the unit of the largest, and not rounded', () => {
  assert.deepEqual(timeTexts([0, 5e5, 1e6, 1.5e6]), ['0.0 ms', '0.5 ms', '1.0 ms', '1.5 ms']);
  assert.deepEqual(timeTexts([9.5e5, 1e6, 1.05e6]), ['0.95 ms', '1.00 ms', '1.05 ms']);
  assert.deepEqual(timeTexts([0, 2.5e5, 5e5, 7.5e5]), ['0 us', '250 us', '500 us', '750 us']);
  assert.deepEqual(timeTexts([0, 2.5e8, 5e8, 7.5e8, 1e9]), ['0.00 s', '0.25 s', '0.50 s', '0.75 s', '1.00 s']);
  assert.deepEqual(timeTexts([0]), ['0 ns']);
  const axis = new Axis('time', timesOf(events), 0, events.header.last_clock), next = random(11);
  for (let i = 0; i < 200; ++i) {
    const from = next() % 2e9, texts = axis.ticks(from, from + 10 ** (next() % 10), 8).map(({text}) => text);
    assert.equal(new Set(texts.map(text => text.split(' ')[1])).size, 1, `${texts}`);
    assert.equal(new Set(texts).size, texts.length, `${texts}`);
  }
});

test('ticks of bytes are in one unit, and not rounded', () => {
  const texts = (low, high, most) => byteTicks(low, high, most).map(({text}) => text.replace(/\u202f/g, ''));
  assert.deepEqual(texts(0, 2.4 * 2 ** 20, 7), ['0', '500 KiB', '1000 KiB', '1500 KiB', '2000 KiB']);
  assert.deepEqual(texts(0, 2 ** 30, 3), ['0', '500 MiB', '1000 MiB']);
  assert.deepEqual(texts(0, 900, 4), ['0', '500 B']);
  const next = random(12), sizes = {B: 1, KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30, TiB: 2 ** 40};
  for (let i = 0; i < 500; ++i) {
    const low = next() % 2 ** 32 * (i % 3), ticks = byteTicks(low, low + 2 ** (4 + next() % 38), 3 + next() % 6), units = new Set();
    for (const {value, text} of ticks) {
      const [number, unit] = text.replace(/\u202f/g, '').split(' ');
      if (value) units.add(unit);
      assert.equal(Number(number) * (value ? sizes[unit] : 1), value, `${text} is ${value}`);
    }
    if (ticks.length > 1) {
      const step = (ticks[1].value - ticks[0].value) / sizes[[...units][0]], first = Number(step.toExponential()[0]);
      assert.ok([1, 2, 5].includes(first) && step === first * 10 ** Math.round(Math.log10(step / first)), `${ticks.map(({text}) => text)}`);
    }
    assert.ok(units.size <= 1, `${ticks.map(({text}) => text)}`);
  }
});

test('a peak in the last tick has its part of the picture', () => {
  for (const ticks of [20, 1000, 1e6]) {
    const last = ticks - 1, axis = new Axis('clock', null, 0, last), borders = axis.borders(axis.begin, axis.end, 1000);
    const none = new Uint32Array(0), track = makeTrack({start: [0, last], end: [0xffffffff, 0xffffffff], bytes: [100, 900], cell: [0, 0], cellDevice: [0], cellKind: [0],
      complete: true, tracks: [{device: 0, kind: null, moment: null}], rest: {cell: none, begin: none, part: none, change: none}}, 0);
    const {moment, total} = momentsOf(track, borders), wide = total.filter(value => value === 1000).length;
    assert.ok(wide >= 15 && wide <= 60, `${wide} of 1000 columns show the peak of ${ticks} ticks`);
    assert.ok(moment.every(at => at <= last), 'no column shows a tick that never was');
    assert.equal(axis.toClock(axis.end), last + 1);
    assert.ok(axis.ticks(axis.begin, axis.end, 8).every(({value}) => value <= last), 'no tick of the axis either');
    assert.equal(axis.text(axis.end).replace(/\u202f/g, ''), String(last));
  }
  const axis = new Axis('time', timesOf(events), events.header.first_clock, events.header.last_clock), run = axis.ofClock(axis.last) - axis.begin;
  assert.ok(axis.end >= axis.begin + run * 1.02);
});

test('a curve goes on behind its end, and ends with what is live then', () => {
  for (const given of [curvesOf(page, events), curvesOf(page, null)]) {
    const {begin, end, curves} = withRoom(given), all = given.flatMap(({x}) => x), last = Math.max(...all);
    assert.equal(begin, Math.min(...all));
    assert.ok(end >= last + (last - begin) * 0.02 && end <= last + Math.max(1, (last - begin) * 0.03));
    curves.forEach(({x, y, place, sparse}, i) => {
      assert.equal(y.at(-1), profile.devices[place].live_at_exit);
      assert.equal(x.at(-1), sparse ? given[i].x.at(-1) : end);
    });
  }
});
