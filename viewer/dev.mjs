// dev.mjs - `node dev.mjs PAGE.html [--steps=N] [--seed=N] [--redacted] [--no-events]`: a page of the made-up program, as `gpumemprof html` would
// write it, for work on the viewer without a capture and without the tool. `node dev.mjs PAGE.html --of=OTHER.html`: what is in another page,
// with the viewer as it is now.
//
// Tests call page(), which puts sections into a built page.html the way docs/PAGE.md says.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import {fileURLToPath} from 'node:url';
import {gzipSync} from 'node:zlib';
import {build} from './build.mjs';
import {fixture} from './test/fixture.mjs';

const TITLE = '<!--gpumemprof:title-->', SECTIONS = '<!--gpumemprof:sections-->';
const SECTION = /<script type="application\/octet-stream" data-section="\w+">[^<]*<\/script>/g;
const escaped = text => text.replace(/[&<>]/g, sign => ({'&': '&amp;', '<': '&lt;', '>': '&gt;'})[sign]);

/**
 * @param {string} template page.html as build.mjs made it
 * @param {Object<string, object|Uint8Array|null>} sections JSON or bytes by name; null is left out
 * @returns {string} the page
 */
export function page(template, sections) {
  const made = Object.entries(sections).filter(([, content]) => content).map(([name, content]) =>
    `<script type="application/octet-stream" data-section="${name}">${
      gzipSync(content instanceof Uint8Array ? content : JSON.stringify(content)).toString('base64')}</script>`);
  return template.replace(TITLE, () => escaped(sections.profile.page.capture)).replace(SECTIONS, () => made.join('\n'));
}

/** The section `events` of a fixture, null as long as nobody makes one. */
async function eventsOf(made) {
  const file = path.join(path.dirname(fileURLToPath(import.meta.url)), 'test/fixture_events.mjs');
  return fs.existsSync(file) ? (await import(file)).fixtureEvents(made) : null;
}

if (process.argv[1] && path.resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const [file] = process.argv.slice(2).filter(word => !word.startsWith('--'));
  if (!file) {
    console.error('usage: node dev.mjs PAGE.html [--steps=N] [--seed=N] [--redacted] [--no-events] [--of=OTHER.html]');
    process.exit(2);
  }
  const option = (name, otherwise) => (process.argv.find(word => word.startsWith(`--${name}=`)) || `=${otherwise}`).split('=')[1];
  const has = name => process.argv.includes(`--${name}`);
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'gpumemprof-page-'));
  const template = await build(folder, {minify: false});
  fs.rmSync(folder, {recursive: true});
  if (option('of', '')) {
    const sections = fs.readFileSync(option('of', ''), 'utf8').match(SECTION).join('\n');
    fs.writeFileSync(file, template.replace(TITLE, 'another page').replace(SECTIONS, () => sections));
    process.exit(0);
  }
  const {profile, sources, diff, made} = fixture({seed: +option('seed', 1), steps: +option('steps', 40), redacted: has('redacted')});
  const events = has('no-events') ? null : await eventsOf(made);
  if (!events) profile.page.history = 'none';
  fs.writeFileSync(file, page(template, {profile, sources, diff, events}));
}
