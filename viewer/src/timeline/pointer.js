/**
 * pointer.js - mouse and touch on the picture: wheel, alt-wheel, drag, shift-drag, click, double click, two fingers.
 *
 * view.js passes the functions to call. This file knows no ranges, only pixels of the element. A press with hardly any movement is not a drag.
 */

const CLICK_PIXELS = 4;

/**
 * @param {HTMLElement} root
 * @param {object} on
 * @param {(x: number, factor: number) => void} on.zoom by a factor (below 1: in), x stays where it is
 * @param {(pixels: number) => void} on.pan to the left by so many
 * @param {(y: number, factor: number) => void} on.stretch zooms bytes
 * @param {(pixels: number) => void} on.climb upwards by so many
 * @param {(from: number, to: number, isDone: boolean) => void} on.brush
 * @param {(x: number, y: number) => void} on.hover negative: the pointer left
 * @param {(x: number, y: number) => void} on.choose a click
 * @param {(x: number, y: number) => void} on.select a double click
 */
export function followPointer(root, on) {
  const pointers = new Map();
  let pressed = null, spread = 0;
  const place = event => {
    const box = root.getBoundingClientRect();
    return {x: event.clientX - box.left, y: event.clientY - box.top};
  };
  const distance = () => {
    const [a, b] = [...pointers.values()];
    return Math.max(10, Math.abs(a.x - b.x));
  };
  const middle = () => [...pointers.values()].reduce((sum, {x}) => sum + x, 0) / pointers.size;
  const down = event => {
    if (event.button !== 0) return;
    const at = place(event);
    pointers.set(event.pointerId, at);
    root.setPointerCapture(event.pointerId);
    pressed = pointers.size === 1 ? {...at, last: at, isBrush: event.shiftKey, isMoved: false} : null;
    if (pointers.size === 2) spread = distance();
  };
  const move = event => {
    const at = place(event);
    if (!pointers.has(event.pointerId)) {
      on.hover(at.x, at.y);
      return;
    }
    const before = middle();
    pointers.set(event.pointerId, at);
    if (pointers.size === 2) {
      const now = distance();
      on.pan(before - middle());
      on.zoom(middle(), spread / now);
      spread = now;
    } else if (pressed) {
      pressed.isMoved ||= Math.hypot(at.x - pressed.x, at.y - pressed.y) > CLICK_PIXELS;
      if (!pressed.isMoved) return;
      if (pressed.isBrush) {
        on.brush(pressed.x, at.x, false);
      } else {
        if (at.x !== pressed.last.x) on.pan(pressed.last.x - at.x);
        if (at.y !== pressed.last.y) on.climb(at.y - pressed.last.y);
      }
      pressed.last = at;
    }
  };
  const up = event => {
    if (!pointers.delete(event.pointerId)) return;
    if (event.type === 'pointerup' && pressed && !pressed.isMoved && !pressed.isBrush) on.choose(pressed.x, pressed.y);
    if (pressed && pressed.isBrush && pressed.isMoved) on.brush(pressed.x, place(event).x, true);
    pressed = null;
  };
  const wheel = event => {
    if (event.ctrlKey && event.deltaY === 0) return;
    event.preventDefault();
    const pixels = event.deltaMode === 1 ? 16 : event.deltaMode === 2 ? 400 : 1;
    if (event.deltaX && Math.abs(event.deltaX) > Math.abs(event.deltaY)) on.pan(event.deltaX * pixels);
    else if (event.shiftKey) on.pan(event.deltaY * pixels);
    else {
      const at = place(event), factor = 2 ** Math.max(-2, Math.min(2, event.deltaY * pixels / 240));
      if (event.altKey) on.stretch(at.y, factor);
      else on.zoom(at.x, factor);
    }
  };
  const twice = event => {
    const {x, y} = place(event);
    on.select(x, y);
  };
  const leave = () => on.hover(-1, -1);
  const listeners = {pointerdown: down, pointermove: move, pointerup: up, pointercancel: up, pointerleave: leave, dblclick: twice};
  for (const [name, listener] of Object.entries(listeners)) root.addEventListener(name, listener);
  root.addEventListener('wheel', wheel, {passive: false});
}
