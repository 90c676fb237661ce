// ends.mjs - the two ends of a run in the pictures: a peak in the last tick can be seen, and the axes have one unit.
import assert from 'node:assert/strict';
import {go, settled} from './driver.mjs';

/** How many columns, CSS pixels, of a canvas have a colour at a height that is a share from the top. */
const colored = (page, selector, share) => page.$eval(selector, (canvas, at) => {
  const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext('2d');
  copy.drawImage(canvas, 0, 0);
  const {data} = copy.getImageData(0, Math.round(canvas.height * at), canvas.width, 1);
  let count = 0;
  for (let x = 0; x < data.length; x += 4) {
    const parts = data.slice(x, x + 3);
    if (data[x + 3] > 20 && Math.max(...parts) - Math.min(...parts) > 15) ++count;
  }
  return count / devicePixelRatio;
}, share);

export async function a_peak_in_the_last_tick_can_be_seen_in_every_picture({open, data}) {
  const page = await open(data.late, {link: '#/overview'});
  await page.waitForSelector('.curve canvas');
  for (const [link, selector, least] of [['#/overview', '.curve canvas', 12], ['#/timeline', '.tl-picture canvas', 12], ['#/timeline?axis=time', '.tl-picture canvas', 12],
    ['#/timeline', '.tl-strip canvas', 12], ['#/state', '.state-curve', 6]]) {
    await go(page, link);
    await page.waitForSelector(selector);
    if (link.includes('timeline')) await page.waitForSelector('.tl-picture[data-shown]');
    await settled(page);
    const wide = await colored(page, selector, 0.4);
    assert.ok(wide >= least && wide < 60, `${link} ${selector}: the peak is ${wide} pixels wide`);
  }
  page.checkQuiet();
}

/** What the axes say is drawn, not written: the page's own pen is asked for it. */
const DRAWN = `window.drawn = new Map();
  const own = CanvasRenderingContext2D.prototype.fillText;
  CanvasRenderingContext2D.prototype.fillText = function (text, ...more) {
    window.drawn.set(this.canvas, [...window.drawn.get(this.canvas) || [], String(text)]);
    return own.call(this, text, ...more);
  };`;

const STEPS = ticks => ticks.slice(1).map((value, i) => Number((value - ticks[i]).toPrecision(6)));

/** Steps of all axes are 1, 2 or 5 times a power of ten, in the unit that they are written in. */
export async function steps_of_an_axis_are_round({open, data}) {
  for (const link of ['#/overview', '#/timeline?axis=time', '#/timeline']) {
    for (const [file, width] of [[data.late, 1280], [data.trainer.page, 900], [data.captures[0].page, 1280], [data.captures[0].page, 700]]) {
      const page = await open(file, {link, before: DRAWN, width});
      await page.waitForSelector(link === '#/overview' ? '.curve canvas' : '.tl-picture[data-shown]');
      await settled(page);
      for (const texts of await page.evaluate(() => [...window.drawn.values()])) {
        const plain = [...new Set(texts.map(text => text.replace(/\u202f/g, '')))];
        for (const unit of ['ns', 'us', 'ms', 's', 'B', 'KiB', 'MiB', 'GiB', '']) {
          const ticks = plain.map(text => new RegExp(`^([\\d.]+)${unit && ` ${unit}`}$`).exec(text)).filter(Boolean).map(match => Number(match[1])).sort((a, b) => a - b);
          for (const step of ticks.length > 2 ? STEPS(ticks) : []) assert.match(step.toExponential(), /^[125]e/, `${link}, ${unit}: ${ticks}`);
        }
      }
    }
  }
}

export async function ticks_of_an_axis_have_one_unit({open, data}) {
  for (const link of ['#/overview', '#/timeline?axis=time']) {
    for (const file of [data.late, data.trainer.page, data.captures[0].page]) {
      const page = await open(file, {link, before: DRAWN});
      await page.waitForSelector(link === '#/overview' ? '.curve canvas' : '.tl-picture[data-shown]');
      await settled(page);
      const pictures = (await page.evaluate(() => [...window.drawn.values()])).map(texts => texts.filter(text => /^[\d.\u202f]+ \w+$/.test(text)));
      assert.ok(pictures.some(texts => texts.length > 8), 'an axis is drawn');
      for (const texts of pictures) {
        for (const units of [['ns', 'us', 'ms', 's'], ['B', 'KiB', 'MiB', 'GiB', 'TiB']]) {
          const used = new Set(texts.map(text => text.split(' ')[1]).filter(unit => units.includes(unit)));
          assert.ok(used.size <= 1, `${link}: ${[...new Set(texts)]}`);
        }
      }
      page.checkQuiet();
    }
  }
}
