/**
 * prepared.js - what the state view needs of a device, made once: the layout of its blocks, its events in order, the rest, the weights of colours.
 *
 * For a million blocks that takes half a second, so a worker makes it (worker.js). Meanwhile the arrays that the view will read are decoded here, one
 * at a time, so that the page stays responsive. If a browser starts no worker for a page on disk, it is made here.
 */
import workerText from 'worker:./worker.js';
import {makeState} from './make.js';

/** Arrays of blocks that the sentences and the details read. */
const LOOKED_AT = ['cell', 'address_low', 'address_high', 'generation', 'pair', 'bytes_low', 'bytes_high', 'padding', 'start', 'end', 'thread', 'time_low',
  'time_high', 'age_low', 'age_high'];
const kept = new WeakMap(); // Events -> by device what is made, or the promise of it

const turn = () => new Promise(resolve => setTimeout(resolve));

function inThread(input) {
  return new Promise((resolve, reject) => {
    const url = URL.createObjectURL(new Blob([workerText], {type: 'text/javascript'})), thread = new Worker(url);
    const end = () => {
      thread.terminate();
      URL.revokeObjectURL(url);
    };
    thread.onmessage = ({data}) => {
      end();
      resolve(data);
    };
    thread.onerror = event => {
      event.preventDefault();
      end();
      reject(new Error(event.message));
    };
    thread.postMessage(input);
  });
}

async function make(page, events, device) {
  const {cells, kinds, devices} = page.profile;
  const input = {bytes: events.bytes, profile: {cells, kinds, devices: devices.map(one => ({device: one.device}))}, device};
  const made = (async () => inThread(input))().catch(() => makeState(input));
  for (const name of LOOKED_AT) {
    events.arrays[`block.${name}`]; // decoded when first looked at
    await turn();
  }
  return made;
}

/** What is made already, else null. @param {import('../events.js').Events} events @param {number} device place in profile.devices */
export function preparedNow(events, device) {
  const found = kept.get(events)?.get(device);
  return found && !(found instanceof Promise) ? found : null;
}

/**
 * @param {object} page @param {import('../events.js').Events} events @param {number} device
 * @returns {Promise<{layout: import('./layout.js').Layout, steps: import('./steps.js').Steps, rest: import('./rest.js').Rest|null, weights:
 * Float64Array}>}
 */
export function prepare(page, events, device) {
  if (!kept.has(events)) kept.set(events, new Map());
  const devices = kept.get(events);
  if (!devices.has(device)) {
    devices.set(device, make(page, events, device).then(made => {
      devices.set(device, made);
      return made;
    }, error => {
      devices.delete(device);
      throw error;
    }));
  }
  return Promise.resolve(devices.get(device));
}
