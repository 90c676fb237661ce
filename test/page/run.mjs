// run.mjs MODULES CHROMIUM FILE CASE DATA - runs one case of a file in this folder: an exported function that gets {open, data}, with pages
// that driver.mjs watches. Exit status 1 with the assertion that broke.
import fs from 'node:fs';
import path from 'node:path';
import {fileURLToPath} from 'node:url';
import {start} from './driver.mjs';

const [modules, chromium, file, name, dataFile] = process.argv.slice(2);
const cases = await import(path.join(path.dirname(fileURLToPath(import.meta.url)), `${file}.mjs`));
const browser = await start(modules, chromium);
try {
  await cases[name]({open: browser.open, data: {...JSON.parse(fs.readFileSync(dataFile, 'utf8')), modules}});
  await browser.close();
} catch (error) {
  console.error(error.stack || error);
  process.exitCode = 1;
  await browser.stop();
}
