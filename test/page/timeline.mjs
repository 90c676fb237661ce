// timeline.mjs - the timeline of the made-up program of viewer/test: a page that is cut short, all by keys, lanes, zoomed bytes, no worker.
//
// The sections of a page that the tool wrote are replaced by those of the program, whose blocks are known one by one.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import zlib from 'node:zlib';
import {fixture} from '../../viewer/test/fixture.mjs';
import {fixtureEvents} from '../../viewer/test/fixture_events.mjs';
import {bytesText, linkOf, settled, until} from './driver.mjs';

const plain = text => text.replace(/\u202f/g, '');
const status = async page => plain(await page.innerText('.tl-status'));

/** A page of the program. @param {{keep?: Function, parts?: number, scopes?: number}} [how] as fixtureEvents has it */
function written(data, name, how = {}) {
  const {profile, sources, made} = fixture({steps: 40}), file = path.join(data.folder, `timeline_${name}.html`);
  const sections = {profile: JSON.stringify(profile), sources: JSON.stringify(sources), events: fixtureEvents(made, how)};
  fs.writeFileSync(file, fs.readFileSync(data.captures[0].page, 'utf8').replace(/(data-section="(\w+)">)[^<]*/g, (whole, tag, section) =>
    sections[section] ? tag + zlib.gzipSync(sections[section]).toString('base64') : whole));
  return {file, made, gpu: profile.devices[0]};
}

const drawn = async page => {
  await page.waitForSelector('.tl-picture[data-shown]');
  await until(page, () => document.querySelector('.tl-status').textContent, null, 'a sentence about the picture');
  await settled(page);
};

const pointAt = async (page, x, y) => {
  const box = await (await page.$('.tl-picture canvas')).boundingBox();
  await page.mouse.move(box.x + box.width * x, box.y + box.height * y);
  await page.waitForTimeout(100);
};

/** The highest total, and what lies at the bottom, are exact; what is not there one by one is counted and called so. */
export async function a_page_that_is_cut_short_says_so({open, data}) {
  const {file, made, gpu} = written(data, 'cut', {keep: (block, i) => i % 5 === 0, parts: 60}), page = await open(file, {link: '#/timeline?device=0'});
  await drawn(page);
  const kept = Math.ceil(made.blocks.length / 5), note = plain(await page.innerText('.note'));
  for (const word of [`${kept} of ${made.blocks.length} blocks`, `The other ${made.blocks.length - kept}`, '--max-size']) assert.ok(note.includes(word), note);
  assert.ok((await status(page)).includes(`at most ${bytesText(gpu.peak)} after event ${gpu.peak_clock},`), await status(page));
  assert.equal(plain(await page.getAttribute('.tl-moment strong', 'title')), `${gpu.peak} bytes`);
  await pointAt(page, 0.7, 0.88); // just above the axis
  assert.match(await page.innerText('.tl-block h3'), /^Blocks that are not in this page one by one/);
  assert.match(await page.innerText('.tl-block'), /--max-size/);
  await page.fill('main input[type=search]', 'zeros');
  await until(page, () => /of those here one by one found, .* at the peak/.test(document.querySelector('.tl-bar').innerText), null, 'the search says what it looked at');
  page.checkQuiet();
}

export async function a_block_is_found_kept_and_followed_by_keys({open, data}) {
  const {file, made, gpu} = written(data, 'keys'), page = await open(file, {link: '#/timeline?device=0'});
  await drawn(page);
  await page.focus('.tl-picture');
  const name = block => `${block.address.toString(16)}_${block.generation}`;
  const live = made.blocks.filter(block => block.place === 0 && block.start <= gpu.peak_clock && gpu.peak_clock < block.end);
  const shown = () => page.$eval('.tl-block', block => (/\b[0-9a-f]+_\d+\b/.exec(block.innerText) || [''])[0]);
  const seen = [];
  for (let i = 0; i < 4; ++i) {
    await page.keyboard.press('ArrowUp');
    seen.push(await shown());
  }
  const order = seen.map(one => live.findIndex(block => name(block) === one));
  assert.ok(order.every((place, i) => place >= 0 && (!i || place > order[i - 1])), `${seen} are live at the peak, oldest first`);
  await page.keyboard.press('ArrowDown');
  assert.equal(await shown(), seen[2]);
  await page.keyboard.press('Enter');
  await until(page, one => location.hash.includes(`block=${one}`), seen[2], 'Enter keeps the block');
  await page.keyboard.press('Enter');
  assert.ok(await page.$eval('.tl-block', block => block === document.activeElement), 'Enter again leads to the details');
  await page.keyboard.press('Escape');
  await until(page, () => !location.hash.includes('block='), null, 'Escape lets go');
  await page.keyboard.press(']');
  await until(page, () => /^step \d+, event/.test(document.querySelector('.tl-status').textContent), null, '] says where it leads');
  await page.keyboard.press('p');
  await until(page, tick => document.querySelector('.tl-status').textContent.replace(/\u202f/g, '').includes(`after event ${tick},`), gpu.peak_clock, 'p leads to the peak');
  await page.keyboard.press('s');
  await page.waitForSelector('main .view-state');
  assert.match(linkOf(page), new RegExp(`at=${gpu.peak_clock}\\b`));
  page.checkQuiet();
}

export async function the_blocks_found_are_gone_through_one_by_one({open, data}) {
  const {file, made} = written(data, 'found'), page = await open(file, {link: '#/timeline?device=0'});
  await drawn(page);
  const name = block => `${block.address.toString(16)}_${block.generation}`;
  const wanted = made.blocks.filter(block => block.place === 0 && made.cells[block.cell].kind === 1);
  await page.keyboard.press('/');
  await page.keyboard.type('kind:pool');
  await page.keyboard.press('Enter');
  const kept = block => until(page, one => location.hash.includes(`block=${one}&`) || location.hash.endsWith(`block=${one}`), name(block), `${name(block)} is kept`);
  await kept(wanted[0]);
  await page.focus('.tl-picture');
  await page.keyboard.press('n');
  await kept(wanted[1]);
  await page.keyboard.press('N');
  await kept(wanted[0]);
  await page.keyboard.press('N');
  await kept(wanted[wanted.length - 1]);
  const [from, to] = /from=([\d.]+)&to=([\d.]+)/.exec(linkOf(page)).slice(1).map(Number), last = wanted[wanted.length - 1];
  assert.ok(from <= last.start && last.end <= to && to - from < 100, `${from} to ${to} is around ${last.start}`);
  page.checkQuiet();
}

export async function bytes_are_zoomed_and_the_link_has_it({open, data}) {
  const {file, gpu} = written(data, 'bytes'), page = await open(file, {link: '#/timeline?device=0'});
  await drawn(page);
  await page.focus('.tl-picture');
  for (const key of ['v', 'v', 'PageUp']) await page.keyboard.press(key);
  await until(page, most => {
    const [, low, high] = /low=(\d+)&high=(\d+)/.exec(location.hash) || [];
    return high - low < most;
  }, gpu.peak / 3, 'the link has the bytes after the last key');
  const [low, high] = /low=(\d+)&high=(\d+)/.exec(linkOf(page)).slice(1).map(Number);
  assert.ok(low > 0 && high > low && high - low < gpu.peak / 3, `${low} to ${high} of ${gpu.peak}`);
  await settled(page);
  await pointAt(page, 0.99, 0.5);
  assert.match(await page.innerText('.tl-block h3'), /_\d+/);
  await page.keyboard.press('Home');
  await until(page, () => !/low=/.test(location.hash), null, 'Home shows all bytes');
  page.checkQuiet();
}

export async function lanes_say_what_is_in_them_and_lead_to_it({open, data}) {
  const {file, made} = written(data, 'lanes'), page = await open(file, {link: '#/timeline?device=0', height: 1400});
  await drawn(page);
  const titles = await page.$$eval('.tl-lane-title', all => all.map(one => one.textContent));
  assert.deepEqual(titles, ['steps', 'marks', 'out of memory', 'labels', 'scopes, thread 0']);
  const lane = async title => (await page.$$('.tl-lane canvas'))[titles.indexOf(title)].boundingBox();
  const steps = await lane('steps');
  await page.mouse.move(steps.x + steps.width / 2, steps.y + 5);
  assert.match(plain(await page.innerText('.tl-lane-text')), /^step \d+: from event \d+, /);
  const scopes = await lane('scopes, thread 0');
  await page.mouse.move(scopes.x + scopes.width / 2, scopes.y + 7);
  assert.match(plain(await page.innerText('.tl-lane-text')), /train\.cu:27 main: .*, events 1 to /);
  await page.mouse.click(steps.x + steps.width / 2, steps.y + 5);
  await until(page, () => /from=/.test(location.hash), null, 'a click shows the step');
  const [from, to] = /from=([\d.]+)&to=([\d.]+)/.exec(linkOf(page)).slice(1).map(Number);
  assert.ok(made.steps.some((step, i) => i + 1 < made.steps.length && step.clock >= from - 1 && made.steps[i + 1].clock <= to + 1 && to - from < 100), `${from} to ${to}`);
  page.checkQuiet();
}

/** A larger page has more of them. */
export async function scopes_that_are_not_in_the_page_are_counted({open, data}) {
  const {file, made} = written(data, 'scopes', {scopes: 10}), page = await open(file, {link: '#/timeline?device=0'});
  await drawn(page);
  const text = plain(await page.innerText('.tl-lanes'));
  assert.ok(text.includes(`${made.scopes.length - 10} scopes of ${made.scopes.length}, the shortest or of call paths that were left out, are not in this page. A page made with a higher --max-size has more.`), text);
  page.checkQuiet();
}

/** Some browsers start no worker for a page on disk. */
export async function the_timeline_draws_without_a_worker({open, data}) {
  const {file, gpu} = written(data, 'worker');
  for (const before of ['window.Worker = class { constructor() { throw new Error("not here"); } };',
    'window.Worker = class { postMessage() { setTimeout(() => this.onerror && this.onerror(new Event("error"))); } terminate() {} };']) {
    const page = await open(file, {link: '#/timeline?device=0', before});
    await drawn(page);
    assert.ok((await status(page)).includes(`at most ${bytesText(gpu.peak)} after event ${gpu.peak_clock},`), await status(page));
    await page.focus('.tl-picture');
    await page.keyboard.press('+');
    await until(page, () => !/^The whole run/.test(document.querySelector('.tl-status').textContent), null, 'it zooms');
    page.checkQuiet();
  }
}
