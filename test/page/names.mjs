// names.mjs - names of any length, as templates make them: no view becomes wider than the window for one, none becomes a page high, and the whole
// name is in the tooltip.
import assert from 'node:assert/strict';
import {go, settled} from './driver.mjs';

const VIEWS = ['overview', 'timeline', 'state', 'tree', 'lines', 'functions', 'source', 'leaks', 'lifetimes', 'diff', 'advice'];
const REM = 16; // pixels

/** What is wider than the window and in no region that scrolls. */
const wider = page => page.evaluate(() => {
  const isWide = element => element.getBoundingClientRect().right > innerWidth + 1 && !element.closest('.scroll, .unseen, .icicle, [hidden], details:not([open])');
  return document.documentElement.scrollWidth <= innerWidth ? [] : [...document.querySelectorAll('body *')].filter(isWide)
    .map(element => `${element.tagName}.${element.className} ${Math.round(element.getBoundingClientRect().width)}: ${element.textContent.slice(0, 40)}`);
});

export async function a_long_name_makes_no_view_wider_than_the_window({open, data}) {
  for (const width of [1280, 390]) {
    for (const [file, views] of [[data.wide.page, VIEWS], [data.advised.wide, ['advice', 'source', 'overview']]]) {
      const page = await open(file, {width});
      for (const view of views) {
        await go(page, `#/${view}`);
        await settled(page);
        assert.deepEqual((await wider(page)).slice(0, 6), [], `${view} at ${width}`);
        const full = await page.evaluate(() => document.documentElement.scrollWidth);
        assert.ok(full <= width, `${view} is ${full} wide in a window of ${width}`);
      }
      page.checkQuiet();
    }
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

/** The parts of each name that is in sight (cut.js): their boxes, and whether letters of them are hidden. */
const partsOf = page => page.$$eval('main .cut-place, main .cut-head', all => [...new Set(all.map(one => one.parentElement))].filter(one => one.checkVisibility()).map(name => {
  const [place, head, end] = ['.cut-place', '.cut-head', '.cut-end'].map(part => {
    const one = name.querySelector(`:scope > ${part}`), box = one?.getBoundingClientRect();
    return one && {text: (one.dataset.end || one.textContent).slice(0, 60), left: box.left, right: box.right, width: box.width, isCut: getComputedStyle(one).display !== 'inline' && one.scrollWidth > one.clientWidth + 1};
  });
  return {text: name.textContent.slice(0, 60), right: name.getBoundingClientRect().right, place, head, end};
}));

/** "train.cu:4 zeros<std::tu…>>>>::take": file and line are whole, and the end of the function can be read where there is room for it. */
export async function a_name_without_room_keeps_its_file_and_line_whole({open, data}) {
  for (const width of [1280, 390]) {
    const page = await open(data.wide.page, {width});
    for (const view of ['overview', 'timeline', 'state', 'lines', 'leaks']) {
      await go(page, `#/${view}`);
      await settled(page);
      const names = await partsOf(page), where = `${view} at ${width}`;
      assert.ok(names.some(({place}) => place), `${where}: a name with its place`);
      if (width > 390) assert.ok(names.some(({place, head, end}) => place && head.isCut && (end.width > 20 || view === 'timeline' || view === 'state')), `${where}: a function is cut`);
      for (const name of names) {
        const {place, head, end, right} = name, text = `${where}: ${JSON.stringify(name)}`;
        assert.ok(!place || (/^[\w.]+:\d+$/.test(place.text) && !place.isCut && place.right < right + 2), text);
        if (place && head && width > 390) assert.ok(head.left - place.right < 3, text);
        if (head && end && end.width > 5 && width > 390) assert.ok(!end.isCut && Math.abs(end.left - head.right) < 1.5 && end.right < right + 2, text);
      }
    }
    page.checkQuiet();
  }
}

/** A name that has no room for its file and line ends with them, and its function has none. */
export async function only_the_front_of_a_file_gives_way({open, data}) {
  const page = await open(data.trainer.page);
  await go(page, '#/lines?device=all');
  await settled(page);
  const seen = await page.$$eval('main .name:has(.cut-place)', all => all.map(name => {
    name.style.width = '60px';
    const [place, head] = [...name.children], box = place.firstChild.getBoundingClientRect(), outer = place.getBoundingClientRect();
    return {text: name.textContent, lost: place.scrollWidth - place.clientWidth, rightEnd: Math.abs(box.right - outer.right), function: head ? head.getBoundingClientRect().width : 0};
  }));
  assert.ok(seen.some(({lost}) => lost > 0), 'a file and line wider than that');
  for (const one of seen.filter(({lost}) => lost > 0)) assert.ok(one.rightEnd < 1 && one.function < 1, JSON.stringify(one));
}

/** A function has no place: what distinguishes those of one namespace or template is at the end. */
export async function a_function_without_room_keeps_both_of_its_ends({open, data}) {
  const page = await open(data.wide.page);
  await go(page, '#/lines?columns=function');
  await settled(page);
  const names = (await partsOf(page)).filter(({place, head}) => !place && head.isCut);
  assert.ok(names.length, 'a function has no room');
  for (const {text, head, end} of names) assert.ok(head.width > 60 && end.width > 20 && !end.isCut, text);
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
  const parts = await page.$$eval('main .cut-place, main .cut-head', all => all.map(head => [head.parentElement.textContent, head.scrollWidth - head.clientWidth]));
  assert.ok(parts.length, 'a text of more letters');
  for (const [text, cut] of parts) assert.ok(cut <= 0, `there is room for ${text}, which lacks ${cut} pixels`);
}
