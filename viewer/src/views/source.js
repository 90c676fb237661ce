/**
 * source.js - the view of source files with the figures of each line beside it. main.js lists it.
 *
 * Text comes from the section `sources`; figures from the rows by line, one bar a column, each as a share of the file's largest. A line that reads
 * otherwise now than when it was compiled says so: its figures are of the text it had. Where the page has no text (--redact-source, a file that is
 * gone), the lines that rows name are listed all the same. A line that advice is about says what to change.
 */
import {marksOf} from '../advice/marks.js';
import {restrictedTo, rowsOf} from '../device.js';
import {el} from '../dom.js';
import {bytes, exact, plural} from '../format.js';
import {deviceTitle} from '../model.js';
import {linkTo} from '../route.js';
import {needle} from '../rows.js';
import {showFailure} from '../failure.js';

const FIGURES = [['at_peak', 'at peak'], ['self_alloc', 'self'], ['incl_alloc', 'with its calls'], ['self_freed', 'freed'], ['leaked', 'leaked']];
const LONG = 2000, AROUND = 12; // of a file with more lines, those farther from any figure are folded

/** Rows by line of one file: a line may have several rows (functions). @returns {Map<number, object[]>} */
function rowsByLine(table, file) {
  const byLine = new Map();
  for (const row of table) {
    if (row.file === file && row.line) byLine.set(row.line, [...byLine.get(row.line) || [], row]);
  }
  return byLine;
}

/** All files that rows name, those with most at the peak first. @returns {{file: string, held: number}[]} */
function filesOf(page) {
  const held = new Map();
  for (const row of page.profile.tables.line) {
    if (row.file) held.set(row.file, (held.get(row.file) || 0) + (row.self_at_peak || 0) + row.at_peak);
  }
  return [...held].map(([file, bytesHeld]) => ({file, held: bytesHeld})).sort((a, b) => b.held - a.held);
}

/** The line of a file that holds most at the peak; it is visible if a link names no line. */
const mostHeld = (table, file) => table.filter(row => row.file === file).reduce((found, row) =>
  !found || row.self_at_peak > found.self_at_peak || (row.self_at_peak === found.self_at_peak && row.at_peak > found.at_peak) ? row : found, null)?.line;

const sum = (rows, key) => rows.reduce((total, row) => total + (row[key] || 0), 0);

function figureCell(value, most, title) {
  const share = most ? Math.abs(value) / most : 0;
  return el('td', {class: `number${share ? ' bar-cell' : ''}`, style: share ? {'--share': `${100 * share}%`} : {}, title: value ? `${title}: ${exact(value)} bytes` : null},
    value ? bytes(value) : '');
}

/** Lines with figures that the text of the file does not reach, ascending. */
const linesBeyond = (byLine, source) => [...byLine.keys()].filter(line => !source || line < source.first || line >= source.first + source.lines.length)
  .sort((a, b) => a - b);

/** What advice says about a line, beside its text; a link to the finding. @param {{number: number, choices: {says: string, saving: number, others: number}[]}|undefined} mark */
const advised = mark => mark ? el('a', {class: 'advised', href: linkTo('advice', {finding: mark.number})},
  `← ${mark.choices.map(({says, saving, others}) => `${says}: ${others ? `with ${plural(others, 'other change')}, ` : ''}saves ${bytes(saving)} of the peak`).join('; or ')}`) : null;

/** The table of one file. @param {object|null} source its entry in `sources` @param {Map<number, object>} [marks] of its lines */
function annotated(table, file, source, wanted, marks) {
  const byLine = rowsByLine(table, file), most = Object.fromEntries(FIGURES.map(([key]) =>
    [key, [...byLine.values()].reduce((top, rows) => Math.max(top, sum(rows, key)), 0)]));
  const changed = new Set(source ? source.changed : []);
  const numbers = source ? source.lines.map((_, i) => source.first + i) : [];
  const beyond = linesBeyond(byLine, source);
  const drawn = line => {
    const rows = byLine.get(line) || [], text = source ? source.lines[line - source.first] : undefined;
    const compiled = rows.map(one => one.source_line).find(Boolean);
    return el('tr', {id: `L${line}`, class: [line === wanted && 'wanted', changed.has(line) && 'changed', rows.length && 'counted'].filter(Boolean).join(' ') || null},
      el('th', {scope: 'row', class: 'number'}, el('a', {href: linkTo('source', {file, line})}, String(line))),
      FIGURES.map(([key, title]) => figureCell(sum(rows, key), most[key], title)),
      el('td', {class: 'see'}, rows.length ? el('a', {href: linkTo('tree', {search: needle(rows[0])}), 'aria-label': `line ${line} in the tree`}, 'tree') : ''),
      el('td', {class: 'code'}, text ?? (compiled ? compiled : el('span', {class: 'quiet'}, 'text not known')),
        changed.has(line) ? el('span', {class: 'was'}, ' ← changed since it was compiled', compiled && compiled !== (text ?? '').trim() ? `; it was: ${compiled}` : '') : null,
        advised(marks?.get(line))));
  };
  return el('div', {class: 'scroll', tabindex: '0', role: 'region', 'aria-label': `Lines of ${file}`},
    el('table', {class: 'figures source'}, el('caption', {class: 'unseen'}, `${file} with the figures of each line`),
      el('thead', {}, el('tr', {}, el('th', {scope: 'col', class: 'number'}, 'line'), FIGURES.map(([, title]) => el('th', {scope: 'col', class: 'number'}, title)),
        el('th', {scope: 'col'}, 'see in'), el('th', {scope: 'col'}, 'text'))),
      el('tbody', {}, folded([...numbers, ...beyond], byLine, wanted, drawn))));
}

/**
 * Rows for the lines; in a long file one row represents the lines far from any line with figures, until the user opens it.
 * @param {number[]} lines ascending @param {Map<number, object[]>} byLine @param {number} wanted @param {(line: number) => Element} drawn
 */
function folded(lines, byLine, wanted, drawn) {
  if (lines.length <= LONG) return lines.map(drawn);
  const near = new Set();
  for (const line of [...byLine.keys(), wanted]) {
    for (let at = line - AROUND; at <= line + AROUND; ++at) near.add(at);
  }
  const rows = [];
  for (let i = 0; i < lines.length; ++i) {
    const from = i;
    while (i < lines.length && !near.has(lines[i])) ++i;
    if (i > from) rows.push(fold(lines.slice(from, i), drawn));
    if (i < lines.length) rows.push(drawn(lines[i]));
  }
  return rows;
}

/** One row for the lines; its button, or opening it by the event "unfold", puts them in its place. */
function fold(lines, drawn) {
  const row = el('tr', {class: 'fold', 'data-from': lines[0], 'data-to': lines[lines.length - 1], onunfold: () => row.replaceWith(...lines.map(drawn))},
    el('td', {colspan: FIGURES.length + 3}, el('button', {type: 'button', onclick: () => row.dispatchEvent(new Event('unfold'))},
      `Show lines ${lines[0]} to ${lines[lines.length - 1]}, which have no figures`)));
  return row;
}

function notes(page, table, file, source, counted) {
  const all = [];
  if (page.profile.page.redacted) {
    all.push('Source text was left out on request (--redact-source); all figures and line numbers are here.');
  } else if (!source) {
    all.push(`The text of ${file} is not in this page, because it was not found when the page was made. Make the page again on a machine that has the file.`);
  } else {
    if (source.from === 'capture') all.push('The file was missing or too large when the page was made, so only the lines that the capture has are shown.');
    if (source.newer) all.push('This file was changed after the recording; lines may have moved.');
    if (source.changed.length) {
      all.push(`${plural(source.changed.length, 'line')} of this file differ${source.changed.length === 1 ? 's' : ''} from what was compiled: ${
        source.changed.slice(0, 20).join(', ')}${source.changed.length > 20 ? ` and ${source.changed.length - 20} more, marked below` : ''}. ` +
        'The figures belong to the text that was compiled.');
    }
  }
  const beyond = source ? linesBeyond(rowsByLine(table, file), source).length : 0;
  if (beyond) all.push(`${plural(beyond, 'line')} with figures ${beyond === 1 ? 'is' : 'are'} not in the text of the file that this page has, and ${beyond === 1 ? 'is' : 'are'} listed below it.`);
  if (!counted) all.push('No line of this file allocated or freed anything.');
  return all.map(text => el('p', {class: 'note'}, text));
}

export default {
  name: 'source', title: 'Source', key: '7', devices: 'any',
  open(root, page, state, go) {
    const files = filesOf(page);
    if (!files.length) {
      root.append(el('p', {class: 'empty'}, 'No line of a known file allocated or freed anything.'));
      return {update() {}, close() {}};
    }
    const chooser = el('select', {onchange: () => go('source', {file: chooser.value})},
      files.map(({file, held}) => el('option', {value: file}, `${file}${held ? '' : ' (nothing at the peak)'}`)));
    const body = el('div'), keys = [{key: 'n p', text: 'to the next, previous line with figures'}];
    let sources = null, advice = null, shown = '', device = -1;

    const counted = () => [...body.querySelectorAll('tr.counted')];
    const jump = step => {
      const rows = counted(), at = rows.findIndex(row => row.classList.contains('wanted') || row.contains(document.activeElement));
      const next = rows[at < 0 ? (step > 0 ? 0 : rows.length - 1) : (at + step + rows.length) % rows.length];
      if (next) go('source', {file: shown, line: next.id.slice(1)});
    };
    const onKey = event => {
      const step = {n: 1, p: -1}[event.key];
      if (!step || event.ctrlKey || event.metaKey || event.altKey || event.target.matches('input, select') || document.querySelector('dialog[open]')) return;
      event.preventDefault();
      jump(step);
    };
    addEventListener('keydown', onKey);

    function update(next) {
      const known = files.find(({file}) => file === next.file) || files.find(({file}) => next.file && file.endsWith(`/${next.file}`));
      const file = (known || files[0]).file, line = Number(next.line) || 0;
      const source = sources && sources.files.find(one => one.file === file) || null;
      chooser.value = file;
      const place = restrictedTo(page, next), {rows, isRestricted} = rowsOf(page, 'line', place);
      if (file !== shown || place !== device) {
        shown = file;
        device = place;
        const table = annotated(rows, file, source, line, marksOf(advice, place).get(file));
        body.replaceChildren(...(next.file && !known ? [el('p', {class: 'note'}, `No figure belongs to ${next.file}. This is the file that holds the most at the peak.`)] : []),
          ...(isRestricted ? [] : [el('p', {class: 'quiet'}, `These are the figures of all devices: this page does not have those of ${deviceTitle(page, place)} alone.`)]),
          ...notes(page, rows, file, source, table.querySelector('.counted')), table);
      }
      body.querySelector('.wanted')?.classList.remove('wanted');
      [...body.querySelectorAll('.fold')].find(row => line >= row.dataset.from && line <= row.dataset.to)?.dispatchEvent(new Event('unfold'));
      const row = line ? body.querySelector(`#L${line}`) : null;
      if (!line) body.querySelector(`#L${mostHeld(rows, file)}`)?.scrollIntoView({block: 'center'});
      if (row) {
        row.classList.add('wanted');
        row.scrollIntoView({block: 'center'});
        row.querySelector('a').focus({preventScroll: true});
      }
      scrollTo(0, 0);
    }
    root.append(el('div', {class: 'bar'}, el('label', {}, 'File ', chooser), el('span', {class: 'status quiet'}, plural(files.length, 'file')),
      el('button', {type: 'button', onclick: () => jump(-1)}, '↑ previous line with figures'), el('button', {type: 'button', onclick: () => jump(1)}, '↓ next')), body);
    let last = state;
    Promise.all([page.sources(), page.advice()]).then(found => {
      [sources, advice] = found;
      update(last);
    }, error => showFailure(body, error));
    return {keys, close: () => removeEventListener('keydown', onKey), update(next) {
      last = next;
      if ((sources || !page.has('sources')) && (advice || !page.has('advice'))) update(next);
    }};
  },
};
