/**
 * appearance.js - the appearance of blocks: their colours, and which of them match the search or are chosen in the legend.
 *
 * view.js notifies it of another track, colouring or search; paint.js reads `now`. Lines are ranked for each track separately, because a line that is
 * large on one device may have no memory on another. So there are no colours until the worker has sent what the track holds at its peak.
 */
import {isDark} from '../color.js';
import {bytes, plural} from '../format.js';
import {coloringOf, weightsOf} from './groups.js';
import {Legend} from './legend.js';
import {shadesOf} from './paint.js';
import {search} from './search.js';
import {REST, UNKNOWN} from './tracks/rest.js';

export class Appearance {
  /**
   * @param {object} page @param {import('../events.js').Events} events @param {import('./client.js').Client} client
   * @param {{changed(): void, failed(error: Error): void, searched(text: string): void}} on changed: paint again; searched: called with the result of the search
   */
  constructor(page, events, client, on) {
    Object.assign(this, {page, events, client, on, weights: null, coloring: null, found: null, now: null, color: 'line', track: null});
    this.cellOf = events.arrays['block.cell'];
    this.restCell = events.arrays['rest.cell'] || [];
    this.legend = new Legend(() => this.#apply());
    const {node} = page.profile.cells;
    client.call('setGroups', {name: 'cells', groups: {count: node.length, ofBlock: null, ofCell: Uint32Array.from(node, (_, cell) => cell)}}).catch(on.failed);
  }

  /** @param {number} which place in the header's tracks @param {{peak_clock: number}} track */
  setTrack(which, track) {
    this.which = which;
    this.track = track;
    this.coloring = this.now = null;
    Promise.all([this.client.call('overview', {which}), this.client.call('compose', {which, moment: track.peak_clock, name: 'cells'})])
      .then(([{areas}, sums]) => {
        if (which !== this.which) return;
        this.weights = weightsOf(sums.bytes, areas);
        this.setColor(this.color);
      }, this.on.failed);
    this.#tell();
  }

  /** @param {string} color of COLORS; also where the theme is another */
  setColor(color) {
    this.color = color;
    if (!this.weights) return;
    const dark = isDark(), ground = getComputedStyle(document.documentElement).getPropertyValue('--ground').trim();
    this.coloring = coloringOf(this.page, this.events, color, this.weights, dark);
    this.shades = shadesOf(this.coloring.colors, ground, dark);
    this.legend.setColoring(this.coloring);
    const {count, ofBlock, ofCell} = this.coloring;
    this.client.call('setGroups', {name: 'colors', groups: {count, ofBlock, ofCell}}).catch(this.on.failed);
    this.#apply();
  }

  /** The group of a pixel's id; -1: none. @param {number} id of rest.js */
  groupOf(id) {
    if (!id || !this.coloring) return -1;
    const {ofBlock, ofCell, count} = this.coloring;
    if (id < REST) return ofBlock ? ofBlock[id - 1] : ofCell[this.cellOf[id - 1]];
    return id === UNKNOWN ? count - 1 : ofCell[this.restCell[id - REST]];
  }

  /** @param {string} text of the search */
  setSearch(text) {
    this.found = search(this.page, this.events, text);
    if (this.found) {
      this.client.call('setGroups', {name: 'found', groups: {count: 2, ofBlock: this.found.block, ofCell: this.found.cell}}).catch(this.on.failed);
    }
    this.#tell();
    this.#apply();
  }

  /** How much was found: at once how many blocks, then what they hold at the peak. */
  #tell() {
    const {found, which, track} = this;
    const of = this.events.header.complete ? '' : ' of those here one by one';
    const text = found ? `${plural(found.blocks, 'block')}${of} found` : '';
    this.on.searched(text);
    if (!found || !track) return;
    this.client.latest('found', 'compose', {which, moment: track.peak_clock, name: 'found'}).then(sums => {
      if (sums && found === this.found && which === this.which) this.on.searched(`${text}, ${bytes(Math.round(sums.bytes[1]))} at the peak`);
    }, this.on.failed);
  }

  #apply() {
    if (!this.coloring) return;
    const {cellOf, restCell, shades, coloring: {ofBlock, ofCell, count, hatched}, found, legend: {chosen}} = this;
    let blocks = found ? found.block : null, cells = found ? found.cell : null;
    if (chosen.size) {
      const isChosen = Uint8Array.from({length: count}, (_, group) => Number(chosen.has(group)));
      cells = Uint8Array.from(ofCell, (group, cell) => isChosen[group] & (found ? found.cell[cell] : 1));
      blocks = new Uint8Array(cellOf.length);
      for (let i = 0; i < blocks.length; ++i) blocks[i] = isChosen[ofBlock ? ofBlock[i] : ofCell[cellOf[i]]] & (found ? found.block[i] : 1);
    }
    this.now = {shades, hatched, ofBlock, ofCell, cellOf, restCell, otherGroup: count - 1, found: blocks, foundCell: cells};
    this.on.changed();
  }
}
