/**
 * table.js - the table of what was live at a moment, or allocated in a range and live at its end. views/lines.js shows it in place of its own where
 * the link has a moment or a range.
 */
import {bytes, exact} from '../format.js';
import {el} from '../dom.js';
import {placeCell, nameIn, seeCell} from '../rows.js';
import {showTable} from '../table.js';
import {rowsAt} from './rows.js';

const TITLES = {line: 'line', function: 'function', path: 'call path', kind: 'kind of memory', label: 'label'};

/** What rows can be by, as the lists of choices have it. */
export const CHOICES = Object.entries(TITLES).map(([name, title]) => ({table: name, title}));

/**
 * @param {Element} root emptied first
 * @param {object} page @param {string} by of BY @param {import('./sums.js').Sums} sums
 * @param {Object<string, string>} state @param {(wanted: object) => void} onState
 */
export function momentTable(root, page, by, sums, state, onState) {
  const rows = rowsAt(page, by, sums), isPlace = by !== 'kind' && by !== 'label', share = row => sums.total > 0 ? 100 * row.bytes / sums.total : 0;
  const columns = [
    {key: 'place', title: TITLES[by], fixed: true, value: row => row.place,
      cell: row => isPlace ? placeCell(row) : el('span', {class: 'place'}, nameIn(null, row.place))},
    {key: 'bytes', title: 'self', unit: 'bytes', definition: 'bytes live then of calls made directly here', value: row => row.bytes},
    {key: 'share', title: '%', unit: 'percent', definition: 'self as a share of all that is live then', value: share},
    ...(by === 'line' || by === 'function' ? [{key: 'with_calls', title: 'with its calls', unit: 'bytes',
      definition: 'bytes live then that were allocated here and in everything called from here', value: row => row.with_calls}] : []),
    {key: 'blocks', title: 'blocks', unit: 'count', definition: 'blocks live then of calls made directly here', value: row => row.blocks},
    ...(by === 'path' ? [{key: 'callers', title: 'called from', definition: 'the calls that lead there, outermost first', value: row => row.callers,
      cell: row => el('span', {class: 'place'}, nameIn(null, row.callers || '(no caller recorded)'))}] : []),
    ...(isPlace ? [{key: 'see', title: 'see in', fixed: true, plain: true, value: () => '', cell: seeCell(page)}] : []),
  ];
  root.replaceChildren();
  return showTable(root, {caption: `Live bytes by ${TITLES[by]}: ${bytes(sums.total)} (${exact(sums.total)} bytes) in all`, noun: 'row', rows, columns,
    shown: columns.filter(column => !column.fixed).map(column => column.key), sort: '-bytes', empty: 'None of it was live then.',
    text: row => [row.place, row.file, row.callers].join('\n'), onState}, state);
}
