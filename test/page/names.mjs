// names.mjs - names of any length, as templates make them: no view becomes wider than the window for one, none becomes a page high, and the whole
// name is in the tooltip.
import assert from 'node:assert/strict';
import {go, settled} from './driver.mjs';

const VIEWS = ['overview', 'timeline', 'state', 'tree', 'lines', 'functions', 'source', 'leaks', 'lifetimes', 'diff'];
const REM = 16; // pixels

/** What is wider than the window and in no region that scrolls. */
const wider = page => page.evaluate(() => {
  const isWide = element => element.getBoundingClientRect().right > innerWidth + 1 && !element.closest('.scroll, .unseen, .icicle, [hidden], details:not([open])');
  return document.documentElement.scrollWidth <= innerWidth ? [] : [...document.querySelectorAll('body *')].filter(isWide)
    .map(element => `${element.tagName}.${element.className} ${Math.round(element.getBoundingClientRect().width)}: ${element.textContent.slice(0, 40)}`);
});

export async function a_long_name_makes_no_view_wider_than_the_window({open, data}) {
  for (const width of [1280, 390]) {
    const page = await open(data.wide.page, {width});
    for (const view of VIEWS) {
      await go(page, `#/${view}`);
      await settled(page);
      assert.deepEqual((await wider(page)).slice(0, 6), [], `${view} at ${width}`);
      const full = await page.evaluate(() => document.documentElement.scrollWidth);
      assert.ok(full <= width, `${view} is ${full} wide in a window of ${width}`);
    }
    page.checkQuiet();
  }
}

/** Tables scroll for their columns, not for a name: a name takes 36 rem at most, and a few lines. */
export async function a_long_name_takes_its_part_of_a_table_and_is_whole_in_the_tooltip({open, data}) {
  const page = await open(data.wide.page), {name} = data.wide;
  for (const view of ['lines', 'functions', 'leaks', 'lifetimes', 'diff', 'overview']) {
    await go(page, `#/${view}`);
    await settled(page);
    const places = await page.$$eval('main .place', all => all.map(one => ({width: one.getBoundingClientRect().width, height: one.getBoundingClientRect().height,
      text: one.textContent, titles: [one, ...one.querySelectorAll('[title]')].map(part => part.title).join('\n')})));
    assert.ok(places.length, view);
    for (const place of places) {
      assert.ok(place.width <= 36 * REM + 1, `${view}: ${place.width} wide`);
      assert.ok(place.height <= 6 * REM, `${view}: ${place.height} high`);
    }
    const long = places.filter(place => place.text.includes(name));
    assert.ok(long.length && long.every(place => place.titles.includes(name)), `${view}: the whole name is in the tooltip`);
    const tables = await page.$$eval('main .scroll', all => all.map(one => one.scrollWidth));
    for (const one of tables) assert.ok(one <= 1280 + 36 * REM, `${view}: a table of ${one}`);
  }
  await go(page, '#/lines?columns=function,file,variable,type,size_expr,callee,source_line');
  const [all] = await page.$$eval('main .scroll', regions => regions.map(one => one.scrollWidth));
  assert.ok(all <= 8 * 37 * REM, `with every column of text a table of ${all}`);
  page.checkQuiet();
}

/** What follows a name stays in sight: a heading, a tip, a sentence with it is a few lines high. */
export async function a_long_name_leaves_room_for_what_follows({open, data}) {
  const page = await open(data.wide.page, {height: 900});
  for (const [link, selectors] of [['#/tree', '.frame-panel h2, .frame-panel .way, .tip'], ['#/overview', '.sentences li, .note, header h1, .u-legend'],
    ['#/timeline', '.tl-block dd, .tl-status, .tl-lane-text, .tl-bar, summary'], ['#/state', '.state-event, .state-says, .tl-block dd, summary'],
    ['#/leaks', 'summary'], ['#/source', '.bar, .note']]) {
    await go(page, link);
    await settled(page);
    if (link === '#/tree') {
      await page.hover('.icicle .frame >> nth=2');
      await page.focus('.icicle .frame >> nth=2');
    } else if (/timeline|state/.test(link)) {
      await page.focus(link === '#/timeline' ? '.tl-picture' : '.state-map');
      await page.keyboard.press('ArrowUp');
      await page.keyboard.press('ArrowUp');
      await settled(page);
    }
    const high = await page.$$eval(selectors, all => all.filter(one => one.getBoundingClientRect().height > 300)
      .map(one => `${one.tagName}.${one.className} ${Math.round(one.getBoundingClientRect().height)}: ${one.textContent.slice(0, 60)}`));
    assert.deepEqual(high, [], link);
  }
  page.checkQuiet();
}

/** "train.cu:4 zeros<std::tuple…>>>>::take": the line and the end of the function can be read, in tables, in the legend and in the tree. */
export async function a_name_without_room_keeps_both_of_its_ends({open, data}) {
  const page = await open(data.wide.page);
  for (const view of ['overview', 'timeline', 'state', 'lines', 'functions', 'leaks']) {
    await go(page, `#/${view}`);
    await settled(page);
    const cut = await page.$$eval('main .cut-head', all => all.filter(one => one.checkVisibility()).map(head => {
      const box = one => one.getBoundingClientRect(), name = head.parentElement, end = head.nextElementSibling;
      return {text: name.textContent, begin: box(head).width, after: box(end).left - box(head).right, over: box(end).right - box(name).right, end: box(end).width, lines: box(name).height,
        isCut: head.scrollWidth > head.clientWidth};
    }));
    assert.ok(cut.some(({isCut}) => isCut), `${view}: a name has no room`);
    for (const {text, begin, after, over, end} of cut) {
      assert.ok(begin > 60 && end > 20 && Math.abs(after) < 1.5 && over < 1.5, `${view}: ${JSON.stringify({text: text.slice(0, 60), begin, after, over, end})}`);
    }
  }
  await go(page, '#/tree?device=all&figure=self_alloc');
  await settled(page);
  const frames = await page.$$eval('.frame', all => all.map(one => ({room: one.clientWidth, text: one.textContent, over: Math.max(0, ...[...one.children].map(part =>
    part.getBoundingClientRect().right - one.getBoundingClientRect().right)), name: one.querySelector('.name')?.textContent || ''})));
  assert.ok(frames.some(({name}) => /^zeros.*….*>>$/.test(name)), 'a name in the tree is cut in the middle');
  for (const {name, over} of frames) assert.ok(!name.endsWith('…') && over <= 0, `${name}: ${over} outside of its frame`);
  page.checkQuiet();
}

/** The mark of a line's colour takes no room from its name, in a table that has none left either. */
export async function a_short_name_is_whole({open, data}) {
  const page = await open(data.trainer.page);
  for (const view of ['lifetimes', 'lines', 'functions']) {
    await go(page, `#/${view}?device=all`);
    await settled(page);
    const names = await page.$$eval('main table.figures .name', all => all.map(one => [one.textContent, one.scrollWidth - one.clientWidth]));
    assert.ok(names.length, view);
    for (const [name, cut] of names) assert.ok(cut <= 0, `${view}: ${name} lacks ${cut} pixels`);
  }
  await go(page, '#/lines?device=all&columns=source_line');
  await settled(page);
  const parts = await page.$$eval('main .cut-head', all => all.map(head => [head.parentElement.textContent, head.scrollWidth - head.clientWidth]));
  assert.ok(parts.length, 'a text of more letters');
  for (const [text, cut] of parts) assert.ok(cut <= 0, `there is room for ${text}, which lacks ${cut} pixels`);
}
