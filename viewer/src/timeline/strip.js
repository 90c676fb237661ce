/**
 * strip.js - the whole run in a few pixels' height, with the visible range, which can be dragged or drawn again.
 *
 * view.js passes it the highest total of each pixel. It is for mouse and touch; the keys of the view do the same, so it is hidden from screen
 * readers.
 */
import {el} from '../dom.js';
import {LEFT, RIGHT} from './picture.js';

const HEIGHT = 44;

export class Strip {
  /** @param {(from: number, to: number) => void} onRange shares of the whole run */
  constructor(onRange) {
    this.canvas = el('canvas', {'aria-hidden': 'true', title: 'The whole run. Drag to see another part.'});
    this.root = el('div', {class: 'tl-strip'}, this.canvas);
    this.totals = null;
    this.range = [0, 1];
    this.width = 600;
    let pressed = null;
    const share = event => Math.min(1, Math.max(0, (event.clientX - this.canvas.getBoundingClientRect().left - LEFT) / this.width));
    this.canvas.addEventListener('pointerdown', event => {
      if (event.button !== 0) return;
      this.canvas.setPointerCapture(event.pointerId);
      const at = share(event), [from, to] = this.range;
      pressed = at >= from && at <= to && to - from < 0.995 ? {moved: from - at, width: to - from} : {begin: at};
    });
    this.canvas.addEventListener('pointermove', event => {
      if (!pressed) return;
      const at = share(event);
      if (pressed.width) onRange(at + pressed.moved, at + pressed.moved + pressed.width);
      else if (Math.abs(at - pressed.begin) * this.width > 4) onRange(Math.min(at, pressed.begin), Math.max(at, pressed.begin));
    });
    for (const name of ['pointerup', 'pointercancel']) this.canvas.addEventListener(name, () => {
      pressed = null;
    });
  }

  /** @param {number} width CSS pixels, without the room for the axis @param {number} ratio device pixels to one of them */
  measure(width, ratio) {
    this.width = width;
    this.ratio = ratio;
    this.canvas.width = Math.round((width + LEFT + RIGHT) * ratio);
    this.canvas.height = HEIGHT * ratio;
    this.canvas.style.width = `${width + LEFT + RIGHT}px`;
    this.canvas.style.height = `${HEIGHT}px`;
  }

  /** @param {Float64Array} totals of equal parts of the axis @param {number} peak */
  setTotals(totals, peak) {
    this.totals = totals;
    this.peak = peak || 1;
  }

  /** @param {[number, number]} range in sight, shares of the run @param {CSSStyleDeclaration} style */
  draw(range, style) {
    this.range = range;
    const context = this.canvas.getContext('2d'), color = name => style.getPropertyValue(name);
    context.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    context.clearRect(0, 0, this.width + LEFT + RIGHT, HEIGHT);
    context.fillStyle = color('--bar');
    if (this.totals) {
      const {totals} = this, wide = this.width / totals.length;
      for (let i = 0; i < totals.length; ++i) {
        const high = totals[i] / this.peak * (HEIGHT - 4);
        context.fillRect(LEFT + i * wide, HEIGHT - high, wide + 0.5, high);
      }
    }
    const left = LEFT + range[0] * this.width, right = Math.max(left + 2, LEFT + range[1] * this.width);
    context.fillStyle = color('--ground');
    context.globalAlpha = 0.65;
    context.fillRect(LEFT, 0, left - LEFT, HEIGHT);
    context.fillRect(right, 0, LEFT + this.width - right, HEIGHT);
    context.globalAlpha = 1;
    context.strokeStyle = color('--accent');
    context.lineWidth = 2;
    context.strokeRect(left, 1, right - left, HEIGHT - 2);
  }
}
