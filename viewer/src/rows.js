/**
 * rows.js - a view that is one table of profile.tables: lines, functions. Rows lead to their source, to the tree and to the timeline.
 *
 * views/lines.js and views/functions.js call it; others take columns of places and links from here, so that a line looks the same everywhere.
 */
import {figureColumns} from './columns.js';
import {el} from './dom.js';
import {baseName, placeText, whatText} from './model.js';
import {linkTo} from './route.js';
import {showTable} from './table.js';

/** The link to the source of a row. @param {{file: string, line: number}} row */
export const sourceLink = row => linkTo('source', {file: row.file, line: row.line});

/** "train.cu:41": what the tree and the timeline find a row by. Of a function its name. */
const needle = row => row.file && row.line ? `${baseName(row.file)}:${row.line}` : row.function;

/** The name of a row, as a link to its source where it has one; below it what is allocated there, as written. */
export function placeCell(row) {
  const what = whatText(row) || (row.callee ? `→ ${row.callee}` : '');
  return el('span', {class: 'place'}, row.file ? el('a', {href: sourceLink(row), title: row.file}, placeText(row)) : placeText(row),
    what ? el('span', {class: 'what'}, what) : null);
}

/** Links of a row into the pictures. @param {object} page */
export const seeCell = (page, find = needle) => row => el('span', {class: 'see'},
  el('a', {href: linkTo('tree', {search: find(row)}), 'aria-label': `${placeText(row)} in the tree`}, 'tree'),
  page.has('events') ? el('a', {href: linkTo('timeline', {search: find(row)}), 'aria-label': `${placeText(row)} in the timeline`}, 'timeline') : null);

/** The column of places of a table, always shown. */
export const placeColumn = {key: 'place', title: 'place', fixed: true, definition: 'file:line function, and what is allocated there',
  value: placeText, cell: placeCell};

/** The column of links of a table, always shown. */
export const seeColumn = (page, find) => ({key: 'see', title: 'see in', fixed: true, plain: true, definition: 'the same in other views', value: () => '',
  cell: seeCell(page, find)});

const TEXTS = [['function', 'function', 'function the line is in'], ['file', 'file', 'source file'],
  ['variable', 'variable', 'what receives the pointer, as written'], ['type', 'type', 'element type'],
  ['size_expr', 'size', 'the size, as written'], ['callee', 'calls what', 'the function called on the line'],
  ['source_line', 'source', 'the source line, as it was when compiled']];

/** Columns of text that some row has. @param {object[]} rows @returns {import('./table.js').Column[]} */
export const textColumns = rows => TEXTS.filter(([key]) => rows.some(row => row[key])).map(([key, title, definition]) => ({key, title, definition,
  value: row => row[key], cell: row => el('code', {}, row[key] || '')}));

/**
 * @param {{table: string, noun: string, caption: string, shown: string[], view: string, find?: (row: object) => string}} about
 * @returns {(root: Element, page: object, state: Object<string, string>, go: Function) => {update: Function, close: Function}} open of a view
 */
export const openRows = about => (root, page, state, go) => {
  const rows = page.profile.tables[about.table] || [];
  const figures = figureColumns(page, rows);
  return {...showTable(root, {
    caption: about.caption, noun: about.noun, rows,
    columns: [placeColumn, ...figures, ...textColumns(rows), seeColumn(page, about.find)],
    shown: about.shown.filter(key => figures.some(column => column.key === key)), sort: '-at_peak',
    empty: `No ${about.noun} allocated or freed anything.`,
    onState: wanted => go(about.view, wanted, {replace: true}),
  }, state), close() {}};
};
