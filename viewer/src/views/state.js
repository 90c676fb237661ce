/** state.js - a place for the view until it exists; main.js lists it. */
import {el} from '../dom.js';

export default {
  name: 'state', title: 'State', key: '3',
  open(root) {
    root.append(el('p', {}, 'This view is not built yet.'));
    return {update() {}, close() {}};
  },
};
