/**
 * view.js - the state of a device at a moment: which memory is used, which is free, what the event at that tick did. views/state.js opens it.
 *
 * What is chosen is in the link (device, at, block, color, sort, row); update() shows what it says. A step moves the moment (moment.js), then
 * everything is shown again: the sentence of the event, the figures, the map, the legend, the block, the table.
 */
import {inkOn, isDark} from '../color.js';
import {ALL} from '../device.js';
import {el} from '../dom.js';
import {showFailure} from '../failure.js';
import {bytes, exact, plural, time} from '../format.js';
import {blockKey, blockNamed, deviceKey, deviceTitle, nodeOfBlock, placeOf, placeText, frameOf, whatText} from '../model.js';
import {linkTo} from '../route.js';
import {COLORS, coloringOf} from '../timeline/groups.js';
import {Legend} from '../timeline/legend.js';
import {timesOf} from '../times.js';
import {Controls} from './controls.js';
import {parseWanted, rankAt} from './find.js';
import {followKeys} from './keys.js';
import {PIECE} from './layout.js';
import {AddressMap} from './map.js';
import {Moment} from './moment.js';
import {prepare, preparedNow} from './prepared.js';
import {restAt} from './rest.js';
import {DEFAULT_LINES, LEAST_ROW, MOST_LINES, rowFor} from './rows.js';
import {blockPanel, figuresLine, headText} from './said.js';
import {Scrubber} from './scrubber.js';
import {stepFrom} from './steps.js';
import {LiveTable} from './table.js';
import {blockText, oomText, tickText} from './words.js';

export class StateView {
  constructor(root, page, events, state, go) {
    const {devices, cells} = page.profile, used = new Set(cells.device);
    Object.assign(this, {root, page, events, go, awaited: null, times: timesOf(events), state: {}, place: -1, selected: -1,
      places: devices.map((_, place) => place).filter(place => used.has(place))});
    this.controls = new Controls({step: by => this.step(by),
      first: () => this.toFirst(), last: () => this.toLast(), peak: () => this.toPeak(), oom: by => this.toOom(by), find: text => this.find(text),
      color: color => this.change({color}), sort: sort => this.change({sort}), longer: () => this.zoom(1), shorter: () => this.zoom(-1)});
    this.scrubber = new Scrubber(events.header.last_clock, clock => this.goTo(clock));
    this.map = new AddressMap({pick: rank => this.select(rank), tip: (rank, hole, event) => this.showTip(rank, hole, event)});
    this.legend = new Legend(() => this.drawMap());
    this.table = new LiveTable(page, events, rank => linkTo('state', {...this.link(), block: this.keyOf(rank)}));
    this.event = el('p', {class: 'state-event', role: 'status'});
    this.note = el('p', {class: 'note', hidden: true, role: 'alert'});
    this.figures = el('p', {class: 'state-figures'});
    this.details = el('div', {class: 'tl-block state-block', tabindex: '-1', role: 'region', 'aria-label': 'Block'});
    this.tip = el('div', {class: 'tip', role: 'tooltip', hidden: true});
    this.spoken = el('p', {class: 'unseen', role: 'status'});
    root.append(this.controls.root, ...this.#incomplete(),
      el('div', {class: 'state-main'}, this.scrubber.root, this.event, this.note, this.figures, this.map.element, el('p', {class: 'quiet state-says'},
        'Each line of the map covers as many bytes of addresses as is said above. A segment joins blocks that lie within 2 MiB of each other, whenever they were live. ' +
        'Hatched without a colour: free, also what cudaFree gave back to the device. Grey: blocks narrower than a pixel (zoom in to see them). ' +
        'Framed: the block that changed; framed twice: the selected block; dashed: a freed block. ' +
        'Lower part of a block: pieces that the program\'s own allocator handed out of it.'), this.tip, this.spoken),
      el('aside', {class: 'tl-panel', 'aria-label': 'Colours and block'}, this.legend.root, this.details), this.table.root);
    this.stopKeys = followKeys(this);
    this.onTheme = () => {
      if (!this.moment) return;
      this.#newColors();
      this.say();
      this.map.draw();
    };
    addEventListener('themechange', this.onTheme);
    this.resized = new ResizeObserver(() => {
      this.map.later();
      this.scrubber.draw();
    });
    this.update(state);
    this.resized.observe(this.map.element);
  }

  close() {
    this.awaited = null;
    this.stopKeys();
    removeEventListener('themechange', this.onTheme);
    this.resized.disconnect();
    this.map.close();
    this.table.close();
  }

  // ---- the state of the link ----

  /** @param {Object<string, string>} given of the link */
  update(given) {
    const busiest = this.places.reduce((found, place) => this.#trackOf(place)?.peak > (this.#trackOf(found)?.peak ?? -1) ? place : found, this.places[0]);
    const wanted = this.places.find(place => deviceKey(this.page, place) === given.device), block = blockNamed(this.events, given.block);
    const own = block < 0 ? undefined : this.#deviceOf(block);
    const isPiece = own !== undefined && this.page.profile.devices[own].device === 'custom'; // shown in the memory it lies in, if that is known
    const place = wanted ?? (this.places.includes(own) && !isPiece ? own : busiest);
    const isElsewhere = wanted === undefined && isPiece && preparedNow(this.events, place)?.layout.block.includes(block) === false;
    if (!this.#turnTo(isElsewhere ? own : place, given)) return;
    this.state = {...given};
    this.sort = given.sort === 'address' ? 'address' : 'size';
    const least = rowFor(this.layout, MOST_LINES);
    this.row = Math.max(least, LEAST_ROW, Number(given.row) || rowFor(this.layout, DEFAULT_LINES));
    this.selected = block < 0 ? -1 : this.layout.block.indexOf(block);
    const color = COLORS.some(({name}) => name === given.color) ? given.color : COLORS[0].name;
    if (this.color !== color) this.#newColors(color);
    const at = parseWanted(given.at || '');
    const clock = at?.clock ?? (this.selected >= 0 ? this.layout.start[this.selected] : this.track ? this.track.peak_clock : this.last);
    this.moment.seek(Math.min(this.last, clock));
    this.say(given.block && this.selected < 0 ? this.#missing(given.block) : '');
    this.#reveal();
    if (given.block && !given.device) this.go('state', this.link(), {replace: true}); // the device that the block is of
  }

  /** Scrolls to the selected block, else to the one that changed. */
  #reveal() {
    const rank = this.selected >= 0 ? this.selected : this.changed.ranks[0] ?? -1;
    if (rank >= 0) this.map.reveal(rank);
  }

  #deviceOf(block) {
    return this.page.profile.cells.device[this.events.arrays['block.cell'][block]];
  }

  #trackOf(place) {
    return this.events.header.tracks.find(track => track.device === place && (track.kind ?? null) === null);
  }

  /** Whether the device is ready to be shown; if not, the state of the link is taken again when it is. */
  #turnTo(place, given) {
    const made = preparedNow(this.events, place);
    this.awaited = made ? null : given;
    if (made && place !== this.place) this.#newDevice(place, made);
    this.root.inert = !this.moment; // nothing can be done yet
    if (made) return true;
    this.event.textContent = `Sorting ${plural(this.events.blocks, 'block')} by address…`;
    prepare(this.page, this.events, place).then(() => this.awaited === given && this.update(given)).catch(error => showFailure(this.root, error));
    return false;
  }

  #newDevice(place, {layout, steps, rest, weights}) {
    const {arrays, header} = this.events;
    Object.assign(this, {place, layout, steps, rest, weights, moment: new Moment(layout, steps), last: header.last_clock, color: '', labels: new Map()});
    const track = this.#trackOf(place);
    this.track = track ? {...track, moment: arrays[`${track.prefix}.moment`], most: arrays[`${track.prefix}.most`]} : null;
    this.ooms = this.page.profile.ooms.filter(oom => oom.device === place).sort((a, b) => a.clock - b.clock);
    this.scrubber.setTrack(this.track, this.ooms.map(oom => oom.clock));
  }

  #newColors(color = this.color) {
    this.color = color;
    this.coloring = coloringOf(this.page, this.events, color, this.weights, isDark());
    this.legend.setColoring(this.coloring);
  }

  /** The state for the link, without default values. */
  link() {
    return {...this.state, device: this.state.device === ALL ? ALL : deviceKey(this.page, this.place), at: this.moment.clock, block: this.selected < 0 ? '' : this.keyOf(this.selected)};
  }

  /** Applies a choice: shows it and updates the link. */
  change(changes) {
    const next = Object.fromEntries(Object.entries({...this.link(), ...changes}).map(([key, value]) => [key, String(value)]));
    this.update(next);
    this.go('state', this.awaited ? next : this.link(), {replace: true});
  }

  // ---- moments ----

  goTo(clock) {
    this.moment.seek(Math.max(0, Math.min(this.last, clock)));
    this.say();
    this.go('state', this.link(), {replace: true});
  }

  step(by) {
    this.goTo(stepFrom(this.steps, this.moment.clock, by));
    if (this.changed.ranks.length) this.map.reveal(this.changed.ranks[0]);
  }

  toFirst() {
    this.goTo(this.steps.count ? Math.max(0, this.steps.clock[0] - 1) : 0);
  }

  toLast() {
    this.goTo(this.steps.count ? this.steps.clock[this.steps.count - 1] : this.last);
  }

  toPeak() {
    if (this.track) this.goTo(this.track.peak_clock);
  }

  /** Goes to the next out-of-memory event of the device; after the last one, to the first. */
  toOom(by) {
    const {clock} = this.moment, {ooms} = this;
    if (!ooms.length) {
      this.say(`No call of ${deviceTitle(this.page, this.place)} was out of memory.`);
      return;
    }
    const next = by > 0 ? ooms.find(oom => oom.clock > clock) || ooms[0] : ooms.findLast(oom => oom.clock < clock) || ooms.at(-1);
    this.goTo(next.clock);
  }

  /** Goes to the tick, block or address that was typed. */
  find(text) {
    const wanted = parseWanted(text);
    if (!wanted) {
      this.say(`"${text}" is neither an event of the run nor a block. Blocks are named as in reports, such as 7f0012000000_2.`);
    } else if (wanted.clock !== undefined) {
      this.goTo(wanted.clock);
    } else if (wanted.generation !== null) {
      const block = blockNamed(this.events, text), rank = block < 0 ? -1 : this.layout.block.indexOf(block);
      if (rank >= 0) this.#toRank(rank);
      else if (block >= 0) this.change({device: deviceKey(this.page, this.#deviceOf(block)), at: '', block: text.trim()});
      else this.say(this.#missing(text));
    } else {
      const rank = rankAt(this.moment, wanted.address);
      if (rank >= 0) this.#toRank(rank);
      else this.say(`No block of ${deviceTitle(this.page, this.place)} that this page has one by one was ever at ${text.trim()}.`);
    }
  }

  #missing(name) {
    return `The page has no block ${name.trim()} one by one` + (this.events.header.complete ? '.' : ': more of them are in a page made with a higher --max-size.');
  }

  /** Selects a block, at its allocation unless it is live now. */
  #toRank(rank) {
    this.selected = rank;
    this.goTo(this.moment.isLive(rank) ? this.moment.clock : this.layout.start[rank]);
    this.map.reveal(rank);
  }

  // ---- blocks ----

  /** The name of a block in links. */
  keyOf(rank) {
    return blockKey(this.events, this.layout.block[rank]);
  }

  select(rank) {
    this.selected = rank;
    this.say();
    const block = this.layout.block[rank];
    this.spoken.textContent = rank < 0 ? 'No block selected' :
      `${blockText(this.page, this.events, block)} at ${placeOf(this.page, nodeOfBlock(this.page, this.events, block))}`;
    this.go('state', this.link(), {step: true});
  }

  /** Goes from the selected block to the live one before or after it. */
  selectBeside(by) {
    const live = this.moment.layout.segments.flatMap((_, number) => Array.from(this.moment.live(number)));
    if (!live.length) return;
    const from = this.selected >= 0 ? this.selected : this.changed.ranks[0] ?? -1, at = live.findIndex(rank => rank >= from);
    const next = at < 0 ? live.length - 1 : live[at] === from ? at + by : by > 0 ? at : at - 1;
    const rank = live[Math.max(0, Math.min(live.length - 1, next))];
    this.select(rank);
    this.map.reveal(rank);
  }

  zoom(by) {
    this.change({row: by > 0 ? this.row * 2 : this.row / 2});
  }

  // ---- texts and drawing ----

  #incomplete() {
    const {blocks, complete} = this.events.header;
    this.restText = el('span');
    return complete ? [] : [el('p', {class: 'note state-wide'}, `${exact(blocks.seen - blocks.kept)} of the run's ${plural(blocks.seen, 'block')} are not in ` +
      'this page one by one and are not drawn: ' +
      'the map has holes where they were, and the figures below leave them out. ', this.restText, ' Make the page with a higher ',
    el('code', {}, '--max-size'), ' to have more of them.')];
  }

  #sayRest() {
    if (!this.rest) return;
    const known = restAt(this.rest, this.moment.clock);
    this.restText.textContent = known.clock < 0 ? 'How much they hold here is not known.' :
      `They held ${bytes(known.bytes)} of ${deviceTitle(this.page, this.place)} after event ${exact(known.clock)}` +
        `${known.clock === this.moment.clock ? ', which is now' : ', the last moment up to here of which the page knows it'}.`;
  }

  /** Shows everything again. @param {string} [problem] a sentence */
  say(problem = '') {
    const {moment, page, events} = this, {clock} = moment, totals = moment.totals();
    this.changed = tickText(page, events, this, clock);
    const when = `event ${exact(clock)} of ${exact(this.last)}, ${time(this.times.timeAt(clock))}`;
    this.event.replaceChildren(el('strong', {}, `After ${when}: `), this.changed.text);
    const oom = this.ooms.find(one => one.clock === clock);
    this.note.hidden = !problem && !oom;
    this.note.textContent = problem || (oom ? oomText(page, oom) : '');
    this.figures.replaceChildren(...figuresLine(totals));
    this.#sayRest();
    this.controls.set({color: this.color, sort: this.sort, row: this.row, ooms: this.ooms.length});
    this.scrubber.set(clock, `${when}: ${this.changed.text}`);
    this.#sumGroups(this.rest ? `${when}, in the blocks that are here` : when);
    this.drawMap();
    this.details.replaceChildren(...blockPanel(this));
    this.table.set(moment, totals.blocks + totals.pieces);
    this.map.element.setAttribute('aria-label', `Memory of ${deviceTitle(page, this.place)} after event ${exact(clock)}: ${this.figures.textContent.trim()}. ` +
      'The arrows up and down go from block to block; the table below has them all.');
  }

  groupOf(rank) {
    const block = this.layout.block[rank], {ofBlock, ofCell} = this.coloring;
    return ofBlock ? ofBlock[block] : ofCell[this.events.arrays['block.cell'][block]];
  }

  #sumGroups(when) {
    const {count} = this.coloring, sums = {isExact: true, total: 0, unknown: 0, bytes: new Float64Array(count), blocks: new Uint32Array(count),
      rest: new Float64Array(count)};
    this.layout.segments.forEach((_, number) => this.moment.live(number).forEach(rank => {
      if (this.layout.layer[rank] === PIECE) return;
      const group = this.groupOf(rank);
      sums.bytes[group] += this.layout.bytes[rank];
      ++sums.blocks[group];
      sums.total += this.layout.bytes[rank];
    }));
    this.legend.setSums(when, sums);
  }

  /** The texts of a block on the map: its size, then its line, and what it is. */
  labelOf(rank) {
    const node = nodeOfBlock(this.page, this.events, this.layout.block[rank]);
    if (!this.labels.has(node)) {
      const frame = frameOf(this.page, node);
      this.labels.set(node, frame.variable ? `${frame.variable} · ${placeText(frame)}` : placeText(frame));
    }
    return [bytes(this.layout.bytes[rank]), this.labels.get(node)];
  }

  drawMap() {
    if (!this.coloring || !this.changed) return;
    const {chosen} = this.legend, {colors, hatched} = this.coloring;
    this.map.show(this.moment, {row: this.row, sort: this.sort}, {color: rank => colors[this.groupOf(rank)], isHatched: rank => hatched[this.groupOf(rank)], ink: inkOn, label: rank => this.labelOf(rank),
      isPale: rank => chosen.size > 0 && !chosen.has(this.groupOf(rank)), head: number => headText(this.moment, number)},
    {ranks: this.changed.ranks, selected: this.selected});
  }

  showTip(rank, hole, event) {
    this.tip.hidden = rank < 0 && !hole;
    if (this.tip.hidden) return;
    if (hole) {
      this.tip.replaceChildren(`hole of ${bytes(hole.to - hole.from)} at ${hole.address.toString(16)}`);
    } else {
      const block = this.layout.block[rank], node = nodeOfBlock(this.page, this.events, block), what = whatText(frameOf(this.page, node));
      this.tip.replaceChildren(`${blockText(this.page, this.events, block)} at ${placeOf(this.page, node)}`, ...(what ? [el('code', {}, what)] : []));
    }
    this.tip.style.left = `${Math.max(8, Math.min(event.clientX + 14, innerWidth - this.tip.offsetWidth - 8))}px`;
    this.tip.style.top = `${event.clientY + 18 + this.tip.offsetHeight > innerHeight ? event.clientY - this.tip.offsetHeight - 10 : event.clientY + 18}px`;
  }
}
