// speedscope.mjs MODULES CHROMIUM FILE... - opens each file in speedscope's page, from disk and without a network, and prints for
// each what the page then saves: a JSON list of files in speedscope's own format.
//
// What is wrong with a file the page says in a dialog or on its console; that ends this with a sentence.
import fs from 'node:fs';
import path from 'node:path';
import {createRequire} from 'node:module';

const [modules, executablePath, ...files] = process.argv.slice(2);
const {chromium} = createRequire(path.join(modules, 'x'))('playwright-core');
const browser = await chromium.launch({executablePath, args: ['--no-sandbox', '--use-angle=swiftshader', '--enable-unsafe-swiftshader']});
const saved = [];
try {
  for (const file of files) {
    const page = await browser.newPage();
    const complaint = new Promise((_, reject) => {
      page.on('dialog', dialog => reject(new Error(`${file}: ${dialog.message()}`)));
      page.on('pageerror', error => reject(new Error(`${file}: ${error}`)));
      page.on('console', line => line.type() === 'error' && reject(new Error(`${file}: ${line.text()}`)));
    });
    complaint.catch(() => {});
    const watched = promise => Promise.race([promise, complaint]);
    const script = file + '.js'; // as the command `speedscope FILE` does it
    fs.writeFileSync(script, `speedscope.loadFileFromBase64(${JSON.stringify(path.basename(file))}, ${
      JSON.stringify(fs.readFileSync(file).toString('base64'))})`);
    await watched(page.goto(`file://${modules}/speedscope/dist/release/index.html#localProfilePath=${script}`));
    await watched(page.waitForSelector('text=Sandwich')); // a view of a profile
    const download = page.waitForEvent('download', {timeout: 30000});
    await watched(page.keyboard.press('Control+s'));
    saved.push(JSON.parse(fs.readFileSync(await (await watched(download)).path(), 'utf8')));
    await page.close();
  }
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
} finally {
  await browser.close();
}
if (!process.exitCode) process.stdout.write(JSON.stringify(saved));
