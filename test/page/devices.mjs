// devices.mjs - one device is chosen in the head, for all views: at first the fullest. The address keeps it, Back undoes it, and figures are those
// that `report --device` has.
import assert from 'node:assert/strict';
import {bytesText, exactText, go, linkOf, placeText, settled, tableOf, until} from './driver.mjs';

const chosen = page => page.$eval('header select', box => box.value);
const deviceOf = page => new URLSearchParams(linkOf(page).split('?')[1]).get('device');

export async function the_fullest_device_is_chosen_and_kept_in_every_view({open, data}) {
  const page = await open(data.trainer.page), {devices} = data.trainer.report;
  const fullest = devices.filter(one => one.device !== 'custom').sort((a, b) => b.peak - a.peak)[0];
  assert.equal(await chosen(page), String(fullest.device));
  await page.selectOption('header select', 'host');
  for (const view of ['overview', 'timeline', 'state', 'tree', 'lines', 'functions', 'leaks', 'lifetimes']) {
    await page.click(`nav a[href="#/${view}"]`);
    await page.waitForSelector(`main .view-${view}`);
    await settled(page);
    assert.equal(await chosen(page), 'host', view);
    assert.equal(deviceOf(page), 'host', `${view}: the address has it`);
    const note = await page.isVisible('.device-note') ? await page.innerText('.device-note') : '';
    assert.equal(/covers all devices and cannot be restricted to host/.test(note), ['leaks', 'lifetimes'].includes(view), `${view}: ${note}`);
  }
  const linked = await open(data.trainer.page, {link: '#/state?device=host'});
  assert.equal(await chosen(linked), 'host');
  const one = await open(data.late);
  assert.equal(await one.$('header select'), null, 'there is nothing to choose');
}

export async function the_head_names_the_program_and_its_devices({open, data}) {
  const page = await open(data.trainer.page, {link: '#/lines?device=0'}), head = () => page.innerText('header .what');
  assert.match(await head(), /^app trainer.gmprof\n+GPU 0: NVIDIA H200, 141.00 GiB$/);
  assert.equal(await page.getAttribute('header h1 [title]', 'title'), './train --steps 8');
  await page.selectOption('header select', 'host');
  assert.match(await head(), /\nhost/);
  await page.selectOption('header select', 'all');
  assert.match(await head(), /\nGPU 0: NVIDIA H200, 141.00 GiB$/, 'what is known of all devices');
  assert.match(await (await open(data.late)).innerText('header .what'), /late.gmprof\n+GPU 0: NVIDIA H200, 141.00 GiB$/, 'also where there is one device');
}

export async function back_undoes_the_choice_of_a_device({open, data}) {
  const page = await open(data.trainer.page, {link: '#/timeline'});
  await settled(page);
  const first = await chosen(page), peak = key => bytesText(data.trainer.report.devices.find(one => String(one.device) === key).peak);
  await until(page, words => document.querySelector('.tl-status').innerText.includes(words), `at most ${peak(first)}`);
  await page.selectOption('header select', 'host');
  await until(page, words => document.querySelector('.tl-status').innerText.includes(words), `at most ${peak('host')}`);
  await page.goBack();
  await until(page, words => document.querySelector('.tl-status').innerText.includes(words), `at most ${peak(first)}`);
  assert.equal(await chosen(page), first);
}

export async function views_of_one_device_say_which_when_all_are_chosen({open, data}) {
  const page = await open(data.trainer.page, {link: '#/timeline?device=all'});
  for (const view of ['timeline', 'state']) {
    await go(page, `#/${view}`);
    await settled(page);
    assert.match(await page.innerText('.device-note'), /shows one device at a time: now GPU 0, which held the most/);
    assert.equal(deviceOf(page), 'all', 'the choice stays');
  }
}

/** Tables, and the tree, have what `report --device` says. */
export async function figures_of_a_device_are_those_of_the_report({open, data}) {
  for (const [key, rows] of Object.entries(data.trainer.of_device)) {
    const page = await open(data.trainer.page, {link: `#/lines?device=${key}&exact=1&columns=at_peak,self_alloc,incl_alloc,leaked,blocks`});
    for (const [view, by] of [['lines', 'line'], ['functions', 'function']]) {
      await go(page, `#/${view}?device=${key}&exact=1&columns=at_peak,self_alloc,incl_alloc,leaked,blocks`);
      await settled(page);
      const shown = await tableOf(page), columns = data.columns.filter(one => ['at_peak', 'self_alloc', 'incl_alloc', 'leaked', 'blocks'].includes(one.key));
      const titled = name => columns.find(one => one.key === name).title;
      const plain = list => list.map(row => row.join(' ')).sort();
      assert.deepEqual(plain(shown.map(row => [row.location.split('\n')[0], ...columns.map(({title}) => row[title])])),
        plain(rows[by].map(row => [placeText(row), ...columns.map(({key: name, unit}) => exactText(unit, row[name]))])), `${key} ${by} ${titled('at_peak')}`);
    }
    await go(page, `#/lines?device=${key}`);
    await settled(page);
    const note = await page.innerText('main');
    if (key === 'host') {
      assert.match(note, /Live peak.* recorded over all devices, and so (is|are) not known for host.*Choose all devices to see/);
      assert.ok(!('own peak' in (await tableOf(page))[0]), 'a column without a figure is not shown');
    } else { // the run has one GPU: what its lines need is all on it, but for the lines that allocate elsewhere, too
      const all = new Map(data.trainer.line.map(row => [placeText(row), row])), peaks = await tableOf(page);
      assert.ok(peaks.some(row => row['own peak'] !== '-' && row['own peak'] !== '0'), 'own peaks');
      for (const row of peaks) {
        const place = row.location.split('\n')[0], of = all.get(place), own = rows.line.find(one => placeText(one) === place);
        assert.equal(row['own peak'], of.self_alloc === own.self_alloc && of.own_peak_max !== null ? bytesText(of.own_peak_max) : '-', place);
      }
    }
    await go(page, `#/tree?device=${key}&figure=at_peak`);
    await settled(page);
    const whole = rows.path.reduce((sum, row) => sum + row.self_at_peak, 0), root = await page.$eval('.frame[aria-level="1"]', frame => frame.getAttribute('aria-label'));
    assert.ok(root.startsWith(`all calls: ${bytesText(whole)}`), root);
    await go(page, `#/source?device=${key}&file=${data.trainer.source}`);
    await settled(page);
    const figures = await page.$$eval('table.source tbody tr', all => all.map(row => [Number(row.id.slice(1)), row.querySelectorAll('td.number')[1].title.replace(/^.*: | bytes$|\u202f/g, '')]));
    for (const [line, shown] of figures) {
      const sum = rows.line.filter(row => row.file === data.trainer.source && row.line === line).reduce((total, row) => total + row.self_alloc, 0);
      assert.equal(shown, sum ? String(sum) : '', `line ${line} of ${key}`);
    }
    await go(page, `#/overview?device=${key}`);
    await settled(page);
    const held = rows.line.filter(row => row.self_at_peak > 0).map(row => `${row.self_at_peak} bytes`).sort();
    assert.deepEqual((await page.$$eval('section[aria-labelledby="top-lines"] .figure', all => all.map(one => one.title.replace(/\u202f/g, '')))).sort(), held);
  }
}
