/**
 * orders.js - the two trees that can be drawn of the same frames: by call path, and inverted (allocating line first, below it its callers).
 *
 *   by path     main ─ step ─ cudaMalloc (train.cu:4)          inverted     cudaMalloc (train.cu:4) ─ step ─ main
 *
 * Both are given as vertices whose children are made on first use: an inverted tree of 10^5 frames in full would be as many paths as these have
 * steps. A vertex of the inverted tree represents allocating frames and, for each of them, the caller that is a given number of steps further out;
 * its children group these by their callers. A path that ends (main) ends there. So every allocation is counted once at each depth it reaches, and
 * the first row adds up to the same total as the root by path.
 */
import {ADDING, sameFrames} from './frames.js';

/**
 * @typedef {object} Vertex
 * @property {string} key as in links; "" of the root
 * @property {number} frame what it is called by: one of the frames that say the same
 * @property {Vertex|null} parent
 * @property {number} depth of the root 0
 * @property {number} value of the figure that is its width
 * @property {number} self the part of it without a child
 * @property {number[]|null} leaves inverted: allocating frames, ascending, also such that have none of the width
 * @property {number[]|null} reached inverted: of each of them the frame that this vertex stands for
 */

/**
 * @typedef {object} Order
 * @property {Vertex} root
 * @property {(vertex: Vertex) => Vertex[]} children with a value, the widest first; made once
 * @property {(key: string) => Vertex|null} find a vertex by its key in a link
 * @property {(vertex: Vertex) => number} ownPeak the highest own peak of the frames it stands for
 */

const widestFirst = (a, b) => b.value - a.value || a.frame - b.frame;

/** @param {import('./frames.js').Frames} frames @param {string} width one of ADDING, or of framesThen @returns {Order} */
export function pathOrder(frames, width) {
  const all = frames.all[width], self = frames.self[width];
  const made = new Map();
  const vertex = (frame, parent) => ({key: frame ? String(frames.node[frame]) : '', frame, parent, depth: parent ? parent.depth + 1 : 0,
    value: all[frame], self: self[frame], leaves: null, reached: null});
  const root = vertex(0, null);
  const children = of => {
    if (!made.has(of)) {
      const below = Array.from(frames.child.subarray(frames.begin[of.frame], frames.begin[of.frame + 1])).filter(frame => all[frame] > 0);
      made.set(of, below.map(frame => vertex(frame, of)).sort(widestFirst));
    }
    return made.get(of);
  };
  return {root, children, ownPeak: ({frame}) => frames.ownPeak[frame],
    find(key) {
      const node = Number(key);
      if (!key) return root;
      if (!Number.isInteger(node) || node < 0 || node >= frames.ofNode.length) return null;
      const path = [];
      for (let frame = frames.ofNode[node]; frame > 0; frame = frames.parent[frame]) path.push(frame);
      let at = root;
      while (at && path.length) {
        const frame = path.pop();
        at = children(at).find(child => child.frame === frame) || null;
      }
      return at;
    }};
}

/** @param {import('./frames.js').Frames} frames @param {string} width one of ADDING @returns {Order} */
export function invertedOrder(frames, width) {
  const {parent, count} = frames, self = frames.self[width], same = sameFrames(frames), made = new Map();
  const leaves = [];
  for (let frame = 0; frame < count; ++frame) if (self[frame] > 0 || ADDING.some(key => frames.self[key][frame] > 0)) leaves.push(frame);
  const root = {key: '', frame: 0, parent: null, depth: 0, value: leaves.reduce((sum, leaf) => sum + self[leaf], 0), self: 0, leaves,
    reached: leaves};
  const children = of => {
    if (made.has(of)) return made.get(of);
    const groups = new Map();
    of.leaves.forEach((leaf, i) => {
      const caller = of === root ? leaf : parent[of.reached[i]];
      if (of !== root && caller === 0) return; // the call path ends here
      if (!groups.has(same[caller])) {
        groups.set(same[caller], {key: `${frames.node[leaf]}.${of.depth}`, frame: caller, parent: of, depth: of.depth + 1, value: 0, self: 0,
          leaves: [], reached: []});
      }
      const group = groups.get(same[caller]);
      group.leaves.push(leaf);
      group.reached.push(caller);
      group.value += self[leaf];
    });
    const below = [...groups.values()].filter(group => group.value > 0).sort(widestFirst);
    for (const child of below) {
      child.self = child.leaves.reduce((sum, leaf, i) => sum + (parent[child.reached[i]] === 0 ? self[leaf] : 0), 0);
    }
    made.set(of, below);
    return below;
  };
  return {root, children, ownPeak: vertex => vertex.reached.reduce((most, frame) => Math.max(most, frames.ownPeak[frame]), 0),
    find(key) {
      if (!key) return root;
      const [node, depth] = key.split('.').map(Number), leaf = frames.ofNode[node];
      if (leaf === undefined || !Number.isInteger(depth)) return null;
      let at = root;
      while (at && at.depth <= depth) at = children(at).find(child => child.leaves.includes(leaf)) || null;
      return at;
    }};
}
