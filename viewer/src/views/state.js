/**
 * state.js - the view of a device's memory at one moment. main.js lists it.
 *
 * With events it is state/view.js; without, this says how to record them.
 */
import '../state/state.css';
import {el} from '../dom.js';
import {howToRecord, whenRead} from '../eventful.js';
import {KEYS} from '../state/keys.js';
import {StateView} from '../state/view.js';

export default {
  name: 'state', title: 'State', key: '3', devices: 'one', ofDevice: ['at', 'block', 'row'],
  open: (root, page, state, go) => whenRead(root, page, state, {wide: 'state-wide', keys: KEYS, show(events, now) {
    if (events && events.blocks) return new StateView(root, page, events, now, go);
    root.append(events ? el('p', {class: 'empty state-wide'}, 'Nothing was allocated in this run.')
      : el('div', {class: 'state-wide'}, howToRecord(page.profile, 'it is not known what was live at a moment')));
    return null;
  }}),
};
