/**
 * tree.js - the view of the call tree as an icicle: by call path or inverted, its width and colour by a figure. main.js lists it.
 *
 * profile.tree -> frames (tree/frames.js) -> an order (tree/orders.js) -> boxes (tree/layout.js) -> elements (tree/picture.js). What changes
 * is in the link (figure, order, node, search), and update() draws what it says.
 */
import './tree.css';
import {callColor, category, hatchOn, inkOn, isHatched, restColor, sequence} from '../color.js';
import {placesOfLines} from '../line_colors.js';
import {restrictedTo} from '../device.js';
import {el} from '../dom.js';
import {showFailure} from '../failure.js';
import {bytes, exact, percent, plural} from '../format.js';
import {frameOf, leftOutNote, lineKey} from '../model.js';
import {linkTo} from '../route.js';
import {partsOf} from '../timeline/paint.js';
import {MomentBar} from '../moment/bar.js';
import {byNode} from '../moment/rows.js';
import {Then} from '../moment/then.js';
import {keyOf, whenOf} from '../moment/when.js';
import {FIGURES_OF, figureOf} from '../tree/figures.js';
import {framesOf, framesThen} from '../tree/frames.js';
import {layOut} from '../tree/layout.js';
import {invertedOrder, pathOrder} from '../tree/orders.js';
import {showFrame, showJoined, tipOf} from '../tree/panel.js';
import {Picture} from '../tree/picture.js';
import {matching, sumOf} from '../tree/search.js';
import {boxText, shortName, undrawnText, valueText, vertexLabel} from '../tree/words.js';

const KEYS = [{key: '↑ ↓ ← →', text: 'to the frame above, below, beside'}, {key: 'Enter', text: 'zoom to the frame'},
  {key: 'Esc, Backspace', text: 'one frame up'}, {key: 'Home', text: 'to the first frame'}, {key: '/', text: 'to the search'},
  {key: 'n, N', text: 'to the next, previous frame that matches the search'}];

const PALE = 0.3; // the share of its colour that a box keeps if it does not match the search
const TIP_WIDTH = 440; // pixels: its source line arrives when it has its place already
const SETTLED_MS = 120; // a search visits all frames, so it does not run at each letter

/** Computed once for a page and a device: its frames, and the colours of those that allocate. */
const made = new WeakMap();
const madeOf = (page, place) => {
  if (!made.has(page)) made.set(page, new Map());
  const known = made.get(page);
  if (!known.has(place)) {
    const frames = framesOf(page, place);
    known.set(place, {frames, placeOfFrame: placesOfFrames(page, frames)});
  }
  return known.get(place);
};

/** The place of the colour of the line that a frame is, if it allocates itself. @returns {(frame: number) => number|undefined} */
function placesOfFrames(page, frames) {
  const places = placesOfLines(page);
  return frame => frames.self.self_alloc[frame] > 0 || frames.self.self_at_peak[frame] > 0 ? places.get(lineKey(frameOf(page, frames.node[frame]))) : undefined;
}

/** What is shown for a state of the link. */
function shownFor(page, frames, state, kind) {
  const figure = figureOf(state.figure, kind), isInverted = state.order === 'inverted';
  const order = (isInverted ? invertedOrder : pathOrder)(frames, figure.width);
  const self = frames.self[figure.width];
  const shade = figure.color === 'ownPeak' ? order.ownPeak : figure.color === 'self' && !isInverted ? vertex => self[vertex.frame] : null;
  const most = !shade ? 0 : figure.color === 'self' ? self.reduce((top, value) => Math.max(top, value), 0) :
    frames.ownPeak.reduce((top, value) => Math.max(top, value), 0);
  const found = order.find(state.node || '');
  // A link to a frame that held nothing at the peak, which names no figure: with this one it has something.
  if (!found && !state.figure && kind === 'run') return shownFor(page, frames, {...state, figure: 'incl_alloc'}, kind);
  return {page, frames, state, figure, figures: FIGURES_OF[kind], isInverted, order, shade, most, zoom: found || order.root, isLost: !found,
    linkOf: vertex => linkTo('tree', {...state, node: vertex.key})};
}

/** The scale of colours that represent an amount. */
const scaleOf = ({shade, most, figure}) => !shade ? null : el('span', {class: 'scale', role: 'img',
  'aria-label': `Colours from dark to light: ${figure.title} from 0 to ${valueText(figure, most)}`},
'0 ', Array.from({length: 12}, (_, i) => el('i', {style: {background: sequence(i / 11)}})), ` ${valueText(figure, most)}`);

function open(root, page, state, go) {
  let {frames, placeOfFrame} = madeOf(page, restrictedTo(page, state));
  let now = {...state}, shown = null, layout = null, fits = null, within = null, known = '', lastPanel = null, tipped = null, typing = 0, drawnWidth = 0;

  const navigate = (change, options) => {
    now = {...now, ...change};
    go('tree', now, options);
  };
  const figureBox = el('select', {onchange: () => navigate({figure: figureBox.value})});
  const orders = [['', 'by call path'], ['inverted', 'inverted: allocating line first']].map(([key, text]) =>
    ({key, button: el('button', {type: 'button', onclick: () => navigate({order: key, node: ''})}, text)}));
  const searchBox = el('input', {type: 'search', class: 'filter', placeholder: 'function, file:line, variable', spellcheck: 'false', oninput() {
    navigate({search: searchBox.value}, {replace: true});
    clearTimeout(typing);
    typing = setTimeout(mark, SETTLED_MS);
  }, onkeydown(event) {
    if (event.key !== 'Enter') return;
    mark();
    step(event.shiftKey ? -1 : 1);
  }});
  const status = el('p', {class: 'status quiet', role: 'status'}), says = el('p', {class: 'quiet says'}), note = el('p', {class: 'note', hidden: true});
  const tip = el('div', {class: 'tip', role: 'tooltip', hidden: true});
  const panel = el('section', {class: 'frame-panel', 'aria-label': 'The frame with the focus'});
  const picture = new Picture('Call tree', {
    choose: box => box.vertex ? box.vertex !== shown.zoom && navigate({node: box.vertex.key}) : showPanel(box),
    focus: showPanel,
    up: () => shown.zoom.parent && navigate({node: shown.zoom.parent.key}),
    tip: showTip,
  });
  const bar = new MomentBar(page, 'tree', (change, how) => {
    now = {...now, ...change};
    asked.ask(now);
    go('tree', now, how);
  });
  const asked = new Then(page, ({when, state: of, events, sums}) => {
    bar.set(when, of, events, sums);
    if (when.kind !== 'run') show(of, events ? when : whenOf({}), sums);
  }, error => showFailure(root, error));
  root.append(bar.root, el('div', {class: 'bar'}, el('label', {}, 'Figure ', figureBox),
    el('span', {role: 'group', 'aria-label': 'Order', class: 'choices'}, orders.map(({button}) => button)),
    el('label', {}, 'Search ', searchBox), status), says, note, picture.element, tip, panel);

  function showPanel(box) {
    if (lastPanel === box) return;
    lastPanel = box;
    if (box.vertex) showFrame(panel, shown, box.vertex);
    else showJoined(panel, shown, box);
  }

  function showTip(box, event) {
    tip.hidden = !box;
    if (!box) return;
    if (box !== tipped) tip.replaceChildren(...tipOf(shown, box));
    tipped = box;
    tip.style.left = `${Math.max(8, Math.min(event.clientX + 14, innerWidth - Math.max(tip.offsetWidth, TIP_WIDTH) - 8))}px`;
    tip.style.top = `${event.clientY + 18 + tip.offsetHeight > innerHeight ? event.clientY - tip.offsetHeight - 10 : event.clientY + 18}px`;
  }

  /** Whether a box, or one in or below it, matches the search. */
  const fitsBox = ({vertex, joined}) => vertex ? fits[vertex.frame] === 1 && vertex.frame > 0 : joined.some(one => within(one));

  function appearance() {
    const ground = partsOf(getComputedStyle(root).getPropertyValue('--panel').trim());
    const placeOf = ({vertex}) => vertex && vertex.frame && !shown.shade ? placeOfFrame(vertex.frame) : undefined;
    const plain = box => !box.vertex || !box.vertex.frame ? restColor() : !shown.shade ? (placeOf(box) === undefined ? colorOf(box.vertex) : category(placeOf(box))) : amount(box);
    const colorOf = vertex => frames.self.self_alloc[vertex.frame] > 0 ? restColor() : callColor();
    const amount = ({vertex}) => shown.most > 0 ? sequence(shown.shade(vertex) / shown.most) : restColor();
    const hasHatching = box => placeOf(box) !== undefined && isHatched(placeOf(box));
    const pale = color => `rgb(${partsOf(color).map((part, i) => Math.round(part * PALE + ground[i] * (1 - PALE))).join(', ')})`;
    return {
      color: box => fits && !fitsBox(box) ? pale(plain(box)) : plain(box),
      ink: inkOn,
      label({vertex, joined, value}) {
        if (!vertex) return {name: `${exact(joined.length)} more`, where: '', value: ''};
        const label = vertexLabel(frames, vertex);
        return {name: shortName(label), where: label.where, value: valueText(shown.figure, shown.shade && vertex.parent ? shown.shade(vertex) : value)};
      },
      text: box => boxText(shown, box) + (fits && fitsBox(box) ? '; matches the search' : ''),
      mark: box => [box.row < shown.zoom.depth ? 'above' : '', fits && fitsBox(box) ? 'fits' : '', hasHatching(box) ? 'hatched' : ''].join(' '),
      hatch: hatchOn,
    };
  }

  /** Reads the search while the user types it. */
  function search() {
    fits = matching(frames, now.search || '');
    if (!fits) {
      within = null;
      status.textContent = '';
      return;
    }
    const below = fits.slice(), onPath = fits.slice(); // whether something below, or above, fits
    for (let frame = frames.count - 1; frame > 0; --frame) if (below[frame]) below[frames.parent[frame]] = 1;
    for (let frame = 1; frame < frames.count; ++frame) if (onPath[frames.parent[frame]]) onPath[frame] = 1;
    within = shown.isInverted ? vertex => vertex.leaves.some(leaf => onPath[leaf]) : vertex => below[vertex.frame] === 1;
    const {frames: count, value, share} = sumOf(frames, fits, shown.figure.width), drawn = layout.boxes.filter(box => box.vertex && fitsBox(box)).length;
    const allocated = sumOf(frames, fits, 'self_alloc').value;
    status.textContent = !count ? 'no match' : !value ? `${plural(count, 'frame')} ${count === 1 ? 'matches' : 'match'}, with nothing of this figure` +
      (allocated ? `; ${bytes(allocated)} were allocated there (figure "with its calls")` : '') : `${plural(count, 'frame')} ${count === 1 ? 'matches' : 'match'}, ` +
      `paths through ${count === 1 ? 'it' : 'them'}: ${valueText(shown.figure, value)}, ${percent(100 * share)} of all; ` +
      `${plural(drawn, 'box')} of this picture`.replace('boxs', 'boxes');
  }

  function mark() {
    clearTimeout(typing);
    search();
    picture.remark(appearance());
  }

  function step(by) {
    if (!fits) return;
    const found = layout.boxes.filter(box => fitsBox(box)), at = found.indexOf(picture.current);
    if (!found.length) return;
    picture.focus(found[at < 0 ? (by > 0 ? 0 : found.length - 1) : (at + by + found.length) % found.length]);
  }

  /** @param {import('../tree/orders.js').Vertex} [current] whose box is in the order of Tab, and keeps the focus */
  function draw(current = shown.zoom) {
    drawnWidth = picture.width;
    layout = layOut(shown.order, shown.zoom, picture.width);
    search();
    picture.show(layout, appearance(), box => box.vertex === current);
    lastPanel = tipped = null;
    tip.hidden = true;
    showPanel(picture.current);
  }

  function update(next) {
    now = {...next};
    const when = whenOf(next);
    if (when.kind === 'run') show(next, when, null);
    asked.ask(next);
  }

  /** @param {import('../moment/when.js').When} when @param {import('../moment/sums.js').Sums|null} sums null of the whole run */
  function show(next, when, sums) {
    now = {...next};
    const place = restrictedTo(page, now);
    ({frames, placeOfFrame} = madeOf(page, place));
    if (sums) frames = framesThen(frames, {bytes: byNode(page, sums.bytes), blocks: byNode(page, sums.blocks)});
    const key = `${now.figure || ''} ${now.order || ''} ${place} ${keyOf(when)}`, found = key === known ? shown.order.find(now.node || '') : null;
    if (!found) {
      shown = shownFor(page, frames, now, when.kind);
      figureBox.replaceChildren(...shown.figures.map(figure => el('option', {value: figure.key}, figure.title)));
      now = {...shown.state};
    } else {
      Object.assign(shown, {zoom: found, isLost: false, linkOf: vertex => linkTo('tree', {...now, node: vertex.key})});
    }
    known = key;
    figureBox.value = shown.figure.key;
    for (const {key: order, button} of orders) button.setAttribute('aria-pressed', String(order === (shown.isInverted ? 'inverted' : '')));
    if (document.activeElement !== searchBox) searchBox.value = now.search || '';
    says.replaceChildren(shown.isInverted ? shown.figure.inverted : shown.figure.says, shown.shade ? ' ' : ' Colour: the line that allocates, as in all views; pale: what calls it. ',
      frames.place < 0 ? sumText(page, shown.figure) : shown.figure.color === 'ownPeak' ? 'Own peaks are recorded over all devices. ' : '', ...(scaleOf(shown) ? [scaleOf(shown), ' '] : []), undrawnText(frames, shown.figure), leftOutNote(page));
    note.hidden = !shown.isLost && shown.order.root.value > 0;
    note.textContent = shown.isLost ? `The frame that this link names has nothing of the figure "${shown.figure.title}", so all frames are shown.` :
      `There is nothing to draw: no frame has anything of the figure "${shown.figure.title}".`;
    draw();
  }

  const onKey = event => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches('input, select, textarea')) return;
    if (event.key === '/') searchBox.focus();
    else if (event.key === 'n' || event.key === 'N') step(event.key === 'n' ? 1 : -1);
    else return;
    event.preventDefault();
  };
  const onTheme = () => {
    update(now);
  };
  addEventListener('keydown', onKey);
  addEventListener('themechange', onTheme);
  const resized = new ResizeObserver(() => {
    if (shown && drawnWidth !== picture.width) draw(picture.current?.vertex || shown.zoom); // also where a scroll bar came after the picture was drawn
  });
  update(state);
  resized.observe(picture.element);
  return {keys: KEYS, update, close() {
    removeEventListener('keydown', onKey);
    removeEventListener('themechange', onTheme);
    clearTimeout(typing);
    asked.forget();
    bar.close();
    resized.disconnect();
    picture.close();
  }};
}

/** No device ever held a sum over several. */
function sumText(page, figure) {
  const devices = figure.key === 'at_peak' ? page.profile.devices.filter(device => device.peak).length : 1;
  return devices > 1 ? `A frame with memory of several of the ${devices} devices, of which pinned host memory is one, shows a sum: each device's part at the peak of that device. ` : '';
}

export default {name: 'tree', title: 'Tree', key: '4', devices: 'any', open};
