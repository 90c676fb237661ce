/** make.js - all that prepared.js promises, from the bytes of the section `events`; in the worker, or in the page where there is none. */
import {decodeEvents} from '../events.js';
import {layoutOf} from './layout.js';
import {restOf} from './rest.js';
import {stepsOf} from './steps.js';
import {weightsIn} from './weights.js';

/** @param {{bytes: Uint8Array, profile: {cells: object, kinds: string[], devices: object[]}, device: number}} input */
export function makeState({bytes, profile, device}) {
  const events = decodeEvents(bytes), layout = layoutOf(profile, events, device);
  return {layout, steps: stepsOf(layout, events), rest: restOf(profile, events, device), weights: weightsIn(profile, events, layout)};
}
