// tree.test.mjs - the tree view's pure parts: folding calls and functions, both orders against sums over whole paths, layout, search.
import assert from 'node:assert/strict';
import {test} from 'node:test';
import {ADDING, framesOf, labelOf, sameFrames} from '../src/tree/frames.js';
import {FIGURES, figureOf} from '../src/tree/figures.js';
import {NARROWEST, layOut} from '../src/tree/layout.js';
import {invertedOrder, pathOrder} from '../src/tree/orders.js';
import {matching, sumOf} from '../src/tree/search.js';
import {fixture} from './fixture.mjs';
import {processorTime} from './processor_time.mjs';
import {random} from './program.mjs';

const [ROOT, FUNCTION, BLOCK, CALL, NATIVE, UNKNOWN] = [0, 1, 2, 3, 4, 5];
const TEXTS = ['name', 'file', 'function', 'variable', 'size_expr', 'type', 'callee'];

/** A page of nodes {parent, kind, line, …texts, …figures}; what is missing is 0 or "". */
function pageFrom(nodes) {
  const texts = [''], at = new Map([['', 0]]);
  const text = value => {
    if (!at.has(value)) at.set(value, texts.push(value) - 1);
    return at.get(value);
  };
  const tree = {};
  for (const key of ['parent', 'kind', 'line', 'own_peak_max', 'calls', ...ADDING]) tree[key] = nodes.map(node => node[key] || 0);
  for (const key of TEXTS) tree[key] = nodes.map(node => text(node[key] || ''));
  return {profile: {texts, tree}};
}

/** A random tree in which few places are called from many. */
function randomPage(seed, count, depth = 40) {
  const next = random(seed), pick = most => Math.floor(next() * most), nodes = [{kind: ROOT, depth: 0}];
  while (nodes.length < count) {
    let parent = next() < 0.5 ? nodes.length - 1 - pick(Math.min(nodes.length, 8)) : pick(nodes.length);
    while (nodes[parent].depth >= depth) parent = pick(nodes.length);
    const isCall = [FUNCTION, BLOCK].includes(nodes[parent].kind) ? next() < 0.9 : next() < 0.1;
    const one = isCall ? {kind: next() < 0.9 ? CALL : NATIVE, line: 1 + pick(5), function: nodes[parent].function || '', callee: 'f' + pick(3)} :
      {kind: next() < 0.8 ? FUNCTION : next() < 0.5 ? BLOCK : UNKNOWN, function: 'f' + pick(3), name: 'f' + pick(2), line: pick(2)};
    Object.assign(one, {parent, depth: nodes[parent].depth + 1, file: 'a.cu', own_peak_max: pick(1000)});
    if (isCall && next() < 0.5) Object.assign(one, {self_alloc: pick(1000), self_at_peak: pick(300), leaked: pick(3), blocks: pick(9)});
    nodes.push(one);
  }
  return pageFrom(nodes);
}

const pathOfFrame = (frames, frame) => {
  const path = [];
  for (let at = frame; at > 0; at = frames.parent[at]) path.unshift(at);
  return path;
};

test('a call and the one function it leads to are a frame', () => {
  const page = pageFrom([{kind: ROOT}, {kind: FUNCTION, function: 'main', file: '/x/main.c', line: 9},
    {kind: CALL, parent: 1, function: 'main', file: '/x/main.c', line: 11, callee: 'step', own_peak_max: 7},
    {kind: FUNCTION, parent: 2, function: 'step', file: '/x/a.cu', line: 2, own_peak_max: 9},
    {kind: CALL, parent: 3, function: 'step', file: '/x/a.cu', line: 4, callee: 'cudaMalloc', variable: 'p', type: 'float', size_expr: 'n * 4',
      self_alloc: 100, blocks: 1, own_peak_max: 100},
    {kind: CALL, parent: 1, function: 'main', file: '/x/main.c', line: 12, callee: 'go'}, // leads to two
    {kind: FUNCTION, parent: 5, function: 'go<int>'}, {kind: FUNCTION, parent: 5, function: 'go<float>'},
    {kind: CALL, parent: 1, line: 13, callee: 'grow', self_alloc: 5}, {kind: FUNCTION, parent: 8, function: 'grow'}, // allocates, too
    {kind: BLOCK, parent: 1, function: 'main', name: 'epoch', file: '/x/main.c', line: 14}, {kind: UNKNOWN, parent: 10}]);
  const frames = framesOf(page);
  assert.deepEqual([...frames.ofNode], [0, 1, 2, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  assert.deepEqual([...frames.parent], [0, 0, 1, 2, 1, 4, 4, 1, 7, 1, 9]);
  assert.deepEqual(labelOf(frames, 2), {name: 'step', where: 'main.c:11', verb: 'called at', what: '', variable: ''});
  assert.deepEqual(labelOf(frames, 3), {name: 'cudaMalloc', where: 'a.cu:4', verb: 'called at', what: 'float *p = n * 4', variable: 'p'});
  assert.deepEqual([4, 9, 10].map(frame => labelOf(frames, frame).name), ['go', '{epoch}', '(code that was not rebuilt)']);
  assert.equal(frames.all.self_alloc[0], 105);
  assert.equal(frames.ownPeak[2], 9);
});

test('figures of frames add up to those that C computed, in the made-up program', () => {
  const {profile} = fixture({steps: 8}), frames = framesOf({profile});
  for (const [key, below] of [['self_at_peak', 'at_peak'], ['self_alloc', 'incl_alloc'], ['leaked', 'escaped']]) {
    for (let frame = 0; frame < frames.count; ++frame) {
      assert.equal(frames.all[key][frame], profile.tree[below][frames.node[frame]], `${key} of ${labelOf(frames, frame).name}`);
    }
  }
  assert.ok(frames.count < profile.tree.parent.length);
});

for (const seed of [1, 2, 3, 4]) {
  test(`both orders are what sums over whole paths give (seed ${seed})`, () => {
    const frames = framesOf(randomPage(seed, 600)), same = sameFrames(frames);
    for (const width of ADDING) {
      const byPath = new Map(), inverted = new Map(), total = frames.self[width].reduce((sum, value) => sum + value, 0);
      const add = (sums, key, value) => sums.set(key, (sums.get(key) || 0) + value);
      for (let frame = 0; frame < frames.count; ++frame) {
        const path = pathOfFrame(frames, frame), value = frames.self[width][frame];
        if (!value) continue;
        path.forEach((_, i) => add(byPath, path.slice(0, i + 1).join(' '), value));
        const out = path.map(at => same[at]).reverse();
        out.forEach((_, i) => add(inverted, out.slice(0, i + 1).join(' '), value));
      }
      const walked = (order, step) => {
        const sums = new Map();
        const walk = (vertex, key) => {
          const children = order.children(vertex);
          assert.equal(vertex.value, vertex.self + children.reduce((sum, child) => sum + child.value, 0));
          assert.ok(order.find(vertex.key) === vertex, `the link ${vertex.key} leads back`);
          for (const child of children) {
            const name = [key, step(child)].filter(part => part !== '').join(' ');
            add(sums, name, child.value);
            walk(child, name);
          }
        };
        assert.equal(order.root.value, total);
        walk(order.root, '');
        return sums;
      };
      assert.deepEqual([...walked(pathOrder(frames, width), vertex => String(vertex.frame))].sort(), [...byPath].sort());
      assert.deepEqual([...walked(invertedOrder(frames, width), vertex => String(same[vertex.frame]))].sort(), [...inverted].sort());
    }
  });
}

test('the own peak of an inverted frame is the highest of the frames it stands for', () => {
  const frames = framesOf(randomPage(8, 300)), same = sameFrames(frames), order = invertedOrder(frames, 'self_alloc');
  for (const vertex of order.children(order.root)) {
    const mine = Array.from({length: frames.count}, (_, frame) => frame).filter(frame => same[frame] === same[vertex.frame] &&
      ADDING.some(key => frames.self[key][frame] > 0));
    assert.equal(order.ownPeak(vertex), Math.max(...mine.map(frame => frames.ownPeak[frame])));
  }
});

test('what was not zoomed to is left out, what is too narrow is one box that says how many', () => {
  for (const width of [30, 200, 1200]) {
    for (const make of [pathOrder, invertedOrder]) {
      const frames = framesOf(randomPage(11, 4000)), order = make(frames, 'self_alloc');
      const {boxes, narrowest, rows} = layOut(order, order.root, width);
      assert.equal(narrowest, NARROWEST);
      assert.equal(rows, Math.max(...boxes.map(box => box.row)) + 1);
      for (const box of boxes) {
        if (!box.vertex) continue;
        const children = order.children(box.vertex), shown = box.children.flatMap(child => child.vertex ? [child.vertex] : child.joined);
        assert.deepEqual(shown.map(child => child.frame).sort(), children.map(child => child.frame).sort(), 'every child is in a box, once');
        assert.ok(Math.abs(box.width - width * box.value / order.root.value) < 1e-6);
        box.children.forEach((child, i) => {
          assert.equal(child.place, i);
          assert.ok(child.left >= box.left - 1e-6 && child.left + child.width <= box.left + box.width + 1e-6);
          assert.ok(child.vertex ? child.width >= 1 : child.width >= Math.min(7, box.width));
          if (i && child.vertex) assert.ok(Math.abs(child.left - box.children[i - 1].left - box.children[i - 1].width) < 1e-6);
        });
      }
      const deep = boxes.find(box => box.vertex && box.row === 3);
      assert.ok(deep || width < 1000);
      if (!deep) continue; // so narrow that nothing is drawn three rows down
      const inner = deep.vertex, zoomed = layOut(order, inner, width);
      assert.deepEqual(zoomed.boxes.slice(0, 4).map(box => [box.row, box.width, box.left]), [0, 1, 2, 3].map(row => [row, width, 0]));
      assert.equal(zoomed.boxes[3].vertex, inner);
    }
  }
});

test('a frame without a value is no box, and a tree without any has its root alone', () => {
  const frames = framesOf(pageFrom([{kind: ROOT}, {kind: FUNCTION, function: 'main'}, {kind: CALL, parent: 1, callee: 'cudaFree'}]));
  const order = pathOrder(frames, 'self_alloc'), {boxes} = layOut(order, order.root, 500);
  assert.deepEqual(boxes.map(box => [box.vertex.key, box.width]), [['', 500]]);
  assert.equal(order.find('2'), null);
});

test('a search sums each path once, whichever order is drawn', () => {
  const frames = framesOf(randomPage(21, 800));
  for (const term of ['f1', 'a.cu:3', 'F2 a.cu:2', 'nothing has this']) {
    const fits = matching(frames, term);
    let value = 0;
    for (let frame = 0; frame < frames.count; ++frame) {
      if (pathOfFrame(frames, frame).some(at => fits[at])) value += frames.self.self_alloc[frame];
    }
    const found = sumOf(frames, fits, 'self_alloc');
    assert.equal(found.value, value);
    assert.equal(found.frames, fits.reduce((sum, one) => sum + one, 0));
  }
  assert.equal(matching(frames, '  '), null);
});

test('every figure says what its width and its colour are', () => {
  for (const figure of FIGURES) assert.ok(ADDING.includes(figure.width) && /Width/i.test(figure.says) && /Width|width/.test(figure.inverted));
  assert.equal(figureOf('no such').key, 'at_peak');
});

test('a hundred thousand nodes: a tree is laid out in the time of a key press, in both orders', () => {
  const page = randomPage(5, 1e5, 60);
  let frames;
  const made = processorTime(() => {
    frames = framesOf(page);
  });
  const took = [pathOrder, invertedOrder].map(make => {
    const order = make(frames, 'self_alloc');
    let boxes;
    const time = processorTime(() => {
      ({boxes} = layOut(order, order.root, 1200));
    });
    assert.ok(boxes.length > 100 && boxes.length <= 3000);
    return time;
  });
  assert.ok(made < 3000 && Math.max(...took) < 2000, `frames ${made} ms, layouts ${took} ms`);
});
