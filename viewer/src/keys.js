/**
 * keys.js - the help of keys (`?`): those of the views, the keys of all of the page, those of the view that is open.
 *
 * shell.js calls it. It is a modal dialog of the browser, so Escape closes it and the focus goes back where it was.
 */
import {el} from './dom.js';

const EVERYWHERE = [
  {key: '?', text: 'this help'}, {key: 'Tab', text: 'to the next control'}, {key: 'Enter', text: 'follow a link, sort by a column'},
  {key: '/', text: 'to the filter of a table'}, {key: 'Escape', text: 'close this help'},
];

const listed = keys => el('dl', {class: 'keys'}, keys.map(({key, text}) => [el('dt', {}, el('kbd', {}, key)), el('dd', {}, text)]));

/**
 * @param {{title: string, key: string}[]} views
 * @param {{title: string}} current
 * @param {{key: string, text: string}[]} own keys of the view that is open
 */
export function showKeys(views, current, own) {
  const dialog = el('dialog', {'aria-labelledby': 'keys-title', onclose: () => dialog.remove()},
    el('form', {method: 'dialog'},
      el('h2', {id: 'keys-title'}, 'Keys'),
      el('div', {class: 'columns'},
        el('div', {}, el('h3', {}, 'Views'), listed(views.map(({key, title}) => ({key, text: title})))),
        el('div', {}, el('h3', {}, 'Everywhere'), listed(EVERYWHERE),
          own.length ? [el('h3', {}, `In ${current.title}`), listed(own)] : null)),
      el('button', {value: 'close'}, 'Close')));
  document.body.append(dialog);
  dialog.showModal();
}
