/**
 * pointed.js - the block below the pointer or chosen by key, and the selected one: outline, tip, panel.
 *
 * view.js makes it; the pointer and the keys move its cursor. The panel shows the block at the cursor, else the selected one.
 */
import {el} from '../dom.js';
import {bytes} from '../format.js';
import {blockKey, blockNamed, placeOf} from '../model.js';
import {blockDetails, restDetails} from './details.js';
import {REST, UNKNOWN} from './tracks/rest.js';

const NOWHERE = {column: -1, id: 0};

export class Pointed {
  /** @param {import('./view.js').TimelineView} view */
  constructor(view) {
    this.view = view;
    this.cellOf = view.events.arrays['block.cell'];
    this.restCell = view.events.arrays['rest.cell'] || [];
    this.cursor = NOWHERE;
    this.name = '';     // of the block that is kept
    this.selected = -1; // its number, -1: none, or it is not here one by one
    this.brush = null;
    this.panel = el('div', {class: 'tl-block', tabindex: '-1', role: 'region', 'aria-label': 'Block'});
    this.tip = el('div', {class: 'tl-tip', hidden: true, 'aria-hidden': 'true'});
    view.picture.root.append(this.tip);
  }

  /** @param {string} name ADDRESS_N or "" */
  keep(name) {
    this.name = name;
    this.selected = blockNamed(this.view.events, name);
    this.describe();
    this.draw();
  }

  /** Keeps the block of a pixel. @param {number} id 0 lets go */
  select(id) {
    if (id >= REST) return;
    this.view.keep(id ? blockKey(this.view.events, id - 1) : '');
  }

  /** The pointer is over a CSS pixel of the picture; negative: over none. */
  hover(x, y) {
    const {picture} = this.view;
    this.moveTo(picture.isExact ? picture.at(x, y) : NOWHERE);
    const {id} = this.cursor;
    this.tip.hidden = !id;
    if (!id) return;
    this.tip.textContent = this.#title(id);
    const isRight = x > picture.width / 2 + 80;
    this.tip.style.left = isRight ? '' : `${x + 14}px`;
    this.tip.style.right = isRight ? `${picture.fullWidth - x + 14}px` : '';
    this.tip.style.top = `${Math.max(0, y - 8)}px`;
  }

  #title(id) {
    if (id === UNKNOWN) return 'of lines that are not known';
    const {page, events} = this.view, cell = id < REST ? this.cellOf[id - 1] : this.restCell[id - REST];
    const place = placeOf(page, page.profile.cells.node[cell]);
    return id < REST ? `${bytes(events.f64('block.bytes', id - 1))} ${place}` : `not one by one: ${place}`;
  }

  /** @param {{column: number, id: number}} cursor of the newest picture */
  moveTo(cursor) {
    const before = this.cursor;
    if (before.column === cursor.column && before.id === cursor.id) return;
    this.cursor = cursor;
    this.draw();
    if (before.id !== cursor.id) {
      this.view.appearance.legend.point(this.view.appearance.groupOf(cursor.id));
      this.describe();
    }
    if (before.column !== cursor.column) this.view.sums();
  }

  /** Another picture, or none in sight that is exact. */
  leave() {
    this.tip.hidden = true;
    this.moveTo(NOWHERE);
  }

  /** The moment that the cursor, the kept block or the picture is about. */
  get moment() {
    const {picture: {shown}, track, events: {arrays}} = this.view;
    const moment = !shown ? track.peak_clock : shown.moment[this.cursor.column >= 0 ? this.cursor.column : shown.highest];
    if (this.cursor.column >= 0 || this.selected < 0) return moment;
    const start = arrays['block.start'][this.selected];
    return start <= moment && moment < arrays['block.end'][this.selected] ? moment : start;
  }

  /** Outlines and the line at the cursor. */
  draw() {
    const {picture, style} = this.view;
    if (!style) return;
    const ground = style.getPropertyValue('--ground'), kept = this.selected + 1, ids = new Set([kept, this.cursor.id]);
    const outlined = [...ids].filter(id => id && id < REST)
      .map(id => ({id, ground, color: style.getPropertyValue(id === kept ? '--accent' : '--ink')}));
    picture.drawUpper(outlined, this.cursor.column, this.brush, style);
  }

  describe() {
    const {view, selected, panel} = this, id = this.cursor.id || selected + 1;
    if (!id) {
      panel.replaceChildren(el('p', {class: 'quiet'}, this.name ? `The block ${this.name} is not in this page one by one.`
        : 'Point at a block, or choose one with the up and down arrows, to see what it is. Double-click it or press Enter to keep it here.'));
    } else if (id < REST) {
      panel.replaceChildren(...blockDetails(view.page, view.events, view.times, id - 1, this.moment));
      const button = (text, onclick) => el('button', {type: 'button', onclick}, text);
      panel.append(el('p', {class: 'tl-links'}, button('Find all blocks of this line', () => this.#findLine(id - 1)),
        id === selected + 1 ? [' ', button('Do not keep this block', () => this.select(0))] : null));
    } else {
      this.#describeRest(id);
    }
  }

  #findLine(block) {
    const {page} = this.view, place = placeOf(page, page.profile.cells.node[this.cellOf[block]]);
    this.view.change({search: `line:"${place}"`});
  }

  #describeRest(id) {
    const {view, moment} = this, cell = id === UNKNOWN ? -1 : this.restCell[id - REST];
    const show = (size, isExact) => this.panel.replaceChildren(...restDetails(view.page, cell, size, isExact, moment));
    show(null, true);
    view.client.latest('rest', 'compose', {which: view.which, moment, name: 'cells'}).then(sums => {
      if (sums && this.cursor.id === id) show(Math.round(cell < 0 ? sums.unknown : sums.rest[cell]), sums.isExact);
    }, view.failed);
  }
}
