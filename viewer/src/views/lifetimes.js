/**
 * lifetimes.js - the view of how long blocks live: by line their ages, what is short-lived, temporary or kept, and histograms of sizes and ages.
 * main.js lists it.
 *
 * The table has the rows of `gpumemprof lifetimes`, the histograms are those of `gpumemprof histogram`. A filter of the table is one of the
 * histograms, too: then they count the blocks of the events.
 */
import {figureColumns} from '../columns.js';
import {el} from '../dom.js';
import {bytes, exact, percent, plural} from '../format.js';
import {histograms} from '../histogram.js';
import {lineKey, nodesByLine, whatText} from '../model.js';
import {placeColumn, seeColumn, textColumns} from '../rows.js';
import {filterOf} from '../filter.js';
import {showTable} from '../table.js';

const SHOWN = ['blocks', 'self_alloc', 'freed_blocks', 'leaked_blocks', 'temporary_percent', 'lifetime_ns', 'lifetime_clock', 'youngest_ns', 'oldest_ns', 'short_blocks',
  'kept_bytes'];

function histogram(title, bins) {
  const most = bins.reduce((top, bin) => Math.max(top, bin.blocks), 1), all = bins.reduce((sum, bin) => sum + bin.blocks, 0);
  return el('figure', {class: 'histogram'}, el('figcaption', {}, title),
    !all ? el('p', {class: 'empty'}, 'No blocks.') : el('table', {class: 'bars'},
      el('thead', {class: 'unseen'}, el('tr', {}, ['range', 'blocks', 'share', 'bytes'].map(name => el('th', {scope: 'col'}, name)))),
      el('tbody', {}, bins.map(bin => el('tr', {}, el('th', {scope: 'row'}, bin.text),
        el('td', {class: 'figure'}, el('span', {class: 'stroke', style: {width: `${100 * bin.blocks / most}%`}}), el('span', {class: 'value'}, exact(bin.blocks))),
        el('td', {class: 'number'}, percent(100 * bin.blocks / all)), el('td', {class: 'number', title: `${exact(bin.bytes)} bytes`}, bytes(bin.bytes)))))));
}

/** Which cells belong to the rows. @returns {(cell: number) => boolean} */
function cellsOf(page, rows) {
  const nodes = new Set(rows.flatMap(row => nodesByLine(page).get(lineKey(row)) || []));
  return cell => nodes.has(page.profile.cells.node[cell]);
}

export default {
  name: 'lifetimes', title: 'Lifetimes', key: '9', devices: 'none',
  open(root, page, state, go) {
    const rows = page.profile.lifetimes || page.profile.tables.line.filter(row => row.blocks);
    const figures = figureColumns(page, rows), columns = [placeColumn, ...figures, ...textColumns(rows), seeColumn(page)];
    const has = key => figures.some(column => column.key === key);
    const pictures = el('div', {class: 'pair histograms', role: 'status'});
    const text = row => columns.filter(column => !column.unit && column.key !== 'see').map(column => column.value(row) || '').concat(whatText(row)).join('\n');
    let events = null, drawn = null, closed = false;

    const show = (sizes, ages, of, note) => pictures.replaceChildren(histogram(`Blocks${of} by size`, sizes),
      ...(ages ? [histogram(`Blocks${of} by how long they lived`, ages)] : []), ...(note ? [el('p', {class: 'note'}, note)] : []));

    /** Of all blocks what the command says; of those of some lines what is in the page one by one. */
    const draw = async filter => {
      if (closed || filter === drawn || (filter && !events)) return;
      drawn = filter;
      if (!filter) {
        show(page.profile.histogram_of_size, page.profile.histogram_of_lifetime, '');
        return;
      }
      const found = await histograms(events, cellsOf(page, rows.filter(filterOf(filter, columns, text))), () => !closed && drawn === filter);
      const {kept, seen} = events.header.blocks;
      if (found) {
        show(found.sizes, found.ages, ' of the lines that match the filter', kept < seen ? `The histograms count the blocks of these lines among the ${
          plural(kept, 'block')} of ${exact(seen)} that this page has one by one; the table counts all. A page made with a higher --max-size has more.` : '');
      }
    };
    if (!page.profile.lifetimes) {
      root.append(el('p', {class: 'note'}, 'This capture does not have all events, so this view has only what is known without them. Run the program with ' +
        'GPUMEMPROF_OPTIONS=history=all to see the lowest and the highest age, and short-lived and kept blocks.'));
    }
    root.append(pictures);
    let waiting = 0;
    const table = showTable(root, {caption: 'Lifetimes by line', noun: 'line', rows, columns, shown: SHOWN.filter(has), text,
      sort: '-self_alloc', empty: 'No block was allocated.',
      onState(wanted) {
        go('lifetimes', wanted, {replace: true});
        clearTimeout(waiting);
        waiting = setTimeout(() => draw(wanted.filter), 300);
      }}, state);
    let now = state;
    draw(state.filter || '');
    page.events().then(found => {
      events = found;
      draw(now.filter || '');
    }, error => pictures.append(el('p', {class: 'note', role: 'alert'}, error.message)));
    return {keys: table.keys,
      update(next) {
        now = next;
        table.update(next);
        draw(next.filter || '');
      },
      close() {
        closed = true;
        clearTimeout(waiting);
      }};
  },
};
