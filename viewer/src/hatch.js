/**
 * hatch.js - hatching on a canvas: lines that rise to the right, over a ground that is there already, as .hatched in style.css has them. The map of the
 * state and the lanes of the timeline call it; the picture of the timeline computes its pixels itself (timeline/paint.js).
 */
import {hatchOn} from './color.js';
import {el} from './dom.js';

const SIZE = 8;
const patterns = new Map(); // by colour of the lines

function patternOf(color) {
  if (!patterns.has(color)) {
    const tile = el('canvas', {width: SIZE, height: SIZE}), pen = tile.getContext('2d');
    pen.strokeStyle = color;
    pen.lineWidth = 2;
    pen.beginPath();
    for (const at of [-SIZE, 0, SIZE]) {
      pen.moveTo(at - 1, SIZE + 1);
      pen.lineTo(at + SIZE + 1, -1);
    }
    pen.stroke();
    patterns.set(color, pen.createPattern(tile, 'repeat'));
  }
  return patterns.get(color);
}

/** @param {CanvasRenderingContext2D} pen @param {string} color of the ground @param {number[]} box left, top, width, height */
export function hatchBox(pen, color, [left, top, width, height]) {
  const before = pen.fillStyle;
  pen.fillStyle = patternOf(hatchOn(color));
  pen.fillRect(left, top, width, height);
  pen.fillStyle = before;
}
