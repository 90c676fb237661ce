/**
 * choices.js - the ways from the timeline to what was live at a moment, and to what the range in sight allocated and kept: by line, by call path, as a
 * flame graph, by address. view.js has one, and updates it when the picture has settled or a moment is chosen.
 */
import {el} from '../dom.js';
import {exact} from '../format.js';
import {linkTo} from '../route.js';

export class Choices {
  constructor() {
    this.root = el('div', {class: 'tl-choices', role: 'region', 'aria-label': 'The moment and the range as tables'});
  }

  /**
   * @param {object} now
   * @param {string} now.device key @param {number} now.moment clock @param {string} now.where the moment in words @param {boolean} now.isChosen by a click
   * @param {[number, number]|null} now.range clocks of the first and the last event in sight; null: the whole run
   * @param {() => void} now.letGo of the moment
   */
  set({device, moment, where, isChosen, range, letGo}) {
    const ways = keys => [['lines', {}, 'by line'], ['lines', {by: 'path'}, 'by call path'], ['tree', {}, 'as a flame graph']]
      .map(([view, more, text], i) => [i ? ' · ' : '', el('a', {href: linkTo(view, {device, ...keys, ...more})}, text)]);
    this.root.replaceChildren(
      el('p', {}, isChosen ? 'At the chosen moment, after ' : 'Click to choose a moment. At the highest moment in sight, after ', el('strong', {}, where), ', see what was live: ', ways({at: moment}), ' · ',
        el('a', {href: linkTo('state', {device, at: moment})}, 'by address'), isChosen ? [' ', el('button', {type: 'button', onclick: letGo}, 'Clear the choice')] : null),
      range ? el('p', {}, `In the range in sight, events ${exact(range[0])} to ${exact(range[1])}, see what was allocated and not yet freed at its end: `, ways({from: range[0], to: range[1]})) : '');
  }
}
