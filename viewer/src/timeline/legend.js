/**
 * legend.js - what the colours mean, with what each group holds at the moment below the pointer.
 *
 * appearance.js makes one and passes it each colouring; view.js passes the sums. A click on a group chooses it: all others become paler; several can be
 * chosen.
 */
import {hatchOn} from '../color.js';
import {cutParts} from '../cut.js';
import {el} from '../dom.js';
import {bytes, exact, percent} from '../format.js';

export class Legend {
  /** @param {(chosen: Set<number>) => void} onChoice */
  constructor(onChoice) {
    this.onChoice = onChoice;
    this.chosen = new Set();
    this.moment = el('p', {class: 'tl-moment'});
    this.list = el('ul', {class: 'tl-legend'});
    this.all = el('button', {type: 'button', hidden: true, onclick: () => this.#choose(null)}, 'Show all');
    this.root = el('div', {}, this.moment, this.list, this.all);
  }

  /** @param {import('./groups.js').Coloring} coloring */
  setColoring(coloring) {
    this.coloring = coloring;
    this.chosen.clear();
    this.rows = coloring.names.map((name, group) => {
      const size = el('span', {class: 'tl-size'}, '');
      const color = coloring.colors[group], isHatched = coloring.hatched[group];
      const swatch = el('span', {class: `tl-swatch${isHatched ? ' hatched' : ''}`, style: {'background-color': color, ...(isHatched ? {'--hatch': hatchOn(color)} : {})}});
      const button = el('button', {type: 'button', 'aria-pressed': 'false', title: name, onclick: () => this.#choose(group)},
        swatch, el('span', {class: 'tl-name'}, cutParts(name)), size);
      return {button, size, item: el('li', {}, button)};
    });
    // The last group has everything without a separate colour. It is empty while there are few groups.
    if (!coloring.others) this.rows[coloring.count - 1].item.hidden = true;
    this.list.setAttribute('aria-label', `Colours by ${coloring.by}`);
    this.list.replaceChildren(...this.rows.map(({item}) => item));
    this.all.hidden = true;
  }

  #choose(group) {
    if (group === null) this.chosen.clear();
    else if (!this.chosen.delete(group)) this.chosen.add(group);
    this.rows.forEach(({button}, i) => button.setAttribute('aria-pressed', String(this.chosen.has(i))));
    this.all.hidden = this.chosen.size === 0;
    this.onChoice(this.chosen);
  }

  /** Marks the group of the block pointed at. @param {number} group -1: none */
  point(group) {
    if (!this.rows) return;
    this.rows.forEach(({item}, i) => item.classList.toggle('pointed', i === group));
  }

  /** @param {string} where "tick 17, 3.2 ms" @param {object} sums of compose.js */
  setSums(where, sums) {
    const total = Math.round(sums.total);
    this.moment.replaceChildren(sums.isExact ? '' : 'about ', el('strong', {title: `${exact(total)} bytes`}, bytes(total)), ` after ${where}`,
      sums.unknown > 0 ? el('span', {class: 'quiet'}, `, ${bytes(Math.round(sums.unknown))} of lines that are not known`) : '');
    this.rows.forEach(({size, button}, group) => {
      const own = sums.bytes[group];
      size.textContent = own > 0 ? bytes(Math.round(own)) : '-';
      button.title = `${this.coloring.names[group]}: ${exact(Math.round(own))} bytes` +
        (sums.total ? `, ${percent(100 * own / sums.total)}` : '') + `, ${exact(sums.blocks[group])} blocks` +
        (sums.rest[group] > 0 ? ` and ${bytes(Math.round(sums.rest[group]))} not one by one` : '');
    });
  }
}
