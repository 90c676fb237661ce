/** lines.js - the view of all source lines with their figures, and of rows by file, kind, device, label and so on. main.js lists it. */
import {openRows} from '../rows.js';

const OF_BLOCKS = ['at_peak', 'at_peak_percent', 'live_peak', 'self_alloc', 'self_freed', 'leaked', 'blocks', 'min_size', 'mean_size', 'max_size', 'temporary_blocks',
  'lifetime_ns'];
const group = (table, title = table) => ({table, title, noun: 'row', shown: OF_BLOCKS, isGroup: true});

export default {
  name: 'lines', title: 'Lines', key: '5', devices: 'any',
  open: openRows('lines', [
    {table: 'line', title: 'line', noun: 'line', shown: ['at_peak', 'at_peak_percent', 'live_peak', 'own_peak_max', 'self_alloc', 'incl_alloc', 'calls', 'leaked']},
    {...group('file'), noun: 'file', shown: ['at_peak', 'at_peak_percent', 'own_peak_max', 'self_alloc', 'incl_alloc', 'calls', 'leaked']},
    group('kind', 'kind of memory'), group('device'), group('label'), group('variable'), group('type', 'element type'), group('stream'),
  ]),
};
