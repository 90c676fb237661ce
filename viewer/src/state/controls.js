/**
 * controls.js - the bar above the state: steps, peak and failures, the field for a moment or a block, colours, lines.
 *
 * view.js passes the actions and the chosen values; this file keeps no state.
 */
import {el} from '../dom.js';
import {bytes} from '../format.js';
import {COLORS} from '../timeline/groups.js';

export class Controls {
  /**
   * @param {{step(by: number): void, first(): void, last(): void, peak(): void, oom(by: number): void, find(text: string): void,
   *   color(name: string): void, sort(name: string): void, longer(): void, shorter(): void}} actions
   */
  constructor(actions) {
    const button = (text, name, key, action) => el('button', {type: 'button', 'aria-label': name, title: `${name} (${key})`, onclick: action}, text);
    const choice = (title, options, action) => {
      const made = el('select', {onchange: () => action(made.value)}, options.map(({name, title: text}) => el('option', {value: name}, text)));
      return {made, label: el('label', {}, `${title} `, made)};
    };
    this.color = choice('Colours', COLORS, actions.color);
    this.sort = choice('Segments', [{name: 'size', title: 'largest first'}, {name: 'address', title: 'by address'}], actions.sort);
    this.field = el('input', {type: 'text', class: 'state-field', spellcheck: 'false', autocomplete: 'off', placeholder: 'event or ADDRESS_N',
      'aria-label': 'Go to an event by its number, or to a block by its name or address', onkeydown: event => {
        if (event.key === 'Enter') actions.find(this.field.value);
      }});
    this.oom = [button('next out of memory', 'Next out-of-memory event', 'o', () => actions.oom(1))];
    this.row = el('span', {class: 'state-row'});
    this.root = el('div', {class: 'bar state-bar'},
      el('span', {role: 'group', 'aria-label': 'Steps', class: 'choices'},
        button('first', 'Before the first event', 'Home', actions.first), button('« 100', '100 events back', 'shift ←', () => actions.step(-100)),
        button('‹', 'One event back', '←', () => actions.step(-1)), button('›', 'One event forward', '→', () => actions.step(1)),
        button('100 »', '100 events forward', 'shift →', () => actions.step(100)), button('last', 'The last event', 'End', actions.last)),
      button('peak', 'To the peak of the device', 'p', actions.peak), this.oom,
      el('span', {}, this.field, ' ', el('button', {type: 'button', onclick: () => actions.find(this.field.value)}, 'Go')),
      this.color.label, this.sort.label,
      el('span', {role: 'group', 'aria-label': 'Bytes in a line', class: 'choices'}, button('zoom in', 'Shorter lines', '+', actions.shorter), this.row,
        button('zoom out', 'Longer lines', '-', actions.longer)));
  }

  /** @param {{color: string, sort: string, row: number, ooms: number}} now ooms: how many of the device */
  set({color, sort, row, ooms}) {
    this.color.made.value = color;
    this.sort.made.value = sort;
    this.row.textContent = `${bytes(row)} a line`;
    for (const button of this.oom) button.hidden = ooms === 0;
  }
}
