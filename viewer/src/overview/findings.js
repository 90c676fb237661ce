/**
 * findings.js - what went wrong or wastes memory, the most severe first, each with its figure, its place and what to do; and the other sentences of
 * the overview. views/overview.js calls it.
 *
 * Sentences are those of profile.sentences (docs/PAGE.md): C found and ordered them. Those with a member `finding` are findings; those of one device
 * are in profile.findings_of.
 */
import {el} from '../dom.js';
import {plural} from '../format.js';
import {deviceTitle} from '../model.js';
import {oneLine} from '../rows.js';

const LONG = 300; // letters of a sentence that has a name of some length in it

/** What each finding is called, and the view that shows it. */
const FINDINGS = {
  out_of_memory: {title: 'Out of memory', class: 'severe'}, budget: {title: 'Budget broken', class: 'severe'}, growth: {title: 'Growth', class: 'grave'},
  leak: {title: 'Leak', class: 'grave'}, advice: {title: 'Lower peak', class: 'grave'}, temporaries: {title: 'Waste', class: 'slight'}, pool: {title: 'Waste', class: 'slight'},
  live_at_end: {title: 'Live at the end', class: 'slight'},
};
const SHOWN = {state: 'what was live then', tree: 'its call path', timeline: 'its blocks over time', leaks: 'the call paths of the leaks', lines: 'the lines', advice: 'the curve and the blocks', overview: ''};

/** Some lines of a long text; its title has the whole of it. */
const fewLines = (tag, text, more = {}) => el(tag, {...more, ...(text.length > LONG ? {class: `few-lines ${more.class || ''}`, title: text} : {})}, text);

function finding({finding: name, text, to, figure, place, place_to: placeTo, action}) {
  const {title, class: severity} = FINDINGS[name] || {title: name, class: 'slight'}, shown = name === 'live_at_end' ? 'its call paths' : SHOWN[/^#\/(\w+)/.exec(to)[1]];
  return el('li', {class: `finding ${severity}`},
    el('span', {class: 'severity'}, title), el('strong', {class: 'size'}, figure),
    el('div', {class: 'finding-text'},
      el('p', {}, place ? [oneLine(placeTo, place), action ? ': ' : ''] : '', action || '', shown ? [' ', el('a', {href: to}, `See ${shown}`)] : ''),
      fewLines('p', text, {class: 'quiet'})));
}

/** What is left out where one device is chosen. @returns {string} */
function othersText(page, place, isKnown) {
  if (place < 0) return '';
  if (!isKnown) return `These findings cover all devices: this page does not have those of ${deviceTitle(page, place)} alone.`;
  const others = page.profile.findings_of.filter(({device}) => device !== place).reduce((sum, {findings}) => sum + findings.length, 0);
  return others ? `${plural(others, 'finding')} of other devices ${others === 1 ? 'is' : 'are'} not listed here: choose all devices, or another one.` : '';
}

/** Fills the part. @param {Element} part @param {import('../page.js').Page} page @param {number} place of restrictedTo */
export function showFindings(part, page, place) {
  const {profile} = page, own = (profile.findings_of || []).find(({device}) => device === place)?.findings;
  const found = own || profile.sentences.filter(one => one.finding), others = othersText(page, place, Boolean(own));
  part.replaceChildren(el('h2', {id: 'findings'}, `What to do${own ? ` about ${deviceTitle(page, place)}` : ''}`),
    found.length ? el('ol', {class: 'findings'}, found.map(finding)) : el('p', {class: 'quiet'}, profile.page.nothing ? 'Nothing is known: nothing was recorded.' :
      'Nothing was found: no allocation was out of memory, no budget was broken, no line grew from step to step, nothing leaked, and no block or pool was wasted.'),
    ...(others ? [el('p', {class: 'quiet others'}, others)] : []));
}

/** What else the overview says: peaks, what changed, what is missing. @param {import('../page.js').Page} page */
export function sentencesPart({profile: {sentences}}) {
  const others = sentences.filter(one => !one.finding);
  return others.length ? el('section', {'aria-labelledby': 'stands-out'}, el('h2', {id: 'stands-out'}, 'What stands out'),
    el('ul', {class: 'sentences'}, others.map(({text, to}) => el('li', {}, fewLines(to ? 'a' : 'span', text, {href: to}))))) : null;
}
