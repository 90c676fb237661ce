/**
 * layout.js - where the memory of one device lies: segments of addresses, and in each all blocks that were there during the run.
 *
 *   address   0x7f00000000 ........ 0x7f00a00000        0x7f40000000 ..
 *             [ segment 0: ranks 0 to 7        ]   gap  [ segment 1 .. ]
 *
 * A segment joins blocks that lie in the same or in neighbouring granules of 2 MiB, the unit in which CUDA maps device memory, whether they were live
 * together or not. So the layout does not change while the user steps through time. A segment goes from the first byte of its blocks to the last.
 * Blocks get ranks in the order of their addresses; the other files (moment.js, map.js) work with ranks.
 *
 * Pieces that a program's own allocator handed out (kind custom) lie in blocks that are counted already. They are shown inside these and form no
 * segment. Memory that CUDA gives no address for (arrays, physical memory, variables) is one more group after the segments.
 */
import {plainHigh} from '../model.js';
import {countUpTo, sortBy} from './order.js';

export const GRANULE = 2 ** 21;
/** What a rank is: a block, a piece of one, or a block without an address. */
export const BLOCK = 0, PIECE = 1, PLACELESS = 2;

const WITHOUT_ADDRESS = new Set(['array', 'vmm', 'static']);
const LEAST_ADDRESS = 2 ** 21; // lower numbers represent handles

/**
 * @typedef {object} Segment
 * @property {number} begin its first address @property {number} end behind its last
 * @property {number} first rank of its first block @property {number} last behind the rank of its last
 * @property {boolean} placeless its blocks have no address: they are shown one behind the other
 */
/**
 * @typedef {object} Layout
 * @property {number} device place in profile.devices
 * @property {number} count how many blocks have a rank
 * @property {Uint32Array} block number of the block by rank
 * @property {Uint8Array} layer BLOCK, PIECE or PLACELESS by rank
 * @property {Float64Array} address by rank
 * @property {Float64Array} bytes by rank
 * @property {Uint32Array} start by rank @property {Uint32Array} end by rank
 * @property {Segment[]} segments by address, then the group without addresses if there is one
 */

/** What each block is on this device: BLOCK, PIECE, PLACELESS, or -1 for none of it. By cell; pieces may yet lie elsewhere. */
function layersOfCells(profile, device) {
  const {cells, kinds} = profile, custom = kinds.indexOf('custom');
  const isPieces = profile.devices[device].device === 'custom';
  return Int8Array.from({length: cells.node.length}, (_, cell) => {
    if (cells.device[cell] === device) return WITHOUT_ADDRESS.has(kinds[cells.kind[cell]]) ? PLACELESS : BLOCK;
    return cells.kind[cell] === custom && !isPieces ? PIECE : -1;
  });
}

/** Numbers of the device's blocks by layer: [BLOCK, PIECE, PLACELESS], each in the order of allocation. */
function blocksByLayer(profile, events, device, low, high) {
  const layerOf = layersOfCells(profile, device), cell = events.arrays['block.cell'];
  const layerOfBlock = i => {
    const layer = layerOf[cell[i]];
    return layer === BLOCK && high[i] === 0 && low[i] < LEAST_ADDRESS ? PLACELESS : layer;
  };
  const counts = [0, 0, 0];
  for (let i = 0; i < events.blocks; ++i) {
    const layer = layerOfBlock(i);
    if (layer >= 0) ++counts[layer];
  }
  const lists = counts.map(count => new Uint32Array(count)), filled = [0, 0, 0];
  for (let i = 0; i < events.blocks; ++i) {
    const layer = layerOfBlock(i);
    if (layer >= 0) lists[layer][filled[layer]++] = i;
  }
  return lists;
}

/** Segments of blocks in the order of their addresses. */
function segmentsOf(count, addressAt, bytesAt) {
  const segments = [];
  let segment = null;
  for (let i = 0; i < count; ++i) {
    const begin = addressAt(i), end = begin + bytesAt(i);
    const lastGranule = segment && Math.floor(Math.max(segment.end - 1, segment.begin) / GRANULE);
    if (!segment || Math.floor(begin / GRANULE) > lastGranule + 1) {
      segment = {begin, end, first: 0, last: 0, placeless: false};
      segments.push(segment);
    } else if (end > segment.end) {
      segment.end = end;
    }
  }
  return segments;
}

/** The pieces that lie completely in a segment, in the order of their addresses. */
function piecesWithin(pieces, segments, addressOf, bytesOf) {
  const begins = segments.map(segment => segment.begin);
  return pieces.filter(i => {
    const at = countUpTo(begins, addressOf(i)) - 1;
    return at >= 0 && addressOf(i) + bytesOf(i) <= segments[at].end;
  });
}

/** Merges two lists in the order of addresses. At equal addresses blocks come before the pieces in them. */
function merged(blocks, pieces, addressOf) {
  const all = new Uint32Array(blocks.length + pieces.length);
  for (let to = 0, b = 0, p = 0; to < all.length; ++to) {
    const takesBlock = p === pieces.length || (b < blocks.length && addressOf(blocks[b]) <= addressOf(pieces[p]));
    all[to] = takesBlock ? blocks[b++] : pieces[p++];
  }
  return all;
}

/**
 * @param {object} profile the section `profile`
 * @param {import('../events.js').Events} events
 * @param {number} device place in profile.devices
 * @returns {Layout}
 */
export function layoutOf(profile, events, device) {
  const {arrays} = events, low = arrays['block.address_low'], high = arrays['block.address_high'].map(plainHigh);
  const start = arrays['block.start'], end = arrays['block.end'], cell = arrays['block.cell'];
  const bytesLow = arrays['block.bytes_low'], bytesHigh = arrays['block.bytes_high'];
  const addressOf = i => high[i] * 2 ** 32 + low[i], bytesOf = i => bytesHigh[i] * 2 ** 32 + bytesLow[i];
  const [blocks, pieces, placeless] = blocksByLayer(profile, events, device, low, high);
  sortBy(blocks, low, high);
  sortBy(pieces, low, high);
  const segments = segmentsOf(blocks.length, i => addressOf(blocks[i]), i => bytesOf(blocks[i]));
  const within = piecesWithin(pieces, segments, addressOf, bytesOf);
  const addressed = merged(blocks, within, addressOf), count = addressed.length + placeless.length;
  const layout = {device, count, segments, block: new Uint32Array(count), layer: new Uint8Array(count), address: new Float64Array(count),
    bytes: new Float64Array(count), start: new Uint32Array(count), end: new Uint32Array(count)};
  layout.block.set(addressed);
  layout.block.set(placeless, addressed.length);
  const layerOf = layersOfCells(profile, device);
  let segment = 0;
  for (let rank = 0; rank < count; ++rank) {
    const i = layout.block[rank];
    layout.bytes[rank] = bytesOf(i);
    layout.start[rank] = start[i];
    layout.end[rank] = end[i];
    if (rank >= addressed.length) {
      layout.layer[rank] = PLACELESS;
      continue;
    }
    layout.layer[rank] = layerOf[cell[i]];
    layout.address[rank] = addressOf(i);
    while (segment + 1 < segments.length && layout.address[rank] >= segments[segment + 1].begin) segments[++segment].first = rank;
    segments[segment].last = rank + 1;
  }
  if (placeless.length) {
    segments.push({begin: 0, end: 0, first: addressed.length, last: count, placeless: true});
  }
  return layout;
}
