/**
 * timeline.js - the view of live blocks stacked over the run. main.js lists it.
 *
 * With events it is timeline/view.js; without, this says how to record them, and shows what the monitor saw.
 */
import '../timeline/timeline.css';
import {el} from '../dom.js';
import {time} from '../format.js';
import {deviceTitle} from '../model.js';
import {samplesOf} from '../timeline/sample_range.js';
import {Samples} from '../timeline/samples.js';
import {TimelineView} from '../timeline/view.js';
import {KEYS} from '../timeline/view_keys.js';
import {showFailure} from '../failure.js';

/** What there is without events. @returns {() => void} close */
function withoutEvents(root, page) {
  const history = page.profile.page.history;
  root.append(el('div', {class: 'tl-wide'}, el('p', {class: 'note'},
    history === 'part' ? 'The capture has only a part of the events of the run, so which blocks were live when is not known. '
      : 'The capture has sums, but not the events of the run, so which blocks were live when is not known. ',
    'Record them with ', el('code', {}, 'GPUMEMPROF_OPTIONS=history=all'), ' and make the page again.')));
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
  return () => {
    watched.disconnect();
    removeEventListener('themechange', measure);
    charts.forEach(chart => chart.close());
  };
}

export default {
  name: 'timeline', title: 'Timeline', key: '2',
  open(root, page, state, go) {
    let now = state, view = null, close = null, isClosed = false;
    const waiting = el('p', {class: 'wait tl-wide', role: 'status'}, 'Reading the events…');
    root.append(waiting);
    page.events().then(events => {
      if (isClosed) return;
      waiting.remove();
      if (events && !events.header.tracks.length) root.append(el('p', {class: 'empty tl-wide'}, 'The run allocated nothing, so there is nothing to draw.'));
      else if (events) view = new TimelineView(root, page, events, now, go);
      else close = withoutEvents(root, page);
    }).catch(error => showFailure(root, error));
    return {
      keys: KEYS,
      update(next) {
        now = next;
        if (view) view.update(next);
      },
      close() {
        isClosed = true;
        if (view) view.close();
        if (close) close();
      },
    };
  },
};
