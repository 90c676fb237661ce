/**
 * picture.js - the canvas of the timeline: the exact picture, a substitute until that is available, axes, outlines.
 *
 * view.js passes it the visible range and the pictures of the worker. There are two canvases: the lower one has the picture and the axes and is drawn
 * when these change; the upper one has everything that follows the pointer. While the range moves, the last picture is moved and scaled to its new
 * position, over the picture of the whole run, so that every frame shows correct data.
 */
import {el} from '../dom.js';
import {bytes} from '../format.js';
import {byteTicks} from '../ticks.js';
import {outlineOf, paint} from './paint.js';
import {HEADROOM} from './tracks/raster.js';

/** The space for the texts of the axes, CSS pixels. Lanes and the strip have the same left margin. */
export const LEFT = 104, RIGHT = 8;
const BELOW = 22, ABOVE = 6;
/** The highest number of pixels that are computed. On a finer screen the picture is scaled up. */
const MOST_PIXELS = 1.2e6;

export class Picture {
  /** @param {number} height CSS pixels of the picture itself */
  constructor(height) {
    this.lower = el('canvas', {'aria-hidden': 'true'});
    this.upper = el('canvas', {class: 'upper', 'aria-hidden': 'true'});
    this.root = el('div', {class: 'tl-picture', tabindex: '0', role: 'img'}, this.lower, this.upper);
    this.height = height;
    this.width = 600;
    this.shown = null;  // the newest picture of the worker, with the range it was asked for
    this.drawn = null;  // it, painted: {canvas, from, to, bottom, top}
    this.whole = null;  // the same of the whole run
    this.image = null;  // the pixels it was painted in, kept for the next
    this.view = {from: 0, to: 1, low: 0, high: 1};
  }

  /** Takes the width it has. @returns {boolean} whether that differs */
  measure() {
    const width = Math.max(120, this.root.clientWidth - LEFT - RIGHT);
    const ratio = Math.max(1, window.devicePixelRatio || 1);
    if (width === this.width && ratio === this.ratio) return false;
    this.width = width;
    this.ratio = ratio;
    for (const canvas of [this.lower, this.upper]) {
      canvas.width = Math.round((width + LEFT + RIGHT) * ratio);
      canvas.height = Math.round((this.height + ABOVE + BELOW) * ratio);
      canvas.style.width = `${width + LEFT + RIGHT}px`;
      canvas.style.height = `${this.height + ABOVE + BELOW}px`;
    }
    return true;
  }

  /** What to ask the worker for. @returns {{columns: number, rows: number}} */
  get resolution() {
    const fine = Math.min(this.ratio, Math.sqrt(MOST_PIXELS / (this.width * this.height)));
    return {columns: Math.round(this.width * fine), rows: Math.round(this.height * fine)};
  }

  /** Discards the pictures after a change of track or axis. */
  forget() {
    this.shown = this.drawn = this.whole = null;
  }

  /** @param {object} shown of service.js, with `from` and `to` on the axis and `isWhole` @param {object|null} appearance of paint.js, null: there are no colours yet */
  show(shown, appearance) {
    this.shown = shown;
    this.paint(appearance);
  }

  /** Paints the newest picture in other colours. */
  paint(appearance) {
    if (!this.shown || !appearance) return;
    const {ids, height, from, to, bottom, top, isWhole} = this.shown, width = ids.length / height;
    const isSize = one => one && one.width === width && one.height === height;
    const canvas = this.drawn && this.drawn !== this.whole && isSize(this.drawn.canvas) ? this.drawn.canvas : el('canvas', {width, height});
    const context = canvas.getContext('2d');
    if (!isSize(this.image)) this.image = context.createImageData(width, height);
    paint(this.shown, new Uint32Array(this.image.data.buffer), appearance);
    context.putImageData(this.image, 0, 0);
    this.drawn = {canvas, from, to, bottom, top};
    if (isWhole) this.whole = this.drawn;
    else if (this.whole && this.whole.appearance !== appearance) this.whole = null;
    if (this.whole) this.whole.appearance = appearance;
    this.root.dataset.shown = ''; // for tests: there is a picture
  }

  x(value) {
    return LEFT + (value - this.view.from) / (this.view.to - this.view.from) * this.width;
  }

  y(size) {
    return ABOVE + this.height * (1 - (size - this.view.low) / (this.view.high - this.view.low));
  }

  /** The value of the axis below a CSS pixel of the element. */
  valueAt(x) {
    return this.view.from + this.share(x) * (this.view.to - this.view.from);
  }

  /** Where a CSS pixel is, as a share of the width. */
  share(x) {
    return (x - LEFT) / this.width;
  }

  /** As a share of the height, from the bottom. */
  shareUp(y) {
    return (ABOVE + this.height - y) / this.height;
  }

  /** CSS pixels of the whole element. */
  get fullWidth() {
    return this.width + LEFT + RIGHT;
  }

  #start(canvas) {
    const context = canvas.getContext('2d');
    context.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    context.clearRect(0, 0, this.width + LEFT + RIGHT, this.height + ABOVE + BELOW);
    return context;
  }

  /**
   * Draws the lower canvas.
   * @param {{from: number, to: number, low?: number, high?: number}} sight range of the axis, and of bytes where these are zoomed
   * @param {import('./axis.js').Axis} axis
   * @param {{peak: number, peakAt: number, ooms: number[], chosen: number|null}} marks peakAt, ooms and the chosen moment on the axis
   * @param {CSSStyleDeclaration} style with the colours of the theme
   */
  draw({from, to, low, high}, axis, {peak, peakAt, ooms, chosen = null}, style) {
    const usual = this.drawn && !this.drawn.bottom ? this.drawn.top : Math.max(1, peak * HEADROOM);
    this.view = {from, to, low: low ?? 0, high: high ?? usual};
    const context = this.#start(this.lower), ink = style.getPropertyValue('--ink'), line = style.getPropertyValue('--line');
    this.#grid(context, ink, line, style);
    context.save();
    context.beginPath();
    context.rect(LEFT, ABOVE, this.width, this.height);
    context.clip();
    context.imageSmoothingEnabled = false;
    for (const drawn of new Set([this.whole, this.drawn])) {
      if (!drawn) continue;
      const left = this.x(drawn.from), upper = this.y(drawn.top);
      context.drawImage(drawn.canvas, left, upper, this.x(drawn.to) - left, this.y(drawn.bottom) - upper);
    }
    context.restore();
    context.textBaseline = 'top';
    context.textAlign = 'center';
    for (const {value, text} of axis.ticks(from, to, this.width / 110)) {
      const x = Math.round(this.x(value)) + 0.5;
      stroke(context, x, ABOVE + this.height, x, ABOVE + this.height + 4);
      context.fillText(text, Math.min(LEFT + this.width - 20, Math.max(LEFT + 20, x)), ABOVE + this.height + 6);
    }
    if (peak > this.view.low && peak <= this.view.high) this.#peak(context, peak, peakAt, ink, style.getPropertyValue('--ground'));
    context.strokeStyle = style.getPropertyValue('--bad');
    context.setLineDash([2, 3]);
    for (const at of ooms) if (at >= from && at <= to) stroke(context, this.x(at), ABOVE, this.x(at), ABOVE + this.height);
    context.setLineDash([]);
    if (chosen !== null && chosen >= from && chosen <= to) {
      context.strokeStyle = style.getPropertyValue('--accent');
      context.lineWidth = 2;
      stroke(context, this.x(chosen), ABOVE, this.x(chosen), ABOVE + this.height);
      context.lineWidth = 1;
    }
    context.strokeStyle = line;
    context.strokeRect(LEFT + 0.5, ABOVE + 0.5, this.width - 1, this.height);
  }

  /** The lines of the vertical axis. They are drawn behind the blocks, because in front they would look like edges of blocks. */
  #grid(context, ink, line, style) {
    context.font = `12px ${style.getPropertyValue('--sans')}`;
    context.fillStyle = ink;
    context.strokeStyle = line;
    context.lineWidth = 1;
    context.textBaseline = 'middle';
    context.textAlign = 'right';
    for (const {value, text} of byteTicks(this.view.low, this.view.high, this.height / 60)) {
      const y = Math.round(this.y(value)) + 0.5;
      stroke(context, LEFT, y, LEFT + this.width, y);
      context.fillText(text, LEFT - 6, Math.max(ABOVE + 4, y));
    }
  }

  #peak(context, peak, peakAt, ink, ground) {
    const y = Math.round(this.y(peak)) + 0.5;
    context.strokeStyle = ink;
    context.setLineDash([5, 4]);
    stroke(context, LEFT, y, LEFT + this.width, y);
    context.setLineDash([]);
    context.textAlign = 'left';
    context.textBaseline = 'bottom';
    const text = `peak ${bytes(peak)}`, room = context.measureText(text).width + 8;
    const x = peakAt >= this.view.from && peakAt <= this.view.to ? this.x(peakAt) : -1;
    // The text is in the upper corner that the peak itself leaves free.
    const at = x >= 0 && x < LEFT + room + 20 ? LEFT + this.width - room : LEFT + 4;
    context.lineWidth = 3;
    context.strokeStyle = ground; // around the letters, which may be over blocks
    const base = y - ABOVE < 15 ? y + 15 : y - 1;
    context.strokeText(text, at, base);
    context.fillText(text, at, base);
    context.lineWidth = 1;
    if (x >= 0) {
      context.beginPath();
      context.moveTo(x, y);
      context.lineTo(x - 5, y - 7);
      context.lineTo(x + 5, y - 7);
      context.fill();
    }
  }

  /** Whether the worker's picture is the visible one, so that its pixels identify blocks. */
  get isExact() {
    const {shown, view} = this;
    return shown !== null && Math.abs(shown.from - view.from) < 1e-6 && Math.abs(shown.to - view.to) < 1e-6 && shown.bottom === view.low && shown.top === view.high;
  }

  /** What lies below a CSS pixel of the element: the column of the newest picture, and the id there. -1 outside. */
  at(x, y) {
    if (!this.shown || x < LEFT || x >= LEFT + this.width) return {column: -1, id: 0};
    const {ids, height, from, to} = this.shown, columns = ids.length / height;
    const column = Math.floor((this.valueAt(x) - from) / (to - from) * columns);
    const row = Math.floor(this.shareUp(y) * height);
    if (column < 0 || column >= columns) return {column: -1, id: 0};
    return {column, id: row >= 0 && row < height ? ids[column * height + row] : 0};
  }

  /** The CSS pixel in the middle of a column. */
  columnX(column) {
    const {ids, height, from, to} = this.shown;
    return this.x(from + (column + 0.5) * (to - from) / (ids.length / height));
  }

  /**
   * Draws the upper canvas.
   * @param {{id: number, color: string, ground: string}[]} outlined blocks
   * @param {number} column under the pointer, -1: none
   * @param {[number, number]|null} brush CSS pixels
   */
  drawUpper(outlined, column, brush, style) {
    const context = this.#start(this.upper);
    if (brush) {
      context.fillStyle = style.getPropertyValue('--accent');
      context.globalAlpha = 0.25;
      context.fillRect(Math.min(...brush), ABOVE, Math.abs(brush[1] - brush[0]), this.height);
      context.globalAlpha = 1;
    }
    if (!this.isExact) return;
    if (column >= 0) {
      context.strokeStyle = style.getPropertyValue('--ink');
      context.globalAlpha = 0.5;
      const x = Math.round(this.columnX(column)) + 0.5;
      stroke(context, x, ABOVE, x, ABOVE + this.height);
      context.globalAlpha = 1;
    }
    for (const {id, ground, color} of outlined) this.#outline(context, id, ground, color);
  }

  #outline(context, id, ground, color) {
    const {ids, height} = this.shown, columns = ids.length / height;
    const wide = this.width / columns, high = this.height / height, y = row => ABOVE + this.height - row * high;
    const runs = [];
    for (const one of outlineOf(this.shown, id, 0, columns)) {
      const run = runs[runs.length - 1];
      if (run && run[run.length - 1].column === one.column - 1) run.push(one);
      else runs.push([one]);
    }
    context.lineJoin = 'round';
    for (const run of runs) {
      context.beginPath();
      for (const {column, high: row} of run) {
        context.lineTo(LEFT + column * wide, y(row + 1));
        context.lineTo(LEFT + (column + 1) * wide, y(row + 1));
      }
      for (const {column, low} of run.reverse()) {
        context.lineTo(LEFT + (column + 1) * wide, y(low));
        context.lineTo(LEFT + column * wide, y(low));
      }
      context.closePath();
      for (const [stroked, lineWidth] of [[ground, 4], [color, 2]]) {
        context.strokeStyle = stroked;
        context.lineWidth = lineWidth;
        context.stroke();
      }
    }
    context.lineWidth = 1;
  }
}

function stroke(context, x0, y0, x1, y1) {
  context.beginPath();
  context.moveTo(x0, y0);
  context.lineTo(x1, y1);
  context.stroke();
}
