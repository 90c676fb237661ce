// blocks.mjs - the state's map, figures and table against a replay of `events`; the tree's frames by keys, and their figures against `report`.
import assert from 'node:assert/strict';
import {bytesText, linkOf, settled, tableOf, until} from './driver.mjs';

const plain = text => text.replace(/\u202f/g, '');
const nameOf = event => `${event.address.toString(16)}_${event.life}`;
const PLACELESS = ['array', 'vmm', 'static'];

/** Live blocks of a device after a tick, by name; pieces of the program's own allocators apart. */
function liveAt(events, device, tick) {
  const live = new Map();
  for (const event of events.filter(one => one.clock <= tick && one.kind !== 'custom')) {
    if (event.event === 'allocated' && event.device === device) live.set(nameOf(event), event);
    else if (event.event === 'freed') live.delete(nameOf(event));
  }
  return live;
}

/** How many bytes of addresses the blocks lie at. */
function bytesUsed(blocks) {
  let used = 0, reached = 0;
  for (const {address, bytes} of blocks.filter(one => !PLACELESS.includes(one.kind) && one.address >= 2 ** 21).sort((a, b) => a.address - b.address)) {
    used += Math.max(0, address + bytes - Math.max(reached, address));
    reached = Math.max(reached, address + bytes);
  }
  return used;
}

const afterTick = (page, tick) => until(page, wanted =>
  document.querySelector('.state-event').innerText.replace(/\u202f/g, '').startsWith(`After event ${wanted} of`), tick, `tick ${tick}`);

export async function state_figures_and_table_are_those_of_the_events({open, data}) {
  for (const capture of data.captures) {
    const last = Math.max(...capture.events.map(event => event.clock || 0));
    for (const tick of [0.25, 0.5, 0.8].map(share => Math.floor(share * last))) {
      const page = await open(capture.page, {link: `#/state?device=0&at=${tick}`}), live = liveAt(capture.events, 0, tick);
      await afterTick(page, tick);
      assert.equal(plain(await page.getAttribute('.state-figure', 'title')), String(bytesUsed([...live.values()])), `used after tick ${tick}`);
      await page.click('.state-table summary');
      if (!live.size) continue;
      await page.waitForSelector('.state-table tbody tr');
      const rows = (await tableOf(page, '.state-table table.figures')).map(row => [row.block, row.bytes]);
      const wanted = [...live].map(([name, {bytes}]) => [name, bytesText(bytes)]);
      assert.deepEqual(rows.sort(), wanted.sort(), `live after tick ${tick}`);
      page.checkQuiet();
    }
  }
}

export async function state_keys_on_the_map_go_from_block_to_block({open, data}) {
  const capture = data.trainer, gpu = capture.report.devices.find(device => device.device === 0);
  const page = await open(capture.page, {link: `#/state?device=0&at=${gpu.peak_clock}`}), live = liveAt(capture.events, 0, gpu.peak_clock);
  await afterTick(page, gpu.peak_clock);
  await page.focus('.state-map');
  const seen = new Set();
  for (let i = 0; i < live.size; ++i) await page.keyboard.press('ArrowUp');
  for (let i = 0; i < live.size; ++i) {
    await settled(page);
    const name = await page.innerText('.state-block h3 code');
    assert.ok(live.has(name), name);
    seen.add(name);
    await page.keyboard.press('ArrowDown');
  }
  assert.equal(seen.size, live.size, 'each live block once');
  await page.keyboard.press('Enter');
  assert.ok(await page.evaluate(() => document.activeElement.matches('.state-block')), 'Enter leads to the details');
  const name = await page.innerText('.state-block h3 code');
  await until(page, block => decodeURIComponent(location.hash).includes(`block=`) && location.hash.includes(block.split('_')[0]), name, 'the link has the block');
  const linked = await open(capture.page, {link: linkOf(page)});
  await afterTick(linked, gpu.peak_clock);
  assert.equal(await linked.innerText('.state-block h3 code'), name);
  assert.match(await linked.getAttribute('.state-map', 'aria-label'), /used .* fragmentation/);
  await linked.click('.state-block .tl-links a >> text=timeline');
  await linked.waitForSelector('main .view-timeline');
  await until(linked, block => document.querySelector('.tl-block')?.innerText.includes(block), name, 'the timeline has it, too');
}

const figures = page => page.$$eval('.frame-panel tbody tr', rows => Object.fromEntries(rows.map(row =>
  [row.querySelector('th').innerText, row.querySelector('.number').title.replace(/\u202f/g, '')])));

export async function tree_frames_are_reached_by_keys({open, data}) {
  const page = await open(data.trainer.page, {link: '#/tree?figure=incl_alloc'});
  await settled(page);
  const focused = () => page.evaluate(() => ({label: document.activeElement.getAttribute('aria-label'), level: Number(document.activeElement.getAttribute('aria-level'))}));
  assert.equal(await page.$$eval('.frame[tabindex="0"]', all => all.length), 1, 'one frame is in the order of Tab');
  await page.focus('.frame[tabindex="0"]');
  for (const [key, level] of [['ArrowDown', 2], ['ArrowDown', 3], ['ArrowUp', 2], ['ArrowDown', 3], ['Home', 1], ['ArrowDown', 2]]) {
    await page.keyboard.press(key);
    assert.equal((await focused()).level, level, key);
    assert.equal(await page.$$eval('.frame[tabindex="0"]', all => all.length), 1, key);
  }
  const {label} = await focused();
  assert.ok((await page.innerText('.frame-panel h2')).startsWith(label.split(/[,:]/)[0]), 'the panel has the frame with the focus');
  await page.keyboard.press('Enter');
  await until(page, () => /node=\d+/.test(location.hash), null, 'Enter zooms');
  await settled(page);
  assert.equal((await focused()).label, label, 'the focus stays on the frame');
  await page.keyboard.press('Backspace');
  await until(page, () => !/node=/.test(location.hash), null, 'Backspace goes up');
  await settled(page); // the view gets the link after the address has it
  await page.keyboard.press('/');
  await page.keyboard.type('zeros');
  await page.keyboard.press('Enter');
  assert.match((await focused()).label, /zeros.*matches the search/, 'Enter in the search leads to what fits');
}

export async function tree_inverted_has_the_figures_of_the_lines({open, data}) {
  const page = await open(data.trainer.page, {link: '#/tree?device=all&figure=blocks&order=inverted'}), shown = [];
  await settled(page);
  for (const frame of await page.$$('.frame[aria-level="2"]')) {
    await frame.focus();
    const {allocated, 'at peak': atPeak, leaked, blocks} = await figures(page);
    shown.push([allocated, atPeak, leaked, blocks].join(' '));
  }
  const lines = data.trainer.line.filter(row => row.blocks).map(row => [row.self_alloc, row.self_at_peak, row.leaked, row.blocks].join(' '));
  assert.deepEqual(shown.sort(), lines.sort(), 'each line that allocates is a frame of the first row');
}

/** What is too narrow to draw is in a list, and each of it can be zoomed to. */
export async function tree_lists_frames_that_are_too_narrow({open, data}) {
  const page = await open(data.captures[0].page, {link: '#/tree?figure=self_alloc', width: 420});
  await settled(page);
  const joined = await page.$('.frame.joined');
  assert.ok(joined, 'a narrow picture of a random tree has some');
  const count = Number(/^\d+/.exec(await joined.getAttribute('aria-label'))[0]);
  await joined.click();
  await page.waitForSelector('.frame-panel table.figures');
  const rows = await tableOf(page, '.frame-panel table.figures');
  assert.equal(rows.length, count);
  await page.click('.frame-panel tbody a');
  await until(page, () => /node=\d+/.test(location.hash), null, 'its link zooms');
  await settled(page);
  const wide = await page.$$eval('.frame', all => all.filter(frame => frame.getBoundingClientRect().width > 300).map(frame => frame.getAttribute('aria-label')));
  assert.ok(wide.some(label => label.startsWith(rows[0].frame)), `${rows[0].frame} is wide: ${wide}`);
}
