/** worker.js - the thread that prepared.js starts from its text: one message, one answer, whose arrays are handed over rather than copied. */
import {makeState} from './make.js';

self.onmessage = ({data}) => {
  const made = makeState(data);
  const arrays = [...Object.values(made.layout), ...Object.values(made.steps), ...Object.values(made.rest || {}), made.weights].filter(ArrayBuffer.isView);
  self.postMessage(made, [...new Set(arrays.map(array => array.buffer))]);
};
