/**
 * live.js - the live bytes of each device over time as points of a curve, which curve.js draws for the overview.
 *
 * From events it has the highest total of each part of the run (tracks), so the peak of a device is in it exactly. Without them it has the live bytes
 * of the samples, if there was a monitor, and the peak and the end of the run, which are known in any case. If there are more moments than pixels,
 * the highest of each pixel is kept.
 */
import {ROOM} from './timeline/axis.js';
import {timesOf} from './times.js';

const POINTS = 800;

/**
 * @typedef {object} Curve
 * @property {number} place in profile.devices
 * @property {ArrayLike<number>} x nanoseconds (thinned: any ascending numbers)
 * @property {ArrayLike<number>} y bytes
 * @property {boolean} [sparse] only these moments are known, and not what was live between them
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
 * The known values of a device without events: its beginning, its peak and its end, and the samples between them if there was a monitor.
 * @param {import('./page.js').Page} page @param {number} place @returns {Curve}
 */
function curveWithoutEvents({profile}, place) {
  const {samples, page} = profile, {peak, peak_time_ns: when, live_at_exit: last} = profile.devices[place];
  const own = Array.from(samples.device.keys()).filter(i => samples.device[i] === place);
  const sparse = !own.some(i => samples.by_monitor[i]);
  const points = sparse ? [] : own.map(i => [samples.time_ns[i], samples.ledger[i]]);
  if (!page.resets) points.unshift([0, 0]); // else the live bytes at the reset are not known
  const end = Math.max(page.duration_ns, when, points.length ? points[points.length - 1][0] : 0);
  if (peak > points.reduce((most, [, y]) => Math.max(most, y), 0)) {
    const next = points.findIndex(([x]) => x > when), at = next < 0 ? points.length : next;
    const back = !sparse && at > 0 ? [[when + 1, points[at - 1][1]]] : []; // the value after it is not known
    points.splice(at, 0, [when, peak], ...back);
  }
  points.push([end, last]);
  const {x, y} = thinned({place, x: points.map(point => point[0]), y: points.map(point => point[1])});
  return {place, x, y, sparse};
}

/**
 * The curves of all devices that ever held something.
 * @param {import('./page.js').Page} page
 * @param {import('./events.js').Events|null} events
 * @returns {Curve[]}
 */
export function curvesOf(page, events) {
  if (!events) return page.profile.devices.map((device, place) => device.peak ? curveWithoutEvents(page, place) : null).filter(Boolean);
  const {timeAt} = timesOf(events), {header} = events;
  return header.tracks.filter(track => track.kind === null && track.peak > 0).map(track => {
    const {place, x, y} = thinned({place: track.device, x: events.arrays[`${track.prefix}.moment`], y: events.arrays[`${track.prefix}.most`]});
    return {place, x: [...Array.from(x, timeAt), timeAt(header.last_clock)], y: [...y, page.profile.devices[place].live_at_exit]};
  });
}

/**
 * Extends the curves after their end with the live bytes at the end, because a peak there would be only a pixel wide.
 * @param {Curve[]} curves
 * @returns {{begin: number, end: number, curves: Curve[]}} of those of which only some moments are known the room stays empty
 */
export function withRoom(curves) {
  const all = curves.flatMap(({x}) => x), begin = Math.min(...all), end = Math.max(...all), last = end + Math.max(1, (end - begin) * ROOM);
  return {begin, end: last, curves: curves.map(curve => curve.sparse ? curve
    : {...curve, x: [...curve.x, last], y: [...curve.y, curve.y[curve.y.length - 1]]})};
}
