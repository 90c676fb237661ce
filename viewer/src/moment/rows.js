/**
 * rows.js - rows of tables for a moment or a range: by line, function, call path, label and kind, from what each cell has then (sums.js).
 *
 * "Self" is what was allocated by calls made directly there; "with its calls" also what calls from there allocated. A path counts once for a line or
 * function, however often that is on it.
 */
import {callersText, frameOf, placeText, textOf} from '../model.js';

/** What rows can be by: of the tables of the whole run those that follow from cells. */
export const BY = ['line', 'function', 'path', 'kind', 'label'];

const NO_PLACE = {file: '', line: 0, function: ''};

/** Frames of the path of a node, innermost first, of which a row by line or function may be. */
function* framesAbove(page, node) {
  for (let at = node; at > 0; at = page.profile.tree.parent[at]) yield frameOf(page, at);
}

const isCall = ({kind}) => kind === 'call' || kind === 'native' || kind === 'unknown';

/** Of a frame the key and the names of its row. */
const OF_FRAME = {
  line: frame => ({key: `${frame.file}\0${frame.line}\0${frame.function}`, names: frame}),
  function: frame => ({key: `${frame.file}\0${frame.function}`, names: {file: frame.file, line: 0, function: frame.function || frame.name}}),
};

/**
 * @param {object} page @param {string} by of BY @param {import('./sums.js').Sums} sums
 * @returns {{key: string, place: string, callers: string, bytes: number, with_calls: number|null, blocks: number}[]}
 */
export function rowsAt(page, by, sums) {
  const {cells, kinds} = page.profile, rows = new Map();
  const rowOf = (key, names) => {
    if (!rows.has(key)) rows.set(key, {key, bytes: 0, blocks: 0, with_calls: OF_FRAME[by] ? 0 : null, callers: '', ...names});
    return rows.get(key);
  };
  const ofCell = {
    path: cell => ({key: String(cells.node[cell]), names: {...frameOf(page, cells.node[cell]), callers: callersText(page, cells.node[cell])}}),
    kind: cell => ({key: kinds[cells.kind[cell]], names: {...NO_PLACE, name: kinds[cells.kind[cell]]}}),
    label: cell => ({key: textOf(page, cells.label[cell]), names: {...NO_PLACE, name: textOf(page, cells.label[cell]) || '(no label)'}}),
  };
  for (let cell = 0; cell < cells.node.length; ++cell) {
    if (!(sums.bytes[cell] > 0)) continue;
    const add = row => {
      row.bytes += sums.bytes[cell];
      row.blocks += sums.blocks[cell];
    };
    if (!OF_FRAME[by]) {
      const {key, names} = ofCell[by](cell);
      add(rowOf(key, names));
      continue;
    }
    const seen = new Set();
    if (!cells.node[cell]) { // no call is known
      add(rowOf('', NO_PLACE));
      rowOf('', NO_PLACE).with_calls += sums.bytes[cell];
    }
    for (const frame of framesAbove(page, cells.node[cell])) {
      if (!isCall(frame) && frame.node !== cells.node[cell]) continue;
      const found = OF_FRAME[by](frame);
      if (seen.has(found.key)) continue;
      const row = rowOf(found.key, found.names);
      if (!seen.size) add(row);
      row.with_calls += sums.bytes[cell];
      seen.add(found.key);
    }
  }
  return [...rows.values()].map(row => ({...row, place: row.file || row.function ? placeText(row) : row.name || placeText(row)}));
}

/** @param {object} page @param {ArrayLike<number>} ofCells @returns {Float64Array} their sums by node */
export function byNode({profile: {cells, tree}}, ofCells) {
  const sums = new Float64Array(tree.parent.length);
  cells.node.forEach((node, cell) => {
    sums[node] += ofCells[cell];
  });
  return sums;
}
