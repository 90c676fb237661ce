/**
 * input.js - what tracks are made from, taken from the section `events` (docs/PAGE.md) and the cells of the profile.
 *
 * The worker calls it once, with the bytes of the section that client.js sent it, and keeps the result; the unit tests do the same.
 */

/**
 * @typedef {object} Input
 * @property {Uint32Array} start of blocks, ascending
 * @property {Uint32Array} end
 * @property {Float64Array} bytes
 * @property {Uint32Array} cell
 * @property {ArrayLike<number>} cellDevice
 * @property {ArrayLike<number>} cellKind
 * @property {boolean} complete
 * @property {{cell: Uint32Array, begin: Uint32Array, part: Uint32Array, change: Float64Array}} rest
 * @property {object[]} tracks as the header has them, each with `moment`, `most` and `least` (null if it has none)
 * @property {number} last clock of the run
 */

/**
 * @param {import('../../events.js').Events} events
 * @param {{cells: {device: number[], kind: number[]}}} profile
 * @returns {Input}
 */
export function inputOf({arrays, header}, profile) {
  const low = arrays['block.bytes_low'], high = arrays['block.bytes_high'], bytes = new Float64Array(low.length);
  for (let i = 0; i < bytes.length; ++i) bytes[i] = high[i] * 2 ** 32 + low[i];
  const rest = name => arrays[`rest.${name}`] || [];
  return {
    start: arrays['block.start'], end: arrays['block.end'], bytes, cell: arrays['block.cell'],
    cellDevice: profile.cells.device, cellKind: profile.cells.kind, complete: header.complete, last: header.last_clock,
    rest: {cell: rest('cell'), begin: rest('begin'), part: rest('part'), change: rest('change')},
    tracks: header.tracks.map(track => ({...track, kind: track.kind ?? null,
      moment: arrays[`${track.prefix}.moment`] || null, most: arrays[`${track.prefix}.most`] || null,
      least: arrays[`${track.prefix}.least`] || null})),
  };
}
