/**
 * latest.js - for what is asked for faster than it can be answered (panning, pointing): the newest question wins.
 *
 * client.js keeps one. Of each name one question is under way and one waits; a newer one takes the place of the one that waits, whose
 * promise then gives null. So the worker never works off a queue of pictures nobody will see, and while the hand moves, pictures still come.
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
