/**
 * then.js - what a view needs of a moment or a range: it waits for the events, adds up, and calls back with the newest that was asked for.
 */
import {restrictedTo} from '../device.js';
import {sumsOf} from './sums.js';
import {whenOf} from './when.js';

export class Then {
  /**
   * @param {object} page
   * @param {(found: {when: import('./when.js').When, state: object, events: import('../events.js').Events|null, sums: import('./sums.js').Sums|null}) => void}
   *   show @param {(error: Error) => void} failed
   */
  constructor(page, show, failed) {
    Object.assign(this, {page, show, failed, asked: 0});
  }

  /** Nothing that was asked for before is shown any more. */
  forget() {
    ++this.asked;
  }

  /** @param {Object<string, string>} state of the link */
  ask(state) {
    const number = ++this.asked, when = whenOf(state), {page} = this;
    if (when.kind === 'run') {
      this.show({when, state, events: null, sums: null});
      return;
    }
    const find = async () => {
      const events = await page.events();
      return {when, state, events, sums: events ? await sumsOf(page, events, restrictedTo(page, state), when) : null};
    };
    find().then(found => number === this.asked && this.show(found), error => number === this.asked && this.failed(error));
  }
}
