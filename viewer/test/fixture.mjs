// fixture.mjs - the sections `profile`, `sources` and `diff` (docs/PAGE.md) of the made-up program of program.mjs.
//
// dev.mjs and the tests call it. Every figure is summed up from the blocks of the program, and has the columns that views need most; the
// real ones come from C. fixture_events.mjs makes `events` from what `made` has.
import {FILE, KINDS, NEVER, SOURCE, peakOf, run} from './program.mjs';

const COLUMNS = [
  ['at_peak', 'at peak', 'bytes', 'bytes allocated in or below it that were live when their device was at its peak'],
  ['at_peak_percent', '%', 'percent', 'at_peak as a share of the device peaks'],
  ['live_peak', 'live peak', 'bytes', 'the most bytes allocated by this line itself that were ever live at once'],
  ['own_peak_max', 'own peak', 'bytes', 'device memory one call needs on top of what was live at its start: the highest over all calls'],
  ['self_alloc', 'self', 'bytes', 'bytes allocated by calls made directly here'],
  ['incl_alloc', 'incl', 'bytes', 'bytes allocated here and in everything called from here'],
  ['self_net', 'self net', 'signed', 'allocated minus freed by calls made directly here'],
  ['self_freed', 'self freed', 'bytes', 'bytes freed by calls made directly here'],
  ['calls', 'calls', 'count', 'allocations and frees made here plus calls in which memory moved'],
  ['leaked', 'leaked', 'bytes', 'bytes allocated directly here and not freed by the end'],
  ['leaked_blocks', 'leaked blocks', 'count', 'allocations made directly here and not freed by the end'],
  ['self_at_peak', 'self at peak', 'bytes', 'as at_peak, of what was allocated directly here'],
  ['blocks', 'blocks', 'count', 'allocations made directly here'],
  ['min_size', 'smallest', 'bytes', 'smallest block allocated directly here'],
  ['mean_size', 'mean size', 'bytes', 'mean size of the blocks allocated directly here'],
  ['max_size', 'largest', 'bytes', 'largest block allocated directly here'],
  ['temporary_blocks', 'temporary', 'count', 'blocks allocated directly here and freed by the very next event of their thread'],
  ['lifetime_ns', 'lifetime', 'time', 'mean time from allocation to free of the blocks allocated directly here and freed'],
].map(([key, title, unit, definition]) => ({key, title, unit, definition}));

const MIB = 1 << 20;
const sum = (items, value) => items.reduce((total, item) => total + value(item), 0);
const extreme = (pick, blocks) => blocks.length ? blocks.reduce((found, {bytes}) => pick(found, bytes), blocks[0].bytes) : null;

/** As of `gpumemprof histogram`, with shorter names. */
const bins = (blocks, keyOf, text) => [...new Set(blocks.map(keyOf))].sort((a, b) => a - b).map(key => {
  const own = blocks.filter(block => keyOf(block) === key);
  return {text: text(key), from: null, below: null, blocks: own.length, bytes: sum(own, block => block.bytes), at_peak: 0};
});

/** The most of the blocks that was live at once. */
function mostLive(blocks) {
  const changes = blocks.flatMap(({start, end, bytes}) => [[start, bytes], [end, -bytes]]).sort((a, b) => a[0] - b[0]);
  let total = 0, most = 0;
  for (const [tick, bytes] of changes) {
    if (tick !== NEVER) most = Math.max(most, total += bytes);
  }
  return most;
}

/** Rows as of `gpumemprof diff`: in the capture before, every third row was not there, the others had half, and one is gone. */
const compared = rows => rows.flatMap((row, i) => {
  const {file, function: name, callee = null, variable = null, type = null, size_expr = null, line} = row;
  const after = Object.fromEntries(COLUMNS.map(({key}) => [key, row[key]]));
  const before = i % 3 === 1 ? null : Object.fromEntries(COLUMNS.map(({key}) => [key, i % 3 ? row[key] : row[key] && Math.floor(row[key] / 2)]));
  const less = (a, b) => Object.fromEntries(COLUMNS.map(({key}) =>
    [key, a?.[key] == null && b?.[key] == null ? null : (b?.[key] ?? 0) - (a?.[key] ?? 0)]));
  const one = (a, b, was) => {
    const difference = less(a, b);
    return {status: was || (!a ? 'new' : difference.at_peak > 0 || difference.self_alloc > 0 ? 'grown' : 'same'), renamed: false, file, function: name,
      callee, variable, type, size_expr, line_a: a && line, line_b: b && line, a, b, difference};
  };
  return i ? [one(before, after)] : [one(before, after), {...one(after, null, 'gone'), line_a: 90, function: 'old_step'}];
});

/**
 * @param {{seed?: number, steps?: number, redacted?: boolean}} [options]
 * @returns {{profile: object, sources: object|null, diff: object, made: object}}
 */
export function fixture({seed = 1, steps = 40, redacted = false} = {}) {
  const made = run({seed, steps}), {nodes, cells, blocks, text} = made, texts = made.texts;
  const peaks = [0, 1].map(place => peakOf(made, place));
  const atPeak = block => block.start <= peaks[block.place].at && peaks[block.place].at < block.end;
  const ofNode = nodes.map(() => []);
  for (const block of blocks) ofNode[cells[block.cell].node].push(block);
  const below = ofNode.map(own => [...own]); // children have higher numbers than their parents
  for (let node = nodes.length - 1; node > 0; --node) below[nodes[node].parent].push(...below[node]);

  const total = sum(blocks, block => block.bytes), allPeaks = peaks[0].peak + peaks[1].peak;
  const figures = (own, all, {calls, freed}) => {
    const lost = own.filter(block => block.end === NEVER), gone = own.filter(block => block.end !== NEVER);
    const self = sum(own, block => block.bytes), held = sum(all.filter(atPeak), block => block.bytes);
    return {at_peak: held, at_peak_percent: Math.round(1e4 * held / allPeaks) / 100, live_peak: mostLive(own), own_peak_max: mostLive(all),
      self_alloc: self, incl_alloc: sum(all, block => block.bytes), self_net: self - freed, self_freed: freed, calls,
      leaked: sum(lost, block => block.bytes), leaked_blocks: lost.length, self_at_peak: sum(own.filter(atPeak), block => block.bytes),
      blocks: own.length, min_size: extreme(Math.min, own), mean_size: own.length ? Math.floor(self / own.length) : null,
      max_size: extreme(Math.max, own), temporary_blocks: own.filter(block => block.temporary).length,
      lifetime_ns: gone.length ? Math.floor(sum(gone, block => block.age) / gone.length) : null};
  };
  const shown = name => redacted ? null : texts[name] || null;
  const place = node => ({file: FILE, line: nodes[node].line, function: texts[nodes[node].function]});
  const grouped = keep => {
    const groups = new Map();
    nodes.forEach((node, number) => {
      if (number && keep(node)) {
        const key = `${node.line} ${node.function}`;
        if (!groups.has(key)) groups.set(key, []);
        groups.get(key).push(number);
      }
    });
    return [...groups.values()];
  };
  const inner = members => new Set(members.flatMap(node => below[node]));
  const row = members => ({...place(members[0]), ...figures(members.flatMap(node => ofNode[node]), [...inner(members)],
    {calls: sum(members, node => nodes[node].calls), freed: sum(members, node => made.freed.get(node) || 0)})});
  const lineRows = grouped(node => node.kind === 3).map(members => {
    const {variable, size_expr, type, callee, line} = nodes[members[0]];
    return {...row(members), variable: shown(variable), size_expr: shown(size_expr), operands: null, type: shown(type), callee: texts[callee] || null,
      source_line: redacted ? null : SOURCE[line - 1].trim()};
  });
  const functionRows = grouped(node => node.kind === 1).map(row);
  for (const one of functionRows) { // self: what its lines did
    Object.assign(one, Object.fromEntries(['self_alloc', 'leaked', 'leaked_blocks', 'self_at_peak', 'blocks', 'temporary_blocks', 'self_net'].map(key =>
      [key, sum(lineRows.filter(line => line.function === one.function), line => line[key])])));
  }
  const by = (key, of) => [...new Set(blocks.map(of))].map(name => ({[key]: name, ...figures(blocks.filter(block => of(block) === name),
    blocks.filter(block => of(block) === name), {calls: 0, freed: 0})}));
  const lost = number => ofNode[number].filter(block => block.end === NEVER);
  const steps_ = number => {
    const path = [];
    for (let at = number; at > 0; at = nodes[at].parent) {
      if (nodes[at].kind === 3) path.unshift(place(at));
    }
    return path;
  };
  const leaks = nodes.map((_, number) => number).filter(number => lost(number).length).map(number => ({...place(number),
    variable: shown(nodes[number].variable), size_expr: shown(nodes[number].size_expr), type: shown(nodes[number].type),
    bytes: sum(lost(number), block => block.bytes), blocks: lost(number).length, path: steps_(number), node: number}))
    .sort((a, b) => b.bytes - a.bytes);
  const live = sum(blocks.filter(block => block.end === NEVER), block => block.bytes);
  const names = ['gpumemprof simulated device', 'host (pinned memory)'];
  const column = read => nodes.map((node, number) => read(node, number));
  const hidden = new Set(redacted ? ['variable', 'size_expr', 'type'] : []);
  const tree = Object.fromEntries(['parent', 'kind', 'name', 'file', 'line', 'function', 'variable', 'size_expr', 'type', 'callee', 'calls']
    .map(key => [key, column(node => hidden.has(key) ? 0 : node[key] || 0)]));
  const ofBlocks = (lists, keep = () => true) => lists.map(list => sum(list.filter(keep), block => block.bytes));
  Object.assign(tree, {self_at_peak: ofBlocks(ofNode, atPeak), at_peak: ofBlocks(below, atPeak), self_alloc: ofBlocks(ofNode), incl_alloc: ofBlocks(below),
    own_peak_max: below.map(mostLive), leaked: ofBlocks(ofNode, block => block.end === NEVER),
    escaped: ofBlocks(below, block => block.end === NEVER), blocks: ofNode.map(list => list.length)});
  const worst = lineRows.reduce((found, one) => one.self_at_peak > found.self_at_peak ? one : found);
  const devices = peaks.map(({peak, at}, number) => ({device: number ? 'host' : 0, name: names[number], uuid: null,
    memory_total: number ? null : 8 * 2 ** 30, peak, peak_time_ns: made.times[at][1], peak_clock: at,
    live_at_exit: sum(blocks.filter(block => block.end === NEVER && block.place === number), block => block.bytes),
    in_use: number ? null : {when: 'at exit', used: live + (310 << 20), recorded: live, pool_slack: 0, rounding: 786432,
      unaccounted: (310 << 20) - 786432, managed: 0, managed_here: 0, managed_elsewhere: 0}}));
  const profile = {
    page: {format: 1, generator: 'gpumemprof 0.0', capture: 'train.gmprof', command: './train --steps 40', pid: 4242, host: 'box',
      duration_ns: made.duration, clock: made.clock, resets: 0, history: 'all', redacted, max_size: 30 << 20},
    state: 'complete', devices, kinds: KINDS, columns: COLUMNS,
    tables: {line: lineRows, function: functionRows, file: [], kind: by('kind', block => KINDS[cells[block.cell].kind]),
      device: by('device', block => block.place ? 'host' : 0), label: by('label', block => texts[cells[block.cell].label] || '(no label)'),
      variable: [], type: [], stream: []},
    texts, tree,
    cells: {...Object.fromEntries(['node', 'device', 'kind', 'label'].map(key => [key, cells.map(cell => cell[key])])), ...Object.fromEntries(
      [['self_at_peak', block => atPeak(block) ? block.bytes : 0], ['self_alloc', block => block.bytes], ['leaked', block => block.end === NEVER ? block.bytes : 0],
        ['blocks', () => 1]].map(([key, value]) => [key, cells.map((_, cell) => sum(blocks.filter(block => block.cell === cell), value))]))},
    pairs: Object.fromEntries(['cell', 'node'].map(key => [key, made.pairs.map(pair => pair[key])])),
    leaks, reachable: [{file: FILE, line: 2, function: '(static)', variable: redacted ? null : 'table', size_expr: null, type: redacted ? null : 'float',
      bytes: 4096, blocks: 1, node: 0}],
    lifetimes: lineRows.filter(one => one.blocks).map(one => {
      const own = blocks.filter(block => nodes[cells[block.cell].node].line === one.line), gone = own.filter(block => block.end !== NEVER);
      const ticks = gone.map(block => block.end - block.start), spans = gone.map(block => block.age);
      const kept = own.filter(block => block.end === NEVER);
      const none = !gone.length;
      return {...one, freed_blocks: gone.length, temporary_percent: Math.round(1e4 * one.temporary_blocks / one.blocks) / 100,
        lifetime_clock: none ? null : Math.floor(sum(ticks, tick => tick) / gone.length), youngest_clock: none ? null : Math.min(...ticks),
        oldest_clock: none ? null : Math.max(...ticks), youngest_ns: none ? null : Math.min(...spans), oldest_ns: none ? null : Math.max(...spans),
        short_blocks: ticks.filter(tick => tick <= 10).length, kept_blocks: kept.length, kept_bytes: sum(kept, block => block.bytes)};
    }),
    histogram_of_size: bins(blocks, block => Math.floor(Math.log2(block.bytes)), power => `2^${power} bytes and more`),
    histogram_of_lifetime: bins(blocks, block => block.end === NEVER ? 99 : Math.floor(Math.log10(block.age)), power => power === 99 ? '(not freed)' : `10^${power} ns and more`),
    pools: [], samples: {device: [], clock: [], time_ns: [], used: [], ledger: [], reserved: [], by_monitor: []},
    marks: [{name: 'warm', thread: 0, clock: made.steps[2].clock, time_ns: made.steps[2].time_ns}], steps: made.steps,
    ooms: [{clock: made.steps[5].clock, time_ns: made.steps[5].time_ns, device: 0, bytes: 9 * 2 ** 30, node: 3}],
    budgets: [
      {budget: 'budget', verdict: 'broken', file: FILE, line: 8, function: 'forward', block: null, limit: 4 * MIB, bytes: 9 * MIB, blocks: null, times: 3,
        paths: 1, first_ns: 1000000, path: [place(1)], allocated_at: null},
      {budget: 'no_leak', verdict: 'broken', file: FILE, line: 24, function: 'evaluate', block: null, limit: null, bytes: 4 * MIB, blocks: 1, times: 10,
        paths: 1, first_ns: 3000000, path: [place(1)], allocated_at: null},
      {budget: 'no_alloc', verdict: 'kept', file: FILE, line: 32, function: 'main', block: 'step', limit: null, bytes: null, blocks: null, times: 0,
        paths: 0, first_ns: null, path: null, allocated_at: null}],
    conservation: {allocated: total, freed: total - live, live, allocated_blocks: blocks.length,
      freed_blocks: blocks.filter(block => block.end !== NEVER).length, live_blocks: blocks.filter(block => block.end === NEVER).length, ok: true},
    losses: {unknown_frees: 2, frames_beyond_stack: 0, events_not_stored: 0}, failed: [], unaccounted_calls: [],
    sentences: [{text: `${worst.function}, line ${worst.line}, holds ${worst.self_at_peak} bytes at the peak of GPU 0.`,
      to: `#/source?file=${FILE}&line=${worst.line}`}],
  };
  for (const sample of made.samples) {
    for (const key of ['device', 'clock', 'time_ns', 'used', 'ledger', 'by_monitor']) profile.samples[key].push(sample[key]);
    profile.samples.reserved.push(sample.used + (64 << 20));
  }
  text('');
  const sources = redacted ? null : {files: [{file: FILE, from: 'disk', changed: [20], first: 1, lines: SOURCE}]};
  const diff = {before: {capture: 'before.gmprof', devices: devices.map(device => ({...device, peak: Math.floor(device.peak / 2)}))},
    line: compared(lineRows), function: compared(functionRows)};
  return {profile, sources, diff, made};
}
