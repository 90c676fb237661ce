/**
 * live.js - the live bytes of each device over time as points of a curve, which curve.js draws for the overview.
 *
 * From events it has the highest total of each part of the run (tracks), so the peak of a device is in it exactly; without them it has what
 * the monitor sampled. Where there are more moments than pixels, the highest of each pixel stays.
 */
import {timesOf} from './times.js';

const POINTS = 800;

/**
 * @typedef {object} Curve
 * @property {number} place in profile.devices
 * @property {ArrayLike<number>} x nanoseconds (thinned: any ascending numbers)
 * @property {ArrayLike<number>} y bytes
 */

/** The highest of each of at most POINTS equal parts of the list, in order. @param {Curve} curve @returns {Curve} */
export function thinned({place, x, y}, points = POINTS) {
  if (x.length <= points) return {place, x, y};
  const kept = [];
  for (let part = 0; part < points; ++part) {
    const from = Math.floor(part * x.length / points), to = Math.floor((part + 1) * x.length / points);
    let best = from;
    for (let i = from; i < to; ++i) {
      if (y[i] > y[best]) best = i;
    }
    kept.push(best);
  }
  return {place, x: kept.map(i => x[i]), y: kept.map(i => y[i])};
}

/**
 * The curves of all devices that ever held something.
 * @param {import('./page.js').Page} page
 * @param {import('./events.js').Events|null} events
 * @returns {Curve[]}
 */
export function curvesOf(page, events) {
  const samples = page.profile.samples;
  if (!events) {
    return page.profile.devices.map((_, place) => {
      const own = samples.device.map((device, i) => device === place ? i : -1).filter(i => i >= 0);
      return {place, x: own.map(i => samples.time_ns[i]), y: own.map(i => samples.used[i])};
    }).filter(curve => curve.x.length > 1);
  }
  const {timeAt} = timesOf(events);
  return events.header.tracks.filter(track => track.kind === null && track.peak > 0).map(track => {
    const {place, x, y} = thinned({place: track.device, x: events.arrays[`${track.prefix}.moment`], y: events.arrays[`${track.prefix}.most`]});
    return {place, x: Array.from(x, timeAt), y: Array.from(y)};
  });
}
