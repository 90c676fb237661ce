/** curve.js - draws the curves of live.js small, by uPlot, for the overview. A click leads to the timeline. Where only some moments are known, it draws
 * these and the level of the peak, and nothing between them. */
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import {category} from './color.js';
import {el} from './dom.js';
import {withRoom} from './live.js';
import {deviceTitle} from './model.js';
import {HEADROOM} from './timeline/tracks/raster.js';
import {byteTicks, STEPS, timeTexts} from './ticks.js';

const color = name => getComputedStyle(document.documentElement).getPropertyValue(name);

/** A dotted line at the peak of a device of which only some moments are known: it never held more. */
function drawLevel(pen, {left, width}, y, stroke) {
  const scale = devicePixelRatio;
  pen.save();
  Object.assign(pen, {strokeStyle: stroke, lineWidth: 1.5 * scale});
  pen.setLineDash([2 * scale, 4 * scale]);
  pen.beginPath();
  pen.moveTo(left, y);
  pen.lineTo(left + width, y);
  pen.stroke();
  pen.restore();
}

/**
 * @param {Element} root
 * @param {import('./page.js').Page} page
 * @param {import('./live.js').Curve[]} given
 * @param {() => void} follow to the timeline
 * @returns {() => void} close
 */
export function showCurves(root, page, given, follow) {
  const {begin, end, curves} = withRoom(given), highest = Math.max(1, ...curves.flatMap(({y}) => y)), sizes = byteTicks(0, highest, 4);
  const fine = [...new Set(curves.flatMap(curve => curve.x))].sort((a, b) => a - b);
  const series = curves.map(({x, y, sparse}) => { // a total is valid until the next one, unless values between them are unknown
    if (sparse) {
      const known = new Map(x.map((moment, i) => [moment, y[i]]));
      return fine.map(moment => known.get(moment));
    }
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
      scales: {x: {time: false, range: () => [begin, end]}, y: {range: () => [0, highest * HEADROOM]}},
      axes: [{...axis, incrs: STEPS, values: (_, ticks) => timeTexts(ticks)},
        {...axis, size: 90, splits: () => sizes.map(({value}) => value), values: () => sizes.map(({text}) => text)}],
      series: [{label: 'time'}, ...curves.map(({place, sparse}, i) => ({label: deviceTitle(page, place), stroke: category(i), width: 1.5,
        ...(sparse ? {points: {show: true, size: 8, fill: category(i)}, paths: () => null} :
          {fill: i ? undefined : `${category(i)}33`, dash: i ? [2 + 3 * i, 3] : undefined, points: {show: false},
            paths: uPlot.paths.stepped({align: 1})})}))],
      hooks: {draw: [({ctx, bbox, valToPos}) => curves.forEach(({y, sparse}, i) => sparse && drawLevel(ctx, bbox, valToPos(Math.max(...y), 'y', true), category(i)))]},
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
