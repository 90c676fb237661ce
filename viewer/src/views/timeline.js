/**
 * timeline.js - the view of live blocks stacked over the run. main.js lists it.
 *
 * With events it is timeline/view.js; without, this says how to record them, and shows the samples of the monitor.
 */
import '../timeline/timeline.css';
import {el} from '../dom.js';
import {howToRecord, whenRead} from '../eventful.js';
import {time} from '../format.js';
import {deviceTitle} from '../model.js';
import {samplesOf} from '../timeline/sample_range.js';
import {Samples} from '../timeline/samples.js';
import {TimelineView} from '../timeline/view.js';
import {KEYS} from '../timeline/view_keys.js';

/** What there is without events. @returns {{close: () => void}} */
function withoutEvents(root, page) {
  root.append(el('div', {class: 'tl-wide'}, howToRecord(page.profile, 'it is not known which blocks were live at what moment')));
  const style = getComputedStyle(document.documentElement), charts = [];
  page.profile.devices.forEach((_, place) => {
    const samples = samplesOf(page.profile, place);
    if (!samples) return;
    const chart = new Samples(samples, 'time', time, true);
    root.append(el('section', {class: 'tl-wide'}, el('h3', {}, deviceTitle(page, place)), chart.root));
    charts.push(chart);
  });
  const measure = () => charts.forEach(chart => chart.measure(Math.max(200, root.clientWidth - 100), style));
  const watched = new ResizeObserver(measure);
  watched.observe(root);
  addEventListener('themechange', measure);
  return {close() {
    watched.disconnect();
    removeEventListener('themechange', measure);
    charts.forEach(chart => chart.close());
  }};
}

export default {
  name: 'timeline', title: 'Timeline', key: '2', devices: 'one', ofDevice: ['kind', 'block', 'low', 'high'],
  open: (root, page, state, go) => whenRead(root, page, state, {wide: 'tl-wide', keys: KEYS, show(events, now) {
    if (!events) return withoutEvents(root, page);
    if (events.header.tracks.length) return new TimelineView(root, page, events, now, go);
    root.append(el('p', {class: 'empty tl-wide'}, 'The run allocated nothing, so there is nothing to draw.'));
    return null;
  }}),
};
