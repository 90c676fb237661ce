/**
 * samples.js - the samples of a device as curves: bytes used, and reserved by pools; drawn by uPlot on the axis of the timeline.
 *
 * view.js shows it below the picture, or without one if the capture has no events.
 */
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import {category} from '../color.js';
import {el} from '../dom.js';
import {bytes, exact, plural} from '../format.js';
import {byteTicks, STEPS, timeTexts} from '../ticks.js';
import {LEFT, RIGHT} from './picture.js';
import {samplesIn} from './sample_range.js';

const HEIGHT = 100, HEIGHT_STANDALONE = 260;

export class Samples {
  /**
   * @param {object} samples of samplesOf @param {'clock'|'time'} axis @param {(value: number) => string} text of a value on it
   * @param {boolean} [isStandalone] without a picture above that has the axis
   */
  constructor(samples, axis, text, isStandalone = false) {
    this.isStandalone = isStandalone;
    this.samples = samples;
    this.axis = axis;
    this.text = text;
    const highest = samples.used.reduce((most, value) => Math.max(most, value), 0);
    const reserved = samples.reserved.reduce((most, value) => Math.max(most, value || 0), 0);
    this.hasReserved = reserved > 0;
    this.most = Math.max(highest, reserved);
    this.at = axis === 'time' ? samples.time : samples.clock;
    this.area = el('div', {'aria-hidden': 'true'});
    this.root = el('figure', {class: 'tl-samples'}, el('figcaption', {class: 'quiet'},
      `In use on the device, as CUDA reports it: at most ${bytes(highest)}, in ${plural(samples.used.length, 'sample')}, ${samples.byMonitor === samples.used.length ? 'all' : samples.byMonitor ? exact(samples.byMonitor) : 'none'} of them by the monitor` +
      (reserved ? `, ${bytes(reserved)} reserved by pools (dashed)` : '')), this.area);
  }

  /** @param {number} width CSS pixels, without the room for the axis */
  measure(width, style) {
    if (this.plot) this.plot.destroy();
    const {samples, axis} = this, color = name => style.getPropertyValue(name);
    const axisStyle = {stroke: color('--ink'), grid: {stroke: color('--line'), width: 1}, ticks: {stroke: color('--line')}, font: `12px ${color('--sans')}`};
    const series = (label, place, more) => ({label, stroke: category(place), width: 1.5, points: {show: false},
      value: (_, value) => value === null ? '-' : bytes(value), ...more});
    this.plot = new uPlot({
      width: width + LEFT + RIGHT, height: this.isStandalone ? HEIGHT_STANDALONE : HEIGHT, padding: [8, RIGHT, 8, 0],
      cursor: {drag: {x: false, y: false}, y: false}, legend: {show: true, live: true},
      scales: {x: {time: false}, y: {range: () => [0, this.most || 1]}},
      axes: [{...axisStyle, show: this.isStandalone, incrs: STEPS, values: (_, ticks) => axis === 'time' ? timeTexts(ticks) : ticks.map(this.text)},
        {...axisStyle, size: LEFT, splits: () => byteTicks(0, this.most, 3).map(({value}) => value), values: () => byteTicks(0, this.most, 3).map(({text}) => text)}],
      series: [{label: axis === 'time' ? 'time' : 'event', value: (_, value) => value === null ? '-' : this.text(value)},
        series('used', 0), ...(this.hasReserved ? [series('reserved', 1, {dash: [5, 3]})] : [])],
    }, [this.at, ...this.#columns], this.area);
  }

  /** @param {{from: number, to: number}} range on the axis */
  draw({from, to}) {
    if (!this.plot) return;
    this.plot.batch(() => {
      this.plot.setData(samplesIn(this.at, this.#columns, from, to), false);
      this.plot.setScale('x', {min: from, max: to});
    });
  }

  get #columns() {
    return this.hasReserved ? [this.samples.used, this.samples.reserved] : [this.samples.used];
  }

  close() {
    if (this.plot) this.plot.destroy();
  }
}
