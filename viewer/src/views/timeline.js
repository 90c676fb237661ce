/** timeline.js - a place for the view until it exists; main.js lists it. */
import {el} from '../dom.js';

export default {
  name: 'timeline', title: 'Timeline', key: '2',
  open(root) {
    root.append(el('p', {}, 'This view is not built yet.'));
    return {update() {}, close() {}};
  },
};
