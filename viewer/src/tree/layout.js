/**
 * layout.js - which frames are drawn, and where: those below the frame that is zoomed to, and above it the way there.
 *
 * d3-hierarchy's partition places them. It gets only frames of a minimum width. Narrower ones are joined into one frame "n more" beside their
 * siblings, which says how many they are and how much they have together. So there are never more frames in a row than the picture has pixels,
 * whatever the size of the tree, and nothing is left out silently.
 */
import {hierarchy, partition} from 'd3-hierarchy';

/** The narrowest frames that are drawn, pixels: below it they could neither be seen nor hit. */
export const NARROWEST = 3;
const MORE_WIDTH = 7; // width of "n more", if there is room: it has to be visible
const MOST = 3000; // boxes; with more of them the narrowest are joined

/**
 * @typedef {object} Box
 * @property {import('./orders.js').Vertex|null} vertex null: frames that are too narrow
 * @property {import('./orders.js').Vertex} above the vertex it is below
 * @property {import('./orders.js').Vertex[]} joined those of a box without a vertex
 * @property {number} row 0 is the root of the tree
 * @property {number} left pixels @property {number} width pixels
 * @property {number} value
 * @property {Box|null} parent @property {Box[]} children from left to right @property {number} place among those of its parent, from 0
 */

/** The hierarchy that d3 gets for a vertex: itself, and its children that are wide enough. */
function datumsBelow(order, {vertex}, perValue, narrowest) {
  if (!vertex) return [];
  const children = order.children(vertex); // the widest first
  let wide = children.length;
  while (wide > 0 && children[wide - 1].value * perValue < narrowest) --wide;
  const joined = children.slice(wide);
  const datums = children.slice(0, wide).map(child => ({vertex: child, value: child.value, joined: []}));
  if (joined.length === 1 && joined[0].value * perValue >= 1) datums.push({vertex: joined[0], value: joined[0].value, joined: []});
  else if (joined.length) datums.push({vertex: null, value: joined.reduce((sum, child) => sum + child.value, 0), joined});
  return datums;
}

function boxesFrom(order, zoom, width, narrowest) {
  const perValue = zoom.value > 0 ? width / zoom.value : 0;
  const placed = hierarchy({vertex: zoom, value: zoom.value, joined: []}, datum => datumsBelow(order, datum, perValue, narrowest));
  placed.each(node => {
    node.value = node.data.value; // inclusive: d3's sum() would add up only the children
  });
  partition().size([width, placed.height + 1])(placed);
  const boxOf = new Map(), boxes = [];
  placed.each(node => { // parents before children
    const parent = boxOf.get(node.parent) || null, {vertex, value, joined} = node.data;
    const box = {vertex, joined, value, parent, above: vertex ? vertex.parent : node.parent.data.vertex, children: [], row: zoom.depth + node.depth,
      left: node.x0, width: node.x1 - node.x0, place: parent ? parent.children.length : 0};
    if (!vertex && box.width < MORE_WIDTH) {
      box.width = Math.min(MORE_WIDTH, parent.width);
      box.left = Math.min(box.left, parent.left + parent.width - box.width);
    }
    if (parent) parent.children.push(box);
    boxOf.set(node, box);
    boxes.push(box);
  });
  return boxes;
}

/**
 * @param {import('./orders.js').Order} order
 * @param {import('./orders.js').Vertex} zoom the frame that is as wide as the picture
 * @param {number} width of the picture, pixels
 * @returns {{boxes: Box[], rows: number, narrowest: number}} from the top row down; narrowest: what is drawn by itself, pixels
 */
export function layOut(order, zoom, width) {
  let narrowest = NARROWEST, boxes = boxesFrom(order, zoom, width, narrowest);
  while (boxes.length > MOST && narrowest < width) {
    narrowest *= 2;
    boxes = boxesFrom(order, zoom, width, narrowest);
  }
  const way = [];
  for (let vertex = zoom.parent; vertex; vertex = vertex.parent) {
    way.unshift({vertex, joined: [], value: vertex.value, parent: null, above: vertex.parent, children: [], row: vertex.depth, left: 0, width, place: 0});
  }
  way.push(boxes[0]);
  for (let i = 1; i < way.length; ++i) {
    way[i].parent = way[i - 1];
    way[i - 1].children = [way[i]];
  }
  const all = [...way.slice(0, -1), ...boxes];
  return {boxes: all, rows: all.reduce((most, box) => Math.max(most, box.row + 1), 0), narrowest};
}
