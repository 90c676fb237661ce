/**
 * cards.js - the findings of advice as cards: the sentence, then the figures; the steps of one that has several, each with the peak after it.
 *
 * views/advice.js calls it. Whether a change is certain is said on the card, not only in the words of the sentence.
 */
import {el} from '../dom.js';
import {bytes, exact, percent, plural} from '../format.js';
import {deviceTitle} from '../model.js';
import {linkTo} from '../route.js';
import {sourceLink} from '../rows.js';
import {headline, othersText, savingText, stepText} from './words.js';

const copiesText = copied => `It copies ${bytes(copied)} in all, to the host and back: check that this is worth the time.`;
const UNSURE = 'Check the condition before you make the change: this run cannot show whether it holds.';

/** A long name takes some lines, and its title has the whole of it. */
const sentence = text => el('span', {class: 'few-lines', title: text}, text);

const lineLink = ({from}) => from.file ? el('a', {href: sourceLink(from), 'aria-label': `line ${from.line} in the source`}, `line ${from.line}`) : '';

function stepsOf({steps, steps_in_all: all}) {
  if (all < 2) return null;
  return [el('ol', {class: 'advice-steps'}, steps.map(step => el('li', {}, el('div', {class: 'advice-change'}, sentence(stepText(step)),
    el('span', {class: 'quiet'}, 'the peak is then ', bytes(step.peak), ', ', lineLink(step)))))),
    all > steps.length ? el('p', {class: 'quiet'}, `and ${plural(all - steps.length, 'more change')}: `, el('code', {}, 'gpumemprof advise --limit 0'), ' lists all of them') : null];
}

/**
 * @param {object} page @param {object} finding of the section
 * @param {boolean} isChosen whether the picture shows it @param {Object<string, string>} state of the link
 */
function card(page, finding, isChosen, state) {
  const {number, place, saving, peak_before: before, rules, condition, copied, steps, steps_in_all: all} = finding;
  return el('li', {class: `card advice-card${isChosen ? ' chosen' : ''}`},
    el('p', {class: 'quiet'}, `Finding ${exact(number)}`),
    el('h3', {}, el('a', {href: linkTo('advice', {...state, finding: number, step: ''}), 'aria-current': isChosen ? 'true' : null}, sentence(headline(finding)))),
    el('p', {}, el('span', {class: 'large', title: `${exact(saving)} bytes`}, bytes(saving)), el('span', {class: 'unit'}, ` less at the peak of ${deviceTitle(page, place)}`)),
    el('p', {}, savingText(finding), ` (${percent(100 * saving / before)}), `, el('span', {class: 'quiet'}, rules.join(', ')), all > 1 ? '' : [', ', lineLink(steps[0])]),
    condition ? el('p', {class: 'note'}, UNSURE) : null,
    copied ? el('p', {class: 'note'}, copiesText(copied)) : null,
    othersText(finding) ? el('p', {class: 'quiet'}, othersText(finding)) : null,
    stepsOf(finding));
}

/** @param {object} page @param {object[]} findings that are listed @param {object|null} chosen @param {Object<string, string>} state */
export const findingCards = (page, findings, chosen, state) =>
  el('ol', {class: 'cards advice-cards'}, findings.map(finding => card(page, finding, finding === chosen, state)));

/** What else is not listed. @param {object} advice the section */
export function omittedText({more, small}) {
  const parts = [more ? `${plural(more, 'more finding')} of one change: gpumemprof advise --limit 0 lists ${more === 1 ? 'it' : 'them'}.` : '',
    small ? `${plural(small, 'change')} that save${small === 1 ? 's' : ''} less than 1 % of the peak ${small === 1 ? 'is' : 'are'} not listed: gpumemprof advise --min 0 lists ${small === 1 ? 'it' : 'them'}.` : ''];
  return parts.filter(Boolean).join(' ');
}
