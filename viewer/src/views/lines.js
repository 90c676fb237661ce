/** lines.js - a place for the view until it exists; main.js lists it. */
import {el} from '../dom.js';

export default {
  name: 'lines', title: 'Lines', key: '5',
  open(root) {
    root.append(el('p', {}, 'This view is not built yet.'));
    return {update() {}, close() {}};
  },
};
