/**
 * sums.js - what was live at a moment, or allocated in a range and live at its end, by cell. The worker of the timeline adds it up (compose.js), from
 * the same blocks that the timeline draws, so sums equal its curve.
 */
import {Client} from '../timeline/client.js';

/** @typedef {{bytes: Float64Array, blocks: Float64Array, total: number, isExact: boolean, unknown: number, leftOut: number}} Sums by cell */

const clients = new WeakMap(); // Events -> Client, which lives as long as the page

function clientOf(page, events) {
  if (!clients.has(events)) {
    const client = new Client(events, page.profile), {node} = page.profile.cells;
    client.call('setGroups', {name: 'cells', groups: {count: node.length, ofBlock: null, ofCell: Uint32Array.from(node, (_, cell) => cell)}}).catch(() => {});
    clients.set(events, client);
  }
  return clients.get(events);
}

/**
 * @param {object} page @param {import('../events.js').Events} events
 * @param {number} place of the device; -1: of all. Pieces of the program's own allocators are within blocks of others, so then they do not count
 * @param {import('./when.js').When} when
 * @returns {Promise<Sums>}
 */
export async function sumsOf(page, events, place, when) {
  const client = clientOf(page, events), {tracks, last_clock: last} = events.header, to = Math.min(when.to, last);
  const wanted = Array.from(tracks.keys()).filter(which => (tracks[which].kind ?? null) === null &&
    (place < 0 ? page.profile.devices[tracks[which].device].device !== 'custom' : tracks[which].device === place));
  const parts = await Promise.all(wanted.map(which => when.kind === 'moment' ? client.call('compose', {which, moment: to, name: 'cells'}) :
    client.call('allocated', {which, from: when.from, to, name: 'cells'})));
  const cells = page.profile.cells.node.length, made = {bytes: new Float64Array(cells), blocks: new Float64Array(cells), total: 0, isExact: true, unknown: 0, leftOut: 0};
  for (const part of parts) {
    for (let cell = 0; cell < cells; ++cell) {
      made.bytes[cell] += Math.round(part.bytes[cell]);
      made.blocks[cell] += part.blocks[cell];
    }
    made.total += Math.round(part.total);
    made.unknown += Math.round(part.unknown || 0);
    made.isExact &&= part.isExact;
  }
  if (when.kind === 'range') made.leftOut = events.header.blocks.seen - events.header.blocks.kept;
  return made;
}
