/**
 * page.mjs - `node bench/page.mjs MODULES CHROMIUM [EVENTS=1e7] [KEPT=500000]`: the timeline of a large run in Chromium.
 *
 * MODULES is a folder that has playwright-core (test/page/). Writes a page as `gpumemprof html` would, opens it from disk, and measures
 * the time to the first exact picture, and the longest frame while it is panned, zoomed, pointed at and searched. A frame is
 * what lies between two animation frames. On a machine that has other work, too, look at the longest task of the page's own thread, which is in
 * time of the processor. With --complete all blocks are kept; --page=FILE measures a page that `gpumemprof html` wrote.
 */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import {createRequire} from 'node:module';
import {build} from '../build.mjs';
import {page as written} from '../dev.mjs';
import {fixture} from '../test/fixture.mjs';
import {CELLS, madeRun} from './timeline.mjs';

const [modules, executablePath, events = '1e7', kept = '500000'] = process.argv.slice(2).filter(word => !word.startsWith('--'));
if (!executablePath) {
  console.error('usage: node bench/page.mjs MODULES CHROMIUM [EVENTS] [KEPT] [--complete] [--page=FILE]');
  process.exit(2);
}
const TRACED = ['toplevel', 'disabled-by-default-devtools.timeline', '__metadata'];
const isComplete = process.argv.includes('--complete');
const given = (process.argv.find(word => word.startsWith('--page=')) || '').slice('--page='.length);
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'gpumemprof-bench-')), file = given ? path.resolve(given) : path.join(folder, 'page.html');

function writePage(template) {
  const {section, header} = madeRun(Number(events), isComplete ? null : Number(kept));
  const {profile, sources} = fixture({steps: 8}), lines = profile.tree.parent.map((_, node) => node).filter(node => profile.tree.blocks[node]);
  profile.cells = {node: Array.from({length: CELLS}, (_, cell) => lines[cell % lines.length]), device: new Array(CELLS).fill(0),
    kind: new Array(CELLS).fill(0), label: Array.from({length: CELLS}, (_, cell) => cell % 3),
    ...Object.fromEntries(['self_at_peak', 'self_alloc', 'leaked', 'blocks'].map(key => [key, Array.from({length: CELLS}, (_, cell) => 1 + cell)]))};
  Object.assign(profile, {steps: [], marks: [], ooms: [], samples: {device: [], clock: [], time_ns: [], used: [], reserved: []}});
  profile.devices[0].peak = header.tracks[0].peak;
  fs.writeFileSync(file, written(template, {profile, sources, events: section}));
  const {kept: here, seen} = header.blocks, size = (fs.statSync(file).size / 2 ** 20).toFixed(1);
  console.log(`page of ${Number(events).toExponential()} events, ${here} of ${seen} blocks: ${size} MiB`);
}

/** Processor time of the longest task in the thread of the page, from a trace of Chromium, ms. */
function longestTask(trace) {
  const {traceEvents} = JSON.parse(trace), pages = traceEvents.filter(one => one.name === 'thread_name' && one.args.name === 'CrRendererMain');
  const isPage = new Set(pages.map(({pid, tid}) => `${pid} ${tid}`));
  return traceEvents.reduce((most, {name, pid, tid, tdur}) => name.endsWith('RunTask') && isPage.has(`${pid} ${tid}`) ? Math.max(most, (tdur || 0) / 1000) : most, 0);
}

/** The longest time between two frames, and the longest task, while something is done. */
async function frames(page, name, action) {
  await page.context().browser().startTracing(page, {categories: TRACED});
  await page.evaluate(() => {
    const taken = window.taken = {last: performance.now(), all: [], isOn: true};
    const tick = now => {
      taken.all.push(now - taken.last);
      taken.last = now;
      if (taken.isOn) requestAnimationFrame(tick);
    };
    requestAnimationFrame(now => {
      taken.last = now;
      requestAnimationFrame(tick);
    });
  });
  const begin = performance.now();
  await action();
  await page.waitForTimeout(400);
  const all = await page.evaluate(() => {
    window.taken.isOn = false;
    return window.taken.all.sort((a, b) => a - b);
  });
  const task = longestTask(await page.context().browser().stopTracing());
  console.log(`  ${name.padEnd(28)} ${all.length} frames in ${(performance.now() - begin).toFixed(0)} ms, median ${all[all.length >> 1].toFixed(1)} ms, longest ${
    all[all.length - 1].toFixed(1)} ms, longest task ${task.toFixed(1)} ms`);
}

if (!given) writePage(await build(folder));
const {chromium} = createRequire(path.join(path.resolve(modules), 'x'))('playwright-core');
const browser = await chromium.launch({executablePath, args: ['--no-sandbox']});
try {
  const page = await browser.newPage({viewport: {width: 1400, height: 1000}});
  page.on('pageerror', error => console.log('error in the page:', error.stack));
  await browser.startTracing(page, {categories: TRACED});
  const begin = performance.now();
  await page.goto(`file://${file}#/timeline?color=path`);
  await page.waitForSelector('.tl-picture[data-shown]');
  const first = performance.now() - begin;
  await page.waitForTimeout(1500);
  console.log(`  first picture                ${first.toFixed(0)} ms, longest task ${longestTask(await browser.stopTracing()).toFixed(1)} ms`);
  const box = await (await page.$('.tl-picture')).boundingBox(), y = box.y + 250;
  await frames(page, 'pointing', async () => {
    for (let i = 0; i < 60; ++i) await page.mouse.move(box.x + 150 + i * 12, y + (i % 7) * 20);
  });
  await frames(page, 'wheel in', async () => {
    for (let i = 0; i < 40; ++i) {
      await page.mouse.wheel(0, -60);
      await page.waitForTimeout(20);
    }
  });
  await frames(page, 'dragging', async () => {
    await page.mouse.move(box.x + 800, y);
    await page.mouse.down();
    for (let i = 0; i < 60; ++i) await page.mouse.move(box.x + 800 - i * 10, y);
    await page.mouse.up();
  });
  await frames(page, 'wheel out', async () => {
    for (let i = 0; i < 40; ++i) {
      await page.mouse.wheel(0, 60);
      await page.waitForTimeout(20);
    }
  });
  await frames(page, 'search', async () => {
    await page.keyboard.press('/');
    await page.keyboard.type('>=1MiB forward', {delay: 60});
  });
  await frames(page, 'colours by age', () => page.selectOption('select[aria-label="colours"]', 'age'));
  await frames(page, 'axis in time', () => page.selectOption('select[aria-label="axis"]', 'time'));
} finally {
  await browser.close();
  fs.rmSync(folder, {recursive: true});
}
