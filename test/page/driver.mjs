// driver.mjs - opens pages in Chromium or Firefox for the cases in this folder, from disk, and watches them: a console error, an exception, a dialog,
// or any request but for the page itself and its worker's Blob ends the case. run.mjs calls it.
import assert from 'node:assert/strict';
import path from 'node:path';
import {createRequire} from 'node:module';
import * as firefox from './firefox.mjs';

const SECONDS = Number(process.env.GPUMEMPROF_PAGE_SECONDS) || 300; // for what never comes: a busy machine may be slow

async function chromium(modules, executablePath) {
  const found = createRequire(path.join(modules, 'x'))('playwright-core');
  return {browser: await found.chromium.launch({executablePath, args: ['--no-sandbox', '--disable-gpu']}), ready() {}};
}

/**
 * Starts a browser.
 * @param {string} modules the folder of playwright-core @param {'chromium'|'firefox'} name @param {string} executablePath
 * @returns {Promise<{open: Function, finish: Function, stop: Function}>}
 */
export async function start(modules, name, executablePath) {
  const {browser, ready} = await (name === 'firefox' ? firefox.launch : chromium)(modules, executablePath);
  let contexts = [];

  /**
   * Opens a page file at a link.
   * @param {string} file
   * @param {{link?: string, theme?: string, width?: number, height?: number, before?: string, mayComplain?: boolean, media?: string}} [how]
   *   before: a script that runs before those of the page
   */
  async function open(file, {link = '', theme = 'light', width = 1280, height = 900, before = '', mayComplain = false} = {}) {
    const context = await browser.newContext({viewport: {width, height}, colorScheme: theme});
    contexts.push(context);
    const page = await context.newPage(), complaints = [];
    ready(page);
    await page.emulateMedia({colorScheme: theme});
    page.setDefaultTimeout(SECONDS * 1000);
    if (before) await page.addInitScript(before);
    page.on('console', line => ['error', 'warning'].includes(line.type()) && complaints.push(line.text()));
    page.on('pageerror', error => complaints.push(String(error.stack || error)));
    page.on('dialog', dialog => {
      complaints.push(`dialog: ${dialog.message()}`);
      dialog.dismiss().catch(() => {}); // a page with a dialog open answers nothing
    });
    const url = `file://${file}`, asked = [];
    page.on('request', request => asked.push(request.url()));
    await page.goto(url + link);
    await page.waitForSelector('main .view, .failure');
    /** Nothing was complained about, nothing asked for but the page. */
    page.checkQuiet = () => {
      if (!mayComplain) assert.deepEqual(complaints, []);
      assert.deepEqual(asked.filter(one => one.split('#')[0] !== url && !one.startsWith('blob:')), []);
    };
    return page;
  }

  return {
    open,
    /** Ends a case: its pages were quiet until now. They are closed whether they were or not. */
    async finish() {
      const ended = contexts;
      contexts = [];
      try {
        for (const context of ended) {
          for (const page of context.pages()) page.checkQuiet();
        }
      } finally {
        for (const context of ended) await context.close();
      }
    },
    stop: () => browser.close(),
  };
}

/** Where a page is now, without "#". */
export const linkOf = page => new URL(page.url()).hash;

/** Goes to a link within the page, and waits for its view. The page draws when the browser reports the link, late on a busy machine. */
export async function go(page, link) {
  const view = /^#\/(\w+)/.exec(link)[1];
  await page.evaluate(to => new Promise(done => {
    const before = location.hash;
    addEventListener('hashchange', () => done(), {once: true}); // the page listens already, so this comes after it has drawn
    location.hash = to;
    if (location.hash === before) done();
  }), link);
  await page.waitForSelector(`main .view-${view}`);
}

/** Waits until the page has drawn what it began: its text stays the same for a while. */
export async function settled(page) {
  let before;
  for (let same = 0, tries = 0; same < 3 && tries < 100; ++tries) {
    const now = await page.evaluate(() => document.body.innerHTML.length);
    same = now === before ? same + 1 : 0;
    before = now;
    await page.waitForTimeout(60);
  }
}

/** Waits until the function gives something true, or ends with what it gave last. */
export async function until(page, wanted, argument, what) {
  await page.waitForFunction(wanted, argument, {timeout: SECONDS * 1000}).catch(error => {
    throw new Error(`${what || wanted}: ${error.message}`);
  });
}

const plain = text => text.replace(/\u202f/g, '').trim();

/**
 * What a table shows: a list of rows, each an object by title of the column; figures without the thin spaces.
 * @param {import('playwright-core').Page} page @param {string} [selector]
 */
export async function tableOf(page, selector = 'main table.figures') {
  const raw = await page.$eval(selector, table => {
    const text = cell => cell.innerText;
    const titles = [...table.querySelectorAll('thead th')].map(cell => cell.innerText.replace(/ [▼▲]$/, ''));
    return [...table.querySelectorAll('tbody tr')].map(row => Object.fromEntries([...row.children].map((cell, i) => [titles[i], text(cell)])));
  });
  return raw.map(row => Object.fromEntries(Object.entries(row).map(([title, text]) => [title, plain(text)])));
}

/** A figure as the page writes it with exact figures. */
export function exactText(unit, value) {
  if (value === null || value === undefined) return '-';
  if (unit === 'percent') return value > 0 && value < 0.005 ? '<0.01%' : `${value.toFixed(2)}%`;
  return (unit === 'signed' && value > 0 ? '+' : '') + String(value);
}

/** "train.cu:41 step", as rows are named. */
export const placeText = row => [row.file ? row.file.replace(/^.*\//, '') + (row.line ? `:${row.line}` : '') : '', row.function || '']
  .filter(Boolean).join(' ') || '(unknown)';

/** "1.50 GiB". */
export function bytesText(value) {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  let unit = 0, size = Math.abs(value);
  while (unit < 4 && Number(size.toFixed(2)) >= 1024) {
    size /= 1024;
    unit += 1;
  }
  return value ? `${value < 0 ? '-' : ''}${unit ? size.toFixed(2) : size} ${units[unit]}` : '0';
}
