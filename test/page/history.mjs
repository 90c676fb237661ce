// history.mjs - the browser's Back undoes a zoom, a kept block, a chosen moment; a table is copied as text with tabs.
import assert from 'node:assert/strict';
import {exactText, go, linkOf, placeText, settled, until} from './driver.mjs';

const PAUSE = 1100; // longer than what the page takes for one gesture

export async function back_undoes_zoom_pin_and_moment_one_by_one({open, data}) {
  const page = await open(data.trainer.page, {link: '#/timeline?device=0'});
  await settled(page);
  const links = [linkOf(page)], box = await (await page.$('.tl-picture canvas')).boundingBox(), at = [box.x + box.width * 0.7, box.y + box.height * 0.85];
  const did = async (action, wanted) => {
    await page.waitForTimeout(PAUSE);
    await action();
    await until(page, pattern => new RegExp(pattern).test(location.hash), wanted, wanted);
    await page.waitForTimeout(PAUSE);
    links.push(linkOf(page));
  };
  await did(async () => {
    await page.focus('.tl-picture');
    for (let i = 0; i < 3; ++i) await page.keyboard.press('+');
  }, 'from=');
  await did(() => page.mouse.click(...at), 'at=');
  await did(async () => {
    await page.mouse.move(at[0], at[1]);
    await page.keyboard.press('Enter').catch(() => {});
    await page.focus('.tl-picture');
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('Enter');
  }, 'block=');
  assert.equal(new Set(links).size, 4, `${links}`);
  for (const link of links.slice(0, -1).reverse()) {
    await page.goBack();
    await until(page, wanted => location.hash === wanted, link, `Back leads to ${link}, from ${linkOf(page)}`);
  }
  assert.equal(await page.$eval('.tl-choices', choices => /^At the chosen moment/.test(choices.innerText)), false, 'and the view shows it');
}

export async function back_undoes_what_was_selected_in_the_state({open, data}) {
  const page = await open(data.trainer.page, {link: '#/state?device=0'});
  await until(page, () => document.querySelector('.state-event')?.innerText.startsWith('After event'), null, 'the state');
  await page.focus('.state-map');
  await page.keyboard.press('ArrowDown');
  await until(page, () => /block=/.test(location.hash), null, 'a block is selected');
  await page.goBack();
  await until(page, () => !/block=/.test(location.hash), null, 'Back undoes it');
}

/** What the clipboard got, however it was asked. */
const CLIPBOARD = `window.copied = [];
  document.addEventListener('copy', () => {
    const area = document.activeElement;
    window.copied.push(['selected', area.value]);
  });`;

export async function a_table_is_copied_as_text_with_tabs({open, data}) {
  for (const before of [`${CLIPBOARD} Object.defineProperty(navigator, 'clipboard', {value: {writeText: text => (window.copied.push(['clipboard', text]), Promise.resolve())}});`,
    `${CLIPBOARD} Object.defineProperty(navigator, 'clipboard', {value: undefined});`]) {
    const page = await open(data.trainer.page, {before, link: '#/lines?device=all&columns=at_peak,self_alloc&sort=-self_alloc&filter=train'});
    await settled(page);
    await page.click('button:text-is("Copy as TSV")');
    await until(page, () => window.copied.length === 1, null, 'something is copied');
    const [[way, text]] = await page.evaluate(() => window.copied);
    assert.equal(way, before.includes('undefined') ? 'selected' : 'clipboard');
    const [titles, ...rows] = text.trimEnd().split('\n').map(row => row.split('\t'));
    assert.deepEqual(titles, ['location', 'at peak', 'self']);
    const wanted = data.trainer.line.filter(row => /train/.test(row.file || '')).map(row => [placeText(row), exactText('bytes', row.at_peak), exactText('bytes', row.self_alloc)].join(' '));
    assert.deepEqual(rows.map(row => row.map(cell => cell || '-').join(' ')).sort(), wanted.sort());
    assert.match(await page.innerText('.copy'), new RegExp(`${rows.length} rows copied`));
  }
}
