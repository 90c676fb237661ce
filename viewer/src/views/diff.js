/**
 * diff.js - the view of what became of each line or function since another capture: new, gone, grown, shrunk. main.js lists it.
 *
 * Rows are those of `gpumemprof diff` with the other capture as A and this page's as B; nothing is matched or subtracted here. One figure is shown
 * before, after and as a bar to the right (more) or to the left (less), and decides what has grown, shrunk or is unchanged; the latter is left out
 * until it is asked for.
 */
import {sortFrom, titledColumns} from '../columns.js';
import {el} from '../dom.js';
import {bytes, exact, figure, plural, signed} from '../format.js';
import {baseName, placeText, whatText} from '../model.js';
import {linkTo} from '../route.js';
import {nameIn} from '../rows.js';
import {showFailure} from '../failure.js';
import {showTable} from '../table.js';

const ORDER = ['new', 'grown', 'shrunk', 'gone', 'same'];
const SIGN = {new: '+', grown: '▲', shrunk: '▼', gone: '×', same: '='}, WORD = {same: 'unchanged'}; // others are called as their key

/** What became of a row by one figure: a row of both captures has grown or shrunk in some figures and not in others. */
function fateOf(row, key) {
  if (row.status === 'new' || row.status === 'gone') return row.status;
  const change = row.difference[key] ?? 0;
  return change > 0 ? 'grown' : change < 0 ? 'shrunk' : 'same';
}

const lineOf = row => row.line_b ?? row.line_a ?? 0;
const placed = row => ({...row, line: lineOf(row)});

function placeCell(row) {
  const name = placeText(placed(row)), what = whatText(row) || (row.callee ? `→ ${row.callee}` : '');
  const moved = row.line_a && row.line_b && row.line_a !== row.line_b ? `was line ${row.line_a}` : '';
  return el('span', {class: 'place'}, nameIn(row.b && row.file && lineOf(row) ? linkTo('source', {file: row.file, line: lineOf(row)}) : null, name, row.file),
    el('span', {class: 'what', title: what || null}, [moved, row.renamed ? 'renamed' : '', what].filter(Boolean).join(' · ')));
}

function deltaCell(value, most, unit, isExact) {
  const width = most && value ? 50 * Math.abs(value) / most : 0, own = unit === 'bytes' ? 'signed' : unit;
  return el('span', {}, value > 0 && own !== 'signed' ? '+' : '', figure(own, value, isExact),
    el('span', {class: 'delta', 'aria-hidden': 'true'}, width ? el('span', {class: value > 0 ? 'more-bytes' : 'fewer-bytes', style: {width: `${width}%`}}) : null));
}

/** The three columns of the figure that is compared, then the differences of all others. */
function columnsFor(page, rows, chosen) {
  const most = rows.reduce((top, row) => Math.max(top, Math.abs(row.difference[chosen.key] ?? 0)), 0);
  const others = titledColumns(page).filter(column => rows.some(row => row.difference[column.key]) && column.key !== chosen.key);
  const unit = chosen.unit;
  return [
    {key: 'status', title: 'status', fixed: true, definition: 'new: only after; gone: only before; else by the figure that is compared',
      value: row => fateOf(row, chosen.key), cell: row => el('span', {}, el('span', {'aria-hidden': 'true'}, `${SIGN[fateOf(row, chosen.key)]} `), WORD[fateOf(row, chosen.key)] || fateOf(row, chosen.key))},
    {key: 'place', title: 'location', fixed: true, value: row => placeText(placed(row)), cell: placeCell},
    {key: 'difference', title: `${chosen.title}: difference`, unit, fixed: true, definition: chosen.definition, value: row => row.difference[chosen.key],
      cell: (row, isExact) => deltaCell(row.difference[chosen.key], most, unit, isExact)},
    {key: 'before', title: 'before', unit, fixed: true, definition: chosen.definition, value: row => row.a ? row.a[chosen.key] : null},
    {key: 'after', title: 'after', unit, fixed: true, definition: chosen.definition, value: row => row.b ? row.b[chosen.key] : null},
    ...others.map(({key, title, unit: own, definition}) => ({key, title: `${title}: difference`, unit: own === 'bytes' ? 'signed' : own, definition, value: row => row.difference[key]})),
  ];
}

function deviceList(page, before) {
  return el('ul', {class: 'cards', 'aria-label': 'Devices'}, page.profile.devices.map(device => {
    const was = before.devices.find(one => one.device === device.device)?.peak ?? 0, change = device.peak - was;
    return el('li', {class: 'card'}, el('h2', {}, typeof device.device === 'number' ? `GPU ${device.device}` : device.name),
      el('p', {title: `before ${exact(was)}, after ${exact(device.peak)} bytes`}, `peak before ${bytes(was)}, after ${bytes(device.peak)}`,
        el('strong', {}, change ? ` (${signed(change)})` : ' (unchanged)')));
  }));
}

function draw(root, page, diff, state, go) {
  const by = state.by === 'function' ? 'function' : 'line', every = diff[by];
  const figures = titledColumns(page).filter(column => every.some(row => row.a?.[column.key] != null || row.b?.[column.key] != null));
  const chosen = figures.find(column => column.key === state.figure) || figures[0];
  const fate = row => fateOf(row, chosen?.key), same = every.filter(row => fate(row) === 'same');
  const rows = state.same === '1' ? every : every.filter(row => fate(row) !== 'same');
  const counts = ORDER.map(name => [name, every.filter(row => fate(row) === name).length]).filter(([, number]) => number);
  let wanted = state;
  const to = more => go('diff', {...wanted, ...more});
  const byBox = el('select', {onchange: () => to({by: byBox.value === 'line' ? '' : byBox.value, sort: ''})},
    [['line', 'line'], ['function', 'function']].map(([value, text]) => el('option', {value, selected: value === by}, text)));
  const figureBox = el('select', {onchange: () => to({figure: figureBox.value})},
    figures.map(column => el('option', {value: column.key, selected: column === chosen, title: column.definition}, column.title)));
  const sameBox = el('input', {type: 'checkbox', checked: state.same === '1', onchange: () => to({same: sameBox.checked ? '1' : ''})});
  const columns = chosen ? columnsFor(page, rows, chosen) : [];
  const part = el('div');
  root.replaceChildren(
    el('p', {}, 'Before: ', el('strong', {}, baseName(diff.before.capture)), '. After: ', el('strong', {}, page.profile.page.capture), '.'),
    deviceList(page, diff.before),
    el('div', {class: 'bar'}, el('label', {}, 'By ', byBox), el('label', {}, 'Figure ', figureBox),
      same.length ? el('label', {}, sameBox, ` also show ${exact(same.length)} unchanged ${by}${same.length === 1 ? '' : 's'}`) : null,
      el('span', {class: 'quiet'}, counts.map(([name, number]) => `${exact(number)} ${WORD[name] || name}`).join(', '))),
    part);
  showTable(part, {caption: `Change of each ${by}`, noun: by, rows, columns, shown: [],
    text: row => [fate(row), placeText(placed(row)), whatText(row), row.file, row.callee].filter(Boolean).join('\n'),
    sort: '-difference', empty: `No ${by} differs in this figure.`,
    onState(more) {
      wanted = {...wanted, ...more};
      go('diff', wanted, {replace: true});
    }}, sortFrom(state.sort, columns).length ? state : {...state, sort: ''});
}

export default {
  name: 'diff', title: 'Diff', key: '0', devices: 'none',
  open(root, page, state, go) {
    if (!page.has('diff')) {
      root.append(el('p', {class: 'empty'}, 'This page shows one capture. To compare it with an earlier one: gpumemprof html AFTER --against BEFORE -o page.html'));
      return {update() {}, close() {}};
    }
    let now = state, diff = null;
    page.diff().then(found => {
      diff = found;
      draw(root, page, diff, now, go);
    }, error => showFailure(root, error));
    return {close() {}, keys: [{key: '/', text: 'to the filter'}], update(next) {
      now = next;
      if (diff) draw(root, page, diff, now, go);
    }};
  },
};
