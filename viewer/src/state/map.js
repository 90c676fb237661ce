/**
 * map.js - draws what is live at a moment as a map of addresses: lines of blocks and holes, on a canvas as large as the visible part.
 *
 * views/state.js shows it. A block has the colour of its group. Blocks narrower than a pixel are drawn together in grey, which is darker the more of
 * the pixel they cover. Holes are hatched and say how large they are where there is room. Pieces lie in the lower part of their block. The block that
 * changed at the tick has a frame (dashed: it was freed), and the selected block another one.
 */
import {fitted} from '../cut.js';
import {el} from '../dom.js';
import {bytes} from '../format.js';
import {hatchBox} from '../hatch.js';
import {PIECE} from './layout.js';
import {GAP, HEAD, LINE, holesIn, lengthOf, lineAt, lineTop, rowsOf, spanAt, spansIn, spansOf} from './rows.js';

const BLOCK_HEIGHT = LINE - 3, PIECE_HEIGHT = 8, LEFT = 1;

/**
 * @typedef {object} Appearance
 * @property {(rank: number) => string} color CSS @property {(color: string) => string} ink
 * @property {(rank: number) => string[]} label of a block that is wide enough: its size, its name
 * @property {(rank: number) => boolean} isPale @property {(rank: number) => boolean} isHatched
 * @property {(segment: number) => string} head the line above a segment
 */

export class AddressMap {
  /** @param {{pick(rank: number): void, tip(rank: number, hole: object|null, event: MouseEvent|null): void}} on rank -1: none */
  constructor(on) {
    this.on = on;
    this.canvas = el('canvas', {class: 'state-canvas', 'aria-hidden': 'true'});
    this.spacer = el('div', {class: 'state-spacer'}, this.canvas);
    this.element = el('div', {class: 'state-map', tabindex: '0', role: 'application', 'aria-roledescription': 'map of memory', onscroll: () => this.later(),
      onclick: event => on.pick(this.#at(event).rank), onmousemove: event => {
        const {rank, hole} = this.#at(event);
        on.tip(rank, hole, event);
      }, onmouseleave: () => on.tip(-1, null, null)}, this.spacer);
    this.waiting = 0;
    this.spans = new Map();
    this.marked = {ranks: [], selected: -1};
  }

  close() {
    cancelAnimationFrame(this.waiting);
  }

  later() {
    if (!this.waiting) this.waiting = requestAnimationFrame(() => this.draw());
  }

  /**
   * @param {import('./moment.js').Moment} moment
   * @param {{row: number, sort: 'size'|'address'}} shape
   * @param {Appearance} appearance
   * @param {{ranks: number[], selected: number}} marked what changed, and what is selected (-1: nothing)
   */
  show(moment, {row, sort}, appearance, marked) {
    Object.assign(this, {moment, appearance, marked, rows: rowsOf(moment, row, sort)});
    this.spans.clear();
    this.spacer.style.height = `${this.rows.height}px`;
    this.later();
  }

  /** Scrolls to a rank. */
  reveal(rank) {
    const number = this.moment.segmentOf(rank), {top, bottom} = this.#extent(number, this.#offsetOf(rank, number));
    const {scrollTop, clientHeight} = this.element;
    if (top < scrollTop || bottom > scrollTop + clientHeight) this.element.scrollTop = Math.max(0, (top + bottom - clientHeight) / 2);
    this.later();
  }

  #extent(number, offset) {
    const top = lineTop(this.rows, this.rows.order.indexOf(number), Math.floor(offset / this.rows.row));
    return {top: top - HEAD, bottom: top + LINE + GAP};
  }

  #spansOf(number) {
    if (!this.spans.has(number)) this.spans.set(number, spansOf(this.moment, number));
    return this.spans.get(number);
  }

  /** Where a rank begins, or would begin. Without an address, a block has a position only while it is live. */
  #offsetOf(rank, number) {
    const segment = this.moment.layout.segments[number];
    if (!segment.placeless) return this.moment.layout.address[rank] - segment.begin;
    const spans = this.#spansOf(number), at = spans.ranks.indexOf(rank);
    return at < 0 ? 0 : spans.from[at];
  }

  #at(event) {
    if (!this.moment || !this.rows.order.length) return {rank: -1, hole: null};
    const box = this.element.getBoundingClientRect();
    const x = event.clientX - box.left - this.element.clientLeft - LEFT, y = event.clientY - box.top - this.element.clientTop + this.element.scrollTop;
    const {segment, line} = lineAt(this.rows, y), {row} = this.rows, length = lengthOf(this.moment, segment);
    const byte = Math.floor((line + x / this.width) * row);
    if (line < 0 || x < 0 || x > this.width || byte >= length) return {rank: -1, hole: null};
    const spans = this.#spansOf(segment), at = spanAt(spans, this.moment.layout, byte);
    if (at >= 0) return {rank: spans.ranks[at], hole: null};
    const hole = holesIn(spans, this.moment.layout, length, byte, byte + 1)[0];
    return {rank: -1, hole: hole ? {...hole, address: this.moment.layout.segments[segment].begin + hole.from} : null};
  }

  get width() {
    return Math.max(50, this.element.clientWidth - 2 * LEFT);
  }

  draw() {
    cancelAnimationFrame(this.waiting);
    this.waiting = 0;
    if (!this.moment) return;
    const {clientWidth, clientHeight, scrollTop} = this.element, scale = devicePixelRatio || 1, {canvas} = this;
    if (!clientWidth) return;
    const size = [Math.round(clientWidth * scale), Math.round(clientHeight * scale)];
    if (canvas.width !== size[0] || canvas.height !== size[1]) [canvas.width, canvas.height] = size;
    Object.assign(canvas.style, {width: `${clientWidth}px`, height: `${clientHeight}px`});
    const pen = canvas.getContext('2d'), style = getComputedStyle(this.element), color = name => style.getPropertyValue(name).trim();
    this.colors = {ground: color('--ground'), panel: color('--panel'), ink: color('--ink'), quiet: color('--quiet'), line: color('--line'),
      sans: color('--sans')};
    pen.setTransform(scale, 0, 0, scale, 0, 0);
    pen.clearRect(0, 0, clientWidth, clientHeight);
    pen.translate(0, -scrollTop);
    if (this.hatchColor !== this.colors.line) {
      this.hatchColor = this.colors.line;
      this.hatch = pen.createPattern(this.#hatched(), 'repeat');
    }
    const first = lineAt(this.rows, scrollTop).place;
    for (let place = first; place < this.rows.order.length && this.rows.top[place] < scrollTop + clientHeight; ++place) {
      this.#segment(pen, place, scrollTop, scrollTop + clientHeight);
    }
    for (const rank of this.marked.ranks) this.#mark(pen, rank, false);
    if (this.marked.selected >= 0) this.#mark(pen, this.marked.selected, true);
  }

  #hatched() {
    const tile = el('canvas', {width: 6, height: 6}), pen = tile.getContext('2d');
    pen.strokeStyle = this.colors.line;
    pen.beginPath();
    for (const at of [-6, 0, 6]) {
      pen.moveTo(at, 6);
      pen.lineTo(at + 6, 0);
    }
    pen.stroke();
    return tile;
  }

  #segment(pen, place, from, to) {
    const number = this.rows.order[place], length = lengthOf(this.moment, number), top = this.rows.top[place], {row} = this.rows;
    pen.font = `12px ${this.colors.sans}`;
    pen.textBaseline = 'middle';
    pen.fillStyle = this.colors.ink;
    this.#sentence(pen, this.appearance.head(number), LEFT, this.width, top + HEAD / 2);
    const lines = Math.max(1, Math.ceil(length / row));
    const firstLine = Math.max(0, Math.floor((from - top - HEAD) / LINE)), lastLine = Math.min(lines, Math.ceil((to - top - HEAD) / LINE));
    for (let line = firstLine; line < lastLine; ++line) {
      this.#line(pen, number, lineTop(this.rows, place, line), line * row, Math.min(length, (line + 1) * row), length);
    }
  }

  #line(pen, number, y, begin, end, length) {
    const perByte = this.width / this.rows.row, {layout} = this.moment, spans = this.#spansOf(number), {appearance, colors} = this;
    const x = byte => LEFT + (byte - begin) * perByte;
    pen.fillStyle = colors.panel;
    pen.fillRect(LEFT, y, Math.max(1, (end - begin) * perByte), BLOCK_HEIGHT);
    pen.fillStyle = this.hatch;
    pen.fillRect(LEFT, y, Math.max(1, (end - begin) * perByte), BLOCK_HEIGHT);
    const narrow = new Float32Array(Math.ceil(this.width) + 2), {first, last} = spansIn(spans, begin, end);
    const hasPieces = this.moment.figures(number).pieces > 0;
    for (const isPiece of hasPieces ? [false, true] : [false]) {
      for (let i = first; i < last; ++i) {
        const rank = spans.ranks[i];
        if ((layout.layer[rank] === PIECE) !== isPiece) continue;
        const left = x(Math.max(begin, spans.from[i])), right = x(Math.min(end, spans.to[i]));
        if (right <= left) continue;
        if (right - left < 1) {
          if (!isPiece) narrow[Math.floor(left)] += right - left;
          continue;
        }
        this.#block(pen, rank, left, right, y, isPiece, spans.from[i] >= begin, hasPieces);
      }
    }
    for (let column = 0; column < narrow.length; ++column) {
      if (!narrow[column]) continue;
      pen.globalAlpha = Math.min(1, 0.35 + 0.65 * narrow[column]);
      pen.fillStyle = colors.quiet;
      pen.fillRect(column, y, 1, BLOCK_HEIGHT);
    }
    pen.globalAlpha = 1;
    this.#holes(pen, spans, length, begin, end, x, y);
    pen.strokeStyle = colors.line;
    pen.strokeRect(LEFT - 0.5, y - 0.5, (end - begin) * perByte + 1, BLOCK_HEIGHT + 1);
  }

  #block(pen, rank, left, right, y, isPiece, hasBegin, hasPieces) {
    const {appearance} = this, color = appearance.color(rank), width = right - left;
    const height = isPiece ? PIECE_HEIGHT : BLOCK_HEIGHT, top = y + BLOCK_HEIGHT - height;
    pen.globalAlpha = appearance.isPale(rank) ? 0.25 : 1;
    pen.fillStyle = color;
    const box = [left, top, width > 3 ? width - 1 : width, height]; // a gap between blocks of one colour
    pen.fillRect(...box);
    if (appearance.isHatched(rank)) hatchBox(pen, color, box);
    if (width > 44 && !isPiece && hasBegin) {
      pen.fillStyle = appearance.ink(color);
      this.#label(pen, appearance.label(rank), left + 4, width - 8, y + (hasPieces ? BLOCK_HEIGHT - PIECE_HEIGHT : BLOCK_HEIGHT) / 2 + 0.5);
    }
    pen.globalAlpha = 1;
  }

  #holes(pen, spans, length, begin, end, x, y) {
    if (this.rows.row / this.width > length) return;
    for (const hole of holesIn(spans, this.moment.layout, length, begin, end)) {
      const left = x(Math.max(begin, hole.from)), width = x(Math.min(end, hole.to)) - left;
      if (width < 48 || hole.from < begin) continue; // its size is written once, in the line that it begins in
      const text = bytes(hole.to - hole.from), wide = pen.measureText(text).width + 6;
      if (wide > width) continue;
      pen.fillStyle = this.colors.ground;
      pen.fillRect(left + (width - wide) / 2, y + 3, wide, BLOCK_HEIGHT - 6);
      pen.fillStyle = this.colors.quiet;
      pen.fillText(text, left + (width - wide) / 2 + 3, y + BLOCK_HEIGHT / 2 + 0.5);
    }
  }

  /** The size in whole, because a part of it is another size, and what there is room for of the name. */
  #label(pen, [size, name], left, room, y) {
    const widthOf = text => pen.measureText(text).width, wide = widthOf(`${size} `);
    if (widthOf(size) <= room) pen.fillText(`${size} ${wide < room ? fitted(widthOf, name, room - wide) : ''}`, left, y);
  }

  /** What is most important comes first in it. */
  #sentence(pen, text, left, room, y) {
    let shown = text;
    while (shown.length > 1 && pen.measureText(shown).width > room) shown = `${shown.slice(0, Math.floor(shown.length * 0.9) - 1)}…`;
    pen.fillText(shown, left, y);
  }

  /** Draws a frame around a block, dashed if it was freed: a plain one if it changed, a double one if it is selected. */
  #mark(pen, rank, isDouble) {
    const isDashed = !this.moment.isLive(rank), {layout} = this.moment, number = this.moment.segmentOf(rank), segment = layout.segments[number];
    if (segment.placeless && isDashed) return; // it has no position any more
    const {row} = this.rows, perByte = this.width / row, from = this.#offsetOf(rank, number), to = from + Math.max(1, layout.bytes[rank]);
    const place = this.rows.order.indexOf(number);
    const seen = this.element.scrollTop - lineTop(this.rows, place, 0); // a block may span more lines than are visible
    const first = Math.max(Math.floor(from / row), Math.floor(seen / LINE) - 1);
    const last = Math.min(Math.ceil(to / row), Math.ceil((seen + this.element.clientHeight) / LINE) + 1);
    for (let line = first; line < last; ++line) {
      const left = LEFT + Math.max(0, (from - line * row) * perByte), right = LEFT + Math.min(this.width, (to - line * row) * perByte);
      const y = lineTop(this.rows, place, line), width = Math.max(4, right - left);
      const frame = (color, thickness, dash) => {
        pen.setLineDash(dash);
        pen.lineWidth = thickness;
        pen.strokeStyle = color;
        pen.strokeRect(left - 1, y - 2, width + 1, BLOCK_HEIGHT + 4);
      };
      frame(this.colors.ground, 6, []);
      frame(this.colors.ink, isDouble ? 5 : 3, isDashed ? [5, 4] : []);
      if (isDouble) frame(this.colors.ground, 1.5, []);
    }
    pen.setLineDash([]);
    pen.lineWidth = 1;
  }
}
