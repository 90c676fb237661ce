// paper.mjs - what is printed from the dark theme: pictures are drawn in dark ink before the browser prints them, and in light ink
// again afterwards.
import assert from 'node:assert/strict';
import {settled, until} from './driver.mjs';

/** Pixels of a canvas that have the colour of the ink of either theme, before, while and after it is printed, without a frame in between. */
const inks = (page, selector) => page.evaluate(async given => {
  const count = () => {
    const canvas = document.querySelector(given), copy = new OffscreenCanvas(canvas.width, canvas.height).getContext('2d'), made = {light: 0, dark: 0};
    copy.drawImage(canvas, 0, 0); // read of the page's own one more than once, Chromium complains
    const {data} = copy.getImageData(0, 0, canvas.width, canvas.height);
    for (let at = 0; at < data.length; at += 4) {
      const isOf = ink => data[at + 3] > 200 && ink.every((part, i) => Math.abs(data[at + i] - part) <= 6);
      if (isOf([0xe6, 0xe9, 0xed])) ++made.light;
      else if (isOf([0x1b, 0x1f, 0x24])) ++made.dark;
    }
    return made;
  };
  const dispatched = async name => {
    dispatchEvent(new Event(name));
    for (let i = 0; i < 10; ++i) await null; // what a listener leaves to do before it gives the browser its turn
    return [count(), document.documentElement.dataset.theme];
  };
  return {before: count(), printed: await dispatched('beforeprint'), after: await dispatched('afterprint')};
}, selector);

export async function pictures_are_printed_in_dark_ink_and_are_light_afterwards({open, data}) {
  for (const [file, link, selector] of [[data.trainer.page, '#/overview', '.curve canvas'], [data.trainer.page, '#/timeline?device=0', '.tl-picture canvas'],
    [data.trainer.page, '#/timeline?device=0', '.tl-samples canvas'], [data.sums, '#/timeline', '.tl-samples canvas'],
    [data.trainer.page, '#/state?device=0', '.state-canvas']]) {
    const page = await open(file, {theme: 'dark', link});
    await page.waitForSelector(selector);
    if (selector.startsWith('.tl-picture')) await page.waitForSelector('.tl-picture[data-shown]');
    await settled(page);
    const {before, printed: [ink, theme], after: [inkAfter, themeAfter]} = await inks(page, selector), where = `${link} ${selector}`;
    assert.ok(before.light > 20, `${where}: letters are light on dark before, ${JSON.stringify(before)}`);
    assert.deepEqual([theme, themeAfter], ['light', 'dark'], where);
    assert.ok(ink.dark > 20 && ink.light < before.light / 10, `${where}: letters are dark on paper, ${JSON.stringify(ink)}`);
    assert.deepEqual(inkAfter, before, `${where}: afterwards as before`);
    page.checkQuiet();
  }
}

/** Nobody may be left with a light page in a dark room: an event of the print dialog that comes alone changes nothing for good. */
export async function the_theme_after_printing_is_the_one_before({open, data}) {
  for (const theme of ['dark', 'light']) {
    const page = await open(data.trainer.page, {theme});
    await page.pdf();
    await until(page, wanted => document.documentElement.dataset.theme === wanted, theme, 'the theme is as before');
    page.checkQuiet();
  }
}

export async function the_timeline_is_printed_without_its_controls({open, data}) {
  const page = await open(data.trainer.page, {link: '#/timeline?device=0'});
  await page.waitForSelector('.tl-picture[data-shown]');
  await page.emulateMedia({media: 'print'});
  for (const control of ['.tl-bar', '.tl-strip', '.tl-hint', '.tl-choices']) assert.equal(await page.isVisible(control), false, control);
  assert.ok(await page.isVisible('.tl-picture canvas'));
  page.checkQuiet();
}
