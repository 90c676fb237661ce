/**
 * client.js - the view's end of the worker.
 *
 * call() sends a request and waits; latest() is for requests that come faster than they can be answered (latest.js). Where a browser does not start
 * workers for a page on disk, the same code runs in the page itself: less responsive, but as correct.
 */
import workerText from 'worker:./worker.js';
import {Latest} from './latest.js';
import {Service} from './service.js';

/** Answers in this thread, when it is idle. */
function localThread(answer) {
  const service = new Service();
  return {
    postMessage({id, method, args}) {
      setTimeout(() => {
        try {
          answer({data: {id, result: service[method](args)}});
        } catch (error) {
          answer({data: {id, error: error.message}});
        }
      });
    },
    terminate() {},
  };
}

export class Client {
  /** @param {import('../events.js').Events} events @param {object} profile */
  constructor(events, profile) {
    this.waiting = new Map();
    this.newest = new Latest((method, args) => this.call(method, args));
    this.next = 0;
    this.groups = new Map(); // the groups sent last, by name: the worker needs a copy
    const answer = ({data: {id, result, error}}) => {
      const {resolve, reject} = this.waiting.get(id);
      this.waiting.delete(id);
      if (error) reject(new Error(error));
      else resolve(result);
    };
    try {
      this.url = URL.createObjectURL(new Blob([workerText], {type: 'text/javascript'}));
      this.thread = new Worker(this.url);
      this.thread.onmessage = answer;
      this.thread.onerror = event => {
        event.preventDefault();
        this.#moveHere(answer, events, profile);
      };
    } catch {
      this.thread = localThread(answer);
    }
    this.#open(events, profile);
  }

  #open(events, profile) {
    const {device, kind, label} = profile.cells;
    this.opened = this.call('open', {bytes: events.bytes, cells: {device, kind, label}});
    this.opened.catch(() => {}); // the code that asks for a picture gets it
  }

  /** The worker did not start, or ended: its open requests are repeated in this thread. It may be called once for each request. */
  #moveHere(answer, events, profile) {
    if (this.isHere) return;
    this.isHere = true;
    const asked = [...this.waiting.values()];
    this.thread.terminate();
    this.waiting.clear();
    this.thread = localThread(answer);
    this.#open(events, profile);
    for (const args of [...this.groups.values()]) this.call('setGroups', args).catch(() => {});
    for (const {method, args, resolve, reject} of asked) if (method !== 'open') this.call(method, args).then(resolve, reject);
  }

  /** @param {string} method of service.js @param {object} args @returns {Promise<any>} */
  call(method, args) {
    const id = this.next++;
    if (method === 'setGroups') this.groups.set(args.name, args);
    return new Promise((resolve, reject) => {
      this.waiting.set(id, {resolve, reject, method, args});
      this.thread.postMessage({id, method, args});
    });
  }

  /** @param {string} name questions of one name replace each other @returns {Promise<any>} null where a newer one did */
  latest(name, method, args) {
    return this.newest.call(name, method, args);
  }

  close() {
    this.thread.terminate();
    if (this.url) URL.revokeObjectURL(this.url);
  }
}
