/** lines.js - the view of all source lines with their figures. main.js lists it. */
import {openRows} from '../rows.js';

export default {
  name: 'lines', title: 'Lines', key: '5',
  open: openRows({table: 'line', noun: 'line', view: 'lines', caption: 'Source lines with their figures',
    shown: ['at_peak', 'at_peak_percent', 'live_peak', 'own_peak_max', 'self_alloc', 'incl_alloc', 'calls', 'leaked']}),
};
