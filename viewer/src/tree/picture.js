/**
 * picture.js - draws the boxes of layout.js as elements that keys and screen readers can reach: an icicle, the root on top.
 *
 * Only visible rows are elements, so depth costs nothing. One box is in the Tab order (roving tabindex); the arrow keys move to the box above, below,
 * or beside it. For screen readers the picture is a tree: level, place among its siblings, name and figures of each box.
 */
import {fitted, fontOf, textWidth} from '../cut.js';
import {el} from '../dom.js';

export const ROW = 22; // pixels
const AHEAD = 4; // rows drawn above and below the visible ones
const LETTERS = 12, EDGE = 7, GAP = 5, LEAST_NAME = 60; // pixels, LETTERS as tree.css has them

/**
 * @typedef {object} Appearance what a box looks like and says
 * @property {(box: import('./layout.js').Box) => string} color CSS
 * @property {(color: string) => string} ink
 * @property {(color: string) => string} hatch the lines of boxes whose mark is "hatched"
 * @property {(box: import('./layout.js').Box) => {name: string, where: string, value: string}} label
 * @property {(box: import('./layout.js').Box) => string} text for screen readers
 * @property {(box: import('./layout.js').Box) => string} mark class names: fits the search, above what is zoomed to
 */

export class Picture {
  /**
   * @param {string} name for screen readers
   * @param {{choose(box: object): void, focus(box: object): void, up(): void, tip(box: object|null, event: MouseEvent|null): void}} on
   */
  constructor(name, on) {
    this.on = on;
    this.boxes = [];
    this.byRow = [];
    this.current = null; // the box in the Tab order
    this.drawn = new Map(); // Box -> element
    this.boxOf = new WeakMap();
    this.inner = el('div', {class: 'icicle-rows', role: 'presentation'});
    this.element = el('div', {class: 'icicle', role: 'tree', 'aria-label': name, 'aria-orientation': 'vertical',
      onclick: event => this.#at(event, box => on.choose(box)), onkeydown: event => this.#key(event), onscroll: () => this.#later(),
      onmousemove: event => this.#at(event, box => on.tip(box, event)), onmouseleave: () => on.tip(null, null),
      onfocusin: event => this.#at(event, box => this.#focused(box))}, this.inner);
    this.waiting = 0;
    this.font = fontOf(LETTERS);
    this.printing = () => this.draw(true);
    addEventListener('beforeprint', this.printing);
  }

  close() {
    removeEventListener('beforeprint', this.printing);
    cancelAnimationFrame(this.waiting);
  }

  /** The width that the boxes share, pixels. */
  get width() {
    return Math.max(100, this.inner.clientWidth);
  }

  /**
   * @param {{boxes: import('./layout.js').Box[], rows: number}} layout @param {Appearance} appearance
   * @param {(box: import('./layout.js').Box) => boolean} isCurrent which box is to be in the order of Tab; else the first
   */
  show({boxes, rows}, appearance, isCurrent) {
    const hadFocus = this.inner.contains(document.activeElement);
    this.boxes = boxes;
    this.appearance = appearance;
    this.byRow = Array.from({length: rows}, () => []);
    for (const box of boxes) this.byRow[box.row].push(box);
    this.current = boxes.find(isCurrent) || boxes[0];
    this.inner.style.height = `${rows * ROW}px`;
    this.inner.replaceChildren();
    this.drawn.clear();
    this.draw();
    if (hadFocus) this.focus(this.current);
  }

  /** Redraws after marks have changed; the boxes do not move. @param {Appearance} appearance */
  remark(appearance) {
    this.appearance = appearance;
    for (const [box, element] of this.drawn) this.#name(box, element);
  }

  draw(isWhole = false) {
    const top = this.element.scrollTop, height = this.element.clientHeight || 600;
    const first = isWhole ? 0 : Math.max(0, Math.floor(top / ROW) - AHEAD);
    const last = isWhole ? this.byRow.length : Math.min(this.byRow.length, Math.ceil((top + height) / ROW) + AHEAD);
    for (const [box, element] of this.drawn) {
      if ((box.row < first || box.row >= last) && box !== this.current) {
        element.remove();
        this.drawn.delete(box);
      }
    }
    const made = [];
    for (let row = first; row < last; ++row) {
      for (const box of this.byRow[row]) if (!this.drawn.has(box)) made.push(this.#element(box));
    }
    if (!this.drawn.has(this.current)) made.push(this.#element(this.current));
    this.inner.append(...made);
  }

  /** @param {import('./layout.js').Box} box gets the focus, and is brought into sight */
  focus(box) {
    const {scrollTop, clientHeight} = this.element, top = box.row * ROW;
    if (top < scrollTop) this.element.scrollTop = top;
    else if (top + ROW > scrollTop + clientHeight) this.element.scrollTop = top + ROW - clientHeight;
    this.#turnTo(box);
    this.drawn.get(box).focus({preventScroll: true});
  }

  #turnTo(box) {
    const before = this.drawn.get(this.current);
    if (before) before.tabIndex = -1;
    this.current = box;
    if (!this.drawn.has(box)) this.draw();
    this.drawn.get(box).tabIndex = 0;
  }

  #focused(box) {
    if (box !== this.current) this.#turnTo(box);
    this.on.focus(box);
  }

  #element(box) {
    const {name, where, value} = this.appearance.label(box);
    const made = el('div', {role: 'treeitem', tabindex: box === this.current ? '0' : '-1', 'aria-level': box.row + 1, 'aria-posinset': box.place + 1,
      'aria-setsize': box.parent ? box.parent.children.length : 1, 'aria-expanded': box.children.length ? 'true' : null,
      style: {left: `${box.left}px`, width: `${Math.max(1, box.width)}px`, top: `${box.row * ROW}px`}},
    box.width < 20 ? null : this.#words(name, where, value, box.width - EDGE));
    this.#name(box, made);
    this.boxOf.set(made, box);
    this.drawn.set(box, made);
    return made;
  }

  /**
   * What fits into a box: its name, cut in the middle where it has to be; its place, at least the line, and its figure where the name keeps enough
   * room.
   */
  #words(name, where, value, room) {
    const widthOf = text => textWidth(this.font, text), wide = text => text ? widthOf(text) + GAP : Infinity, whole = widthOf(name);
    const least = Math.min(LEAST_NAME, whole), place = whole + wide(where) <= room ? where : where.replace(/^.*(?=:\d+$)/, '');
    const placed = wide(place) + least <= room, left = placed ? room - wide(place) : room;
    const valued = room > 250 && wide(value) + least <= left;
    return [el('span', {class: 'name'}, fitted(widthOf, name, valued ? left - wide(value) : left)), placed ? el('span', {class: 'where'}, ` ${place}`) : null,
      valued ? el('span', {class: 'value'}, value) : null];
  }

  /** Updates what also depends on the search. */
  #name(box, element) {
    const color = this.appearance.color(box);
    Object.assign(element.style, {backgroundColor: color, color: this.appearance.ink(color)});
    element.style.setProperty('--hatch', this.appearance.hatch(color));
    element.className = `frame${box.vertex ? '' : ' joined'} ${this.appearance.mark(box)}`;
    element.setAttribute('aria-label', this.appearance.text(box));
  }

  #at(event, then) {
    const element = event.target.closest('.frame');
    if (element) then(this.boxOf.get(element));
    else if (event.type === 'mousemove') this.on.tip(null, null);
  }

  #later() {
    cancelAnimationFrame(this.waiting);
    this.waiting = requestAnimationFrame(() => this.draw());
  }

  /** The neighbouring box: a sibling, else the next one in the row. */
  #beside(box, step) {
    const row = this.byRow[box.row];
    return row[row.indexOf(box) + step];
  }

  #key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const box = this.current;
    const widest = box.children.reduce((most, child) => !most || child.value > most.value ? child : most, null);
    const next = {ArrowDown: widest, ArrowUp: box.parent, ArrowLeft: this.#beside(box, -1), ArrowRight: this.#beside(box, 1), Home: this.boxes[0],
      End: this.byRow[box.row].at(-1)};
    if (event.key in next) {
      if (next[event.key]) this.focus(next[event.key]);
    } else if (event.key === 'Enter' || event.key === ' ') {
      this.on.choose(box);
    } else if (event.key === 'Escape' || event.key === 'Backspace') {
      this.on.up();
    } else {
      return;
    }
    event.preventDefault();
  }
}
