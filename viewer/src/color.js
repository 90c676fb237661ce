/**
 * color.js - palettes that people who are colour-blind can distinguish, for light and dark. Pictures call it.
 *
 * Categories: eight colours that are at least 28 apart (CIE76), and at least 18 for people without the pigment for middle or long waves; from Paul
 * Tol's "bright", moved apart by search, for a light and for a dark ground. After them come the same eight with hatching. The caller gives the order
 * of categories (largest first), which decides their colours, so that the largest differ most. Later categories repeat the colours, so colour alone
 * never identifies a category. Sequences: cividis. This file does not depend on the page.
 */

const LIGHT = ['#4577A9', '#EC5E63', '#08813F', '#D2C24A', '#69CCEE', '#A22B6F', '#3B258B', '#D5681D'];
const DARK = ['#7EABF3', '#FF9B9F', '#149232', '#E6D152', '#88DDFF', '#E67EBC', '#7B6DE2', '#FAA069'];
const CALLS = {light: '#DDE1E7', dark: '#39414B'};
const REST = {light: '#9A9A9A', dark: '#7C7C7C'};

/** cividis at ten equal steps, red, green, blue. */
const CIVIDIS = [[0, 34, 78], [8, 51, 112], [53, 69, 108], [79, 87, 108], [102, 105, 112], [125, 124, 120], [148, 142, 119], [174, 163, 113],
  [200, 184, 102], [229, 207, 82], [254, 232, 56]];

/** Whether the page is dark now. @returns {boolean} */
export function isDark() {
  const wanted = document.documentElement.dataset.theme;
  return wanted ? wanted === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
}

/** The colour of the category at a place in its order. @param {number} place @param {boolean} [dark] @returns {string} "#rrggbb" */
export const category = (place, dark = isDark()) => (dark ? DARK : LIGHT)[place % LIGHT.length];

/** The colour of everything without a category: the rest, unknown. @param {boolean} [dark] */
export const restColor = (dark = isDark()) => dark ? REST.dark : REST.light;

/** The colour of a frame that only calls what allocates. @param {boolean} [dark] */
export const callColor = (dark = isDark()) => dark ? CALLS.dark : CALLS.light;

/** The number of colours, and the number of categories that look different: plain, then hatched. */
export const COLORS = LIGHT.length, CATEGORIES = 2 * COLORS;

/** Whether the category at a place is hatched. @param {number} place */
export const isHatched = place => place % CATEGORIES >= COLORS;

/**
 * The colour at a place of a sequence.
 * @param {number} share 0 to 1
 * @param {boolean} [dark] on a dark ground the low end is left out: it would not be seen
 * @returns {string} "rgb(r, g, b)"
 */
export function sequence(share, dark = isDark()) {
  const low = dark ? 0.2 : 0;
  const place = Math.min(1, Math.max(0, low + share * (1 - low))) * (CIVIDIS.length - 1);
  const at = Math.min(CIVIDIS.length - 2, Math.floor(place));
  const mixed = CIVIDIS[at].map((from, i) => Math.round(from + (CIVIDIS[at + 1][i] - from) * (place - at)));
  return `rgb(${mixed.join(', ')})`;
}

/** Black or white, whichever is read better on a colour "#rrggbb" or "rgb(r, g, b)". @param {string} color */
export function inkOn(color) {
  const parts = color[0] === '#' ? [1, 3, 5].map(at => parseInt(color.slice(at, at + 2), 16)) : color.match(/\d+/g).map(Number);
  const [red, green, blue] = parts.map(part => (part / 255) ** 2.2);
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.18 ? '#000000' : '#ffffff';
}

/** The colour of the lines of hatching on a colour: away from its ink, which stays as readable. @param {string} color */
export const hatchOn = color => inkOn(color) === '#000000' ? '#ffffff80' : '#00000080';
