// run.mjs MODULES BROWSER EXECUTABLE DATA FILES [CASE [WHICH/PARTS]] - runs the cases of files in this folder, or one of them, in one process of the browser:
// exported functions that get {open, data}, with pages that driver.mjs watches. pages.py calls it. BROWSER is chromium or firefox, DATA a JSON file.
// Prints what became of each case. Exit status 1 with the assertions that broke.
// FILES are names without .mjs, by commas. 1/3: of the cases every third one, from the second on.
import fs from 'node:fs';
import path from 'node:path';
import {fileURLToPath} from 'node:url';
import {start} from './driver.mjs';
import {LEFT_OUT} from './firefox.mjs';

const here = path.dirname(fileURLToPath(import.meta.url));
const [modules, name, executable, dataFile, files, onlyCase, part = '0/1'] = process.argv.slice(2);
const [which, parts] = part.split('/').map(Number);
const folder = path.join(path.dirname(dataFile), name); // for pages that cases write: both browsers may run at once
fs.mkdirSync(folder, {recursive: true});

const text = fs.readFileSync(dataFile, 'utf8');

/** What cases compare with. In Firefox without the second random run and the longer one, which `trainer` has, too: figures are computed alike. */
function data() {
  const all = JSON.parse(text);
  return {...all, captures: name === 'firefox' ? all.captures.slice(0, 1) : all.captures, modules, folder};
}

const browser = await start(modules, name, executable);

/** @returns {Promise<boolean>} whether the case passed */
async function passes(title, test) {
  let broken = null;
  await test({open: browser.open, data: data()}).catch(error => broken = error);
  await browser.finish().catch(error => broken ??= error);
  if (broken) console.error(`${title}: ${broken.stack || broken}`);
  return !broken;
}

let number = 0;
for (const file of files.split(',')) {
  for (const [key, test] of Object.entries(await import(path.join(here, `${file}.mjs`)))) {
    if (onlyCase ? key !== onlyCase : number++ % parts !== which) continue;
    const title = `${file}_${key}`, why = !onlyCase && name === 'firefox' && LEFT_OUT[title], began = performance.now();
    const passed = Boolean(why) || await passes(title, test);
    if (!passed) process.exitCode = 1;
    console.log(why ? `left out: ${title}: ${why}` : `${passed ? 'passed' : 'FAILED'}: ${title}, ${((performance.now() - began) / 1000).toFixed(1)} s`);
  }
}
await browser.stop();
