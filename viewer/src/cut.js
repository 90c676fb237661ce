/**
 * cut.js - names that have no room. Of "attention.cu:12 very_long_name::Workspace::take" the file and the line stay whole, and the function behind them is
 * cut: in the middle where enough of it can be shown, because what distinguishes functions of one namespace or template is at the end, else at its end.
 * Only where the file and the line alone have no room, the front of the file's name is cut. Tables, legends and findings call cutParts, pictures fitted.
 */
import {el} from './dom.js';

const END = 14, LEAST_END = 6, END_WIDTH = 8.5; // letters at the end of a name that are shown or left out together, and how wide these are at most in the size of letters
const SHORT = END + 8; // a name of so few letters, without its place, has no end of its own
const LEAST = 6; // letters of a cut name, with the ellipsis
const TWO_ENDS = 12; // letters of what follows a place that show its beginning and its end; with fewer of them it is cut at its end
const TAIL_SHARE = 0.6; // of the letters that are left
const PLACE_MARGIN = 0.1; // behind file and line, as in style.css, in the size of letters
const WIDE = 200; // letters that no line has room for
const MEASURED = 100; // pixels, the size at which letters are measured

/** "train.cu:41" of "train.cu:41 step"; '' of a name that does not begin with its file and line. @param {string} name */
export const placeIn = name => /^[^:<>()]+:\d+(?= |$)/.exec(name)?.[0] || '';

function middle(text, letters) {
  const kept = Math.max(0, letters - 1), tail = Math.ceil(kept * TAIL_SHARE);
  return `${text.slice(0, kept - tail)}…${tail ? text.slice(-tail) : ''}`;
}

/** @param {string} name @param {number} letters at most, with the ellipsis @returns {string} */
export function cut(name, letters) {
  if (name.length <= letters) return name;
  const place = placeIn(name), left = letters - place.length, rest = name.slice(place.length);
  if (!place) return middle(name, letters);
  if (left < 0) return `…${letters > 1 ? place.slice(1 - letters) : ''}`;
  if (!left) return place;
  return place + (left < TWO_ENDS ? `${rest.slice(0, left - 1)}…` : middle(rest, left));
}

/**
 * The text, or as much of it as there is room for; '' where there is room for less than a few letters.
 * @param {(text: string) => number} widthOf pixels @param {string} text @param {number} room pixels
 */
export function fitted(widthOf, text, room) {
  const width = widthOf(text);
  if (width <= room) return text;
  for (let letters = Math.ceil(text.length * room / width); letters >= LEAST; --letters) {
    const shown = cut(text, letters);
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

/** The width of a part of a name, in units of the size of its letters. */
function partWidth(part, family) {
  const key = `${family} ${part}`;
  if (!widths.has(key)) widths.set(key, textWidth(fontOf(MEASURED, family), part) / MEASURED);
  return widths.get(key);
}

/** The last letters of a text, which are shown where the text is cut; '' of a short one. */
function endOf(text, family) {
  let end = text.length > SHORT ? text.slice(-END) : '';
  while (end.length > LEAST_END && partWidth(end, family) > END_WIDTH) end = end.slice(1); // ">>>>" is wide
  return end;
}

/**
 * What to put into an element of one line (style.css, .cut-head): a name as up to three parts. The first, file and line, has its whole width. The second
 * is all that follows, which ends in an ellipsis where it has no room. The third is drawn only then, if there is room for it, too: the end of the second.
 * It is no text of the page, so that the name is found, selected and copied as it is.
 * @param {string} name @param {'--sans'|'--mono'} [family] of its letters @param {string} [place] what it begins with @returns {(string|Element)[]}
 */
export function cutParts(name, family = '--sans', place = placeIn(name)) {
  const rest = name.slice(place.length), end = endOf(rest, family), em = width => `${width.toFixed(3)}em`;
  if (!place && !end) return [name];
  const style = {'--place': em(place ? PLACE_MARGIN + partWidth(place, family) : 0), '--rest': em(partWidth(rest.slice(0, WIDE), family)), '--end': em(partWidth(end, family))};
  return [place ? el('span', {class: 'cut-place', style}, el('bdi', {dir: 'ltr'}, place)) : null, rest ? el('span', {class: 'cut-head', style}, rest) : null,
    end ? el('span', {class: 'cut-end', style, 'data-end': end, 'aria-hidden': 'true'}) : null].filter(Boolean);
}
