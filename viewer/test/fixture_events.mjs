/**
 * fixture_events.mjs - writes a section `events` as docs/PAGE.md describes it, from blocks of a made-up run.
 *
 * The unit tests, the tests in Chromium and viewer/bench call it. Blocks are columns (typed arrays), so that 10^7 events fit; a tick of
 * the clock is one allocation or free, as in a capture. What is computed here is swept event by event and shares no code with the
 * viewer, so that a test that compares the two compares two computations.
 */

const NONE = 0xffffffff;

/** Numbers 0 to 1, the same for the same seed. */
export function randomOf(seed) {
  let state = seed >>> 0 || 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 4294967296;
  };
}

/** Columns for so many blocks, empty. */
export function blockColumns(count) {
  const u32 = () => new Uint32Array(count), f64 = () => new Float64Array(count);
  return {count, start: u32(), end: u32().fill(NONE), bytes: f64(), padding: u32(), address: f64(), generation: u32().fill(1), cell: u32(),
    pair: u32().fill(NONE), thread: u32(), time: f64(), age: f64()};
}

/**
 * A random run: allocations and frees mixed, some blocks never freed.
 * @param {{seed?: number, blocks?: number, cells?: number, live?: number}} [wanted] live: about how many are live at once
 */
export function randomBlocks({seed = 1, blocks = 200, cells = 6, live = 20} = {}) {
  const random = randomOf(seed), made = blockColumns(blocks), open = [];
  let clock = 0;
  for (let i = 0; i < blocks;) {
    ++clock;
    if (open.length && random() < open.length / (2 * live)) {
      const [block] = open.splice(Math.floor(random() * open.length), 1);
      made.end[block] = clock;
      made.age[block] = (clock - made.start[block]) * 1000;
      if (random() < 0.8) made.pair[block] = made.cell[block];
    } else {
      made.start[i] = clock;
      made.bytes[i] = Math.floor(random() ** 4 * 2 ** 34);
      made.padding[i] = Math.floor(random() * 512);
      made.address[i] = 0x7f0000000000 + i * 512;
      made.cell[i] = Math.floor(random() * cells);
      made.thread[i] = Math.floor(random() * 3);
      made.time[i] = clock * 1000;
      open.push(i++);
    }
  }
  for (const block of open) made.age[block] = (clock - made.start[block]) * 1000;
  return {blocks: made, lastClock: clock};
}

/**
 * A run as training has it: weights that stay, and in each step activations that are freed in reverse. Made without random numbers of its size, so
 * ten million events take a second.
 * @param {{events: number, layers?: number, temporaries?: number, cells?: number}} wanted
 */
export function trainingBlocks({events, layers = 50, temporaries = 3, cells = 40}) {
  const weights = layers, perStep = layers * (1 + temporaries), steps = Math.max(1, Math.floor((events - weights) / (2 * perStep)));
  const made = blockColumns(weights + steps * perStep), random = randomOf(7);
  let clock = 0, i = 0;
  const begin = (cell, bytes) => {
    made.start[i] = ++clock;
    made.bytes[i] = bytes;
    made.padding[i] = bytes & 511;
    made.cell[i] = cell % cells;
    made.address[i] = 0x7f0000000000 + (i % 100000) * 2097152;
    made.generation[i] = 1 + Math.floor(i / 100000);
    made.thread[i] = i % 2;
    made.time[i] = clock * 800;
    return i++;
  };
  const end = block => {
    made.end[block] = ++clock;
    made.age[block] = (clock - made.start[block]) * 800;
    made.pair[block] = made.cell[block];
  };
  for (let layer = 0; layer < weights; ++layer) begin(layer, 16777216 + layer * 4096);
  const activations = [];
  for (let step = 0; step < steps; ++step) {
    for (let layer = 0; layer < layers; ++layer) {
      activations.push(begin(layers + layer, 4194304 + Math.floor(random() * 2097152)));
      for (let t = 0; t < temporaries; ++t) end(begin(2 * layers + t, 65536 + Math.floor(random() * 8388608)));
    }
    while (activations.length) end(activations.pop());
  }
  return {blocks: made, lastClock: clock};
}

/** What is at each tick: i + 1 for the begin of block i, -i - 1 for its end. */
function eventsOf({count, start, end}, lastClock) {
  const at = new Int32Array(lastClock + 1);
  for (let i = 0; i < count; ++i) {
    at[start[i]] = i + 1;
    if (end[i] !== NONE) at[end[i]] = -i - 1;
  }
  return at;
}

/** Highest moment, most and least of each part, by track. */
function sampledTracks(blocks, events, lastClock, cells, tracks, parts) {
  const made = tracks.map(track => ({...track, held: 0, moment: new Uint32Array(parts), most: new Float64Array(parts).fill(-1),
    least: new Float64Array(parts).fill(Infinity), peak: 0, peak_clock: 0}));
  for (let clock = 0; clock <= lastClock; ++clock) {
    const event = events[clock], part = Math.min(parts - 1, Math.floor(clock * parts / (lastClock + 1)));
    const block = Math.abs(event) - 1;
    for (const track of made) {
      if (event && cells.device[blocks.cell[block]] === track.device && (track.kind === null || cells.kind[blocks.cell[block]] === track.kind)) {
        track.held += Math.sign(event) * blocks.bytes[block];
      }
      if (track.held > track.most[part]) {
        track.most[part] = track.held;
        track.moment[part] = clock;
      }
      if (track.held < track.least[part]) track.least[part] = track.held;
      if (track.held > track.peak) {
        track.peak = track.held;
        track.peak_clock = clock;
      }
    }
  }
  return made;
}

/** Changes of what is not kept, by cell, at the highest moments of the cell's device. */
function restOf(blocks, events, lastClock, cells, tracks, keep) {
  const of = new Map(); // cell -> {part, change}
  const held = new Float64Array(cells.device.length), known = new Float64Array(cells.device.length);
  const wholes = tracks.filter(track => track.kind === null).map(track => ({...track, next: 0}));
  for (let clock = 0; clock <= lastClock; ++clock) {
    const event = events[clock], block = Math.abs(event) - 1;
    if (event && !keep[block]) held[blocks.cell[block]] += Math.sign(event) * blocks.bytes[block];
    for (const track of wholes) {
      if (track.next === track.moment.length || track.moment[track.next] !== clock) continue;
      for (let cell = 0; cell < held.length; ++cell) {
        if (cells.device[cell] !== track.device || held[cell] === known[cell]) continue;
        if (!of.has(cell)) of.set(cell, {part: [], change: []});
        of.get(cell).part.push(track.next);
        of.get(cell).change.push(held[cell] - known[cell]);
        known[cell] = held[cell];
      }
      ++track.next;
    }
  }
  const rest = {cell: [], begin: [0], part: [], change: []};
  for (const [cell, entries] of [...of].sort((a, b) => a[0] - b[0])) {
    rest.cell.push(cell);
    for (const part of entries.part) rest.part.push(part);
    for (const change of entries.change) rest.change.push(change);
    rest.begin.push(rest.part.length);
  }
  return rest;
}

/** The bytes of an array as it is stored. */
function stored(array, {delta = false, planes = false, base = null}) {
  let values = base ? array.map((value, i) => value - base[i]) : array;
  if (delta) {
    values = values.slice();
    for (let i = values.length - 1; i > 0; --i) values[i] -= values[i - 1];
  }
  const bytes = new Uint8Array(values.buffer, values.byteOffset, values.byteLength), width = array.BYTES_PER_ELEMENT;
  if (!planes || width === 1) return bytes;
  const made = new Uint8Array(bytes.length);
  for (let plane = 0; plane < width; ++plane) {
    for (let i = 0; i < array.length; ++i) made[plane * array.length + i] = bytes[i * width + plane];
  }
  return made;
}

/** The time of a thousand ticks of a run whose ticks are equally long. */
function evenTimes(blocks, lastClock) {
  const last = blocks.count - 1, count = Math.min(1000, lastClock + 1);
  const perTick = last > 0 ? (blocks.time[last] - blocks.time[0]) / (blocks.start[last] - blocks.start[0]) : 1000;
  return Array.from({length: count}, (_, i) => Math.round(i * lastClock / Math.max(1, count - 1)))
    .map(clock => [clock, Math.round(clock * perTick)]);
}

/**
 * @param {{blocks: object, lastClock: number}} run as randomBlocks gives it
 * @param {{cells: {device: number[], kind: number[]}, tracks?: {device: number, kind: number|null}[], keep?: Uint8Array, parts?: number,
 *   scopes?: object[], seenScopes?: number, times?: number[][]}} options keep: which blocks stay one by one (all); scopes: thread, node, start, end, time, span;
 *   times: [clock, nanoseconds]
 * @returns {Uint8Array} the section
 */
export function writeEvents({blocks, lastClock}, {cells, tracks, keep, parts = 64, scopes = [], seenScopes = scopes.length, times}) {
  const kept = keep ? blocks.start.map((_, i) => i).filter(i => keep[i]) : Uint32Array.from(blocks.start, (_, i) => i);
  const events = eventsOf(blocks, lastClock);
  const wanted = tracks || [...new Set(cells.device)].map(device => ({device, kind: null}));
  const count = Math.min(parts, lastClock + 1), sampled = sampledTracks(blocks, events, lastClock, cells, wanted, count);
  const arrays = new Map();
  const u32 = (name, values, how = {}) => arrays.set(name, {type: 'u32', array: Uint32Array.from(values), ...how});
  const wide = (name, values) => {
    u32(`${name}_low`, Array.from(values, value => value % 2 ** 32), {delta: true, planes: true});
    u32(`${name}_high`, Array.from(values, value => Math.floor(value / 2 ** 32)), {planes: true});
  };
  const column = name => kept.length === blocks.count ? blocks[name] : Array.from(kept, i => blocks[name][i]);
  u32('block.start', column('start'), {delta: true, planes: true});
  u32('block.end', column('end'), {from: 'block.start', planes: true});
  for (const name of ['padding', 'generation', 'cell', 'pair', 'thread']) u32(`block.${name}`, column(name), {planes: true});
  for (const name of ['bytes', 'address', 'time', 'age']) wide(`block.${name}`, column(name));
  sampled.forEach((track, number) => {
    track.prefix = `track${number}`;
    u32(`${track.prefix}.moment`, track.moment, {delta: true, planes: true});
    arrays.set(`${track.prefix}.most`, {type: 'f64', array: track.most, planes: true});
    arrays.set(`${track.prefix}.least`, {type: 'f64', array: track.least, planes: true});
  });
  const rest = restOf(blocks, events, lastClock, cells, sampled, keep || new Uint8Array(blocks.count).fill(1));
  for (const name of ['cell', 'begin', 'part']) u32(`rest.${name}`, rest[name], {planes: true});
  arrays.set('rest.change', {type: 'f64', array: Float64Array.from(rest.change), planes: true});
  for (const name of ['thread', 'node', 'start', 'end']) u32(`scope.${name}`, scopes.map(scope => scope[name]));
  for (const name of ['time', 'span']) wide(`scope.${name}`, scopes.map(scope => scope[name]));
  const stamps = times || evenTimes(blocks, lastClock);
  u32('time.clock', stamps.map(([clock]) => clock));
  u32('time_low', stamps.map(([, time]) => time % 2 ** 32));
  u32('time_high', stamps.map(([, time]) => Math.floor(time / 2 ** 32)));
  return packed(arrays, {
    blocks: {kept: kept.length, seen: blocks.count}, complete: kept.length === blocks.count, first_clock: 0, last_clock: lastClock,
    tracks: sampled.map(({device, kind, peak, peak_clock, prefix}) => ({device, kind, peak, peak_clock, prefix})),
    scopes: {kept: scopes.length, seen: seenScopes}});
}

function packed(arrays, header) {
  const entries = {}, pieces = [];
  let offset = 0;
  for (const [name, {type, array, ...how}] of arrays) {
    const bytes = stored(array, {...how, base: how.from ? arrays.get(how.from).array : null});
    entries[name] = {type, count: array.length, offset, ...how};
    pieces.push({bytes, offset});
    offset = Math.ceil((offset + bytes.length) / 8) * 8;
  }
  const json = new TextEncoder().encode(JSON.stringify({arrays: entries, ...header}));
  const start = Math.ceil((12 + json.length) / 8) * 8, made = new Uint8Array(start + offset);
  made.set(new TextEncoder().encode('GPMPAGE1'));
  new DataView(made.buffer).setUint32(8, json.length, true);
  made.set(json, 12);
  for (const piece of pieces) made.set(piece.bytes, start + piece.offset);
  return made;
}

/**
 * The section of the made-up program (program.mjs).
 * @param {object} made as its run() gives it
 * @param {{keep?: (block: object, i: number) => boolean, parts?: number, scopes?: number}} [options] keep: which blocks stay one by one (all);
 *   scopes: how many of the scopes, the longest (all)
 * @returns {Uint8Array}
 */
export function fixtureEvents(made, {keep, parts = 200, scopes: most = made.scopes.length} = {}) {
  const blocks = blockColumns(made.blocks.length);
  made.blocks.forEach((block, i) => {
    for (const name of Object.keys(blocks)) if (name !== 'count') blocks[name][i] = block[name];
  });
  const cells = {device: made.cells.map(cell => cell.device), kind: made.cells.map(cell => cell.kind)};
  const pairs = new Set(made.cells.map(({device, kind}) => `${device} ${kind}`));
  const tracks = [...new Set(cells.device)].map(device => ({device, kind: null}))
    .concat([...pairs].map(pair => pair.split(' ').map(Number)).map(([device, kind]) => ({device, kind})));
  return writeEvents({blocks, lastClock: made.clock},
    {cells, tracks, parts, scopes: [...made.scopes].sort((a, b) => b.span - a.span).slice(0, most), seenScopes: made.scopes.length, times: made.times, keep: keep ? Uint8Array.from(made.blocks, (block, i) => keep(block, i) ? 1 : 0) : undefined});
}
