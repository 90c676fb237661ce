/**
 * cut.js - names that have no room are cut in the middle: "attention.cu:12 very_long_na…Workspace::take". A name begins with its file and line, and what
 * distinguishes functions of one namespace or template is at the end, so both ends stay. Tables, legends and findings call cutParts, pictures fitted.
 */
import {el} from './dom.js';

const END = 14, LEAST_END = 6, END_WIDTH = 8.5; // letters that are never cut off at the end, and how wide these are at most in the size of letters
const SHORT = END + 8; // a name of so few letters has no part that is cut
const LEAST = 6; // letters of a cut name, with the ellipsis
const TAIL_SHARE = 0.6; // of the letters that are left
const MEASURED = 100; // pixels, the size at which letters are measured

/** @param {string} text @param {number} letters at most, with the ellipsis @returns {string} */
export function middle(text, letters) {
  if (text.length <= letters) return text;
  const kept = Math.max(0, letters - 1), tail = Math.ceil(kept * TAIL_SHARE);
  return `${text.slice(0, kept - tail)}…${tail ? text.slice(-tail) : ''}`;
}

/**
 * The text, or as much of its two ends as there is room for; '' where there is room for less than a few letters.
 * @param {(text: string) => number} widthOf pixels @param {string} text @param {number} room pixels
 */
export function fitted(widthOf, text, room) {
  const width = widthOf(text);
  if (width <= room) return text;
  for (let letters = Math.ceil(text.length * room / width); letters >= LEAST; --letters) {
    const shown = middle(text, letters);
    if (widthOf(shown) <= room) return shown;
  }
  return '';
}

let pen = null;
const widths = new Map();

/** The width of a text in a font of CSS. @param {string} font @param {string} text @returns {number} pixels */
export function textWidth(font, text) {
  pen ??= document.createElement('canvas').getContext('2d');
  if (pen.font !== font) pen.font = font;
  return pen.measureText(text).width;
}

/** A font of the page at a size. @param {number} size pixels @param {'--sans'|'--mono'} [family] */
export const fontOf = (size, family = '--sans') => `${size}px ${getComputedStyle(document.documentElement).getPropertyValue(family)}`;

/** The width of the end of a name, in units of the size of its letters. */
function endWidth(end, family) {
  const key = `${family} ${end}`;
  if (!widths.has(key)) widths.set(key, textWidth(fontOf(MEASURED, family), end) / MEASURED);
  return widths.get(key);
}

/**
 * What to put into an element of one line (style.css, .cut-head): a long name as two parts, the first of which ends in an ellipsis where there is no
 * room for both. They are inline, so that the text is selected and copied as one.
 * @param {string} name @param {'--sans'|'--mono'} [family] of its letters @returns {(string|Element)[]}
 */
export function cutParts(name, family = '--sans') {
  if (name.length <= SHORT) return [name];
  let end = name.slice(-END);
  while (end.length > LEAST_END && endWidth(end, family) > END_WIDTH) end = end.slice(1); // ">>>>" is wide
  const style = {'--end': `${endWidth(end, family).toFixed(3)}em`};
  return [el('span', {class: 'cut-head', style}, name.slice(0, -end.length)), el('span', {class: 'cut-end', style}, end)];
}
