/**
 * latest.js - for requests that come faster than they can be answered (panning, pointing): the newest one wins.
 *
 * client.js keeps one. For each name one request is being answered and one waits. A newer one replaces the one that waits, whose promise resolves to
 * null. So the worker never processes a queue of outdated pictures, and pictures still arrive while the pointer moves.
 */
export class Latest {
  /** @param {(...question: any[]) => Promise<any>} ask */
  constructor(ask) {
    this.ask = ask;
    /** @type {Map<string, {waiting: {question: any[], resolve: Function, reject: Function}|null}>} by name, while one is under way */
    this.busy = new Map();
  }

  /**
   * @param {string} name
   * @param {...any} question what `ask` is called with
   * @returns {Promise<any>} the answer; null where a newer question of the name came before this one was asked
   */
  call(name, ...question) {
    const state = this.busy.get(name);
    if (!state) return this.#begin(name, question);
    if (state.waiting) state.waiting.resolve(null);
    return new Promise((resolve, reject) => {
      state.waiting = {question, resolve, reject};
    });
  }

  #begin(name, question) {
    const state = {waiting: null};
    this.busy.set(name, state);
    return this.ask(...question).finally(() => {
      this.busy.delete(name);
      const {waiting} = state;
      if (waiting) this.#begin(name, waiting.question).then(waiting.resolve, waiting.reject);
    });
  }
}
