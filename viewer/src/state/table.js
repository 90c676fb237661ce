/**
 * table.js - the live blocks of the moment as a table: the content of the picture for users who cannot see it, and for sorting and filtering.
 *
 * It is built when it is opened, and rebuilt when the moment has not changed for a while, because a table for each step would slow the steps down.
 */
import {el} from '../dom.js';
import {exact, plural} from '../format.js';
import {blockName, frameOf, placeText, textOf, whatText} from '../model.js';
import {placeCell} from '../rows.js';
import {showTable} from '../table.js';

const SETTLED_MS = 300, MANY = 50000;

/** The row of a block. */
function rowOf(page, events, moment, frames, rank) {
  const {layout} = moment, block = layout.block[rank], cell = events.arrays['block.cell'][block], {cells} = page.profile, node = cells.node[cell];
  if (!frames.has(node)) frames.set(node, frameOf(page, node));
  const name = blockName(page, events, block);
  return {rank, frame: frames.get(node), name, bytes: layout.bytes[rank], padding: events.arrays['block.padding'][block], start: layout.start[rank],
    kind: page.profile.kinds[cells.kind[cell]], label: textOf(page, cells.label[cell]), thread: events.arrays['block.thread'][block],
    end: layout.end[rank] === 0xffffffff ? null : layout.end[rank]};
}

const COLUMNS = [
  {key: 'place', title: 'location', definition: 'the line that allocated it, and what it is', value: row => placeText(row.frame), cell: row => placeCell(row.frame)},
  {key: 'bytes', title: 'bytes', unit: 'bytes', value: row => row.bytes},
  {key: 'padding', title: 'padding', unit: 'bytes', definition: 'of the bytes, what the program did not ask for', value: row => row.padding},
  {key: 'kind', title: 'kind', value: row => row.kind}, {key: 'label', title: 'label', value: row => row.label},
  {key: 'start', title: 'allocated at', unit: 'count', definition: 'event of the run, counted from 1', value: row => row.start},
  {key: 'end', title: 'freed at', unit: 'count', definition: 'event of the run; - if it is live at the end', value: row => row.end},
  {key: 'thread', title: 'thread', unit: 'count', value: row => row.thread},
];

export class LiveTable {
  /** @param {object} page @param {import('../events.js').Events} events @param {(rank: number) => string} linkOf to a block in this view */
  constructor(page, events, linkOf) {
    Object.assign(this, {page, events, state: {}, waiting: 0, frames: new Map(), isWanted: false});
    this.columns = [{key: 'name', title: 'block', fixed: true, definition: 'its address, and the number of the block among those that had this address',
      value: row => row.name, cell: row => el('a', {href: linkOf(row.rank), class: 'mono'}, row.name)}, ...COLUMNS];
    this.summary = el('summary', {}, 'The live blocks as a table');
    this.body = el('div');
    this.root = el('details', {class: 'state-table', ontoggle: () => this.#later()}, this.summary, this.body);
  }

  close() {
    clearTimeout(this.waiting);
  }

  /** @param {import('./moment.js').Moment} moment @param {number} count of live blocks and pieces */
  set(moment, count) {
    this.moment = moment;
    this.count = count;
    this.summary.textContent = `The ${plural(count, 'live block')} after event ${exact(moment.clock)} as a table`;
    this.#later();
  }

  #later() {
    clearTimeout(this.waiting);
    if (this.root.open) this.waiting = setTimeout(() => this.#draw(), SETTLED_MS);
  }

  #draw() {
    const {page, events, moment} = this;
    if (this.count > MANY && !this.isWanted) {
      this.body.replaceChildren(el('p', {}, `${plural(this.count, 'block')} take a while to list. `, el('button', {type: 'button', onclick: () => {
        this.isWanted = true;
        this.#draw();
      }}, 'List them all')));
      return;
    }
    const rows = moment.layout.segments.flatMap((_, number) => Array.from(moment.live(number), rank => rowOf(page, events, moment, this.frames, rank)));
    this.body.replaceChildren();
    showTable(this.body, {caption: `Live blocks after event ${exact(moment.clock)}`, noun: 'block', rows, columns: this.columns, sort: '-bytes',
      shown: ['place', 'bytes', 'kind', 'start'], empty: 'Nothing is live here.', text: row => [row.name, placeText(row.frame), whatText(row.frame), row.label].join('\n'),
      onState: state => {
        this.state = state;
      }}, this.state);
  }
}
