/**
 * lines.js - the view of all source lines with their figures, and of rows by file, kind, device, label and so on; of the whole run, or of a moment or
 * a range of it (moment/). main.js lists it.
 */
import {el} from '../dom.js';
import {showFailure} from '../failure.js';
import {MomentBar} from '../moment/bar.js';
import {CHOICES, momentTable} from '../moment/table.js';
import {Then} from '../moment/then.js';
import {keyOf, linkOf, whenOf} from '../moment/when.js';
import {openRows} from '../rows.js';

const OF_BLOCKS = ['at_peak', 'at_peak_percent', 'live_peak', 'self_alloc', 'self_freed', 'leaked', 'blocks', 'min_size', 'mean_size', 'max_size', 'temporary_blocks',
  'lifetime_ns'];
const group = (table, title = table) => ({table, title, noun: 'row', shown: OF_BLOCKS, isGroup: true});

const openRun = openRows('lines', [
  {table: 'line', title: 'line', noun: 'line', shown: ['at_peak', 'at_peak_percent', 'live_peak', 'own_peak_max', 'self_alloc', 'incl_alloc', 'calls', 'leaked']},
  {...group('file'), noun: 'file', shown: ['at_peak', 'at_peak_percent', 'own_peak_max', 'self_alloc', 'incl_alloc', 'calls', 'leaked']},
  group('kind', 'kind of memory'), group('device'), group('label'), group('variable'), group('type', 'element type'), group('stream'),
]);

/** The table of a moment or a range, with the choice of what rows are by. */
function openThen(root, page, go) {
  const place = el('div'), chooser = el('select', {}, CHOICES.map(one => el('option', {value: one.table}, one.title)));
  root.replaceChildren(el('div', {class: 'bar'}, el('label', {}, 'Rows by ', chooser)), place);
  let shown = '', table = {update() {}, keys: []};
  return {keys: () => table.keys, show({when, state, sums}) {
    const by = CHOICES.some(one => one.table === state.by) ? state.by : 'line', named = {by: by === 'line' ? '' : by, device: state.device, ...linkOf(when)};
    const key = `${keyOf(when)} ${by} ${state.device}`;
    chooser.value = by;
    chooser.onchange = () => go('lines', {...named, exact: state.exact, by: chooser.value === 'line' ? '' : chooser.value});
    if (key === shown) table.update(state);
    else table = momentTable(place, page, by, sums, state, wanted => go('lines', {...named, ...wanted}, {replace: true}));
    shown = key;
  }};
}

function open(root, page, state, go) {
  let now = state, run = null, then = null; // the table of the whole run, or of a moment: which of them is shown
  const bar = new MomentBar(page, 'lines', (change, how) => {
    now = {...now, ...change};
    asked.ask(now);
    go('lines', now, how);
  });
  const body = el('div');
  root.append(bar.root, body);
  const asked = new Then(page, found => {
    bar.set(found.when, found.state, found.events, found.sums);
    if (found.when.kind === 'run') return;
    if (!found.events) {
      showRun(found.state);
      return;
    }
    if (!then) then = openThen(body, page, go);
    run = null;
    then.show(found);
  }, error => showFailure(body, error));

  function showRun(next) {
    then = null;
    if (run) {
      run.update(next);
      return;
    }
    body.replaceChildren();
    run = openRun(body, page, next, go);
  }

  function update(next) {
    now = next;
    if (whenOf(next).kind === 'run') showRun(next);
    asked.ask(next);
  }
  update(state);
  return {update, get keys() {
    return run ? run.keys : then ? then.keys() : [];
  }, close() {
    asked.forget();
    bar.close();
  }};
}

export default {name: 'lines', title: 'Lines', key: '5', devices: 'any', open};
