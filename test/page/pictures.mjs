// pictures.mjs - timeline, state and tree: what they say under the pointer, after a step, a zoom or a search is what `events`, `report` and `tree` say.
import assert from 'node:assert/strict';
import {bytesText, go, linkOf, placeText, settled, until} from './driver.mjs';

const nameOf = event => `${event.address.toString(16)}_${event.life}`;
const plain = text => text.replace(/\u202f/g, '');

/** Blocks with their first and last tick, and totals after each tick, by device; pieces of the program's own allocators count nowhere. */
function replayed(events) {
  const blocks = new Map(), totals = new Map();
  for (const event of events) {
    if (event.event === 'allocated') {
      blocks.set(nameOf(event), {...event, start: event.clock, end: Infinity});
    } else if (event.event === 'freed' && blocks.has(nameOf(event))) {
      Object.assign(blocks.get(nameOf(event)), {end: event.clock, freed: event});
    }
  }
  const at = (device, tick) => [...blocks.values()].filter(block => block.device === device && block.kind !== 'custom' && block.start <= tick && tick < block.end);
  return {blocks, at, total: (device, tick) => at(device, tick).reduce((sum, block) => sum + block.bytes, 0), totals};
}

const gpuOf = capture => capture.report.devices.find(device => device.device === 0);
const pictureBox = async page => (await page.$('.tl-picture canvas')).boundingBox();

export async function timeline_shows_the_peak_and_what_is_under_the_pointer({open, data}) {
  for (const capture of data.captures) {
    const page = await open(capture.page, {link: '#/timeline?device=0'}), run = replayed(capture.events), gpu = gpuOf(capture);
    await settled(page);
    assert.ok((await page.innerText('.tl-status')).includes(`at most ${bytesText(gpu.peak)} after event`), await page.innerText('.tl-status'));
    assert.equal(plain(await page.getAttribute('.tl-moment strong', 'title')), `${gpu.peak} bytes`);
    const box = await pictureBox(page);
    let found = 0;
    for (const x of [0.2, 0.35, 0.5, 0.65, 0.8, 0.95]) {
      for (const y of [0.9, 0.75, 0.5]) {
        await page.mouse.move(box.x + box.width * x, box.y + box.height * y);
        await page.waitForTimeout(60);
        const name = await page.$eval('.tl-block', block => (/\b[0-9a-f]+_\d+\b/.exec(block.innerText) || [''])[0]);
        if (!name || await page.$eval('.tl-tip', tip => tip.hidden)) continue;
        const block = run.blocks.get(name), text = plain(await page.innerText('.tl-block'));
        assert.ok(block && block.device === 0, name);
        for (const word of [String(block.bytes), block.kind, `event ${block.start}`, block.freed ? `event ${block.end}` : 'the end', placeText(block)]) {
          assert.ok(text.includes(word), `${word} in ${text}`);
        }
        found += 1;
      }
    }
    assert.ok(found >= 3, `blocks were under the pointer ${found} times`);
    page.checkQuiet();
  }
}

export async function timeline_zooms_pans_and_finds({open, data}) {
  const capture = data.trainer, page = await open(capture.page, {link: '#/timeline?device=0'}), run = replayed(capture.events);
  await settled(page);
  const range = () => page.evaluate(() => (location.hash.match(/(?:from|to)=[\d.]+/g) || []).map(part => Number(part.split('=')[1])));
  await page.focus('.tl-picture');
  await page.keyboard.press('+');
  await until(page, () => /from=/.test(location.hash), null, 'the link has the range');
  const [from, to] = await range();
  await page.keyboard.press('ArrowRight');
  await until(page, before => Number(/from=([\d.]+)/.exec(location.hash)?.[1]) > before, from, 'the arrow pans');
  const box = await pictureBox(page);
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await page.mouse.wheel(0, -400);
  await until(page, width => {
    const [low, high] = (location.hash.match(/(?:from|to)=[\d.]+/g) || []).map(part => Number(part.split('=')[1]));
    return high - low < width;
  }, to - from, 'the wheel zooms');
  await settled(page);
  const link = linkOf(page), status = await page.innerText('.tl-status');
  const linked = await open(capture.page, {link});
  await settled(linked);
  assert.equal(await linked.innerText('.tl-status'), status, 'a link shows what its sender saw');
  await page.focus('.tl-picture');
  await page.keyboard.press('Home');
  await until(page, () => !/from=/.test(location.hash), null, 'Home is the whole run');
  await page.fill('main input[type=search]', 'forward');
  const wanted = [...run.blocks.values()].filter(block => block.function === 'forward').length;
  await until(page, count => /(\d+) blocks? found/.exec(document.querySelector('.tl-bar').innerText.replace(/\u202f/g, ''))?.[1] >= count, wanted, 'search');
  for (const [label, values] of [['colours', ['path', 'function', 'label', 'age', 'line']], ['axis', ['time', 'clock']], ['kind', ['pool', '']]]) {
    for (const value of values) {
      await page.selectOption(`select[aria-label="${label}"]`, value);
      await settled(page);
    }
  }
  const pool = [...run.blocks.values()].filter(block => block.kind === 'pool' && block.device === 0);
  await page.selectOption('select[aria-label="kind"]', 'pool');
  await settled(page);
  assert.ok((await page.innerText('.tl-status')).includes(`at most ${bytesText(Math.max(...pool.map(block => block.bytes)))}`), 'pool blocks, one at a time');
}

export async function state_steps_through_the_events({open, data}) {
  for (const capture of data.captures) {
    const page = await open(capture.page, {link: '#/state?device=0'}), run = replayed(capture.events), gpu = gpuOf(capture);
    await settled(page);
    const own = capture.events.filter(event => ['allocated', 'freed'].includes(event.event) && run.blocks.get(nameOf(event))?.device === 0);
    const ticks = own.map(event => event.clock), last = ticks[ticks.length - 1];
    const check = async tick => {
      await until(page, wanted => document.querySelector('.state-event').innerText.replace(/\u202f/g, '').startsWith(`After event ${wanted} of`), tick, `tick ${tick}`);
      await settled(page);
      assert.equal(plain(await page.getAttribute('.tl-moment strong', 'title')), `${run.total(0, tick)} bytes`, `live after tick ${tick}`);
      const event = own.find(one => one.clock === tick), text = plain(await page.innerText('.state-event'));
      if (event) {
        for (const word of [event.event, nameOf(event), bytesText(event.bytes)]) assert.ok(text.includes(word), `${word} in ${text}`);
      }
    };
    await page.click('button[aria-label^="To the peak"]');
    await check(gpu.peak_clock);
    await page.keyboard.press('Home');
    await check(0);
    for (const tick of ticks.slice(0, 4)) {
      await page.keyboard.press('ArrowRight');
      await check(tick);
    }
    await page.keyboard.press('ArrowLeft');
    await check(ticks[2]);
    await page.keyboard.press('End');
    await check(last);
    for (const tick of [0.3, 0.6, 0.9].map(share => Math.floor(share * last))) {
      await page.fill('.state-field', String(tick));
      await page.keyboard.press('Enter');
      await page.evaluate(() => document.activeElement.blur());
      await check(tick);
    }
    const block = [...run.blocks.values()].find(one => one.device === 0 && one.freed && one.kind === 'device');
    await page.fill('.state-field', nameOf(block));
    await page.keyboard.press('Enter');
    await until(page, name => document.querySelector('.state-block').innerText.includes(name), nameOf(block), 'to a block by its name');
    page.checkQuiet();
  }
}

export async function state_goes_to_what_was_out_of_memory({open, data}) {
  const page = await open(data.trainer.page, {link: '#/state?device=0&at=3'});
  await settled(page);
  await page.click('button[aria-label^="Next out-of-memory"]');
  const event = data.trainer.events.find(one => one.event === 'oom' || one.event === 'out of memory' || one.event === 'failed');
  await until(page, tick => document.querySelector('.state-event').innerText.startsWith(`After event ${tick} of`), event.clock, 'the failure');
  assert.match(await page.innerText('main'), /out of memory/i);
}

/** Frames of the picture: label without the share, by level. */
const frames = page => page.$$eval('.frame', all => all.map(frame => ({level: Number(frame.getAttribute('aria-level')), label: frame.getAttribute('aria-label'),
  width: frame.getBoundingClientRect().width, left: frame.getBoundingClientRect().left})));

const bytesIn = label => (/: ([\d.]+ (?:[KMGT]i)?B)(?:,| allocated|$)/.exec(label) || ['', `no figure in ${label}`])[1];

export async function tree_has_the_figures_of_the_call_tree({open, data}) {
  for (const capture of data.captures) {
    for (const figure of ['at_peak', 'leaked', 'self_alloc']) {
      const page = await open(capture.page, {link: `#/tree?device=all&figure=${figure}`});
      await settled(page);
      const below = {at_peak: 'at_peak', leaked: 'escaped', self_alloc: 'incl_alloc'}[figure];
      const tops = capture.tree.filter(row => row.depth === 1 && (figure !== 'leaked' || row.function !== '(static)')), whole = tops.reduce((sum, row) => sum + row[below], 0);
      const shown = await frames(page);
      if (!whole) continue;
      assert.ok(shown[0].label.startsWith(`all calls: ${bytesText(whole)}`), shown[0].label);
      const held = tops.map(row => row[below]).filter(Boolean).map(bytesText).sort();
      const labels = shown.filter(frame => frame.level === 2).map(frame => frame.label);
      const narrow = labels.map(label => Number((/^(\d+) more frames?, too narrow/.exec(label) || [0, 0])[1])).reduce((sum, count) => sum + count, 0);
      const drawn = labels.filter(label => !label.includes('too narrow')).map(bytesIn);
      assert.equal(drawn.length + narrow, held.length, `${figure}: ${labels}`);
      for (const value of drawn) assert.ok(held.includes(value), `${figure}: ${value} in ${held}`);
      page.checkQuiet();
    }
  }
}

export async function tree_zooms_searches_and_turns_round({open, data}) {
  const capture = data.trainer, page = await open(capture.page, {link: '#/tree?device=all&figure=at_peak'});
  await settled(page);
  const width = async label => (await frames(page)).find(frame => frame.label.startsWith(label))?.width;
  const whole = await width('all calls'), before = await width('forward');
  assert.ok(before < whole * 0.99);
  await page.click('.frame[aria-label^="forward"]');
  await until(page, () => /node=\d+/.test(location.hash), null, 'the link has the node');
  await settled(page);
  assert.ok(await width('forward') > whole * 0.98, 'the frame takes all of the width');
  await page.keyboard.press('Escape');
  await settled(page);
  assert.ok(await width('forward') < whole * 0.99, 'Escape goes back');
  await page.fill('main input[type=search]', 'zeros');
  await settled(page);
  assert.match(plain(await page.innerText('main .status')), /\d+ frames?/);
  await go(page, '#/tree?figure=at_peak&order=inverted');
  await settled(page);
  const top = (await frames(page)).filter(frame => frame.level === 2).map(frame => bytesIn(frame.label)).sort();
  const lines = capture.line.filter(row => row.self_at_peak).map(row => bytesText(row.self_at_peak)).sort();
  assert.deepEqual(top, lines, 'inverted, the allocating lines come first');
}
