/**
 * worker.js - the thread that computes pictures: messages {id, method, args} for service.js, answers {id, result} or {id, error}.
 *
 * client.js starts it from its text, which build.mjs puts into the bundle: a page on disk has no second file to load.
 */
import {handedOver, Service} from './service.js';

const METHODS = new Set(['allocated', 'open', 'overview', 'curve', 'lanes', 'picture', 'setGroups', 'compose']);
const service = new Service();

self.onmessage = ({data: {id, method, args}}) => {
  try {
    if (!METHODS.has(method)) throw new Error(`the timeline's thread knows no ${method}`);
    const result = service[method](args);
    self.postMessage({id, result}, handedOver(result));
  } catch (error) {
    self.postMessage({id, error: error.message});
  }
};
