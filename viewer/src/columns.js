/**
 * columns.js - columns of tables: those of profile.columns, how a link names the sort, and the box in which they are chosen.
 *
 * table.js draws with it; views make their columns of figures here, so that title, unit and definition are those of every report.
 */
import {el} from './dom.js';

/** The title of a column in the words of the page: "incl net" is the net with its calls. @param {string} title of profile.columns */
export const titleOf = title => /^incl( |$)/.test(title) ? `${title.slice(5)} with its calls`.trim() : title;

/** profile.columns with these titles. @param {object} page */
export const titledColumns = page => page.profile.columns.map(column => ({...column, title: titleOf(column.title)}));

/**
 * The columns of figures that some row has.
 * @param {object} page @param {object[]} rows
 * @returns {import('./table.js').Column[]}
 */
export const figureColumns = (page, rows) => titledColumns(page).filter(({unit, key}) => unit && rows.some(row => key in row))
  .map(({key, title, unit, definition}) => ({key, title, unit, definition, value: row => row[key]}));

/** "-at_peak" as tanstack sorts. @param {string} text @param {{key: string}[]} columns */
export function sortFrom(text, columns) {
  const desc = (text || '').startsWith('-'), id = desc ? text.slice(1) : text || '';
  return columns.some(column => column.key === id) ? [{id, desc}] : [];
}

/** The sort after a click on a column: figures highest first, text from A, then the other way. */
export function sortText(column, now) {
  const desc = now ? !now.desc : Boolean(column.unit);
  return (desc ? '-' : '') + column.key;
}

/**
 * @param {import('./table.js').Column[]} columns
 * @param {string[]} first keys that are shown at first
 * @param {(keys: string) => void} choose called with the keys, with commas, in the order of the columns
 * @returns {{element: Element, show(keys: Set<string>): void}}
 */
export function columnChooser(columns, first, choose) {
  const boxes = new Map();
  const chosen = keep => columns.filter(column => !column.fixed && keep(column.key)).map(column => column.key).join(',');
  const listed = columns.filter(column => !column.fixed).map(column => {
    const box = el('input', {type: 'checkbox', onchange: () => choose(chosen(key => boxes.get(key).checked) || first[0])});
    boxes.set(column.key, box);
    return el('li', {}, el('label', {}, box, ` ${column.title} `, el('code', {class: 'quiet'}, column.key)),
      column.definition ? el('div', {class: 'quiet definition'}, column.definition) : null);
  });
  const outside = event => !element.contains(event.target) && element.removeAttribute('open');
  const button = (text, keys) => el('button', {type: 'button', onclick: () => choose(keys())}, text);
  const element = el('details', {class: 'chooser',
    onkeydown(event) {
      if (event.key !== 'Escape' || !element.open) return;
      element.open = false;
      element.querySelector('summary').focus();
    },
    ontoggle() {
      if (element.open) addEventListener('pointerdown', outside);
      else removeEventListener('pointerdown', outside);
    }}, el('summary', {}, 'Columns'),
  el('div', {class: 'popup'}, el('p', {}, button('All', () => chosen(() => true)), ' ', button('Default', () => first.join(','))), el('ul', {}, listed)));
  return {
    element,
    show(keys) {
      for (const [key, box] of boxes) box.checked = keys.has(key);
    },
  };
}
