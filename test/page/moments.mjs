// moments.mjs - tables and the tree of a moment, or of a range that allocated it, chosen in the timeline: sums are those of the curve, of the events,
// and of `report --from --to`.
import assert from 'node:assert/strict';
import {bytesText, go, linkOf, placeText, settled, tableOf, until} from './driver.mjs';

const plain = text => text.replace(/\u202f/g, '');

/** Blocks of the events, without the pieces of the program's own allocators. */
function blocksOf(events) {
  const blocks = new Map(), name = event => `${event.address}_${event.life}`;
  for (const event of events) {
    if (event.event === 'allocated') blocks.set(name(event), {...event, start: event.clock, end: Infinity});
    else if (event.event === 'freed' && blocks.has(name(event))) blocks.get(name(event)).end = event.clock;
  }
  return [...blocks.values()].filter(block => block.kind !== 'custom');
}

const sum = list => list.reduce((total, one) => total + one.bytes, 0);
const totalOf = async page => Number(plain(await page.getAttribute('.moment-total', 'title')).replace(' bytes', ''));

/** By place of the allocation, as rows by line are. */
function byPlace(blocks) {
  const sums = new Map();
  for (const block of blocks) sums.set(placeText(block), (sums.get(placeText(block)) || 0) + block.bytes);
  return [...sums].map(([place, bytes]) => `${place}: ${bytes}`).sort();
}

const rowsOf = async page => (await page.$('main table.figures') ? await tableOf(page) : []).filter(row => Number(row.self) > 0).map(row => `${row.line.split('\n')[0]}: ${row.self}`).sort();

export async function a_moment_has_what_was_live_by_line_and_as_a_tree({open, data}) {
  for (const capture of data.captures) {
    const blocks = blocksOf(capture.events), gpu = capture.report.devices.find(one => one.device === 0), page = await open(capture.page, {link: '#/lines?device=0'});
    const last = Math.max(...blocks.map(block => block.start));
    for (const at of [gpu.peak_clock, Math.floor(last / 3), Math.floor(last * 2 / 3)]) {
      const live = blocks.filter(block => block.device === 0 && block.start <= at && at < block.end);
      await go(page, `#/lines?device=0&at=${at}&exact=1`);
      await page.waitForSelector('.moment-total');
      await settled(page);
      assert.equal(await totalOf(page), sum(live), `after event ${at}`);
      assert.deepEqual(await rowsOf(page), byPlace(live), `after event ${at}`);
      await go(page, `#/tree?device=0&at=${at}`);
      await page.waitForSelector('.moment-total');
      await settled(page);
      assert.equal(await totalOf(page), sum(live));
      if (live.length) assert.ok((await page.getAttribute('.frame[aria-level="1"]', 'aria-label')).startsWith(`all calls: ${bytesText(sum(live))}`));
    }
    await go(page, `#/lines?device=0&at=${gpu.peak_clock}&exact=1`);
    await page.waitForSelector('.moment-total');
    assert.equal(await totalOf(page), gpu.peak, 'at the peak it is the peak of the reports');
  }
}

/** Variables in device memory are no leak, but live. */
const keptOf = row => row.function === '(static)' ? row.self_alloc : row.leaked || 0;

export async function a_range_has_what_the_report_of_that_part_of_the_run_has({open, data}) {
  const {page: file, parts} = data.trainer, page = await open(file, {link: '#/lines?device=all'});
  assert.ok(parts.length >= 3 && parts.some(part => part.rows.some(row => row.leaked > 0)));
  for (const {from, to, rows} of parts) {
    await go(page, `#/lines?device=all&from=${from}&to=${to}&exact=1`);
    await settled(page);
    await until(page, words => document.querySelector('.moment-text').innerText.replace(/\u202f/g, '').includes(words), `from event ${from} (`, 'the range');
    await settled(page);
    assert.deepEqual(await rowsOf(page), rows.filter(keptOf).map(row => `${placeText(row)}: ${keptOf(row)}`).sort(), `${from} to ${to}`);
    await go(page, `#/tree?device=all&from=${from}&to=${to}`);
    await settled(page);
    assert.equal(await totalOf(page), rows.reduce((all, row) => all + keptOf(row), 0));
  }
}

export async function by_call_path_label_and_kind_the_sums_are_the_same({open, data}) {
  const {page: file, report} = data.trainer, at = report.devices.find(one => one.device === 0).peak_clock, page = await open(file, {link: `#/lines?device=0&at=${at}&exact=1`});
  await page.waitForSelector('.moment-total');
  const total = await totalOf(page);
  for (const by of ['line', 'function', 'path', 'kind', 'label']) {
    await page.selectOption('main .bar select', by);
    await settled(page);
    const rows = await tableOf(page);
    assert.equal(rows.reduce((all, row) => all + Number(row.self), 0), total, by);
    if (by === 'line') assert.equal(Number(rows.find(row => /main/.test(row.line) && row['with its calls'] !== '0')?.['with its calls']) > 0, true, 'callers have what their calls hold');
  }
}

export async function the_timeline_leads_there_and_back({open, data}) {
  const page = await open(data.trainer.page, {link: '#/timeline?device=0'});
  await settled(page);
  const box = await (await page.$('.tl-picture canvas')).boundingBox();
  await page.mouse.click(box.x + box.width * 0.6, box.y + box.height * 0.5);
  await until(page, () => /^At the chosen moment/.test(document.querySelector('.tl-choices').innerText) && /[?&]at=\d+/.test(location.hash), null, 'a click chooses a moment');
  const at = Number(/at=(\d+)/.exec(linkOf(page))[1]), live = sum(blocksOf(data.trainer.events).filter(block => block.device === 0 && block.start <= at && at < block.end));
  await page.click('.tl-choices a:text-is("by line")');
  await page.waitForSelector('.moment-total');
  assert.equal(await totalOf(page), live);
  await page.click('.moment-bar a:text-is("as a flame graph")');
  await page.waitForSelector('main .view-tree .moment-total');
  assert.equal(await totalOf(page), live);
  await page.goBack();
  await page.goBack();
  await page.waitForSelector('main .view-timeline');
  await until(page, () => /^At the chosen moment/.test(document.querySelector('.tl-choices')?.innerText), null, 'the moment is still chosen');
  await page.focus('.tl-picture');
  await page.keyboard.press('+');
  await until(page, () => /In the range in sight, events/.test(document.querySelector('.tl-choices').innerText), null, 'a range in sight');
  await page.click('.tl-choices p:nth-child(2) a:text-is("as a flame graph")');
  await page.waitForSelector('main .view-tree .moment-total');
  assert.match(await page.innerText('.moment-text'), /^Allocated from event/);
}

export async function without_events_it_says_what_to_record({open, data}) {
  const page = await open(data.sums, {link: '#/lines?at=3'});
  for (const view of ['lines', 'tree']) {
    await go(page, `#/${view}?at=3`);
    await settled(page);
    assert.match(await page.innerText('.moment-bar'), /history=all/);
    assert.ok(await page.$(view === 'lines' ? 'table.figures tbody tr' : '.frame'), 'the whole run is shown');
  }
}
