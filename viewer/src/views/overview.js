/**
 * overview.js - the first view: how much (a curve of live bytes, the peaks), what to do (findings), where (the lines that hold the peak), then each
 * device, leaks, budgets, what was lost, how the run came about. main.js lists it.
 *
 * Each part links to the view that shows more of it. Figures are those of the profile; nothing is computed here but shares of a bar.
 */
import {showCurves} from '../curve.js';
import {nodeFigures, ofDevice, restrictedTo, rowsOf} from '../device.js';
import {el} from '../dom.js';
import {sentencesPart, showFindings} from '../overview/findings.js';
import {nothingNote} from '../eventful.js';
import {aboutRun, accountedParts, budgetsPart, leaksPart, lossesPart} from '../overview/summary.js';
import {bytes, exact, percent, plural, time} from '../format.js';
import {lineMark} from '../line_colors.js';
import {callersText, deviceKey, devicesOfNodes, deviceTitle, frameOf, leftOutText, placeOf} from '../model.js';
import {curvesOf} from '../live.js';
import {poolsPart, unaccountedPart} from '../overview/pools.js';
import {linkTo} from '../route.js';
import {nameIn, placeCell} from '../rows.js';
import {topBars} from '../bars.js';

const TOP = 10;

function deviceCard(page, place, peakClock) {
  const device = page.profile.devices[place], total = device.memory_total;
  const at = peakClock === null ? null : {device: deviceKey(page, place), at: peakClock};
  return el('li', {class: 'card device'},
    el('h3', {}, deviceTitle(page, place), ' ', el('span', {class: 'quiet'}, device.name === deviceTitle(page, place) ? '' : device.name)),
    el('p', {class: 'large', title: `${exact(device.peak)} bytes`}, bytes(device.peak), el('span', {class: 'unit'}, ' at the peak')),
    total ? el('div', {class: 'meter', role: 'img', 'aria-label': `${percent(100 * device.peak / total)} of the device`},
      el('span', {style: {width: `${Math.min(100, 100 * device.peak / total)}%`}})) : null,
    !device.peak ? el('p', {class: 'quiet'}, 'Nothing was allocated on it.') :
      el('p', {}, total ? `${percent(100 * device.peak / total)} of ${bytes(total)}, ` : '', `after ${time(device.peak_time_ns)}`,
        at && page.has('events') ? [': ', el('a', {href: linkTo('state', at)}, 'the state then'), ', ',
          el('a', {href: linkTo('timeline', {device: at.device})}, 'timeline')] : null),
    el('p', {title: `${exact(device.live_at_exit)} bytes`}, `${bytes(device.live_at_exit)} live at the end`),
    accountedParts(device));
}

function topLines(page, place) {
  const {rows: line, isRestricted} = rowsOf(page, 'line', place);
  const held = line.filter(row => row.self_at_peak > 0).sort((a, b) => b.self_at_peak - a.self_at_peak);
  const top = held.slice(0, TOP);
  const rest = held.slice(TOP).reduce((sum, row) => sum + row.self_at_peak, 0);
  return el('section', {'aria-labelledby': 'top-lines'},
    el('h2', {id: 'top-lines'}, `Lines that hold the peak${isRestricted ? ofDevice(page, place) : ''}`),
    !held.length ? el('p', {class: 'empty'}, 'Nothing was live at a peak.') : topBars('Lines with what they hold at the device peaks', 'holds at the peak',
      top.map(row => ({name: placeCell(row), bytes: row.self_at_peak,
        share: row.at_peak_percent === null ? null : row.at_peak_percent / 100 * row.self_at_peak / row.at_peak}))),
    el('p', {}, held.length > TOP ? `${plural(held.length - TOP, 'more line')} ${held.length - TOP === 1 ? 'holds' : 'hold'} ${bytes(rest)}. ` : '',
      el('a', {href: linkTo('lines', {sort: '-self_at_peak'})}, 'All lines'), ' · ', el('a', {href: linkTo('tree', {figure: 'at_peak'})}, 'the peak by call path')));
}

/** The call paths whose own blocks hold most of the peak: if one line allocates for all callers, they show which callers those are. */
function topPaths(page, place) {
  const held = nodeFigures(page, place).self_at_peak;
  const nodes = Array.from(held.keys()).filter(node => held[node] > 0).sort((a, b) => held[b] - held[a]), top = nodes.slice(0, TOP);
  const device = place < 0 ? devicesOfNodes(page) : null, of = node => device ? device[node] : place;
  const share = node => of(node) < 0 ? null : held[node] / page.profile.devices[of(node)].peak;
  if (!nodes.length) return null;
  return el('section', {'aria-labelledby': 'top-paths'}, el('h2', {id: 'top-paths'}, `Call paths that hold the peak${ofDevice(page, place)}`),
    topBars('Call paths with what they hold at the device peaks', 'holds at the peak', top.map(node => ({bytes: held[node], share: share(node),
      name: el('span', {class: 'place'}, lineMark(frameOf(page, node)), nameIn(linkTo('tree', {figure: 'at_peak', node}), placeOf(page, node)),
        el('span', {class: 'what', title: callersText(page, node)}, callersText(page, node), leftOutText(page, node)))}))),
    nodes.length > TOP ? el('p', {}, `${plural(nodes.length - TOP, 'more call path')}: `, el('a', {href: linkTo('tree', {figure: 'at_peak'})}, 'the tree')) : null);
}

const SAMPLED = 'The curve is drawn from samples of the monitor, with the peak at the moment when it was reached. ';
const ONLY_ENDS = 'What was live is known only at the marked moments, and that it was never more than the peak, the dotted line: run the program with GPUMEMPROF_OPTIONS=history=all, or with ' +
  'monitor=100ms, to see it between them. ';

/** Where the points of curves without events are from. */
function howKnown(page, curves) {
  const sparse = curves.filter(curve => curve.sparse);
  if (sparse.length === curves.length) return ONLY_ENDS;
  const names = sparse.map(({place}) => deviceTitle(page, place)).join(' and ');
  return SAMPLED + (names ? `Of ${names}, which is not sampled, only the marked moments and the peak, the dotted line, are known. ` : '');
}

/** How much each device held at most: the first figures that a reader sees. */
function heldMost(page) {
  const held = Array.from(page.profile.devices.keys()).filter(place => page.profile.devices[place].peak > 0)
    .sort((a, b) => page.profile.devices[b].peak - page.profile.devices[a].peak);
  return held.map(place => el('span', {class: 'most'}, el('strong', {class: 'large', title: `${exact(page.profile.devices[place].peak)} bytes`},
    bytes(page.profile.devices[place].peak)), el('span', {class: 'quiet'}, ` at the peak of ${deviceTitle(page, place)}`)));
}

/** The place for the curve, filled when the events are there. */
function curvePart(page, go, closing) {
  const part = el('figure', {class: 'live'}, el('figcaption', {}, 'Live bytes over time', heldMost(page)));
  const show = events => {
    const curves = curvesOf(page, events);
    if (!curves.length) {
      part.append(el('p', {class: 'empty'}, 'Nothing was allocated on a device.'), nothingNote(page) || '');
      return;
    }
    closing.push(showCurves(part, page, curves, () => events && go('timeline')));
    part.append(el('p', {class: events ? 'unseen' : 'quiet'}, (events ? '' : howKnown(page, curves)) + curves.map(({place}) => {
      const {peak, peak_time_ns: when, live_at_exit: live} = page.profile.devices[place];
      return `${deviceTitle(page, place)} rises to ${bytes(peak)} after ${time(when)} and ends with ${bytes(live)}.`;
    }).join(' ')));
    if (events) part.append(el('p', {}, el('a', {href: linkTo('timeline')}, 'See which blocks these are in the timeline')));
  };
  page.events().then(events => closing.closed || show(events), error => part.append(el('p', {class: 'note', role: 'alert'}, error.message)));
  return part;
}

/** Fills in the tick of each device's peak once events are there; links are drawn with it. */
async function peakClocks(page) {
  const {devices} = page.profile;
  const events = devices.every(device => 'peak_clock' in device) ? null : await page.events().catch(() => null);
  return devices.map((device, place) => device.peak_clock ??
    events?.header.tracks.find(track => track.device === place && track.kind === null)?.peak_clock ?? null);
}

export default {
  name: 'overview', title: 'Overview', key: '1', devices: 'any',
  open(root, page, state, go) {
    const closing = [], {profile} = page, peaks = el('div', {class: 'pair'}), findings = el('section', {'aria-labelledby': 'findings'});
    const devices = el('ul', {class: 'cards'}, profile.devices.map((_, place) => deviceCard(page, place, null)));
    peakClocks(page).then(clocks => devices.replaceChildren(...clocks.map((clock, place) => deviceCard(page, place, clock))));
    root.append(
      profile.state === 'complete' ? '' : el('p', {class: 'note'}, `The capture is ${profile.state}: the figures cover what it has so far.`),
      curvePart(page, go, closing),
      findings,
      sentencesPart(page) || '',
      peaks,
      el('section', {'aria-label': 'Devices'}, el('h2', {}, 'Devices'), devices),
      el('div', {class: 'pair'}, el('div', {}, leaksPart(page), budgetsPart(page)), el('div', {}, unaccountedPart(page), lossesPart(page))),
      poolsPart(page) || '',
      aboutRun(page));
    const update = next => {
      const place = restrictedTo(page, next);
      showFindings(findings, page, place);
      peaks.replaceChildren(topLines(page, place), topPaths(page, place) || '');
    };
    update(state);
    return {
      update,
      close() {
        closing.closed = true;
        closing.forEach(close => close());
      },
    };
  },
};
