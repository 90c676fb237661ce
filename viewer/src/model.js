/**
 * model.js - joins the arrays of the page: a path node becomes frames, a block its name and owner. All views call it.
 *
 * This file computes no figure that C computes; it only finds which things belong together. Indices over the tree are made once for each page, on
 * their first use.
 */

import {exact} from './format.js';

/** Kinds of nodes of profile.tree, by their number. */
export const NODE_KINDS = ['root', 'function', 'block', 'call', 'native', 'unknown'];

/** The last part of a path. @param {string|null} file */
export const baseName = file => (file || '').replace(/^.*[/\\]/, '');

/** @param {object} page @param {number} text */
export const textOf = (page, text) => page.profile.texts[text] || '';

/**
 * A node with its texts; figures are read from profile.tree by the views that show them.
 * @typedef {object} Frame
 * @property {number} node
 * @property {string} kind of NODE_KINDS
 * @property {string} name
 * @property {string} file
 * @property {number} line
 * @property {string} function
 * @property {string} variable
 * @property {string} size_expr
 * @property {string} type
 * @property {string} callee
 */

/** @param {object} page @param {number} node @returns {Frame} */
export function frameOf(page, node) {
  const tree = page.profile.tree, text = key => textOf(page, tree[key][node]);
  return {node, kind: NODE_KINDS[tree.kind[node]], name: text('name'), file: text('file'), line: tree.line[node],
    function: text('function'), variable: text('variable'), size_expr: text('size_expr'), type: text('type'), callee: text('callee')};
}

/**
 * The call path of a node, outermost first, without the root.
 * @param {object} page @param {number} node @returns {Frame[]}
 */
export function pathOf(page, node) {
  const path = [];
  for (let at = node; at > 0; at = page.profile.tree.parent[at]) {
    path.push(frameOf(page, at));
  }
  return path.reverse();
}

/** "train.cu:41 step", short enough for a table. @param {{file: string, line: number, function: string, name?: string}} row */
export function placeText(row) {
  const where = row.file ? baseName(row.file) + (row.line ? `:${row.line}` : '') : '';
  return [where, row.function || row.name || ''].filter(Boolean).join(' ') || '(unknown)';
}

/** @param {object} page @param {number} node @returns {string} "train.cu:41 step" */
export const placeOf = (page, node) => node > 0 ? placeText(frameOf(page, node)) : 'the whole program';

/** The number of nodes below this one that are not in the page; their allocations are counted as its own. */
export const leftOut = (page, node) => page.profile.tree.left_out?.[node] || 0;

/** The same in words, to follow a call path; '' if no node is missing. */
export const leftOutText = (page, node) => leftOut(page, node) ? ` (with ${exact(leftOut(page, node))} calls below it that are not in this page)` : '';

/** The sentence of a page that does not have the whole call tree; '' if it has. */
export function leftOutNote(page) {
  const {kept, seen} = page.profile.page.paths || {};
  return kept < seen ? ` This page has the ${exact(kept)} largest of ${exact(seen)} nodes of the call tree: what the others allocated and leaked counts ` +
    'in the node above them. A page made with a higher --max-size has more of them.' : '';
}

/** "main:33 > forward:10": the calls that lead to a node, outermost first, without the node. @param {object} page @param {number} node */
export const callersText = (page, node) => pathOf(page, node).slice(0, -1).filter(frame => frame.kind === 'call' || frame.kind === 'native')
  .map(frame => `${frame.function || frame.name}${frame.line ? `:${frame.line}` : ''}`).join(' > ');

/** "float *p = n * sizeof(float)": what is allocated there, as written; "" where that is not known. */
export function whatText(row) {
  const name = row.variable ? `${row.type ? `${row.type} *` : ''}${row.variable}` : row.type || '';
  return row.size_expr ? `${name}${name ? ' = ' : ''}${row.size_expr}` : name;
}

/** What a line allocates, as written, or else calls; and how many of its other calls moved memory, too. */
export const doneText = row => (whatText(row) || (row.callee ? `→ ${row.callee}` : '')) + (row.others ? ` (+${row.others} more)` : '');

/** A key that is the same for all nodes and rows of one source line. @param {{file: string, line: number, function: string}} row */
export const lineKey = row => `${row.file || ''}\0${row.line || 0}\0${row.function || ''}`;

const lineIndices = new WeakMap();

/**
 * Nodes by source line (lineKey), ascending: where a row of a table is in the tree.
 * @param {object} page @returns {Map<string, number[]>}
 */
export function nodesByLine(page) {
  if (!lineIndices.has(page)) {
    const index = new Map(), tree = page.profile.tree;
    for (let node = 1; node < tree.parent.length; ++node) {
      const key = lineKey({file: textOf(page, tree.file[node]), line: tree.line[node], function: textOf(page, tree.function[node])});
      if (!index.has(key)) index.set(key, []);
      index.get(key).push(node);
    }
    lineIndices.set(page, index);
  }
  return lineIndices.get(page);
}

/** "0" or "host", as links and commands name it, of a place in profile.devices. @param {object} page @param {number} place */
export const deviceKey = (page, place) => String(page.profile.devices[place].device);

/** "GPU 0", "host (pinned memory)". @param {object} page @param {number} place in profile.devices */
export function deviceTitle(page, place) {
  const {device, name} = page.profile.devices[place];
  return typeof device === 'number' ? `GPU ${device}` : name || String(device);
}

/** The place in profile.devices of a key of a link; -1 if there is none. @param {object} page @param {string} key */
export const devicePlace = (page, key) => page.profile.devices.findIndex((_, place) => deviceKey(page, place) === key);

/** The upper half of an address: a piece, and what has none, has more bits in it that distinguish it (docs/PAGE.md). @param {number} high */
export const plainHigh = high => high >= 0x80000000 ? high & 0xffff : high;

const hexadecimal = (high, low) => (BigInt(high) * 4294967296n + BigInt(low)).toString(16);

/** "7f0012000000_2", as in all reports. @param {object} page @param {import('./events.js').Events} events @param {number} i of a block */
export function blockName(page, {arrays}, i) {
  return `${hexadecimal(plainHigh(arrays['block.address_high'][i]), arrays['block.address_low'][i])}_${arrays['block.generation'][i]}`;
}

/** The same for links: a piece at the begin of a block has the block's name in reports, but not here. */
export function blockKey({arrays}, i) {
  return `${hexadecimal(arrays['block.address_high'][i], arrays['block.address_low'][i])}_${arrays['block.generation'][i]}`;
}

/**
 * The number of the block with a name, as reports or as links have it; -1 if it is not here one by one.
 * @param {import('./events.js').Events} events @param {string} [name]
 */
export function blockNamed({arrays}, name) {
  const match = /^(?:0x)?([0-9a-f]{1,16})_(\d+)$/i.exec((name || '').trim());
  if (!match) return -1;
  const address = BigInt(`0x${match[1]}`), low = Number(address & 0xffffffffn), high = Number(address >> 32n), life = Number(match[2]);
  const lows = arrays['block.address_low'], highs = arrays['block.address_high'], generation = arrays['block.generation'];
  let found = -1; // the first block with this name in reports, unless a block has this name in links
  for (let i = 0; i < lows.length; ++i) {
    if (lows[i] !== low || generation[i] !== life) continue;
    if (highs[i] === high) return i;
    if (found < 0 && plainHigh(highs[i]) === high) found = i;
  }
  return found;
}

/**
 * The device whose memory each node allocates itself, as a place in `devices`: -1 where there is none or more than one. Pieces of the
 * program's own allocators are in the memory of others already.
 * @param {object} page @returns {Int32Array} by node
 */
export function devicesOfNodes(page) {
  const {cells, kinds, tree, devices} = page.profile, place = new Int32Array(tree.parent.length).fill(-1), several = -2;
  cells.node.forEach((node, cell) => {
    const device = cells.device[cell];
    if (kinds[cells.kind[cell]] === 'custom' || !devices[device].peak) return;
    place[node] = place[node] === -1 || place[node] === device ? device : several;
  });
  return place.map(device => Math.max(device, -1));
}

/** The node that allocated a block. @param {object} page @param {import('./events.js').Events} events @param {number} i */
export const nodeOfBlock = (page, events, i) => page.profile.cells.node[events.arrays['block.cell'][i]];

/**
 * The text of a source line; null where the page does not have it (no sources in it, or not that line).
 * @param {object} page @param {string} file as rows have it @param {number} line @returns {Promise<string|null>}
 */
export async function sourceText(page, file, line) {
  const sources = await page.sources(), found = sources && sources.files.find(one => one.file === file);
  return found ? found.lines[line - found.first] ?? null : null;
}
