// build.mjs - `node build.mjs OUTDIR [--dev]` bundles the viewer: OUTDIR/page.js, page.css, and page.html, which holds both.
//
// page.html is what the tool embeds. It has two marks, <!--gpumemprof:title--> and <!--gpumemprof:sections-->, which the
// tool replaces (docs/PAGE.md). Its Content-Security-Policy allows this script and these styles by their hash and nothing else,
// so text of a capture cannot run even if it found a way into the page. A module imported as "worker:./file.js" is bundled
// by itself and arrives as text: src/timeline starts it from a Blob, for a page on disk has no second file to load.
import {createHash} from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import {fileURLToPath} from 'node:url';
import esbuild from 'esbuild';

const here = path.dirname(fileURLToPath(import.meta.url));
const target = ['chrome110', 'firefox115', 'safari16.4'];

/** Imports of "worker:FILE" give the text of FILE and all it imports. */
const workerAsText = minify => ({
  name: 'worker-as-text',
  setup(build) {
    build.onResolve({filter: /^worker:/}, found => ({
      path: path.resolve(found.resolveDir, found.path.slice('worker:'.length)), namespace: 'worker'}));
    build.onLoad({filter: /.*/, namespace: 'worker'}, async found => {
      const built = await esbuild.build({entryPoints: [found.path], bundle: true, write: false, minify, format: 'iife', target,
        charset: 'utf8', metafile: true});
      return {contents: built.outputFiles[0].text, loader: 'text',
        watchFiles: Object.keys(built.metafile.inputs).map(name => path.resolve(name))};
    });
  },
});

const sourceOf = text => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

/** The licences of the libraries in the bundle, as their authors ask for: as text of a comment in HTML. */
function licences() {
  const {dependencies} = JSON.parse(fs.readFileSync(path.join(here, 'package.json'), 'utf8'));
  return Object.keys(dependencies).map(name => {
    const folder = path.join(here, 'node_modules', name), file = fs.readdirSync(folder).find(one => /^licen[cs]e/i.test(one));
    return `${name}\n\n${fs.readFileSync(path.join(folder, file), 'utf8').trim()}`;
  }).join('\n\n').replace(/-(?=-)/g, '- ');
}

/** Bundles into the folder; gives the text of page.html. */
export async function build(folder, {minify = true} = {}) {
  const built = await esbuild.build({
    entryPoints: [path.join(here, 'src/main.js')], entryNames: 'page', outdir: folder, bundle: true, write: false, minify,
    format: 'iife', target, charset: 'utf8', legalComments: 'none', logLevel: 'warning', plugins: [workerAsText(minify)]});
  const text = ending => built.outputFiles.find(file => file.path.endsWith(ending)).text;
  // In HTML the script ends at the first "</script", wherever it stands; in JavaScript the two are the same text.
  const script = text('.js').replace(/<\/script/gi, '<\\/script').replace(/<!--/g, '<\\!--');
  const style = text('.css').replace(/<\/style/gi, '<\\/style');
  const guard = fs.readFileSync(path.join(here, 'src/guard.js'), 'utf8');
  const page = fs.readFileSync(path.join(here, 'src/index.html'), 'utf8')
    .replace('@LICENCES@', licences).replace('@GUARD_SOURCE@', () => sourceOf(guard)).replace('@GUARD@', () => guard)
    .replace('@SCRIPT_SOURCE@', () => sourceOf(script)).replace('@STYLE_SOURCE@', () => sourceOf(style))
    .replace('@STYLE@', () => style).replace('@SCRIPT@', () => script);
  fs.mkdirSync(folder, {recursive: true});
  for (const [name, content] of [['page.js', script], ['page.css', style], ['page.html', page]]) {
    fs.writeFileSync(path.join(folder, name), content);
  }
  return page;
}

if (process.argv[1] && path.resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  if (!process.argv[2]) {
    console.error('usage: node build.mjs OUTDIR [--dev]');
    process.exit(2);
  }
  await build(path.resolve(process.argv[2]), {minify: !process.argv.includes('--dev')});
}
