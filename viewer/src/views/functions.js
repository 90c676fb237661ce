/** functions.js - the view of all functions with their figures. main.js lists it. */
import {openRows} from '../rows.js';

export default {
  name: 'functions', title: 'Functions', key: '6', devices: 'any',
  open: openRows('functions', [{table: 'function', title: 'function', noun: 'function', find: row => `"${row.function}"`,
    shown: ['at_peak', 'at_peak_percent', 'own_peak_max', 'self_alloc', 'incl_alloc', 'incl_net', 'calls', 'leaked', 'escaped']}]),
};
