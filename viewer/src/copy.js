/**
 * copy.js - tables as text with tabs, for a spreadsheet or an issue: the button that copies one.
 *
 * A page on disk may have no clipboard (navigator.clipboard needs a secure context), so a selected text area and execCommand are the other way. If
 * neither works, the text is shown to be copied by hand.
 */
import {el} from './dom.js';

/** A cell must not end the row or the cell. @param {any} value */
const cellText = value => String(value ?? '').replace(/[\t\r\n]+/g, ' ').trim();

/** @param {string[]} titles @param {any[][]} rows @returns {string} */
export const tsvOf = (titles, rows) => [titles, ...rows].map(row => row.map(cellText).join('\t')).join('\n') + '\n';

/** The other way. @param {string} text @returns {boolean} whether it was copied */
function copySelected(text) {
  const before = document.activeElement, area = el('textarea', {class: 'unseen', 'aria-hidden': 'true', readonly: true});
  area.value = text;
  document.body.append(area);
  area.select();
  let isCopied = false;
  try {
    isCopied = document.execCommand('copy');
  } catch {
    // as if it were not copied
  }
  area.remove();
  before?.focus?.();
  return isCopied;
}

/** @param {string} text @returns {Promise<boolean>} whether it was copied */
export async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copySelected(text);
  }
}

/**
 * @param {() => string} textOf what to copy, asked when the button is pressed
 * @returns {Element}
 */
export function copyButton(textOf) {
  const says = el('span', {class: 'quiet', role: 'status'});
  return el('span', {class: 'copy'}, el('button', {type: 'button', title: 'Copies all rows that match the filter, with exact figures and tabs between the columns', async onclick() {
    const text = textOf(), isCopied = await copyText(text);
    says.replaceChildren(isCopied ? ` ${text.split('\n').length - 2} rows copied` : el('textarea', {readonly: true, rows: '4', 'aria-label': 'The table as text with tabs'}, text));
  }}, 'Copy as TSV'), says);
}
