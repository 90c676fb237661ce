/**
 * figures.js - the figures that the tree can be drawn by: what the width and the colour of a frame mean for each, and the sentence that says so.
 *
 * Widths have to add up: a frame is as wide as its self figure plus its children. Bytes allocated, live at the peak, leaked, and blocks do add up. An
 * own peak does not, because two successive calls use the same memory; so it is shown as a colour. The widths are then bytes allocated and not bytes
 * at peak: a call that freed its memory before the device's peak would have no width, although its own peak may be the highest. A call without
 * allocations has no own peak. Else colours are those of lines, the same in all views (line_colors.js), and mean no amount.
 */

/**
 * @typedef {object} Figure
 * @property {string} key in links
 * @property {string} title
 * @property {string} unit bytes or count
 * @property {string} width one of ADDING (frames.js)
 * @property {'line'|'self'|'ownPeak'} color what a frame's colour is: its line, or a shade for that figure
 * @property {string} says what is drawn, by call path
 * @property {string} inverted what is drawn where the order is inverted
 */

/** @type {Figure[]} */
export const FIGURES = [
  {key: 'at_peak', title: 'at peak', unit: 'bytes', width: 'self_at_peak', color: 'line',
    says: 'Width: bytes allocated in or below a frame that were live when their device was at its peak.',
    inverted: 'Width: bytes of the line in the first row that were live when their device was at its peak, by caller.'},
  {key: 'self_alloc', title: 'self', unit: 'bytes', width: 'self_alloc', color: 'self',
    says: 'Colour: bytes allocated by calls made directly in a frame. Width: bytes allocated in and below it; the part without a frame below it is what the frame allocated itself.',
    inverted: 'Width: bytes that the line in the first row allocated directly, by caller.'},
  {key: 'incl_alloc', title: 'with its calls', unit: 'bytes', width: 'self_alloc', color: 'line',
    says: 'Width: bytes allocated in and below a frame over the whole run, freed or not.',
    inverted: 'Width: bytes that the line in the first row allocated over the whole run, freed or not, by caller.'},
  {key: 'own_peak_max', title: 'own peak', unit: 'bytes', width: 'self_alloc', color: 'ownPeak',
    says: 'Colour: own peak, the device memory that one call needs on top of what was live at its start, the highest over all calls; of an allocation its ' +
      'largest block. Own peaks do not add up, so the width is the bytes allocated in and below a frame over the whole run.',
    inverted: 'Colour: the highest own peak of one call of a frame; of an allocation its largest block. Own peaks do not add up, so the width is the bytes ' +
      'that the line in the first row allocated over the whole run, by caller.'},
  {key: 'leaked', title: 'leaked', unit: 'bytes', width: 'leaked', color: 'line',
    says: 'Width: bytes allocated in or below a frame and not freed by the end.',
    inverted: 'Width: bytes of the line in the first row that were not freed by the end, by caller.'},
  {key: 'blocks', title: 'blocks', unit: 'count', width: 'blocks', color: 'line',
    says: 'Width: allocations made in or below a frame over the whole run.',
    inverted: 'Width: allocations made by the line in the first row over the whole run, by caller.'},
];

const then = (key, title, what) => [
  {key, title, unit: 'bytes', width: 'then', color: 'line', says: `Width: bytes allocated in or below a frame that ${what}.`,
    inverted: `Width: bytes of the line in the first row that ${what}, by caller.`},
  {key: `${key}_blocks`, title: 'blocks', unit: 'count', width: 'then_blocks', color: 'line', says: `Width: blocks allocated in or below a frame that ${what}.`,
    inverted: `Width: blocks of the line in the first row that ${what}, by caller.`}];

/** Figures of a moment, and of a range, in place of those of the whole run. */
export const FIGURES_OF = {run: FIGURES, moment: then('live', 'live then', 'were live then'),
  range: then('kept', 'allocated and kept', 'were allocated in the range and live at its end')};

/** @param {string} [key] of a link @param {'run'|'moment'|'range'} [kind] of when @returns {Figure} the first one if the key is unknown */
export const figureOf = (key, kind = 'run') => FIGURES_OF[kind].find(figure => figure.key === key) || FIGURES_OF[kind][0];
