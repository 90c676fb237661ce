/**
 * rows.js - a view of tables of profile.tables: lines and what else rows can be by, functions. Rows lead to their source, to the tree and to the
 * timeline.
 *
 * views/lines.js and views/functions.js call it; others take columns of locations and links from here, so that a line looks the same everywhere.
 */
import {figureColumns} from './columns.js';
import {cutParts} from './cut.js';
import {restrictedTo, rowsOf} from './device.js';
import {el} from './dom.js';
import {bytes, plural} from './format.js';
import {baseName, deviceTitle, doneText, placeText} from './model.js';
import {lineMark} from './line_colors.js';
import {linkTo} from './route.js';
import {showTable} from './table.js';

/** The link to the source of a row. @param {{file: string, line: number}} row */
export const sourceLink = row => linkTo('source', {file: row.file, line: row.line});

/** The search text for a row in the tree and the timeline: "train.cu:4 zeros" as one word, because "train.cu:4" would also match line 40. */
export const needle = row => `"${placeText(row)}"`;

/** A name in a cell, cut where there is no room; its title has the whole of it, and the file. @param {string|null} link @param {string} name */
export const nameIn = (link, name, file = '') => el(link ? 'a' : 'span', {class: 'name', href: link, title: file ? `${name}\n${file}` : name}, cutParts(name));

/** A name within a sentence, on one line at most; its title has the whole of it. @param {string|null} link */
export const oneLine = (link, name, title = name) => el(link ? 'a' : 'span', {class: 'one-line', href: link, title}, cutParts(name));

/** The name of a row, as a link to its source where it has one; below it what is allocated there, as written. */
export function placeCell(row) {
  const what = doneText(row);
  return el('span', {class: 'place'}, lineMark(row), nameIn(row.file ? sourceLink(row) : null, placeText(row), row.file),
    what ? el('span', {class: 'what', title: what}, what) : null);
}

/** Links from a row to the pictures. @param {object} page */
export const seeCell = (page, find = needle) => row => el('span', {class: 'see'},
  el('a', {href: linkTo('tree', {search: find(row)}), 'aria-label': `${placeText(row)} in the tree`}, 'tree'),
  page.has('events') ? el('a', {href: linkTo('timeline', {search: find(row)}), 'aria-label': `${placeText(row)} in the timeline`}, 'timeline') : null);

/** The column of locations of a table, always shown. */
export const placeColumn = {key: 'place', title: 'location', fixed: true, definition: 'file:line function, and what is allocated there',
  value: placeText, cell: placeCell};

/** The column of links of a table, always shown. */
export const seeColumn = (page, find) => ({key: 'see', title: 'see in', fixed: true, plain: true, definition: 'this row in other views', value: () => '',
  cell: seeCell(page, find)});

const TEXTS = [['function', 'function', 'function the line is in'], ['file', 'file', 'source file'],
  ['variable', 'variable', 'what receives the pointer, as written'], ['type', 'type', 'element type'],
  ['size_expr', 'size', 'the size, as written'], ['callee', 'calls what', 'the function called on the line'],
  ['source_line', 'source', 'the source line, as it was when compiled']];

/** Columns of text that some row has. @param {object[]} rows @returns {import('./table.js').Column[]} */
export const textColumns = rows => TEXTS.filter(([key]) => rows.some(row => row[key])).map(([key, title, definition]) => ({key, title, definition,
  value: row => row[key], cell: row => el('code', {title: row[key] || null}, cutParts(row[key] || '', '--mono', ''))}));

/** The name of a row of a table that is not by line or function. */
const NAMES = {
  file: row => row.file ? baseName(row.file) : '(unknown)',
  device: row => typeof row.device === 'number' ? `GPU ${row.device}` : row.name || String(row.device),
  stream: row => row.stream === null ? '(no stream)' : `${row.stream}${row.device === null || row.device === undefined ? '' : ` on GPU ${row.device}`}`,
};

function groupColumn(by, title) {
  const value = NAMES[by] || (row => row[by] || '(none)');
  return {key: 'place', title, fixed: true, definition: `blocks by ${title}`, value, cell: row => el('span', {class: 'place'},
    nameIn(by === 'file' && row.file ? linkTo('source', {file: row.file}) : null, value(row), by === 'file' ? row.file : ''))};
}

/** Variables in device memory that fill no page, as `report` leaves them out: headers of libraries bring dozens of a byte. */
const smallVariables = {
  is: row => row.small_variables > 0,
  text: rows => `${plural(rows.reduce((sum, row) => sum + row.small_variables, 0), 'variable')} in device memory of less than 4 KiB, ${
    bytes(rows.reduce((sum, row) => sum + row.self_alloc, 0))} in all, have no row.`,
};

/**
 * Why some figures of one device are missing, in some rows or in all.
 * @param {import('./table.js').Column[]} missing @param {(column: object) => boolean} isKnown in some row @param {string} device its title
 */
function missingNote(missing, isKnown, device) {
  if (!missing.length) return '';
  const names = missing.map(({title}) => title).join(' and '), are = missing.length > 1 ? 'are' : 'is';
  return missing.some(isKnown) ? `- : ${names} ${are} recorded over all devices, and so ${are} not known for ${device} alone in rows that also have memory of other devices.` :
    `${names[0].toUpperCase()}${names.slice(1)} ${are} recorded over all devices, and so ${are} not known for ${device} alone. Choose all devices to see ${missing.length > 1 ? 'them' : 'it'}.`;
}

/**
 * @typedef {object} RowsOf
 * @property {string} table of profile.tables
 * @property {string} title of what the rows are by
 * @property {string} noun of one row
 * @property {string[]} shown columns that are shown at first
 * @property {(row: object) => string} [find] by what other views find a row
 * @property {boolean} [isGroup] rows that are no place in the source
 *
 * Open of a view of one or more tables; `by` in the link names the one that is shown, the first if there is none.
 * @param {string} view @param {RowsOf[]} tables
 * @returns {(root: Element, page: object, state: Object<string, string>, go: Function) => {update: Function, close: Function}}
 */
export const openRows = (view, tables) => (root, page, state, go) => {
  const place = el('div');
  let shown = '', table = null;
  const note = el('p', {class: 'quiet', hidden: true});
  const chooser = el('select', {onchange: () => go(view, {by: chooser.value === tables[0].table ? '' : chooser.value})},
    tables.map(one => el('option', {value: one.table}, one.title)));
  if (tables.length > 1) root.append(el('div', {class: 'bar'}, el('label', {}, 'Rows by ', chooser)));
  root.append(note, place);

  function update(next) {
    const of = tables.find(one => one.table === next.by) || tables[0];
    const device = restrictedTo(page, next), key = `${of.table} ${device}`;
    if (key === shown) {
      table.update(next);
      return;
    }
    shown = key;
    chooser.value = of.table;
    place.replaceChildren();
    const {rows, isRestricted, missing} = rowsOf(page, of.table, device);
    const isKnown = ({key}) => rows.some(row => row[key] !== null), figures = figureColumns(page, rows).filter(column => (!of.isGroup && device < 0) || isKnown(column));
    note.textContent = isRestricted ? missingNote(figureColumns(page, rows).filter(({key}) => of.shown.includes(key) && missing.includes(key)), isKnown, device < 0 ? '' : deviceTitle(page, device)) :
      `These are the rows of all devices: this page does not have those of ${deviceTitle(page, device)} alone.`;
    note.hidden = !note.textContent;
    table = showTable(place, {
      caption: `Figures by ${of.title}`, noun: of.noun, rows,
      columns: of.isGroup ? [groupColumn(of.table, of.title), ...figures] : [placeColumn, ...figures, ...textColumns(rows), seeColumn(page, of.find)],
      shown: of.shown.filter(key => figures.some(column => column.key === key)), sort: '-at_peak',
      empty: 'Nothing was allocated or freed.', fold: smallVariables,
      onState: wanted => go(view, {by: of === tables[0] ? '' : of.table, ...wanted}, {replace: true}),
    }, next);
  }
  update(state);
  return {update, keys: table.keys, close() {}};
};
