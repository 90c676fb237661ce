/**
 * table.js - a table that sorts, filters, shows more rows on demand, and whose columns can be chosen. Most views have one.
 *
 * The caller gives columns and rows and is called at every change of the state {sort, filter, columns, exact}, which it puts into the link
 * (go with replace); update(state) shows another one. @tanstack/table-core sorts and filters; this file draws. Rows that are not drawn yet
 * are counted below the table, with the way to see them.
 *
 * Keys: the head is buttons; the arrows go from row to row (only the row with the focus is in the order of Tab, or a table of a thousand
 * rows would be a thousand stops); "/" leads to the filter.
 */
import {createTable, getCoreRowModel, getFilteredRowModel, getSortedRowModel} from '@tanstack/table-core';
import {copyButton, tsvOf} from './copy.js';
import {el} from './dom.js';
import {filterOf} from './filter.js';
import {exact, figure, plural} from './format.js';
import {columnChooser, sortFrom, sortText} from './columns.js';

const PORTION = 100, MANY_FOLDED = 3;

/**
 * @typedef {object} Column
 * @property {string} key as in links and filters
 * @property {string} title
 * @property {string} [unit] of a figure (profile.columns); a column of text has none
 * @property {string} [definition]
 * @property {(row: object) => any} value
 * @property {(row: object, isExact: boolean) => Node|string} [cell] what is drawn; else of a figure its value in its unit, with a bar when sorted by
 * @property {boolean} [fixed] cannot be hidden
 * @property {boolean} [plain] cannot be sorted by: links
 *
 * @typedef {object} TableOptions
 * @property {string} caption what the rows are, for screen readers: "Source lines"
 * @property {string} noun of one row: "line"
 * @property {Column[]} columns
 * @property {string[]} shown keys of the columns that are shown unless the state says otherwise
 * @property {object[]} rows
 * @property {(row: object) => string} [text] what the filter looks at, if not the columns of text
 * @property {string} sort as in the link, unless the state says otherwise
 * @property {string} [empty] a sentence for a table without rows
 * @property {{is: (row: object) => boolean, text: (rows: object[]) => string}} [fold] rows that one sentence stands for where there are many, until
 *   they are asked for or a filter is
 * @property {(state: {sort: string, filter: string, columns: string, exact: string}) => void} onState
 */

/** What may be typed into the filter, with columns that this table has. @param {Column[]} columns */
function hint(columns) {
  const figure = columns.find(column => column.unit === 'bytes' || column.unit === 'signed'), text = columns.find(column => column.key === 'function');
  return ['words', figure && `${figure.key}>1MiB`, text && 'function:name', '-word'].filter(Boolean).join(', ');
}

/**
 * @param {Element} root
 * @param {TableOptions} options
 * @param {Object<string, string>} state
 * @returns {{update(state: Object<string, string>): void, keys: {key: string, text: string}[]}}
 */
export function showTable(root, options, state) {
  const {columns, rows, noun} = options;
  if (!rows.length && options.empty) {
    root.append(el('p', {class: 'empty'}, options.empty));
    return {update() {}, keys: []};
  }
  const texts = columns.filter(column => !column.unit);
  const wholeText = options.text || (row => texts.map(column => column.value(row) ?? '').join('\n'));
  let wanted = {}, limit = PORTION, unfolded = !options.fold;

  const table = createTable({
    data: rows,
    columns: columns.map(column => ({
      id: column.key,
      accessorFn: row => column.value(row) ?? undefined,
      sortDescFirst: Boolean(column.unit),
      sortUndefined: 'last',
      sortingFn: column.unit ? 'basic' : 'text',
    })),
    state: {},
    onStateChange() {},
    renderFallbackValue: null,
    globalFilterFn: (row, _, test) => test(row.original),
    getColumnCanGlobalFilter: column => column.id === columns[0].key, // one call for each row
    getCoreRowModel: getCoreRowModel(),
    getFilteredRowModel: getFilteredRowModel(),
    getSortedRowModel: getSortedRowModel(),
  });
  const initial = table.initialState;

  const filterBox = el('input', {type: 'search', class: 'filter', placeholder: hint(columns), spellcheck: 'false',
    oninput() {
      limit = PORTION;
      change({filter: filterBox.value});
    }});
  const exactBox = el('input', {type: 'checkbox', onchange: () => change({exact: exactBox.checked ? '1' : ''})});
  const chooser = columnChooser(columns, options.shown, keys => change({columns: keys}));
  const status = el('p', {class: 'status quiet', role: 'status'});
  const head = el('tr'), body = el('tbody', {onkeydown: arrows}), more = el('div', {class: 'more'});
  root.append(
    el('div', {class: 'bar'}, el('label', {}, 'Filter ', filterBox), columns.every(column => column.fixed) ? null : chooser.element, el('label', {}, exactBox, ' exact figures'), copyButton(asText), status),
    el('div', {class: 'scroll', tabindex: '0', role: 'region', 'aria-label': options.caption},
      el('table', {class: 'figures'}, el('caption', {class: 'unseen'}, options.caption), el('thead', {}, head), body)),
    more);

  /** All rows that fit the filter, in their order, in the columns that are shown, with figures as numbers. */
  function asText() {
    const those = shownColumns().filter(column => !column.plain), {rows: fitting} = table.getRowModel();
    return tsvOf(those.map(column => column.title), fitting.map(({original}) => those.map(column => column.value(original))));
  }

  /** The columns that are shown. */
  function shownColumns() {
    const keys = new Set((wanted.columns || options.shown.join(',')).split(',')), sort = sortFrom(wanted.sort, columns);
    return columns.filter(column => column.fixed || keys.has(column.key) ||
      (!wanted.columns && sort.some(one => one.id === column.key))); // a link that sorts by it means to show it
  }

  function change(part) {
    wanted = {...wanted, ...part};
    draw();
    options.onState({sort: wanted.sort === options.sort ? '' : wanted.sort, filter: wanted.filter, exact: wanted.exact,
      columns: wanted.columns === options.shown.join(',') ? '' : wanted.columns});
  }

  function arrows(event) {
    const step = {ArrowDown: 1, ArrowUp: -1}[event.key];
    const row = event.target.closest('tr');
    if (!step || !row) return;
    const links = [...row.querySelectorAll('a, button')], next = step > 0 ? row.nextElementSibling : row.previousElementSibling;
    if (!next) return;
    const targets = [...next.querySelectorAll('a, button')], target = targets[Math.min(links.indexOf(event.target), targets.length - 1)];
    if (!target) return;
    links.forEach(link => link.setAttribute('tabindex', '-1'));
    targets.forEach(link => link.setAttribute('tabindex', '0'));
    target.focus();
    event.preventDefault();
  }

  function drawHead(shown, sort) {
    const focused = document.activeElement && document.activeElement.dataset.sort;
    head.replaceChildren(...shown.map(column => {
      if (column.plain) return el('th', {scope: 'col', title: column.definition}, column.title);
      const at = sort.find(one => one.id === column.key);
      return el('th', {scope: 'col', class: column.unit ? 'number' : null, 'aria-sort': at ? (at.desc ? 'descending' : 'ascending') : null},
        el('button', {type: 'button', class: 'sort', 'data-sort': column.key, title: column.definition, onclick() {
          change({sort: sortText(column, at)});
        }}, column.title, el('span', {'aria-hidden': 'true'}, at ? (at.desc ? ' ▼' : ' ▲') : '')));
    }));
    if (focused) head.querySelector(`[data-sort="${CSS.escape(focused)}"]`)?.focus();
  }

  function drawRow(row, shown, most, isExact, first) {
    const made = el('tr', {}, shown.map((column, i) => {
      const value = column.value(row);
      if (!column.unit) return el(i ? 'td' : 'th', {scope: i ? null : 'row'}, column.cell ? column.cell(row) : value ?? '');
      const share = most.get(column.key) && !column.cell ? Math.abs(value ?? 0) / most.get(column.key) : 0;
      return el('td', {class: `number${share ? ' bar-cell' : ''}${value ? '' : ' zero'}`, style: share ? {'--share': `${100 * share}%`} : {},
        title: value === null || value === undefined || isExact ? null : `${exact(value)} ${column.unit === 'time' ? 'ns' : ''}`.trim()},
        column.cell ? column.cell(row, isExact) : figure(column.unit, value, isExact));
    }));
    if (!first) made.querySelectorAll('a, button').forEach(link => link.setAttribute('tabindex', '-1'));
    return made;
  }

  function draw() {
    const keys = new Set((wanted.columns || options.shown.join(',')).split(','));
    const sort = sortFrom(wanted.sort, columns);
    const shown = shownColumns();
    table.setOptions(before => ({...before, state: {...initial, sorting: sort,
      globalFilter: wanted.filter ? filterOf(wanted.filter, columns, wholeText) : undefined}}));
    const fitting = table.getRowModel().rows, folded = foldedOf(fitting);
    const found = folded.length ? fitting.filter(row => !folded.includes(row)) : fitting, drawn = found.slice(0, limit);
    drawHead(shown, sort);
    const most = new Map(sort.slice(0, 1).map(({id}) => columns.find(column => column.key === id)).filter(column => column.unit)
      .map(column => [column.key, rows.reduce((top, row) => Math.max(top, Math.abs(column.value(row) ?? 0)), 0)]));
    body.replaceChildren(...drawn.map(({original}, i) => drawRow(original, shown, most, wanted.exact === '1', i === 0)));
    status.textContent = found.length + folded.length === rows.length ? plural(rows.length, noun) :
      `${exact(found.length)} of ${plural(rows.length, noun)} match the filter`;
    const rest = found.length - drawn.length;
    more.replaceChildren(...(rest ? [el('span', {class: 'quiet'}, `${plural(rest, 'more ' + noun)} not shown yet. `),
      moreButton(`Show ${exact(Math.min(rest, 10 * PORTION))} more`, 10 * PORTION), ...(rest > 10 * PORTION ? [' ', moreButton('Show all', Infinity)] : [])] : []),
      ...(folded.length ? [el('p', {class: 'quiet folded'}, `${options.fold.text(folded.map(row => row.original))} `, unfoldButton())] : []));
    chooser.show(keys);
  }

  /** Returns, of the rows that fit the filter, those that one sentence stands for. */
  function foldedOf(fitting) {
    const folded = unfolded || wanted.filter ? [] : fitting.filter(row => options.fold.is(row.original));
    return folded.length < MANY_FOLDED ? [] : folded;
  }

  const unfoldButton = () => el('button', {type: 'button', onclick() {
    unfolded = true;
    draw();
  }}, 'Show them');

  const moreButton = (text, by) => el('button', {type: 'button', onclick() {
    limit += by;
    draw();
  }}, text);

  function update(next) {
    wanted = {sort: next.sort || options.sort, filter: next.filter || '', columns: next.columns || '', exact: next.exact || ''};
    if (document.activeElement !== filterBox) filterBox.value = wanted.filter;
    exactBox.checked = wanted.exact === '1';
    draw();
  }
  update(state);
  return {update, keys: [{key: '/', text: 'to the filter'}, {key: '↓ ↑', text: 'from row to row'}]};
}
