// state_rows.test.mjs - lines of the map, holes in them, what is found and said in the state view, against going over all of it.
import assert from 'node:assert/strict';
import {test} from 'node:test';
import {decodeEvents} from '../src/events.js';
import {blockKey, blockName, blockNamed} from '../src/model.js';
import {parseWanted, rankAt} from '../src/state/find.js';
import {layoutOf} from '../src/state/layout.js';
import {Moment} from '../src/state/moment.js';
import {makeState} from '../src/state/make.js';
import {restAt, restOf} from '../src/state/rest.js';
import {DEFAULT_LINES, LINE, holesIn, lengthOf, lineAt, lineTop, rowFor, rowsOf, spanAt, spansIn, spansOf} from '../src/state/rows.js';
import {stepsOf} from '../src/state/steps.js';
import {tickText} from '../src/state/words.js';
import {weightsIn} from '../src/state/weights.js';
import {coloringOf, weightsOf} from '../src/timeline/groups.js';
import {Service} from '../src/timeline/service.js';
import {fixture} from './fixture.mjs';
import {fixtureEvents} from './fixture_events.mjs';
import {NEVER, random} from './program.mjs';

const whole = fixture({steps: 12}), {profile, made} = whole, page = {profile}, events = decodeEvents(fixtureEvents(made));
const layout = layoutOf(profile, events, 0), steps = stepsOf(layout, events);

const momentAt = clock => {
  const moment = new Moment(layout, steps);
  moment.seek(clock);
  return moment;
};
const isLive = (block, clock) => block.start <= clock && clock < block.end;

test('every live block is in the lines it lies in, and the holes of all lines are all that is free', () => {
  const next = random(4);
  for (let turn = 0; turn < 30; ++turn) {
    const moment = momentAt(Math.floor(next() * (made.clock + 1))), row = 2 ** (16 + Math.floor(next() * 10));
    moment.layout.segments.forEach((segment, number) => {
      const length = lengthOf(moment, number), spans = spansOf(moment, number), holes = new Map();
      for (let begin = 0; begin < length; begin += row) {
        const end = Math.min(length, begin + row), {first, last} = spansIn(spans, begin, end);
        const shown = [...spans.ranks.slice(first, last)].filter((_, i) => spans.to[first + i] > begin && spans.from[first + i] < end);
        const wanted = [...moment.live(number)].filter(rank => layout.address[rank] - segment.begin < end &&
          layout.address[rank] + layout.bytes[rank] - segment.begin > begin);
        assert.deepEqual(shown, wanted);
        for (const hole of holesIn(spans, layout, length, begin, end)) holes.set(hole.from, hole);
      }
      const {free, hole} = moment.figures(number), sizes = [...holes.values()].map(one => one.to - one.from);
      assert.equal(sizes.reduce((sum, size) => sum + size, 0), free);
      assert.equal(Math.max(0, ...sizes), hole);
      for (let probe = 0; probe < 40; ++probe) {
        const byte = Math.floor(next() * length), at = spanAt(spans, layout, byte), rank = at < 0 ? -1 : spans.ranks[at];
        const found = [...moment.live(number)].find(one => layout.address[one] <= segment.begin + byte && segment.begin + byte < layout.address[one] + layout.bytes[one]);
        assert.equal(rank, found ?? -1);
      }
    });
  }
});

test('lines follow each other, largest segment first or by address', () => {
  const moment = momentAt(made.clock), row = rowFor(layout, DEFAULT_LINES);
  const lines = layout.segments.reduce((sum, {begin, end}) => sum + Math.ceil((end - begin) / row), 0);
  assert.ok(lines <= Math.max(DEFAULT_LINES, layout.segments.length));
  for (const sort of ['size', 'address']) {
    const rows = rowsOf(moment, row, sort), lengths = rows.order.map(number => lengthOf(moment, number));
    assert.deepEqual(sort === 'size' ? [...lengths].sort((a, b) => b - a) : rows.order.map((_, i) => i), sort === 'size' ? lengths : rows.order);
    rows.order.forEach((number, place) => {
      assert.deepEqual(lineAt(rows, rows.top[place]), {place, segment: number, line: -1});
      assert.deepEqual(lineAt(rows, lineTop(rows, place, 0) + LINE / 2), {place, segment: number, line: 0});
    });
  }
});

test('a block is found by its name, an address by what lies there', () => {
  for (const i of [0, 17, events.blocks - 1]) assert.equal(blockNamed(events, blockName(page, events, i)), i);
  assert.equal(blockNamed(events, '7f00_9'), -1);
  assert.deepEqual(parseWanted(' 12\u202f345 '), {clock: 12345});
  assert.deepEqual(parseWanted('0x7F00'), {address: 0x7f00, generation: null});
  assert.equal(parseWanted('step 3'), null);
  assert.equal(parseWanted('99999999999'), null);
  const moment = momentAt(40), live = moment.live(0)[1];
  assert.equal(rankAt(moment, layout.address[live] + 1), live);
  const gone = steps.rank[steps.freed.indexOf(1)], first = rankAt(momentAt(made.clock), layout.address[gone]);
  assert.equal(layout.address[first], layout.address[gone]);
  assert.equal(rankAt(moment, 4096), -1);
});

test('a piece is called as the block it begins, but links distinguish them', () => {
  const words = {'block.address_low': [0x200000, 0x200000, 5], 'block.address_high': [0x7f41, 0x80007f41, 0x80000000], 'block.generation': [1, 1, 1]};
  const pieces = {arrays: words};
  assert.deepEqual([0, 1, 2].map(i => blockName(page, pieces, i)), ['7f4100200000_1', '7f4100200000_1', '5_1']);
  for (const i of [0, 1, 2]) assert.equal(blockNamed(pieces, blockKey(pieces, i)), i);
  assert.equal(blockNamed(pieces, '5_1'), 2);
});

test('an event is said with its block and its line', () => {
  const block = made.blocks.findIndex(one => one.place === 0 && one.end !== NEVER), one = made.blocks[block], name = blockName(page, events, block);
  const view = {layout, steps};
  assert.match(tickText(page, events, view, one.start).text, new RegExp(`^allocated ${name}, .* at train.cu:\\d+ \\w+$`));
  assert.match(tickText(page, events, view, one.end).text, new RegExp(`^freed ${name}, .* by train.cu:\\d+ \\w+; allocated at train.cu:\\d+ \\w+$`));
  assert.deepEqual(tickText(page, events, view, one.end).ranks.map(rank => layout.block[rank]), [block]);
  const host = made.blocks.find(other => other.place === 1).start; // an event of another device
  assert.match(tickText(page, events, view, host).text, /^no event here; the last was event/);
  assert.match(tickText(page, events, view, 0).text, /^before the first/);
});

test('what is not there one by one is known at the moments of which the page has it', () => {
  const keep = (_, i) => i % 3 === 0, part = decodeEvents(fixtureEvents(made, {keep})), rest = restOf(profile, part, 0);
  assert.equal(restOf(profile, events, 0), null);
  for (let clock = 0; clock <= made.clock; clock += 7) {
    const known = restAt(rest, clock);
    assert.ok(known.clock <= clock);
    const held = made.blocks.reduce((sum, block, i) => sum + (block.place === 0 && !keep(block, i) && isLive(block, known.clock) ? block.bytes : 0), 0);
    assert.equal(known.bytes, held);
  }
});

test('what the thread makes is what the view would make itself, its arrays with memory of their own', () => {
  const bytes = fixtureEvents(made), {cells, kinds, devices} = profile;
  const there = structuredClone(makeState({bytes, profile: {cells, kinds, devices: devices.map(({device}) => ({device}))}, device: 0}));
  assert.deepEqual(there.layout, layout);
  assert.deepEqual(there.steps, steps);
  assert.equal(there.rest, null);
  assert.deepEqual(there.weights, weightsIn(profile, events, layout));
});

test('lines have the colours that they have in the timeline', () => {
  for (const keep of [undefined, (_, i) => i % 4 !== 1]) {
    const bytes = fixtureEvents(made, {keep}), part = decodeEvents(bytes), service = new Service(), {device, kind, label, node} = profile.cells;
    service.open({bytes, cells: {device, kind, label}});
    service.setGroups({name: 'cells', groups: {count: node.length, ofBlock: null, ofCell: node.map((_, cell) => cell)}});
    const which = part.header.tracks.findIndex(track => track.device === 0 && (track.kind ?? null) === null);
    const sums = service.compose({which, moment: part.header.tracks[which].peak_clock, name: 'cells'});
    const there = coloringOf(page, part, 'path', weightsOf(sums.bytes, service.overview({which}).areas), false);
    const here = coloringOf(page, part, 'path', weightsIn(profile, part, layoutOf(profile, part, 0)), false);
    assert.deepEqual(here.names, there.names);
  }
});

test('what is on another device has no weight', () => {
  const weights = weightsIn(profile, events, layout);
  assert.ok(Math.abs(weights.reduce((sum, one) => sum + one, 0) - 2) < 1e-9);
  assert.equal(weights[profile.cells.device.findIndex(device => device !== 0)], 0);
});
