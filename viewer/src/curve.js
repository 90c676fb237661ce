/**
 * curve.js - a small curve of the live bytes of each device over time, drawn by uPlot. The overview shows it.
 *
 * From events it has the highest total of each part of the run (tracks), so the peak of a device is in it exactly; without them it has what
 * the monitor sampled. Where there are more moments than pixels, the highest of each pixel stays. It leads to the timeline.
 */
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import {category} from './color.js';
import {el} from './dom.js';
import {bytes, time} from './format.js';
import {deviceTitle} from './model.js';
import {timesOf} from './times.js';

const POINTS = 800;

/**
 * @typedef {object} Curve
 * @property {number} place in profile.devices
 * @property {number[]} x nanoseconds
 * @property {number[]} y bytes
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
  return events.header.tracks.filter(track => track.kind === null && track.peak > 0).map(track => thinned({place: track.device,
    x: Array.from(events.arrays[`${track.prefix}.moment`], timeAt), y: Array.from(events.arrays[`${track.prefix}.most`])}));
}

const color = name => getComputedStyle(document.documentElement).getPropertyValue(name);

/**
 * @param {Element} root
 * @param {import('./page.js').Page} page
 * @param {Curve[]} curves
 * @param {() => void} follow to the timeline
 * @returns {() => void} close
 */
export function showCurves(root, page, curves, follow) {
  const fine = [...new Set(curves.flatMap(curve => curve.x))].sort((a, b) => a - b);
  const series = curves.map(({x, y}) => { // a total stands until the next
    let at = -1;
    return fine.map(moment => {
      while (at + 1 < x.length && x[at + 1] <= moment) ++at;
      return at < 0 ? null : y[at];
    });
  });
  const picture = el('div', {class: 'curve', 'aria-hidden': 'true', onclick: follow});
  root.append(picture);
  let plot = null;
  const draw = () => {
    if (plot) plot.destroy();
    const axis = {stroke: color('--ink'), grid: {stroke: color('--line'), width: 1}, ticks: {stroke: color('--line')}, font: '12px system-ui, sans-serif'};
    plot = new uPlot({
      width: Math.max(200, picture.clientWidth || 600), height: 170, legend: {show: curves.length > 1, live: false},
      cursor: {y: false, drag: {x: false}},
      scales: {x: {time: false}, y: {range: (_, low, high) => [0, high || 1]}},
      axes: [{...axis, values: (_, ticks) => ticks.map(time)}, {...axis, size: 90, values: (_, ticks) => ticks.map(tick => tick ? bytes(tick) : '0'),
        splits: (_, i, low, high) => [0, high / 3, 2 * high / 3, high]}],
      series: [{label: 'time'}, ...curves.map(({place}, i) => ({label: deviceTitle(page, place), stroke: category(i), width: 1.5,
        fill: i ? undefined : `${category(i)}33`, dash: i ? [2 + 3 * i, 3] : undefined, points: {show: false},
        paths: uPlot.paths.stepped({align: 1})}))],
    }, [fine, ...series], picture);
  };
  const resized = new ResizeObserver(() => plot && plot.setSize({width: Math.max(200, picture.clientWidth), height: 170}));
  draw();
  resized.observe(picture);
  addEventListener('themechange', draw);
  return () => {
    removeEventListener('themechange', draw);
    resized.disconnect();
    plot.destroy();
  };
}
