/**
 * top_table.js - the picture as a table: the lines that hold most at the highest visible moment. It replaces the picture for screen readers, and
 * every user can open it.
 */
import {el} from '../dom.js';
import {bytes, count, exact, percent, plural} from '../format.js';
import {frameOf, lineKey} from '../model.js';
import {placeCell} from '../rows.js';

const ROWS = 10;

export class TopTable {
  /** @param {object} page */
  constructor(page) {
    this.page = page;
    this.caption = el('caption', {class: 'unseen'});
    this.body = el('tbody', {});
    this.summary = el('summary', {}, 'The lines that hold most here, as a table');
    this.note = el('p', {class: 'quiet'});
    const number = text => el('th', {scope: 'col', class: 'number'}, text);
    this.root = el('details', {class: 'tl-wide'}, this.summary,
      el('table', {class: 'figures'}, this.caption, el('thead', {}, el('tr', {}, el('th', {scope: 'col'}, 'line'), number('bytes'), number('share'), number('blocks'))),
        this.body), this.note);
  }

  /**
   * @param {string} where the moment in words
   * @param {object} sums of compose.js, by cell
   */
  set(where, sums) {
    const {node} = this.page.profile.cells, lines = new Map();
    sums.bytes.forEach((size, cell) => {
      if (size <= 0) return;
      const frame = frameOf(this.page, node[cell]), key = lineKey(frame);
      if (!lines.has(key)) lines.set(key, {frame, size: 0, blocks: 0, rest: 0});
      const line = lines.get(key);
      line.size += size;
      line.blocks += sums.blocks[cell];
      line.rest += sums.rest[cell];
    });
    const ranked = [...lines.values()].sort((a, b) => b.size - a.size), top = ranked.slice(0, ROWS);
    const left = ranked.slice(ROWS), leftBytes = left.reduce((sum, {size}) => sum + size, 0) + sums.unknown;
    this.summary.textContent = `The lines that hold most after ${where}, the highest moment here, as a table`;
    this.caption.textContent = `Lines with what they hold after ${where}: ${bytes(Math.round(sums.total))} in all`;
    this.body.replaceChildren(...top.map(({frame, size, blocks, rest}) => el('tr', {}, el('td', {}, placeCell(frame)),
      el('td', {class: 'number', title: `${exact(Math.round(size))} bytes`}, bytes(Math.round(size))), el('td', {class: 'number'}, percent(100 * size / sums.total)),
      el('td', {class: 'number'}, rest > 0 ? `${count(blocks)} and a rest` : count(blocks)))));
    const unknown = sums.unknown > 0 ? `, of which ${bytes(Math.round(sums.unknown))} are of lines not known` : '';
    this.note.textContent = left.length || unknown ? `${plural(left.length, 'more line')} hold ${bytes(Math.round(leftBytes))}${unknown}.` : '';
  }
}
