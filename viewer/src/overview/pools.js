/**
 * pools.js - parts of the overview about memory that no line holds: pools, CUDA's and the program's own, and calls into code that was not rebuilt
 * and took memory. views/overview.js calls it.
 *
 * Figures are those of `gpumemprof pools` and of the unaccounted line (docs/ACCOUNTING.md). A long list continues in a part that can be opened.
 */
import {el} from '../dom.js';
import {bytes, exact, plural} from '../format.js';
import {placeText} from '../model.js';
import {oneLine, sourceLink} from '../rows.js';

const TOP = 6;
const FIGURES = [['used', 'used', 'what it handed out, at the end'], ['reserved', 'reserved', 'the memory it keeps, at the end'],
  ['slack', 'slack', 'reserved and not used'], ['largest_hole', 'largest hole', 'the largest free range within one segment'],
  ['used_peak', 'peak used', 'the most that was used'], ['reserved_peak', 'peak reserved', 'the most that was reserved']];

/** The first few, then the rest in a part to be opened. @param {any[]} items @param {string} noun @param {(items: any[]) => Element} drawn */
const some = (items, noun, drawn) => [drawn(items.slice(0, TOP)),
  items.length > TOP ? el('details', {}, el('summary', {}, `${plural(items.length - TOP, `more ${noun}`)}`), drawn(items.slice(TOP))) : null];

const deviceText = device => device === null || device === undefined ? '' : typeof device === 'number' ? `GPU ${device}` : String(device);

function poolTable(pools) {
  return el('div', {class: 'scroll', tabindex: '0', role: 'region', 'aria-label': 'Table of pools'},
    el('table', {class: 'figures'}, el('caption', {class: 'unseen'}, 'Pools with what they use of what they reserved'),
      el('thead', {}, el('tr', {}, el('th', {scope: 'col'}, 'pool'), FIGURES.map(([, title, text]) => el('th', {scope: 'col', class: 'number', title: text}, title)))),
      el('tbody', {}, pools.map(pool => el('tr', {}, el('th', {scope: 'row'}, oneLine(null, pool.name || '(no name)'), ' ',
        el('span', {class: 'quiet'}, [pool.source === 'cuda' ? "CUDA's" : "the program's own", pool.several_devices ? 'several devices' : deviceText(pool.device)].filter(Boolean).join(', '))),
      FIGURES.map(([key]) => el('td', {class: 'number', title: pool[key] === null ? null : `${exact(pool[key])} bytes`}, bytes(pool[key]))))))));
}

/** Pools, largest first; nothing where there are none. @param {import('../page.js').Page} page */
export function poolsPart(page) {
  const {pools} = page.profile;
  if (!pools.length) return null;
  return el('section', {'aria-labelledby': 'pools'}, el('h2', {id: 'pools'}, 'Pools'), some(pools, 'pool', poolTable));
}

/** The memory that calls into code that was not rebuilt took. @param {import('../page.js').Page} page */
export function unaccountedPart(page) {
  const calls = [...page.profile.unaccounted_calls].sort((a, b) => b.bytes - a.bytes);
  if (!calls.length) return null;
  return el('section', {'aria-labelledby': 'unaccounted'}, el('h2', {id: 'unaccounted'}, 'Unaccounted, by call'),
    some(calls, 'call', list => el('ul', {}, list.map(call => el('li', {title: `${exact(call.bytes)} bytes`}, `${bytes(call.bytes)} via `, oneLine(null, call.callee), ' at ',
      oneLine(call.file ? sourceLink(call) : null, placeText(call)), `, ${plural(call.calls, 'call')} on ${deviceText(call.device)}`)))));
}

/** Allocations that returned an error, by location. @param {import('../page.js').Page} page */
export function failedList(page) {
  const failed = [...page.profile.failed].sort((a, b) => b.bytes - a.bytes);
  return some(failed, 'place', list => el('ul', {}, list.map(one => el('li', {class: 'lost'},
    oneLine(one.file ? sourceLink(one) : null, placeText(one)), ` ${plural(one.calls, 'allocation')} of ${bytes(one.bytes)} failed`,
    one.oom ? `, ${one.oom === one.calls ? '' : `${exact(one.oom)} `}out of memory` : ''))));
}
