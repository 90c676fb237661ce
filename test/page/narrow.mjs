// narrow.mjs - at the width of a telephone nothing but tables within their own boxes scrolls sideways, in any view, and the first figure of a row is
// in sight without that.
import assert from 'node:assert/strict';
import {go, settled} from './driver.mjs';

const LINKS = ['#/overview', '#/timeline', '#/timeline?from=3&to=20&at=5', '#/state', '#/tree', '#/tree?at=20', '#/tree?order=inverted&figure=own_peak_max', '#/lines',
  '#/lines?at=20', '#/lines?at=20&by=path', '#/lines?columns=at_peak,self_alloc,incl_alloc,leaked,blocks,calls,function,file,source_line', '#/functions', '#/source', '#/leaks',
  '#/lifetimes', '#/diff', '#/advice', '#/advice?finding=3&device=2'];

export async function nothing_scrolls_sideways_at_390_pixels({open, data}) {
  for (const file of [data.against, data.captures[0].page, data.wide.page, data.advised.page, data.advised.wide]) {
    const page = await open(file, {width: 390, height: 800});
    for (const link of LINKS) {
      await go(page, link);
      await settled(page);
      const found = await page.evaluate(() => {
        const {scrollWidth, clientWidth} = document.scrollingElement;
        const boxed = element => element.closest('.scroll, .icicle, .state-map, dialog, .few-lines');
        const wide = [...document.querySelectorAll('body *')].filter(element => element.getBoundingClientRect().right > 391 && !boxed(element.parentElement || element) &&
          getComputedStyle(element).position !== 'absolute').slice(0, 3).map(element => `${element.tagName}.${element.className}: ${element.textContent.slice(0, 40)}`);
        return {scrollWidth, clientWidth, wide: scrollWidth > 390 ? wide : []};
      });
      assert.ok(found.scrollWidth <= 390, `${link}: ${JSON.stringify(found)}`);
    }
  }
}

export async function the_first_figure_of_a_row_is_in_sight_at_390_pixels({open, data}) {
  for (const file of [data.against, data.captures[0].page, data.wide.page]) {
    const page = await open(file, {width: 390, height: 800});
    for (const link of ['#/lines', '#/lines?at=20', '#/lines?by=file', '#/functions', '#/source', '#/leaks', '#/lifetimes', '#/diff']) {
      await go(page, link);
      await settled(page);
      const rows = await page.$$eval('main table.figures tbody tr', all => all.map(row => row.querySelector('td.number')).filter(Boolean)
        .map(cell => ({text: cell.innerText, right: cell.getBoundingClientRect().right})));
      if (link === '#/diff' && file !== data.against) continue;
      assert.ok(rows.length || link === '#/leaks', `${link}: no rows`);
      for (const {text, right} of rows) assert.ok(right <= 390, `${link}: ${text} ends at ${right}`);
    }
  }
}
