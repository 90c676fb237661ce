// findings.mjs - the overview begins with how much, then what to do: findings by severity, each with one figure, one place and one action.
import assert from 'node:assert/strict';
import {bytesText, go, placeText, settled, until} from './driver.mjs';

const SEVERITY = ['Out of memory', 'Budget broken', 'Growth', 'Leak', 'Waste'];

const findingsOf = page => page.$$eval('.finding', all => all.map(one => ({severity: one.querySelector('.severity').innerText, figure: one.querySelector('.size').innerText,
  place: one.querySelector('.finding-text .one-line')?.textContent ?? '', text: one.innerText, to: one.querySelector('.finding-text > p:first-child > a:last-child')?.getAttribute('href') ?? ''})));

export async function the_curve_comes_first({open, data}) {
  for (const file of [data.captures[0].page, data.sums]) {
    const page = await open(file);
    await page.waitForSelector('.curve canvas');
    await settled(page);
    const tops = await page.$$eval('main .view > *', all => all.filter(one => !one.matches('.note')).map(one => [one.className || one.getAttribute('aria-labelledby'),
      one.getBoundingClientRect().top]));
    assert.deepEqual(tops.slice(0, 2).map(([name]) => name), ['live', 'findings']);
    assert.ok(tops[1][1] < 450, 'what to do is in sight without scrolling');
  }
}

export async function findings_are_those_of_the_commands({open, data}) {
  for (const {page: file, report, check, line, leaks, pools} of data.captures) {
    const page = await open(file, {link: '#/overview?device=all'}), found = await findingsOf(page), of = severity => found.filter(one => one.severity === severity);
    const order = found.map(one => SEVERITY.indexOf(one.severity));
    assert.deepEqual(order, [...order].sort((a, b) => a - b), 'the most severe first');
    const worst = line.filter(row => row.leaked_blocks).sort((a, b) => b.leaked - a.leaked)[0];
    assert.equal(of('Leak').length, worst ? 1 : 0);
    if (worst) {
      assert.equal(of('Leak')[0].figure, bytesText(worst.leaked));
      if (worst.file) assert.ok(of('Leak')[0].place.startsWith(placeText(worst)), of('Leak')[0].place);
      assert.ok(of('Leak')[0].text.includes(`${bytesText(leaks.leaks.reduce((sum, one) => sum + one.bytes, 0))} in `));
    }
    const broken = check.budgets.filter(one => one.verdict === 'broken');
    assert.deepEqual(of('Budget broken').slice(0, 3).map(one => one.figure).sort(), broken.slice(0, 3).map(one => bytesText(one.bytes)).sort());
    const oom = report.failed.some(one => one.oom);
    assert.equal(of('Out of memory').length, oom ? 1 : 0);
    const unused = pools.filter(pool => pool.reserved_peak !== null && pool.used_peak !== null && pool.reserved_peak - pool.used_peak >= 2 ** 20 &&
      10 * (pool.reserved_peak - pool.used_peak) >= pool.reserved_peak);
    assert.deepEqual(of('Waste').filter(one => /^pool/.test(one.place) && /never used more/.test(one.text)).map(one => one.figure),
      unused.map(pool => bytesText(pool.reserved_peak - pool.used_peak)));
  }
  const all = await findingsOf(await open(data.trainer.page, {link: '#/overview?device=all'}));
  assert.deepEqual(['Out of memory', 'Budget broken', 'Leak', 'Waste'].filter(name => !all.some(one => one.severity === name)), [], 'the run of the tests has them');
}

export async function each_finding_leads_to_what_shows_it({open, data}) {
  const page = await open(data.trainer.page), found = await findingsOf(page);
  for (const {to, text} of found.filter(one => one.to)) {
    await go(page, to);
    await settled(page);
    assert.equal(await page.$('main .failure'), null, text);
    await go(page, '#/overview');
  }
}

export async function a_run_without_findings_says_so({open, data}) {
  const page = await open(data.late);
  assert.deepEqual((await findingsOf(page)).map(one => one.severity).filter(name => !['Leak', 'Waste'].includes(name)), []);
  const quiet = await open(data.clean);
  assert.deepEqual(await findingsOf(quiet), []);
  assert.match(await quiet.innerText('section[aria-labelledby="findings"]'), /Nothing was found: no allocation was out of memory/);
}

export async function findings_are_those_of_the_chosen_device({open, data}) {
  const page = await open(data.two), plain = async () => (await findingsOf(page)).map(({severity, figure, place}) => [severity, figure, place].join(' | '));
  const heading = () => page.innerText('#findings'), others = () => page.innerText('section[aria-labelledby="findings"]');
  const oom = 'Out of memory | 900.00 GiB | two.cu:4 main', large = 'Leak | 40.00 MiB | two.cu:3 main';
  assert.deepEqual(await plain(), [oom, large], 'of the fullest device at first');
  assert.equal(await heading(), 'What to do about GPU 1');
  assert.match(await others(), /2 allocations were out of memory/);
  assert.match(await others(), /45\.00 MiB in 2 blocks were never freed; most of it, 40\.00 MiB/);
  assert.match(await others(), /2 findings of other devices are not listed here/);
  await page.selectOption('header select', '0');
  await until(page, () => document.querySelector('#findings').innerText === 'What to do about GPU 0');
  assert.deepEqual(await plain(), ['Out of memory | 1.00 GiB | two.cu:5 main', 'Leak | 3.00 MiB | two.cu:2 main'], 'one whose device is not known may be of each');
  assert.match(await others(), /2 findings of other devices are not listed here: choose all devices, or another one/);
  await page.selectOption('header select', 'all');
  await until(page, () => document.querySelector('#findings').innerText === 'What to do');
  assert.deepEqual(await plain(), [oom, large]);
  assert.match(await others(), /48\.00 MiB in 3 blocks/);
  assert.doesNotMatch(await others(), /not listed here/);
}

const leakOf = async page => (await findingsOf(page)).filter(({severity}) => /Leak|Live/.test(severity)).map(({severity, figure, place, text}) => ({severity, figure, place, text}));

export async function lines_of_one_function_leak_together({open, data}) {
  const [leak, ...others] = await leakOf(await open(data.lines));
  assert.deepEqual([leak.severity, leak.figure, leak.place, others.length], ['Leak', '6.00 MiB', 'lines.cu:10 fields', 0]);
  assert.match(leak.text, /11\.00 MiB in 3 blocks were never freed; most of it, 6\.00 MiB in 2 blocks, from 2 lines of lines\.cu:10 fields/);
}

export async function a_leak_of_less_than_half_is_not_most_of_it({open, data}) {
  const [leak] = await leakOf(await open(data.spread));
  assert.match(leak.text, /12\.00 MiB in 3 blocks were never freed; the most of one line, 6\.00 MiB in 1 block, from lines\.cu:3 main/);
  assert.equal(leak.figure, '6.00 MiB');
}

/** Nothing was freed after the failure, so nothing is known to be a leak. */
export async function what_is_live_when_out_of_memory_ended_the_program_is_no_leak({open, data}) {
  const page = await open(data.ended), found = await findingsOf(page), [live] = await leakOf(page);
  assert.deepEqual(found.map(({severity}) => severity), ['Out of memory', 'Live at the end']);
  assert.deepEqual([live.figure, live.place], ['9.00 MiB', 'lines.cu:10 fields']);
  assert.match(live.text, /14\.00 MiB in 4 blocks were live when the program ended after it ran out of memory; most of it, 9\.00 MiB in 3 blocks, from 3 lines of/);
  assert.doesNotMatch(live.text, /Free it|leak/i);
  assert.match(await page.innerText('section[aria-labelledby="leaks"]'), /14\.00 MiB in 4 blocks were live when the program ended after it ran out of memory/);
}
