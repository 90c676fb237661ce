// watch.mjs - the driver itself: what a page must not do is noticed in each browser, so that a quiet page is one that was listened to.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';

const NOISY = `
  console.error('an error on the console');
  console.warn('a warning on the console');
  setTimeout(() => { throw new Error('an exception of the page'); });
  Promise.reject(new Error('a rejected promise'));
  new Worker(URL.createObjectURL(new Blob(["setTimeout(() => { throw new Error('an exception of the worker'); })"])));
  setTimeout(() => alert('a dialog box'), 50);`;
const ASKING = `
  fetch('http://gpumemprof.invalid/fetched').catch(() => {});
  document.body.append(Object.assign(new Image(), {src: 'http://gpumemprof.invalid/image.png'}));
  new Worker(URL.createObjectURL(new Blob(["fetch('http://gpumemprof.invalid/of_the_worker').catch(() => {})"])));`;

/** What checkQuiet() complains of, in the end. */
async function complaintsOf(page, wanted) {
  let found = [];
  for (let tries = 0; tries < 600; ++tries) {
    try {
      page.checkQuiet();
    } catch (error) {
      found = error.actual.map(String);
    }
    if (wanted.every(words => found.some(one => one.includes(words)))) break;
    await page.waitForTimeout(50);
  }
  return found;
}

export async function what_a_page_must_not_do_is_noticed({open, data}) {
  for (const [name, script, mayComplain, wanted] of [
    ['noisy', NOISY, false, ['an error on the console', 'a warning on the console', 'an exception of the page', 'a rejected promise', 'an exception of the worker', 'a dialog box']],
    ['asking', ASKING, true, ['invalid/fetched', 'invalid/image.png', 'invalid/of_the_worker']],
  ]) {
    const file = path.join(data.folder, `watch_${name}.html`);
    fs.writeFileSync(file, `<!doctype html><title>${name}</title><body><p class="failure">A page of the test.</p><script>${script}</script>`);
    const page = await open(file, {mayComplain}), found = await complaintsOf(page, wanted);
    for (const words of wanted) assert.ok(found.some(one => one.includes(words)), `${words} in ${found}`);
    await page.close();
  }
}
