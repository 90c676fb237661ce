/**
 * state.js - the view of a device's memory at one moment. main.js lists it.
 *
 * With events it is state/view.js; without, this says how to record them.
 */
import '../state/state.css';
import {el} from '../dom.js';
import {showFailure} from '../failure.js';
import {KEYS} from '../state/keys.js';
import {StateView} from '../state/view.js';

const withoutEvents = ({profile}) => el('p', {class: 'note state-wide'},
  profile.page.history === 'part' ? 'The capture has only a part of the events of the run, so what was live at a moment is not known. '
    : 'The capture has sums, but not the events of the run, so what was live at a moment is not known. ',
  'Record them with ', el('code', {}, 'GPUMEMPROF_OPTIONS=history=all'), ' and make the page again.');

export default {
  name: 'state', title: 'State', key: '3',
  open(root, page, state, go) {
    let now = state, view = null, isClosed = false;
    const waiting = el('p', {class: 'wait state-wide', role: 'status'}, 'Reading the events…');
    root.append(waiting);
    page.events().then(async events => {
      await new Promise(resolve => setTimeout(resolve)); // so that the sentence is there while a million blocks are sorted
      if (isClosed) return;
      waiting.remove();
      if (!events) root.append(withoutEvents(page));
      else if (!events.blocks) root.append(el('p', {class: 'empty state-wide'}, 'Nothing was allocated in this run.'));
      else view = new StateView(root, page, events, now, go);
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
      },
    };
  },
};
