// views.mjs - the shell and the views that are no tables: what the overview says, ways around by keyboard, both themes, print, source text, pages with a
// part missing or damaged, text that would like to be markup.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import zlib from 'node:zlib';
import {bytesText, go, linkOf, placeText, settled, tableOf, until} from './driver.mjs';

const VIEWS = ['overview', 'timeline', 'state', 'tree', 'lines', 'functions', 'source', 'leaks', 'lifetimes', 'diff', 'advice'];
const plain = text => text.replace(/\u202f/g, '');
const heading = page => page.getAttribute('nav a[aria-current]', 'href');

export async function overview_says_what_the_commands_say({open, data}) {
  for (const {page: file, report, leaks, check, pools} of data.captures) {
    const page = await open(file, {link: '#/overview?device=all'}), text = await page.innerText('main');
    for (const [i, device] of report.devices.entries()) {
      const card = await page.innerText(`.card.device >> nth=${i}`);
      assert.ok(card.includes(bytesText(device.peak)), `${card} has ${bytesText(device.peak)}`);
      assert.ok(card.includes(`${bytesText(device.live_at_exit)} live at the end`), card);
      if (device.in_use) assert.ok(card.includes(`${bytesText(device.in_use.unaccounted)} of it unaccounted`), card);
    }
    const held = report.rows.filter(row => row.self_at_peak > 0).sort((a, b) => b.self_at_peak - a.self_at_peak);
    const top = await page.$$eval('section[aria-labelledby="top-lines"] tbody tr', rows => rows.map(row => [row.querySelector('.place .name').textContent,
      row.querySelector('.figure').title.replace(/\u202f/g, '')]));
    assert.deepEqual(top.map(row => row[1]), held.slice(0, 10).map(row => `${row.self_at_peak} bytes`));
    assert.deepEqual(top.map(row => row[0]).sort(), held.slice(0, 10).map(placeText).sort());
    if (held.length > 10) assert.ok(text.includes(`${held.length - 10} more line`));
    const lost = leaks.leaks.reduce((sum, leak) => sum + leak.bytes, 0);
    assert.ok(text.includes(lost ? `${bytesText(lost)} in ` : report.state === 'complete' ? 'Everything that was allocated was freed' : 'Nothing is live'));
    const broken = check.budgets.filter(budget => budget.verdict === 'broken').length;
    if (check.budgets.length) assert.ok(text.includes(`${broken} budget`), 'budgets');
    for (const [name, number] of Object.entries(report.losses)) {
      if (number) assert.ok(text.replace(/\u202f/g, '').includes(`${number} `), name);
    }
    const shown = await page.$$eval('section[aria-labelledby="pools"] tbody tr', rows => rows.map(row => [...row.children].map(cell => (cell.title || cell.innerText)
      .replace(/\u202f| bytes/g, ''))));
    assert.equal(shown.length, pools.length);
    pools.forEach((pool, i) => {
      assert.ok(shown[i][0].includes(pool.name || '(no name)'));
      assert.deepEqual(shown[i].slice(1), ['used', 'reserved', 'slack', 'largest_hole', 'used_peak', 'reserved_peak'].map(key => pool[key] === null ? '-' : String(pool[key])));
    });
    for (const one of report.failed) assert.ok(plain(text).includes(`${one.calls} allocation${one.calls === 1 ? '' : 's'} of ${bytesText(one.bytes)} failed`), text);
    const {allocated, freed, live} = report.conservation;
    assert.ok(text.includes(`${bytesText(allocated)} allocated − ${bytesText(freed)} freed = ${bytesText(live)} live at the end: balanced`));
    page.checkQuiet();
  }
}

export async function what_was_left_out_on_request_is_said_everywhere({open, data}) {
  const page = await open(data.only);
  for (const view of VIEWS) {
    await go(page, `#/${view}`);
    assert.match(await page.innerText('header'), /only device 0, kind pool: everything else was left out/);
  }
}

/** What a picture shows is also there as text. */
export async function the_curve_of_the_overview_has_words({open, data}) {
  const page = await open(data.captures[0].page);
  await page.waitForSelector('.curve canvas');
  const words = await page.textContent('figure.live');
  for (const device of data.captures[0].report.devices.filter(one => one.peak)) assert.ok(words.includes(`rises to ${bytesText(device.peak)}`), words);
  const drawn = await page.$eval('.curve canvas', canvas => {
    const {data: bytes} = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
    return new Set(new Uint32Array(bytes.buffer)).size;
  });
  assert.ok(drawn > 3, 'something is drawn');
  await page.click('.curve');
  await page.waitForSelector('main .view-timeline');
}

/** What several devices hold, each at its own peak, is a sum and no share. */
export async function sums_over_several_devices_are_called_so({open, data}) {
  const one = data.captures.find(({report}) => report.devices.filter(device => device.peak).length > 1), page = await open(one.page, {link: '#/tree?device=all'});
  await until(page, () => /several of the \d+ devices.* shows a sum/.test(document.querySelector('.says').textContent), null, 'the tree says it');
  await go(page, '#/overview');
  const peaks = new Map(one.report.devices.map(device => [device.device, device.peak]));
  for (const row of one.line.filter(line => line.at_peak_percent !== null && line.at_peak)) {
    const shares = [...peaks.values()].map(peak => Math.abs(row.at_peak_percent - 100 * row.at_peak / peak));
    assert.ok(Math.min(...shares) <= 0.006, `${row.file}:${row.line} is ${row.at_peak_percent} % of no device's peak`);
  }
}

/** A share of the peak is one of the device that the path's memory is on, also where another has a peak of its own. */
export async function call_paths_have_a_share_of_their_own_device({open, data}) {
  for (const {page: file, paths, report} of data.captures) {
    if (report.devices.filter(device => device.peak).length < 2) continue;
    const page = await open(file, {link: '#/overview?device=all'}), held = paths.filter(row => row.self_at_peak > 0).sort((a, b) => b.self_at_peak - a.self_at_peak).slice(0, 10);
    const shown = await page.$$eval('section[aria-labelledby="top-paths"] tbody tr', rows => rows.map(row => [row.querySelector('.figure').title.replace(/\u202f/g, ''),
      row.querySelector('.number').textContent.replace(/\u202f/g, '')]));
    assert.deepEqual(shown.map(row => row[0]), held.map(row => `${row.self_at_peak} bytes`));
    const known = held.filter(row => row.at_peak_percent !== null).length;
    assert.ok(shown.filter(([, share]) => share !== '-').length > 0 || !known, `${file}: ${shown}`);
    for (const [bytes, share] of shown) {
      if (share === '-') continue;
      const peaks = report.devices.filter(device => device.peak).map(device => 100 * parseInt(bytes, 10) / device.peak);
      assert.ok(peaks.some(peak => Math.abs(peak - parseFloat(share)) <= 0.006 || Math.abs(peak - parseFloat(share)) <= 0.06), `${bytes} is ${share} of no device`);
    }
  }
}

/** Without events nobody knows what was live between the beginning, the peak and the end. */
export async function the_curve_without_events_shows_what_is_known({open, data}) {
  for (const [file, words] of [[data.sums, /^.*drawn from samples of the monitor, with the peak at the moment when it was reached\. Of host, which is not sampled, only the marked moments and the peak/s],
    [data.ends, /^.*What was live is known only at the marked moments, and that it was never more than the peak, the dotted line: run the program with GPUMEMPROF_OPTIONS=history=all/s]]) {
    const page = await open(file);
    await page.waitForSelector('.curve canvas');
    const text = await page.textContent('figure.live');
    assert.match(text, words);
    for (const device of data.ends_report.devices.filter(one => one.peak)) assert.ok(text.includes(`rises to ${bytesText(device.peak)}`), text);
    const colored = await page.$eval('.curve canvas', canvas => { // the row of pixels in which the peak is: just below the top of the plot
      const {data: bytes} = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
      const rows = [];
      for (let y = 0; y < canvas.height; ++y) {
        for (let x = 0; x < canvas.width; ++x) {
          const at = 4 * (y * canvas.width + x), [r, g, b, a] = bytes.slice(at, at + 4);
          if (a > 200 && Math.max(r, g, b) - Math.min(r, g, b) > 60) {
            rows.push(y / canvas.height);
            break;
          }
        }
      }
      return rows;
    });
    assert.ok(colored.length && colored[0] < 0.2, `something is drawn where the peak is: ${colored.slice(0, 3)}`);
    const gap = Math.max(...colored.slice(1).map((row, i) => row - colored[i]));
    if (file === data.ends) assert.ok(gap > 0.15, `no line leads from one known moment to another: the largest gap is ${gap}`);
  }
}

export async function every_link_of_the_overview_leads_somewhere({open, data}) {
  const page = await open(data.captures[0].page);
  await page.waitForSelector('.device a');
  const links = await page.$$eval('main a[href^="#"]', all => [...new Set(all.map(link => link.getAttribute('href')))]);
  assert.ok(links.length > 5);
  for (const link of links) {
    await go(page, link);
    assert.equal(await page.$('main .failure'), null, link);
    await go(page, '#/overview');
  }
}

/** The links of a line lead to what is of it, and not to line 40 where line 4 was meant. */
export async function a_line_is_found_in_the_pictures({open, data}) {
  const {page: file, events} = data.trainer, page = await open(file, {link: '#/lines?device=all'});
  for (const [place, fits] of [['train.cu:4 zeros', event => event.function === 'zeros'], ['train.cu:10 forward', event => event.function === 'forward']]) {
    await go(page, '#/lines');
    const row = page.locator('tbody tr', {has: page.getByRole('link', {name: place, exact: true})});
    await row.getByRole('link', {name: 'in the timeline'}).click();
    await page.waitForSelector('main .view-timeline');
    const wanted = events.filter(event => event.event === 'allocated' && fits(event)).length;
    await until(page, count => document.querySelector('.tl-bar').innerText.includes(`${count} blocks found`), wanted, `${wanted} blocks of ${place}`);
    await go(page, '#/lines');
    await row.getByRole('link', {name: 'in the tree'}).click();
    await page.waitForSelector('main .view-tree');
    await until(page, () => /^[1-9]\d* frames?/.test(document.querySelector('main .status').innerText), null, `${place} in the tree`);
  }
}

export async function the_keyboard_leads_everywhere({open, data}) {
  const page = await open(data.captures[0].page);
  for (const [i, view] of VIEWS.entries()) {
    await page.keyboard.press(view === 'advice' ? 'a' : String((i + 1) % 10));
    await page.waitForSelector(`main .view-${view}`);
    assert.equal(await heading(page), `#/${view}`);
    assert.match(await page.title(), /gpumemprof$/);
    assert.ok((await page.textContent('[aria-live]')).length > 3, 'a screen reader has a text');
    assert.equal(await page.$('main .failure'), null, view);
    await page.evaluate(() => document.activeElement.blur());
  }
  for (let i = VIEWS.length - 2; i >= 0; --i) {
    await page.goBack();
    await page.waitForSelector(`main .view-${VIEWS[i]}`);
  }
  await page.keyboard.press('?');
  await page.waitForSelector('dialog[open]');
  const help = await page.innerText('dialog');
  for (const word of ['Timeline', 'this help', 'Diff']) assert.ok(help.includes(word), help);
  await page.keyboard.press('4'); // keys do nothing below the dialog
  await page.waitForSelector('main .view-overview');
  await page.keyboard.press('Escape');
  await until(page, () => !document.querySelector('dialog'), null, 'Escape closes the help');
  await page.keyboard.press('Tab');
  assert.equal(await page.evaluate(() => document.activeElement.className), 'skip');
  await page.keyboard.press('Enter');
  assert.equal(await page.evaluate(() => document.activeElement.id), 'view');
}

/** In every view and theme: contrast, names, roles, by the rules that axe-core knows. What has the focus shows it. */
export async function both_themes_can_be_read_by_everybody({open, data}) {
  for (const [theme, file, views] of ['light', 'dark'].flatMap(one => [[one, data.against, VIEWS], [one, data.advised.page, ['overview', 'source', 'advice']]])) {
    const page = await open(file, {theme});
    assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), theme);
    await page.evaluate(fs.readFileSync(path.join(data.modules, 'axe-core/axe.min.js'), 'utf8'));
    for (const view of views) {
      await go(page, `#/${view}`);
      await settled(page);
      // Off: a frame of the tree has a longer name than there is room to show; headings of a panel follow what it is about.
      const {violations} = await page.evaluate(() => window.axe.run(document, {resultTypes: ['violations'],
        rules: {'label-content-name-mismatch': {enabled: false}, 'heading-order': {enabled: false}}}));
      assert.deepEqual(violations.map(({id, nodes}) => [id, nodes[0].html, nodes[0].failureSummary]), [], `${theme} ${view}`);
    }
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    assert.notEqual(await page.evaluate(() => getComputedStyle(document.activeElement).outlineStyle), 'none');
  }
}

export async function the_theme_is_the_choice_or_that_of_the_system({open, data}) {
  const page = await open(data.captures[0].page, {theme: 'dark'}), shown = () => page.evaluate(() => document.documentElement.dataset.theme);
  assert.equal(await shown(), 'dark');
  await page.click('button.theme'); // auto -> light
  assert.equal(await shown(), 'light');
  await page.click('button.theme');
  assert.equal(await shown(), 'dark');
  await page.reload();
  await page.waitForSelector('main .view');
  assert.match(await page.textContent('button.theme'), /dark/, 'the choice stays');
  await page.click('button.theme');
  await page.emulateMedia({colorScheme: 'light'});
  await until(page, () => document.documentElement.dataset.theme === 'light', null, 'auto follows the system');
}

export async function paper_has_figures_and_no_controls({open, data}) {
  const page = await open(data.captures[0].page, {theme: 'dark', link: '#/lines'});
  await page.emulateMedia({media: 'print'});
  assert.equal(await page.isVisible('nav'), false);
  assert.equal(await page.isVisible('.chooser'), false);
  assert.equal(await page.isVisible('table.figures tbody tr'), true);
  assert.deepEqual(await page.evaluate(() => [getComputedStyle(document.body).backgroundColor, getComputedStyle(document.body).color]),
    ['rgb(255, 255, 255)', 'rgb(0, 0, 0)']);
  assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), 'light');
  await page.emulateMedia({media: null});
  await until(page, () => document.documentElement.dataset.theme === 'dark', null, 'afterwards as before');
}

export async function source_has_the_text_and_the_figures({open, data}) {
  const {page: file, line: rows} = data.trainer, page = await open(file, {link: `#/source?device=all&file=${data.trainer.source}`});
  await page.waitForSelector('table.source tbody tr');
  const text = fs.readFileSync(data.trainer.source, 'utf8').replace(/\n$/, '').split('\n');
  const shown = await page.$$eval('table.source tbody tr', all => all.map(row => ({text: row.querySelector('.code').firstChild?.data ?? '',
    titles: [...row.querySelectorAll('td.number')].map(cell => cell.title.replace(/\u202f/g, ''))})));
  assert.deepEqual(shown.map(row => row.text), text);
  for (const [i, key] of ['at_peak', 'self_alloc', 'incl_alloc', 'self_freed', 'leaked'].entries()) {
    shown.forEach((row, line) => {
      const sum = rows.filter(one => one.file === data.trainer.source && one.line === line + 1).reduce((all, one) => all + (one[key] || 0), 0);
      assert.equal(row.titles[i].replace(/^.*: | bytes$/g, ''), sum ? String(sum) : '', `line ${line + 1} ${key}`);
    });
  }
  assert.match(await page.textContent('main .note'), /differs? from what was compiled: 12/);
  assert.match(await page.textContent('#L12'), /changed since it was compiled/);
  await page.keyboard.press('n');
  await until(page, () => location.hash.includes('line=') && document.querySelector('tr.wanted'), null, 'n goes to a line with figures');
  const line = Number(/line=(\d+)/.exec(linkOf(page))[1]);
  assert.ok(rows.some(row => row.line === line));
  const linked = await open(file, {link: linkOf(page)});
  await linked.waitForSelector(`#L${line}.wanted`);
  assert.equal(await linked.$eval(`#L${line}`, row => row.getBoundingClientRect().top < innerHeight), true, 'the line is in sight');
}

/** The sections of a page, unpacked. */
const sections = file => [...fs.readFileSync(file, 'utf8').matchAll(/data-section="(\w+)">([^<]*)</g)]
  .map(([, name, text]) => [name, zlib.gunzipSync(Buffer.from(text, 'base64')).toString('latin1')]);

export async function a_source_that_is_newer_than_the_recording_says_so({open, data}) {
  const note = 'This file was changed after the recording; lines may have moved.';
  for (const [file, isNewer] of [[data.trainer.page, false], [data.newer, true]]) {
    const page = await open(file, {link: '#/source'});
    await page.waitForSelector('table.source');
    assert.equal((await page.innerText('main')).includes(note), isNewer);
    page.checkQuiet();
  }
}

export async function redacted_pages_have_no_source_text({open, data}) {
  const {redacted, secrets} = data.trainer;
  for (const [name, text] of sections(redacted)) {
    assert.notEqual(name, 'sources');
    for (const secret of secrets) assert.ok(!text.includes(secret), `${secret} in ${name}`);
  }
  const page = await open(redacted, {link: '#/source'});
  await page.waitForSelector('table.source');
  assert.match(await page.textContent('main .note'), /left out on request/);
  await go(page, '#/lines');
  assert.ok((await tableOf(page)).length > 3);
  assert.ok(!(await page.innerText('main')).includes(secrets[0]));
}

export async function an_empty_capture_names_what_to_check({open, data}) {
  const page = await open(data.empty);
  for (const view of ['overview', 'timeline', 'state']) {
    await go(page, `#/${view}`);
    await settled(page);
    const text = await page.innerText('main');
    assert.match(text, /Nothing was recorded: was the program started by `?gpumemprof run`?, or built with the plugin and linked with gpumemprof, and not paused all the time\?/, view);
    assert.doesNotMatch(text, /history=all/, view);
  }
}

export async function a_run_in_which_nothing_happened_is_no_error({open, data}) {
  const page = await open(data.nothing);
  for (const view of VIEWS) {
    await go(page, `#/${view}`);
    await settled(page);
    assert.equal(await page.$('main .failure'), null, view);
    assert.ok((await page.innerText('main')).trim().length > 20, `${view} says something`);
  }
}

export async function pages_without_events_say_what_to_do({open, data}) {
  const page = await open(data.sums);
  for (const view of VIEWS) {
    await go(page, `#/${view}`);
    await settled(page);
    assert.equal(await page.$('main .failure'), null, view);
    if (['timeline', 'state', 'lifetimes', 'advice'].includes(view)) assert.match(await page.innerText('main'), /history=all/, view);
  }
}

const swapped = (folder, file, name, content) => {
  const made = path.join(folder, `damaged_${name}.html`), text = fs.readFileSync(file, 'utf8');
  fs.writeFileSync(made, text.replace(new RegExp(`(data-section="${name}">)[^<]*`), (_, begin) => begin + content(/data-section="(\w+)">([^<]*)/.exec(
    text.slice(text.indexOf(`data-section="${name}"`)))[2])));
  return made;
};

export async function damage_is_reported_and_the_rest_works({open, data}) {
  const file = data.captures[0].page, cut = text => text.slice(0, Math.floor(text.length / 8) * 4);
  const dead = await open(swapped(data.folder, file, 'profile', cut), {mayComplain: true});
  assert.match(await dead.textContent('.failure'), /section `profile` of this page is damaged.*gpumemprof html/);
  const hurt = await open(swapped(data.folder, file, 'events', cut), {mayComplain: true});
  await hurt.waitForSelector('figure.live .note');
  assert.match(await hurt.textContent('figure.live .note'), /section `events` of this page is damaged/);
  for (const view of ['timeline', 'state', 'lifetimes']) {
    await go(hurt, `#/${view}`);
    await until(hurt, () => /`events` of this page is damaged/.test(document.querySelector('main').innerText), null, `${view} says it`);
  }
  await go(hurt, '#/lines');
  assert.ok((await tableOf(hurt)).length > 3);
  await hurt.evaluate(() => setTimeout(() => { throw new Error('something of the viewer'); }));
  await until(hurt, () => /something of the viewer/.test(document.querySelector('main .failure')?.innerText), null, 'an error of the viewer is shown');
  await go(hurt, '#/functions');
  assert.equal(await hurt.$('main .failure'), null);
  const newer = await open(swapped(data.folder, file, 'profile', text => {
    const profile = JSON.parse(zlib.gunzipSync(Buffer.from(text, 'base64')));
    profile.page.format = 2;
    return zlib.gzipSync(JSON.stringify(profile)).toString('base64');
  }), {mayComplain: true});
  assert.match(await newer.textContent('.failure'), /format 2/);
  const changed = path.join(data.folder, 'changed_script.html');
  fs.writeFileSync(changed, fs.readFileSync(file, 'utf8').replace(/<\/script>\s*<\/body>/, ';</script></body>'));
  assert.match(await (await open(changed, {mayComplain: true})).textContent('.failure'), /did not run: the browser is too old for it, or the file was changed/);
  const old = await open(file, {before: 'delete window.DecompressionStream'});
  assert.match(await old.textContent('.failure'), /too old.*Chromium or Chrome 110/);
}

/** Names, files and labels of a capture that are markup and script stay text, in every view. */
export async function text_of_a_capture_never_becomes_markup({open, data}) {
  const page = await open(data.hostile.page), count = () => page.evaluate(() => [document.querySelectorAll('main img, main script, main iframe').length, window.hacked]);
  for (const view of VIEWS) {
    await go(page, `#/${view}`);
    await settled(page);
    assert.deepEqual(await count(), [0, undefined], view);
  }
  await go(page, '#/functions');
  assert.ok((await page.innerText('main')).includes(data.hostile.name), 'it is shown as it is');
  await go(page, `#/lines?filter=${encodeURIComponent('<img src=x onerror="window.hacked=1">')}`);
  assert.deepEqual(await count(), [0, undefined]);
}

export async function the_policy_allows_no_script_and_no_network({open, data}) {
  const page = await open(data.captures[0].page, {mayComplain: true});
  const found = await page.evaluate(async () => {
    const script = document.createElement('script');
    script.textContent = 'window.hacked = 1';
    document.body.append(script);
    const style = document.createElement('style');
    style.textContent = 'body { display: none }';
    document.body.append(style);
    return [window.hacked, getComputedStyle(document.body).display, await fetch('https://example.com').then(() => 'reached', () => 'refused')];
  });
  assert.deepEqual(found, [undefined, 'block', 'refused']);
}
