// tables.mjs - lines, functions, leaks, lifetimes and diff in the page have the figures of `report`, `leaks`, `lifetimes`, `histogram` and `diff`,
// and sort, filter and choose columns as they say.
import assert from 'node:assert/strict';
import {exactText, go, linkOf, placeText, tableOf, until} from './driver.mjs';

const EVERY = 'main .more button';

async function showEverything(page) {
  while (await page.$(EVERY)) await page.click(`${EVERY}:last-of-type`);
}

/** Rows of a table with all columns, exactly, against rows of a report, in its order. */
async function compare(page, link, columns, rows) {
  await go(page, `${link}${link.includes('?') ? '&' : '?'}exact=1&columns=${columns.map(column => column.key).join(',')}`);
  await until(page, count => document.querySelectorAll('main .status')[0]?.textContent.replace(/\u202f/g, '').startsWith(`${count} `), rows.length, `${link} has ${rows.length} rows`);
  await showEverything(page);
  const shown = await tableOf(page);
  assert.equal(shown.length, rows.length);
  shown.forEach((row, i) => {
    assert.equal(row.location.split('\n')[0].trim(), placeText(rows[i]), `${link} row ${i}`);
    for (const {key, title, unit} of columns) {
      if (key in rows[i]) assert.equal(row[title], exactText(unit, rows[i][key]), `${link} row ${i} ${key}`);
    }
  });
}

/** As the page sorts: highest first, what does not apply last, else as they came. */
const highestFirst = (rows, key) => [...rows].sort((a, b) => (b[key] ?? -Infinity) - (a[key] ?? -Infinity));

const figuresIn = (columns, rows) => columns.filter(column => column.unit && rows.some(row => column.key in row));

export async function all_figures_are_those_of_the_report({open, data}) {
  for (const one of data.captures) {
    const page = await open(one.page, {link: '#/overview?device=all'});
    await compare(page, '#/lines?', figuresIn(data.columns, one.line), highestFirst(one.line, 'at_peak'));
    await compare(page, '#/functions?', figuresIn(data.columns, one.function), highestFirst(one.function, 'at_peak'));
    page.checkQuiet();
  }
}

export async function rows_by_file_kind_label_and_so_on_are_those_of_the_report({open, data}) {
  for (const one of data.captures) {
    const page = await open(one.page, {link: '#/lines?device=all'});
    for (const [by, rows] of Object.entries(one.other)) {
      await page.selectOption('label:has-text("Rows by") select', by);
      await until(page, name => location.hash.includes(`by=${name}`), by, 'the link says so');
      const columns = figuresIn(data.columns, rows).filter(({key}) => rows.some(row => row[key] !== null)), sorted = highestFirst(rows, 'at_peak');
      await go(page, `#/lines?by=${by}&exact=1&columns=${columns.map(column => column.key).join(',')}`);
      await until(page, count => document.querySelectorAll('main tbody tr').length === count, rows.length, `${by} has ${rows.length} rows`);
      (await tableOf(page)).forEach((row, i) => {
        for (const {key, title, unit} of columns) assert.equal(row[title], exactText(unit, sorted[i][key]), `${by} row ${i} ${key}`);
        if (['kind', 'variable', 'type', 'label'].includes(by)) assert.equal(Object.values(row)[0], sorted[i][by] || '(none)');
      });
    }
    page.checkQuiet();
  }
}

export async function small_variables_are_one_line_until_they_are_asked_for({open, data}) {
  for (const link of ['#/lines', '#/lines?by=variable']) {
    const page = await open(data.tiny, {link});
    await page.waitForSelector('main .folded');
    assert.match(await page.$eval('main .folded', one => one.textContent), /^45 variables in device memory of less than 4 KiB, 45 B in all, have no row\./);
    assert.equal((await tableOf(page)).length, 1);
    await page.click('main .folded button');
    assert.equal((await tableOf(page)).length, 46);
    await go(page, '#/overview');
    await go(page, `${link}${link.includes('?') ? '&' : '?'}filter=tiny7`); // who looks for one finds it
    await until(page, () => document.querySelectorAll('main tbody tr').length === 1 && /tiny7/.test(document.querySelector('main tbody').textContent), null, 'it is found');
    page.checkQuiet();
  }
}

export async function columns_sort_both_ways({open, data}) {
  const [{page: file, line: rows}] = data.captures, page = await open(file, {link: '#/lines?device=all'});
  for (const key of ['self_alloc', 'at_peak', 'mean_size', 'incl_net']) {
    const {title} = data.columns.find(column => column.key === key);
    await go(page, `#/lines?columns=${key}&exact=1&sort=place`);
    for (const way of [-1, 1]) { // a figure is highest first at the first click
      const before = await page.$eval(`thead button[data-sort="${key}"]`, button => button.closest('th').ariaSort);
      await page.click(`thead button[data-sort="${key}"]`);
      if (before === 'descending' && way === -1) await page.click(`thead button[data-sort="${key}"]`);
      assert.equal(await page.$eval(`thead button[data-sort="${key}"]`, button => button.closest('th').getAttribute('aria-sort')),
        way < 0 ? 'descending' : 'ascending');
      await showEverything(page);
      const known = rows.map(row => row[key]).filter(value => value !== null).sort((a, b) => way * (a - b)).map(value => exactText(
        data.columns.find(column => column.key === key).unit, value));
      const shown = (await tableOf(page)).map(row => row[title]);
      assert.deepEqual(shown, [...known, ...Array(rows.length - known.length).fill('-')], `${key} ${way}`);
    }
  }
  await go(page, '#/lines?sort=-self_freed');
  await page.waitForSelector('thead button[data-sort="self_freed"]'); // what rows are sorted by is shown
  await page.click('thead button[data-sort="place"]');
  const names = (await tableOf(page)).map(row => row.location.split('\n')[0].trim());
  assert.equal(names.length, Math.min(100, rows.length));
  assert.equal(await page.$eval('thead button[data-sort="place"]', button => document.activeElement === button), true, 'the focus stays on the head');
}

export async function filters_leave_what_they_say({open, data}) {
  const [{page: file, line: rows}] = data.captures, page = await open(file, {link: '#/lines?device=all'});
  const limit = rows.map(row => row.self_alloc).sort((a, b) => a - b)[Math.floor(rows.length / 2)], name = rows.find(row => row.function).function;
  for (const [text, fits] of [
    [`self_alloc>${limit}`, row => row.self_alloc > limit],
    [`function:${name}`, row => (row.function || '').toLowerCase().includes(name.toLowerCase())],
    [`-function:${name} blocks>0`, row => !(row.function || '').toLowerCase().includes(name.toLowerCase()) && row.blocks > 0],
  ]) {
    await page.fill('main input[type=search]', text);
    const wanted = rows.filter(fits).length;
    await until(page, number => document.querySelectorAll('main tbody tr').length === Math.min(100, number), wanted, text);
    assert.match((await page.textContent('main .status')).replace(/\u202f/g, ''), wanted === rows.length ? /^\d+ lines?$/ : new RegExp(`^${wanted} of ${rows.length} lines? match`));
    await until(page, link => decodeURIComponent(location.hash).replace(/\+/g, ' ').includes(link), `filter=${text}`, 'the link follows');
  }
  const link = linkOf(page), linked = await open(file, {link}), names = async from => (await tableOf(from)).map(row => row.location);
  assert.deepEqual(await names(linked), await names(page), 'a link shows what its sender saw');
}

export async function columns_are_chosen_with_the_keyboard({open, data}) {
  const [{page: file}] = data.captures, page = await open(file, {link: '#/lines?device=all'});
  await page.focus('.chooser summary');
  await page.keyboard.press('Enter');
  assert.equal(await page.$eval('.chooser', chooser => chooser.open), true);
  const boxes = await page.$$('.chooser input[type=checkbox]');
  assert.ok(boxes.length >= data.columns.length - 12, `${boxes.length} columns can be chosen`);
  await page.focus('.chooser li input >> nth=0');
  await page.keyboard.press('Space'); // at_peak off
  await until(page, () => !document.querySelector('thead [data-sort="at_peak"]'), null, 'the column is gone');
  await until(page, () => location.hash.includes('columns='), null, 'the link says so');
  await page.click('.chooser button:has-text("Default")');
  await until(page, () => document.querySelector('thead [data-sort="at_peak"]') && !location.hash.includes('columns='), null, 'as at first');
  await page.focus('.chooser li input >> nth=0');
  await page.keyboard.press('Escape');
  assert.equal(await page.$eval('.chooser', chooser => chooser.open), false, 'Escape closes it');
  await page.keyboard.press('/');
  assert.equal(await page.evaluate(() => document.activeElement.type), 'search');
  await page.focus('main tbody tr:first-child a');
  await page.keyboard.press('ArrowDown');
  assert.equal(await page.evaluate(() => [...document.querySelectorAll('main tbody tr')].indexOf(document.activeElement.closest('tr'))), 1);
}

export async function leaks_are_those_of_the_command({open, data}) {
  for (const {page: file, leaks} of data.captures) {
    const page = await open(file, {link: '#/leaks?exact=1'});
    const rows = list => Object.values(list.reduce((lines, leak) => { // a line has the sum of its call paths
      const line = lines[JSON.stringify([leak.file, leak.line, leak.function, leak.variable, leak.type, leak.size_expr])] ??= [placeText(leak), 0, 0];
      line[1] += leak.bytes;
      line[2] += leak.blocks;
      return lines;
    }, {})).map(line => line.map(String)).sort();
    const shown = async selector => (await tableOf(page, selector)).map(row => [row['allocated at'].split('\n')[0].trim(), row.leaked ?? row.bytes, row.blocks]).sort();
    if (leaks.leaks.length) {
      await showEverything(page);
      assert.deepEqual(await shown('.view-leaks > div table.figures'), rows(leaks.leaks));
    } else {
      assert.match(await page.textContent('main'), /Everything that was allocated was freed|Nothing is live/);
    }
    const section = await page.$('section[aria-labelledby="reachable"]');
    assert.equal(Boolean(section), leaks.reachable.length > 0);
    if (section) {
      await section.$eval('label:has-text("exact") input', box => box.click());
      assert.deepEqual(await shown('section[aria-labelledby="reachable"] table.figures'), rows(leaks.reachable));
    }
    page.checkQuiet();
  }
}

export async function lifetimes_are_those_of_the_command({open, data}) {
  for (const one of data.captures) {
    const page = await open(one.page, {link: '#/lifetimes'});
    await compare(page, '#/lifetimes?sort=-self_alloc', figuresIn(data.columns, one.lifetimes), highestFirst(one.lifetimes, 'self_alloc'));
    await page.waitForSelector('.histogram');
    const shown = () => page.$$eval('.histogram', figures => figures.map(figure => [...figure.querySelectorAll('tbody tr')].map(row =>
      [row.children[0].textContent, row.children[1].textContent.replace(/\u202f/g, ''), row.children[3].title.replace(/\u202f| bytes/g, '')])));
    const wanted = [one.sizes, one.ages].map(bins => bins.map(bin => [bin.text, String(bin.blocks), String(bin.bytes)]));
    assert.deepEqual(await shown(), wanted);
    await page.fill('main input[type=search]', 'blocks>0'); // all lines: the same, counted from the blocks of the events
    await page.waitForSelector('figcaption:has-text("that match the filter")');
    const counted = bins => bins.filter(bin => bin[1] !== '0').map(bin => bin.slice(1));
    assert.deepEqual((await shown()).map(counted), wanted.map(counted));
    page.checkQuiet();
  }
}

export async function diff_is_that_of_the_command({open, data}) {
  const page = await open(data.against);
  for (const by of ['line', 'function']) {
    const rows = data.diff[by];
    for (const figure of ['at_peak', 'self_alloc', 'leaked']) {
      const {title, unit} = data.columns.find(column => column.key === figure);
      await go(page, `#/diff?by=${by}&figure=${figure}&same=1&exact=1`);
      await until(page, wanted => document.querySelector('main thead')?.textContent.includes(wanted), `${title}: difference`, 'the figure is chosen');
      await showEverything(page);
      const key = list => list.map(row => row.join(' | ')).sort();
      const shown = (await tableOf(page)).map(row => [row.status.replace(/^\S+ /, '').replace('unchanged', 'same'), row.location.split('\n')[0].trim(),
        row[`${title}: difference`], row.before, row.after]);
      const fate = row => ['new', 'gone'].includes(row.status) ? row.status : ['shrunk', 'same', 'grown'][Math.sign(row.difference[figure] ?? 0) + 1];
      const wanted = rows.map(row => [fate(row), placeText({...row, line: row.line_b ?? row.line_a}), exactText(unit === 'bytes' ? 'signed' : unit, row.difference[figure]),
        row.a ? exactText(unit, row.a[figure]) : '-', row.b ? exactText(unit, row.b[figure]) : '-']);
      assert.deepEqual(key(shown), key(wanted), `${by} ${figure}`);
    }
  }
  assert.ok(data.diff.line.some(row => row.status === 'new') && data.diff.line.some(row => row.status === 'gone') &&
    data.diff.line.some(row => row.status === 'grown'), 'the captures differ in every way');
  await go(page, '#/diff');
  const changed = data.diff.line.filter(row => ['new', 'gone'].includes(row.status) || row.difference.at_peak).length;
  await until(page, count => document.querySelectorAll('main tbody tr').length === count, changed, 'what is unchanged is left out');
}
