// screenshots.mjs - `node screenshots.mjs PAGE.html OUTDIR [--theme=light|dark] [--width=1440] [--height=900] [--as=WORD] [VIEW[?STATE]]...`: a
// picture of each view of a page, as docs/ has them; WORD ends the names of the files. VIEW?STATE is a link's, as in "timeline?color=function";
// without any, all views that the page can show.
//
// It needs playwright-core (test/page has it: `npm ci --prefix test/page`) and a Chromium; PLAYWRIGHT_MODULES and CHROMIUM say where they are,
// if not there and in PATH.
import {execFileSync} from 'node:child_process';
import fs from 'node:fs';
import {createRequire} from 'node:module';
import path from 'node:path';
import {fileURLToPath} from 'node:url';

const here = path.dirname(fileURLToPath(import.meta.url));
const words = process.argv.slice(2).filter(word => !word.startsWith('--')), [file, folder, ...wanted] = words;
const option = (name, otherwise) => (process.argv.find(word => word.startsWith(`--${name}=`)) || `=${otherwise}`).split('=')[1];
if (!file || !folder) {
  console.error('usage: node screenshots.mjs PAGE.html OUTDIR [--theme=light|dark] [--width=1440] [--height=900] [--as=WORD] [VIEW[?STATE]]...');
  process.exit(2);
}

const modules = process.env.PLAYWRIGHT_MODULES || path.join(here, '../test/page/node_modules');
const {chromium} = createRequire(path.join(modules, 'x'))('playwright-core');
const executablePath = process.env.CHROMIUM || execFileSync('sh', ['-c', 'command -v chromium || command -v chromium-browser || command -v google-chrome'], {encoding: 'utf8'}).trim();

/** Waits until nothing is drawn any more: two pictures in a row are the same. */
async function settled(page) {
  for (let before = null, tries = 0; tries < 40; ++tries) {
    const now = (await page.screenshot()).toString('base64');
    if (now === before) return;
    before = now;
    await page.waitForTimeout(250);
  }
}

const browser = await chromium.launch({executablePath, args: ['--no-sandbox']});
try {
  const theme = option('theme', 'light');
  const page = await browser.newPage({viewport: {width: Number(option('width', 1440)), height: Number(option('height', 900))}, colorScheme: theme});
  const url = `file://${path.resolve(file)}`;
  await page.goto(url);
  await page.waitForSelector('main .view');
  const views = wanted.length ? wanted : await page.$$eval('nav a', links => links.map(link => link.getAttribute('href').slice(2)));
  fs.mkdirSync(folder, {recursive: true});
  for (const view of views) {
    const name = view.split('?')[0];
    await page.goto(`${url}#/${view}`);
    await page.waitForSelector(`main .view-${name}`);
    await settled(page);
    if (!wanted.length && await page.$('main .view > .empty:only-child')) continue; // nothing of this in the page: no diff, for one
    const made = path.join(folder, `${name}${theme === 'dark' ? '_dark' : ''}${option('as', '') && `_${option('as', '')}`}.png`);
    await page.screenshot({path: made});
    console.log(made);
  }
} finally {
  await browser.close();
}
