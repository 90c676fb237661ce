// program.mjs - a made-up program that is run by an interpreter: what fixture.mjs and fixture_events.mjs make sections of.
//
// A little training loop is interpreted: calls push nodes, allocations make blocks, and every figure is summed up from these blocks, so that
// what views show can be compared with sums over `blocks`. The same seed gives the same program. fixture_events.mjs makes the section
// `events` of it: `blocks` and `scopes` are in the order of their begin, as docs/PAGE.md wants them.

export const FILE = '/home/u/trainer/train.cu';
export const KINDS = ['device', 'pool', 'managed', 'pinned', 'array', 'vmm', 'graph', 'imported', 'static', 'custom'];
export const NEVER = 0xffffffff;
const MIB = 1 << 20;

export const SOURCE = `#include <cuda_runtime.h>
#include <vector>
static float *zeros(size_t n) {
  float *p;
  if (cudaMalloc(&p, n * sizeof(float)) != cudaSuccess) abort();
  return p;
}
static void forward(Model &model, int batch) {
  for (Layer &layer : model.layers) {
    layer.out = zeros(batch * layer.width);
    cudaMallocAsync(&layer.scratch, layer.width * 4, stream);
    run(layer);
    cudaFreeAsync(layer.scratch, stream);
  }
}
static void backward(Model &model) {
  for (Layer &layer : reversed(model.layers)) {
    layer.gradient = zeros(layer.count);
    apply(layer);
    cudaFree(layer.gradient);
    cudaFree(layer.out);
  }
}
static void evaluate(Model &model) {
  scores = zeros(model.classes * 1024); // <never & "freed">
}
int main() {
  Model model;
  for (int i = 0; i < 6; ++i) model.layers.push_back({zeros(256 << i)});
  cudaMallocHost(&batch, 8 << 20);
  for (int step = 0; step < steps; ++step) {
    GPUMEMPROF_SCOPE("step");
    forward(model, 32);
    backward(model);
    if (step % 4 == 3) evaluate(model);
  }
  cudaFreeHost(batch);
}
`.split('\n').slice(0, -1);

/** Numbers from 0 below 1, the same for the same seed (mulberry32). @param {number} seed */
export function random(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

/** Runs the program. @returns what happened: nodes, cells, pairs, blocks, scopes, samples, times */
export function run({seed, steps}) {
  const next = random(seed), texts = [''], textAt = new Map([['', 0]]);
  const text = value => {
    if (!textAt.has(value)) textAt.set(value, texts.push(value) - 1);
    return textAt.get(value);
  };
  const nodes = [{parent: 0, kind: 0, name: text('root'), file: 0, line: 0, function: 0, variable: 0, size_expr: 0, type: 0, callee: 0, calls: 1}];
  const nodeAt = new Map(), cells = [], cellAt = new Map(), pairs = [], pairAt = new Map();
  const blocks = [], scopes = [], times = [[0, 0]], steps_ = [], live = [new Map(), new Map()], samples = [];
  let clock = 0, now = 1000, at = 0, label = 0;
  const generations = new Map(), free = [[], []], freed = new Map();
  let address = 0x7f0000000000;

  const node = (kind, line, more) => {
    const key = JSON.stringify([at, kind, line, more]);
    if (!nodeAt.has(key)) {
      nodeAt.set(key, nodes.push({parent: at, kind, name: 0, line, variable: 0, size_expr: 0, type: 0, callee: 0, ...more,
        file: text(FILE), calls: 0}) - 1);
    }
    return nodeAt.get(key);
  };
  const tick = () => {
    now += 200 + Math.floor(next() * 4000);
    times.push([++clock, now]);
    return clock;
  };
  const within = (found, body) => {
    const before = at, scope = {thread: 0, node: found, start: clock + 1, time: now};
    at = found;
    ++nodes[found].calls;
    scopes.push(scope);
    body();
    Object.assign(scope, {end: clock, span: now - scope.time});
    at = before;
  };
  const call = (line, from, to, declared, body) => { // the calling line, then the function
    const site = node(3, line, {function: text(from), name: text(`${from}:${line}`), callee: text(to)});
    const before = at;
    at = site;
    ++nodes[site].calls;
    within(node(1, declared, {function: text(to), name: text(to)}), body);
    at = before;
  };
  const allocate = (line, from, kind, bytes, place, written) => {
    const owner = node(3, line, {function: text(from), name: text(`${from}:${line}`), ...Object.fromEntries(
      Object.entries(written).map(([key, value]) => [key, text(value)]))});
    ++nodes[owner].calls;
    const key = `${owner} ${place} ${kind} ${label}`;
    if (!cellAt.has(key)) cellAt.set(key, cells.push({node: owner, device: place, kind, label}) - 1);
    const padded = Math.ceil(bytes / 512) * 512;
    const reused = free[place].findIndex(one => one.bytes === padded);
    const where = reused < 0 ? address : free[place].splice(reused, 1)[0].address;
    if (reused < 0) address += Math.ceil(padded / (2 * MIB)) * 2 * MIB;
    generations.set(where, (generations.get(where) || 0) + 1);
    const block = {start: tick(), end: NEVER, bytes: padded, padding: padded - bytes, address: where, generation: generations.get(where),
      cell: cellAt.get(key), pair: NEVER, thread: 0, time: now, age: 0, place, temporary: false};
    live[place].set(block, block.bytes);
    blocks.push(block);
    return block;
  };
  const release = (block, line, from) => {
    const by = node(3, line, {function: text(from), name: text(`${from}:${line}`), callee: text('cudaFree')});
    ++nodes[by].calls;
    const key = `${block.cell} ${by}`;
    if (!pairAt.has(key)) pairAt.set(key, pairs.push({cell: block.cell, node: by}) - 1);
    block.temporary = block.start === clock;
    Object.assign(block, {end: tick(), pair: pairAt.get(key)});
    block.age = now - block.time;
    live[block.place].delete(block);
    freed.set(by, (freed.get(by) || 0) + block.bytes);
    free[block.place].push({address: block.address, bytes: block.bytes});
  };
  const zeros = (line, from, count) => {
    let block;
    call(line, from, 'zeros', 3, () => {
      block = allocate(5, 'zeros', 0, count * 4, 0, {variable: 'p', size_expr: 'n * sizeof(float)', type: 'float', callee: 'cudaMalloc<float>'});
    });
    return block;
  };
  const widths = [256, 512, 1024, 2048, 4096, 8192].map(width => width * 64);
  within(node(1, 27, {function: text('main'), name: text('main')}), () => {
    widths.forEach(width => zeros(29, 'main', width * 4));
    const host = allocate(30, 'main', 3, 8 * MIB, 1, {variable: 'batch', size_expr: '8 << 20', callee: 'cudaMallocHost'});
    for (let step = 0; step < steps; ++step) {
      steps_.push({number: step, thread: 0, clock, time_ns: now});
      within(node(2, 32, {function: text('main'), name: text('step')}), () => {
        label = step % 2 ? text('odd steps') : 0;
        const out = [];
        call(33, 'main', 'forward', 8, () => widths.forEach(width => {
          out.push(zeros(10, 'forward', Math.floor(width * (1 + next()))));
          release(allocate(11, 'forward', 1, width * 4, 0, {variable: 'layer.scratch', size_expr: 'layer.width * 4', callee: 'cudaMallocAsync'}),
            13, 'forward');
        }));
        call(34, 'main', 'backward', 16, () => widths.reverse().forEach(width => {
          release(zeros(18, 'backward', width * 2), 20, 'backward');
          release(out.pop(), 21, 'backward');
        }));
        widths.reverse();
        if (step % 4 === 3) call(35, 'main', 'evaluate', 24, () => zeros(25, 'evaluate', 1000 * 1024));
      });
      const ledger = [...live[0].values()].reduce((sum, one) => sum + one, 0);
      samples.push({device: 0, clock, time_ns: now, used: ledger + 300 * MIB, ledger, by_monitor: 1});
    }
    release(host, 37, 'main');
  });
  for (const block of blocks) {
    if (block.end === NEVER) block.age = now - block.time;
  }
  return {texts, text, nodes, cells, pairs, blocks, scopes, times, steps: steps_, samples, clock, duration: now + 5000, freed};
}

/** Highest total of a device and the tick after which it was. */
export function peakOf(made, place) {
  const change = new Float64Array(made.clock + 2);
  for (const block of made.blocks) {
    if (block.place === place) {
      change[block.start] += block.bytes;
      if (block.end !== NEVER) change[block.end] -= block.bytes;
    }
  }
  let total = 0, peak = 0, at = 0;
  change.forEach((bytes, tick) => {
    total += bytes;
    if (total > peak) [peak, at] = [total, tick];
  });
  return {peak, at};
}
