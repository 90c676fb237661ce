/** leaks.js - a place for the view until it exists; main.js lists it. */
import {el} from '../dom.js';

export default {
  name: 'leaks', title: 'Leaks', key: '8',
  open(root) {
    root.append(el('p', {}, 'This view is not built yet.'));
    return {update() {}, close() {}};
  },
};
