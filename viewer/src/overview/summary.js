/**
 * summary.js - parts of the overview that tell a result: what a device's use consists of, leaks, budgets, losses, how the run came about.
 *
 * views/overview.js calls it. Each part is there also when there is nothing to tell, and says so: silence could be read either way.
 */
import {topBars} from '../bars.js';
import {el} from '../dom.js';
import {bytes, exact, plural, time} from '../format.js';
import {leakLines} from '../leak_lines.js';
import {failedList} from './pools.js';
import {linkTo} from '../route.js';
import {oneLine, placeCell, sourceLink} from '../rows.js';
import {deviceKey, placeText} from '../model.js';

const TOP = 3;

/** The terms of what the device said was in use (docs/ACCOUNTING.md). @param {object} device of profile.devices */
export function accountedParts(device) {
  const use = device.in_use;
  if (!use) return null;
  const parts = [['recorded', use.recorded], ['unused in pools', use.pool_slack], ['rounding', use.rounding], ['unaccounted', use.unaccounted]];
  return el('details', {}, el('summary', {}, `${bytes(use.used)} in use ${use.when}, ${bytes(use.unaccounted)} of it unaccounted`),
    el('dl', {class: 'parts'}, parts.map(([name, value]) => [el('dt', {}, name), el('dd', {title: `${exact(value)} bytes`}, bytes(value))])),
    el('p', {class: 'quiet'}, 'Unaccounted memory belongs to the CUDA context, modules, closed libraries and other processes.'));
}

/** @param {import('../page.js').Page} page */
export function leaksPart(page) {
  const {leaks, reachable, leaks_in_all: all} = page.profile, total = all ? all.bytes : leaks.reduce((sum, leak) => sum + leak.bytes, 0);
  const blocks = all ? all.blocks : leaks.reduce((sum, leak) => sum + leak.blocks, 0), lines = leakLines(leaks), paths = all ? all.paths : leaks.length;
  const where = paths > leaks.length ? `on ${plural(paths, 'call path')}` : `on ${plural(lines.length, 'line')} and ${plural(paths, 'call path')}`;
  return el('section', {'aria-labelledby': 'leaks'}, el('h2', {id: 'leaks'}, 'Leaks'),
    leaks.length ? [el('p', {}, el('a', {href: linkTo('leaks')}, `${bytes(total)} in ${plural(blocks, 'block')}`), ` ${blocks === 1 ? 'was' : 'were'} ${
        page.profile.sentences.some(one => one.finding === 'live_at_end') ? 'live when the program ended after it ran out of memory' : 'never freed'}`,
      lines.length > TOP ? `, ${where}; the largest:` : ':'),
      topBars('Largest leaks', 'leaked', lines.slice(0, TOP).map(leak => ({name: placeCell(leak), bytes: leak.bytes, share: leak.bytes / total})))] :
      el('p', {}, page.profile.state === 'complete' ? 'Everything that was allocated was freed.' : 'Nothing is live.'),
    reachable.length ? el('p', {class: 'quiet'}, `Variables in device memory that are live at the end and are not leaks: ${
      bytes(reachable.reduce((sum, one) => sum + one.bytes, 0))}.`) : null);
}

const BUDGETS = {budget: 'GPUMEMPROF_BUDGET', no_alloc: 'GPUMEMPROF_NO_ALLOC', no_leak: 'GPUMEMPROF_NO_LEAK'};

function budgetText(one) {
  const value = one.budget === 'budget' ? `${bytes(one.bytes)} needed, the limit is ${bytes(one.limit)}` :
    one.budget === 'no_alloc' ? `${bytes(one.bytes)} allocated` : `${bytes(one.bytes)} left in ${plural(one.blocks ?? 0, 'block')}`;
  return ` ${BUDGETS[one.budget] || one.budget} ${one.verdict}` + (one.verdict === 'broken' ? `: ${value}, ${plural(one.times, 'time')}` : '');
}

/** @param {import('../page.js').Page} page */
export function budgetsPart(page) {
  const budgets = page.profile.budgets, broken = budgets.filter(one => one.verdict !== 'kept');
  return el('section', {'aria-labelledby': 'budgets'}, el('h2', {id: 'budgets'}, 'Budgets'),
    !budgets.length ? el('p', {class: 'quiet'}, 'The source sets no budget where memory was allocated or freed (GPUMEMPROF_BUDGET, GPUMEMPROF_NO_ALLOC, GPUMEMPROF_NO_LEAK).') :
      [el('p', {}, `${plural(broken.filter(one => one.verdict === 'broken').length, 'budget')} broken, ${exact(budgets.length - broken.length)} met.`),
        el('ul', {}, broken.map(one => el('li', {class: one.verdict}, oneLine(sourceLink(one), placeText(one)),
          one.block ? ` {${one.block}}` : '', budgetText(one))))]);
}

/** An allocation that was out of memory; its size and its device may be unknown. */
const oomText = one => `${one.bytes ? bytes(one.bytes) : 'a failure'} after ${time(one.time_ns)}`;

/** What was lost, what failed, and whether sums hold. @param {import('../page.js').Page} page */
export function lossesPart(page) {
  const {losses, loss_texts: texts = {}, failed, ooms, conservation: sums} = page.profile;
  const lost = Object.entries(losses).filter(([, number]) => number);
  return el('section', {'aria-labelledby': 'losses'}, el('h2', {id: 'losses'}, 'Are the figures complete?'),
    el('p', {}, sums.live_before === undefined ? '' : `${bytes(sums.live_before)} live before + `, `${bytes(sums.allocated)} allocated − ${bytes(sums.freed)} freed = ${bytes(sums.live)} live at the end`,
      sums.ok ? ': balanced.' : el('strong', {class: 'bad'}, `: not balanced${sums.fault ? ` (${sums.fault})` : ''}. Please report this.`)),
    lost.length ? el('ul', {}, lost.map(([name, number]) => el('li', {class: 'lost'}, `${exact(number)} ${texts[name] || name.replace(/_/g, ' ')}`))) :
      el('p', {}, 'Nothing was lost.'),
    failed.length ? [failedList(page), ooms.length ? el('p', {}, 'What held the memory then: ',
      ooms.slice(0, TOP).map((one, i) => [i ? ', ' : '', one.device === null ? oomText(one) :
        el('a', {href: linkTo('state', {device: deviceKey(page, one.device), at: one.clock})}, oomText(one))]),
      ooms.length > TOP ? [', ', el('a', {href: linkTo('timeline')}, `${exact(ooms.length - TOP)} more in the timeline`)] : null) : null] : null);
}

/** @param {import('../page.js').Page} page */
export function aboutRun(page) {
  const about = page.profile.page, events = {all: 'all', part: 'only the last ones', none: 'none', window: 'all, but this page covers a part of the run and has none of them'};
  const rows = [['Command', el('code', {}, about.command)], ['Process', `${about.pid} on ${about.host}`], ['Duration', time(about.duration_ns)],
    ['Allocations and frees', exact(about.clock)], ['Events in the capture', events[about.history] || about.history],
    ['Source text', about.redacted ? 'left out on request (--redact-source)' : 'included'], ['Maximum size of the page', bytes(about.max_size)]];
  return el('section', {'aria-labelledby': 'about'}, el('h2', {id: 'about'}, 'The run'),
    el('dl', {class: 'parts'}, rows.map(([name, value]) => [el('dt', {}, name), el('dd', {}, value)])),
    about.history === 'all' || about.history === 'window' || about.nothing ? null : el('p', {class: 'note'}, 'Without all events there is neither a timeline nor a state. Run the program with ' +
      'GPUMEMPROF_OPTIONS=history=all to record them.'));
}
