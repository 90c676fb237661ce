/**
 * timeline.mjs - `node bench/timeline.mjs [EVENTS=1e7] [KEPT=500000]`: what the timeline of a large run costs, without a browser.
 *
 * It makes a training run of so many events, keeps the blocks that cover most of the picture as docs/PAGE.md says, writes the section
 * `events`, and measures what the page does with it: decode, first picture, panning, zooming, sums at a moment. Two runs are measured:
 * EVENTS with KEPT blocks and the rest, and EVENTS / 10 complete. page.mjs measures the same in Chromium.
 */
import path from 'node:path';
import {fileURLToPath} from 'node:url';
import {gzipSync} from 'node:zlib';
import {decodeEvents} from '../src/events.js';
import {Service} from '../src/timeline/service.js';
import {trainingBlocks, writeEvents} from '../test/fixture_events.mjs';

const WIDTH = 1200, HEIGHT = 420;

/** Which blocks stay one by one: those that cover most of the picture. */
export function largest({blocks, lastClock}, count) {
  const area = i => blocks.bytes[i] * (Math.min(blocks.end[i], lastClock + 1) - blocks.start[i]);
  const sorted = Float64Array.from({length: blocks.count}, (_, i) => area(i)).sort(), least = sorted[Math.max(0, blocks.count - count)];
  return Uint8Array.from({length: blocks.count}, (_, i) => Number(area(i) >= least));
}

/** How many lines the run has, all on one device. */
export const CELLS = 40;

/** @param {number} events @param {number|null} kept null: all @returns {{section: Uint8Array, cells: object, lastClock: number, header: object}} */
export function madeRun(events, kept) {
  const run = trainingBlocks({events, cells: CELLS}), cells = {device: new Array(CELLS).fill(0), kind: new Array(CELLS).fill(0)};
  const keep = kept && kept < run.blocks.count ? largest(run, kept) : undefined;
  const section = writeEvents(run, {cells, parts: 16384, keep});
  return {section, cells, lastClock: run.lastClock, header: decodeEvents(section).header};
}

function timed(name, work, times = 1) {
  const taken = [];
  let result;
  for (let i = 0; i < times; ++i) {
    const begin = performance.now();
    result = work(i);
    taken.push(performance.now() - begin);
  }
  taken.sort((a, b) => a - b);
  console.log(`  ${name.padEnd(34)} ${taken[taken.length >> 1].toFixed(1).padStart(8)} ms${times > 1 ? `, highest ${taken[times - 1].toFixed(1)} ms` : ''}`);
  return result;
}

function measure(title, events, kept) {
  const {section, cells, lastClock} = timed(`(making ${events.toExponential()} events)`, () => madeRun(events, kept));
  console.log(`${title}: section ${(section.length / 2 ** 20).toFixed(1)} MiB, compressed ${(gzipSync(section).length / 2 ** 20).toFixed(1)} MiB`);
  const service = new Service(), whole = lastClock + 1;
  const borders = (from, to) => Float64Array.from({length: WIDTH + 1}, (_, i) => from + (to - from) * i / WIDTH);
  const picture = (from, to) => service.picture({which: 0, borders: borders(from, to), height: HEIGHT, bottom: 0, top: 0});
  timed('decode', () => service.open({bytes: section, cells}));
  timed('track', () => service.track(0));
  timed('first picture', () => picture(0, whole));
  timed('whole run', () => picture(0, whole), 9);
  timed('pan at a tenth', i => picture(whole * (0.3 + i / 100), whole * (0.4 + i / 100)), 21);
  timed('zoom in from all to 100 ticks', i => {
    const width = whole * (100 / whole) ** (i / 30);
    picture(whole * 0.6 - width / 2, whole * 0.6 + width / 2);
  }, 31);
  service.setGroups({name: 'cells', groups: {count: CELLS, ofBlock: null, ofCell: Array.from({length: CELLS}, (_, i) => i)}});
  timed('sums at a moment', i => service.compose({which: 0, moment: Math.floor(whole * i / 20), name: 'cells'}), 21);
}

if (process.argv[1] && path.resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const events = Number(process.argv[2] || 1e7), kept = Number(process.argv[3] || 500000);
  measure(`${events / 10} events, complete`, events / 10, null);
  measure(`${events} events, ${kept} blocks kept`, events, kept);
}
