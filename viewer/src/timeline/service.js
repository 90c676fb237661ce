/**
 * service.js - what the worker does for the view: pictures, sums at a moment, curves of totals.
 *
 * worker.js passes it messages; the unit tests and viewer/bench call it without a worker. It caches the data of the last tracks, because users go
 * back and forth between two of them.
 */
import {decodeEvents} from '../events.js';
import {allocated, areas, compose} from './tracks/compose.js';
import {inputOf} from './tracks/input.js';
import {laneRows} from './lane_rows.js';
import {HEADROOM, momentsOf, raster} from './tracks/raster.js';
import {makeTrack} from './tracks/track.js';

const TRACKS_KEPT = 3;

export class Service {
  constructor() {
    this.input = null;
    this.failure = null;
    /** @type {Map<number, import('./tracks/track.js').Track>} by place in tracks, the most recently used one at the end */
    this.tracks = new Map();
    this.groups = new Map();
  }

  /** @param {{bytes: Uint8Array, cells: {device: number[], kind: number[], label: number[]}}} page */
  open({bytes, cells}) {
    try {
      this.events = decodeEvents(bytes);
      this.labels = cells.label;
      this.input = inputOf(this.events, {cells});
    } catch (error) {
      this.failure = error; // later requests fail with it, too
      throw error;
    }
    return {blocks: this.input.start.length};
  }

  track(which) {
    if (!this.input) throw this.failure || new Error('the events are not there yet');
    const track = this.tracks.get(which) || makeTrack(this.input, which);
    this.tracks.delete(which);
    this.tracks.set(which, track);
    if (this.tracks.size > TRACKS_KEPT) this.tracks.delete(this.tracks.keys().next().value);
    return track;
  }

  /** What the view ranks lines by: bytes times ticks of each cell, and how many blocks of the track there are. */
  overview({which}) {
    const track = this.track(which);
    return {areas: areas(track, this.input.cell, this.input.cellDevice.length, this.input.last), blocks: track.blocks.length};
  }

  /** The highest total in each of some stretches of the clock. @param {{which: number, borders: Float64Array}} wanted */
  curve({which, borders}) {
    return momentsOf(this.track(which), borders);
  }

  /** Rows of labels and scopes. @param {{axis: 'clock'|'time'}} wanted */
  lanes({axis}) {
    return laneRows(this.events, axis, this.labels);
  }

  /**
   * @param {{which: number, borders: Float64Array, height: number, bottom: number, top: number}} wanted borders: clocks of the columns'
   * borders; bytes at the lower and upper edge, top 0 for what the highest column needs
   */
  picture({which, borders, height, bottom, top}) {
    const track = this.track(which), moments = momentsOf(track, borders);
    const {total, exact} = moments;
    let highest = 0; // of equal ones the first that is known, not estimated
    for (let i = 1; i < total.length; ++i) if (total[i] > total[highest] || (total[i] === total[highest] && exact[i] > exact[highest])) highest = i;
    const upper = top || Math.max(1, (total[highest] || 0) * HEADROOM);
    return {...moments, ids: raster(track, moments.moment, height, bottom, (upper - bottom) / height), height, bottom, top: upper, borders, highest};
  }

  /** Groups of cells or blocks that sums are asked for by, under a name. @param {{name: string, groups: import('./tracks/compose.js').Groups}} given */
  setGroups({name, groups}) {
    this.groups.set(name, groups);
  }

  /** @param {{which: number, moment: number, name: string}} wanted name of groups */
  compose({which, moment, name}) {
    return compose(this.track(which), this.input.cell, moment, this.groups.get(name));
  }

  /** What a range allocated and is live at its end. @param {{which: number, from: number, to: number, name: string}} wanted name of groups */
  allocated({which, from, to, name}) {
    return allocated(this.track(which), this.input.cell, from, to, this.groups.get(name));
  }
}

/** Arrays of an answer that are handed over rather than copied. @param {object} answer @returns {ArrayBuffer[]} */
export const handedOver = answer => !answer ? [] : answer.ids ? [answer.ids.buffer] : answer.threads
  ? [answer.labels, ...answer.threads.flatMap(({rows}) => rows)].flatMap(({from, to, item}) => [from.buffer, to.buffer, item.buffer]) : [];
