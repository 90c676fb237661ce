// colors.mjs - a line that allocates has one colour in all views and themes: in the timeline, the state, the tree, and as a mark in tables.
import assert from 'node:assert/strict';
import {go, placeText, settled, until} from './driver.mjs';

/** By name of the line its colour and whether it is hatched, as the legend has it. */
const legend = page => page.$$eval('.tl-legend li:not([hidden])', rows => Object.fromEntries(rows.map(row => [row.querySelector('.tl-name').textContent,
  getComputedStyle(row.querySelector('.tl-swatch')).backgroundColor + (row.querySelector('.hatched') ? ' hatched' : '')])));

const marks = page => page.$$eval('main .place:has(.mark)', all => Object.fromEntries(all.map(one => [one.querySelector('.name').textContent,
  getComputedStyle(one.querySelector('.mark')).backgroundColor + (one.querySelector('.mark.hatched') ? ' hatched' : '')])));

export async function a_line_has_one_colour_in_all_views({open, data}) {
  for (const [capture, theme] of [[data.captures[0], 'light'], [data.trainer, 'light'], [data.trainer, 'dark']]) {
    const page = await open(capture.page, {link: '#/timeline', theme});
    await until(page, () => document.querySelectorAll('.tl-legend li').length > 1, null, 'the legend');
    await settled(page);
    const lines = await legend(page), rest = Object.keys(lines).find(name => /other line/.test(name));
    delete lines[rest];
    assert.ok(Object.keys(lines).length >= 3);
    await go(page, '#/state');
    await until(page, () => document.querySelectorAll('.tl-legend li').length > 1, null, 'the legend');
    const state = await legend(page);
    for (const [name, color] of Object.entries(lines)) if (state[name]) assert.equal(state[name], color, `${theme} state ${name}`);
    for (const link of ['#/overview', '#/lines?sort=-self_alloc', '#/leaks']) {
      await go(page, link);
      await settled(page);
      const found = await marks(page), both = Object.keys(found).filter(name => lines[name]);
      if (link !== '#/leaks') assert.ok(both.length >= 2, `${link}: ${Object.keys(found)}`);
      for (const name of both) assert.equal(found[name], lines[name], `${theme} ${link} ${name}`);
    }
    await go(page, '#/tree?order=inverted&figure=incl_alloc');
    await settled(page);
    const frames = await page.$$eval('.frame[aria-level="2"]', all => all.map(one => [one.getAttribute('aria-label'), getComputedStyle(one).backgroundColor +
      (one.classList.contains('hatched') ? ' hatched' : '')]));
    let compared = 0;
    for (const row of capture === data.trainer ? capture.line : []) {
      const name = placeText(row), where = `${name.split(' ')[0]}: `, same = frames.filter(([label]) => label.includes(where));
      if (!lines[name] || !same.length) continue;
      assert.equal(same[0][1], lines[name], `${theme} tree ${name}`);
      compared += 1;
    }
    assert.ok(compared >= 2 || capture !== data.trainer, `${compared} lines in the tree`);
  }
}

/** Another device shows other lines, and the same ones alike. */
export async function another_device_changes_no_colour({open, data}) {
  for (const {page: file, report} of data.captures) {
    const page = await open(file), seen = new Map();
    for (const {device} of report.devices.filter(one => one.peak)) {
      await go(page, `#/timeline?device=${device}`);
      await until(page, () => document.querySelectorAll('.tl-legend li').length > 1, null, 'the legend');
      await settled(page);
      for (const [name, color] of Object.entries(await legend(page))) {
        if (/other lines/.test(name)) continue;
        assert.equal(seen.get(name) ?? color, color, `${device} ${name}`);
        seen.set(name, color);
      }
    }
  }
}
