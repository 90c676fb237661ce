/**
 * frames.js - the call tree as frames that people read: a call and the function it leads to are one frame, "step, called at main.c:11".
 *
 *   profile.tree     main ─ call main.c:11 ─ step ─ call a.cu:4        (functions and calls take turns)
 *   frames           main ─ step, called at main.c:11 ─ cudaMalloc at a.cu:4
 *
 * A call is folded with what it leads to if that is one function and the line allocates nothing itself, so no figure is lost: the self figures of a
 * frame are those of its nodes, and its inclusive figures are these plus those of its children. views/tree.js and orders.js refer to frames by their
 * numbers; 0 is the root, and a frame's parent has a lower number.
 */
import {nodeFigures} from '../device.js';
import {NODE_KINDS, baseName, textOf, whatText} from '../model.js';

/** Figures of profile.tree that add up over frames, by key; each is of the node itself. */
export const ADDING = ['self_at_peak', 'self_alloc', 'leaked', 'blocks'];

/**
 * @typedef {object} Frames
 * @property {object} page
 * @property {number} place of the only device whose memory counts, or -1
 * @property {number} count
 * @property {Uint32Array} node by frame: the call, or the scope that no call led to
 * @property {Uint32Array} scope by frame: the scope folded into it, or the same node
 * @property {Uint32Array} parent by frame
 * @property {Uint32Array} ofNode by node its frame
 * @property {Uint32Array} begin children of frame f are child[begin[f]] to child[begin[f + 1]]
 * @property {Uint32Array} child
 * @property {Object<string, Float64Array>} self by key of ADDING
 * @property {Object<string, Float64Array>} all the same of the frame and everything below it
 * @property {Float64Array} ownPeak the highest own peak of its nodes
 */

/** The scope that each call is folded with, by node; 0 if there is none. Nodes have higher numbers than their parents. */
function foldedScopes(tree) {
  const children = new Uint32Array(tree.parent.length), only = new Uint32Array(tree.parent.length);
  for (let node = 1; node < tree.parent.length; ++node) {
    ++children[tree.parent[node]];
    only[tree.parent[node]] = node;
  }
  const isKind = (node, ...kinds) => kinds.includes(NODE_KINDS[tree.kind[node]]);
  for (let node = 0; node < only.length; ++node) {
    const folds = children[node] === 1 && isKind(node, 'call', 'native') && isKind(only[node], 'function') &&
      ADDING.every(key => tree[key][node] === 0);
    if (!folds) only[node] = 0;
  }
  return only;
}

/** Children of each frame, in the order of their numbers. */
function linkChildren(parent) {
  const begin = new Uint32Array(parent.length + 1), child = new Uint32Array(Math.max(0, parent.length - 1));
  for (let frame = 1; frame < parent.length; ++frame) ++begin[parent[frame] + 1];
  for (let frame = 0; frame < parent.length; ++frame) begin[frame + 1] += begin[frame];
  const next = begin.slice();
  for (let frame = 1; frame < parent.length; ++frame) child[next[parent[frame]]++] = frame;
  return {begin, child};
}

/**
 * @param {object} page @param {number} [place] of the device whose memory counts; -1: all
 * @returns {Frames} own peaks are of all devices
 */
export function framesOf(page, place = -1) {
  const {tree} = page.profile, figures = nodeFigures(page, place), nodes = tree.parent.length, folded = foldedScopes(tree);
  const ofNode = new Uint32Array(nodes), node = new Uint32Array(nodes), scope = new Uint32Array(nodes), parent = new Uint32Array(nodes);
  let count = 0;
  for (let at = 0; at < nodes; ++at) {
    const above = tree.parent[at];
    if (at > 0 && folded[above] === at) {
      ofNode[at] = ofNode[above];
      continue;
    }
    ofNode[at] = count;
    node[count] = at;
    scope[count] = folded[at] || at;
    parent[count++] = at > 0 ? ofNode[above] : 0;
  }
  const frames = {page, place, count, node: node.slice(0, count), scope: scope.slice(0, count), parent: parent.slice(0, count), ofNode,
    ...linkChildren(parent.slice(0, count)), self: {}, all: {}, ownPeak: new Float64Array(count)};
  for (const key of ADDING) {
    const self = new Float64Array(count);
    for (let at = 0; at < nodes; ++at) self[ofNode[at]] += figures[key][at];
    const all = self.slice();
    for (let frame = count - 1; frame > 0; --frame) all[frames.parent[frame]] += all[frame];
    Object.assign(frames.self, {[key]: self});
    Object.assign(frames.all, {[key]: all});
  }
  for (let at = 0; at < nodes; ++at) {
    frames.ownPeak[ofNode[at]] = Math.max(frames.ownPeak[ofNode[at]], tree.own_peak_max[at] ?? 0);
  }
  return frames;
}

/**
 * The same frames with what was live at a moment as more figures, `then` and `then_blocks`.
 * @param {Frames} frames @param {{bytes: ArrayLike<number>, blocks: ArrayLike<number>}} then by node
 * @returns {Frames}
 */
export function framesThen(frames, then) {
  const made = {...frames, self: {...frames.self}, all: {...frames.all}};
  for (const [key, values] of [['then', then.bytes], ['then_blocks', then.blocks]]) {
    const self = new Float64Array(frames.count);
    for (let at = 0; at < values.length; ++at) self[frames.ofNode[at]] += values[at];
    const all = self.slice();
    for (let frame = frames.count - 1; frame > 0; --frame) all[frames.parent[frame]] += all[frame];
    made.self[key] = self;
    made.all[key] = all;
  }
  return made;
}

/**
 * What a frame is called: its name, where it was called, and what is allocated there as written.
 * @param {Frames} frames @param {number} frame
 * @returns {{name: string, where: string, verb: string, what: string, variable: string}} verb: how the name and the place belong together
 */
export function labelOf(frames, frame) {
  return {variable: textOf(frames.page, frames.page.profile.tree.variable[frames.node[frame]]), ...namesOf(frames, frame)};
}

function namesOf({page, node, scope}, frame) {
  const {tree} = page.profile, outer = node[frame], inner = scope[frame];
  const text = (key, at) => textOf(page, tree[key][at]);
  const file = text('file', outer), where = file ? baseName(file) + (tree.line[outer] ? `:${tree.line[outer]}` : '') : '';
  const what = whatText({variable: text('variable', outer), type: text('type', outer), size_expr: text('size_expr', outer)});
  const kind = NODE_KINDS[tree.kind[outer]];
  if (kind === 'root') return {name: 'all calls', where: '', verb: '', what: ''};
  if (kind === 'unknown') return {name: '(code that was not rebuilt)', where, verb: 'in', what};
  if (kind === 'block') return {name: `{${text('name', outer)}}`, where, verb: 'block at', what};
  if (kind === 'function') return {name: text('function', outer) || text('name', outer) || '(unknown function)', where, verb: 'defined at', what};
  const called = inner === outer ? text('callee', outer) : text('function', inner) || text('name', inner) || text('callee', outer);
  return {name: called || text('name', outer) || `line of ${text('function', outer) || '(unknown function)'}`, where, verb: 'called at', what};
}

/** The texts of a frame that a search covers, joined. @param {Frames} frames @param {number} frame */
export function searchedText(frames, frame) {
  const {page, node, scope} = frames, {tree} = page.profile, {name, where, what} = labelOf(frames, frame);
  const function_ = textOf(page, tree.function[node[frame]]), callee = textOf(page, tree.callee[node[frame]]);
  return [name, where, what, callee, textOf(page, tree.file[node[frame]]), `${where} ${function_}`, textOf(page, tree.name[scope[frame]])]
    .join('\n').toLowerCase();
}

/**
 * Numbers that are equal for frames with equal texts, by which callers of one line are grouped. They are computed once.
 * @param {Frames} frames @returns {Uint32Array} by frame
 */
export function sameFrames(frames) {
  if (!frames.same) {
    const {tree} = frames.page.profile, keys = ['kind', 'name', 'file', 'line', 'function', 'variable', 'size_expr', 'type', 'callee'];
    const numbers = new Map(), columns = keys.map(key => tree[key]);
    const keyOf = node => columns.map(column => column[node]).join(' ');
    frames.same = Uint32Array.from({length: frames.count}, (_, frame) => {
      const outer = frames.node[frame], inner = frames.scope[frame];
      const key = inner === outer ? keyOf(outer) : `${keyOf(outer)} ${keyOf(inner)}`;
      if (!numbers.has(key)) numbers.set(key, numbers.size);
      return numbers.get(key);
    });
  }
  return frames.same;
}
