/**
 * leaks.js - the view of what was allocated and never freed, by line, and separately what is still reachable. main.js lists it.
 *
 * A row is a line with the sum of its call paths (leak_lines.js); these, and their steps, can be opened below it. What stays reachable (variables in device memory) is no leak and
 * has a table of its own.
 */
import {el} from '../dom.js';
import {bytes, exact, plural} from '../format.js';
import {leakLines} from '../leak_lines.js';
import {placeText, whatText} from '../model.js';
import {linkTo} from '../route.js';
import {needle, oneLine, placeCell, seeColumn, sourceLink} from '../rows.js';
import {showTable} from '../table.js';

/** What is reachable has no path. */
const callersOf = leak => (leak.path || []).slice(0, -1).map(step => placeText(step)).join(' > ');
const callers = row => (row.paths || [row]).map(callersOf).join('\n');

function pathCell(leak) {
  if (!leak.path || leak.path.length < 2) return el('span', {class: 'quiet'}, '(no caller recorded)');
  const above = leak.path.length - 2;
  return el('details', {class: 'path'}, el('summary', {}, oneLine(null, placeText(leak.path[above])), above ? [', called by ', oneLine(null, placeText(leak.path[above - 1]))] : '',
    above > 1 ? ` and ${plural(above - 1, 'more call')} above` : ''),
    el('ol', {}, leak.path.map(step => el('li', {}, oneLine(step.file ? sourceLink(step) : null, placeText(step)),
      step.block ? ` {${step.block}}` : ''))));
}

/** Of a line with several call paths, each with what it leaked. */
const pathsCell = row => !row.paths || row.paths.length < 2 ? pathCell(row) : el('details', {class: 'path paths'},
  el('summary', {}, plural(row.paths.length, 'call path')),
  el('ul', {}, row.paths.map(leak => el('li', {}, el('span', {title: `${exact(leak.bytes)} bytes`}, bytes(leak.bytes)), ` in ${plural(leak.blocks, 'block')}: `, pathCell(leak)))));

const columnsFor = (page, title) => [
  {key: 'place', title: 'allocated at', fixed: true, definition: 'file:line function of the allocation, and what is allocated', value: placeText, cell: placeCell},
  {key: 'bytes', title, unit: 'bytes', fixed: true, definition: 'bytes allocated there that are live at the end', value: row => row.bytes},
  {key: 'blocks', title: 'blocks', unit: 'count', fixed: true, definition: 'allocations there that are live at the end', value: row => row.blocks},
  {key: 'path', title: 'called from', fixed: true, definition: 'the calls that lead there, outermost first', value: callers, cell: pathsCell},
  {...seeColumn(page), cell: row => el('span', {class: 'see'},
    row.node ? el('a', {href: linkTo('tree', row.paths?.length > 1 ? {figure: 'leaked', search: needle(row)} : {figure: 'leaked', node: row.node}), 'aria-label': `${placeText(row)} in the tree`}, 'tree') : null)},
];

const text = row => [placeText(row), whatText(row), row.file, callers(row)].join('\n');

export default {
  name: 'leaks', title: 'Leaks', key: '8', devices: 'none',
  open(root, page, state, go) {
    const {leaks, reachable, leaks_in_all: all} = page.profile, lines = leakLines(leaks);
    const total = list => list.reduce((sum, row) => sum + row.bytes, 0), blocks = list => list.reduce((sum, row) => sum + row.blocks, 0);
    const table = (place, rows, caption, onState, now) => showTable(place, {caption, noun: 'line', rows, columns: columnsFor(page, rows === lines ? 'leaked' : 'bytes'), shown: [], text, sort: '-bytes', onState}, now);
    root.append(el('h2', {}, 'Allocated and never freed'));
    const part = el('div');
    root.append(part);
    let shown = {update() {}, keys: []};
    if (leaks.length) {
      const [size, count, paths] = all ? [all.bytes, all.blocks, all.paths] : [total(leaks), blocks(leaks), leaks.length];
      const where = paths > leaks.length ? 'on' : `on ${plural(lines.length, 'line')} and`;
      part.append(el('p', {}, el('strong', {title: `${exact(size)} bytes`}, bytes(size)), ` in ${plural(count, 'block')}, ${where} ${plural(paths, 'call path')}.`));
      if (paths > leaks.length) {
        part.append(el('p', {class: 'note'}, `This page has the ${exact(leaks.length)} of them that leaked most. ${plural(paths - leaks.length, 'more call path')} leaked ${
          bytes(size - total(leaks))}: a page made with a higher --max-size has more of them, `, el('code', {}, 'gpumemprof leaks'), ' lists all of them.'));
      }
      shown = table(part, lines, 'Leaks by line', wanted => go('leaks', wanted, {replace: true}), state);
    } else {
      part.append(el('p', {class: 'empty'}, page.profile.state === 'complete' ? 'Everything that was allocated was freed.' : 'Nothing is live.'));
    }
    if (reachable.length) {
      const section = el('section', {'aria-labelledby': 'reachable'}, el('h2', {id: 'reachable'}, 'Reachable at the end'),
        el('p', {}, `Variables in device memory live as long as the program and are not leaks: ${bytes(total(reachable))} in ${plural(blocks(reachable), 'block')}.`));
      root.append(section);
      table(section, reachable, 'Reachable memory', () => {}, {});
    }
    return {update: shown.update, keys: shown.keys, close() {}};
  },
};
