/**
 * weights.js - the weight of each cell in the picture of a device, so that colours are assigned in the same order as in the timeline.
 *
 * Half is what a cell holds at the device's peak, half the bytes times ticks it covers (timeline/groups.js, weightsOf).
 */
import {weightsOf} from '../timeline/groups.js';
import {PIECE} from './layout.js';

/**
 * @param {object} profile the section `profile`
 * @param {import('../events.js').Events} events
 * @param {import('./layout.js').Layout} layout
 * @returns {Float64Array} by cell
 */
export function weightsIn(profile, events, layout) {
  const {header, arrays} = events, cell = arrays['block.cell'], cells = profile.cells.node.length, end = header.last_clock + 1;
  const track = header.tracks.find(one => one.device === layout.device && (one.kind ?? null) === null);
  const peak = track ? track.peak_clock : 0, atPeak = new Float64Array(cells), areas = new Float64Array(cells);
  for (let rank = 0; rank < layout.count; ++rank) {
    if (layout.layer[rank] === PIECE) continue;
    const of = cell[layout.block[rank]], bytes = layout.bytes[rank];
    areas[of] += bytes * (Math.min(layout.end[rank], end) - layout.start[rank]);
    if (layout.start[rank] <= peak && peak < layout.end[rank]) atPeak[of] += bytes;
  }
  if (track && !header.complete) {
    const moment = arrays[`${track.prefix}.moment`], begin = arrays['rest.begin'], part = arrays['rest.part'], change = arrays['rest.change'];
    arrays['rest.cell'].forEach((of, i) => {
      if (profile.cells.device[of] !== layout.device) return;
      for (let entry = begin[i]; entry < begin[i + 1]; ++entry) {
        areas[of] += change[entry] * (end - moment[part[entry]]);
        if (moment[part[entry]] <= peak) atPeak[of] += change[entry];
      }
    });
  }
  return weightsOf(atPeak, areas);
}
