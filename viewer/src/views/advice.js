/**
 * advice.js - the view of what to change so that a peak falls: the answer, a card for each finding, and for the chosen one the curve of its device before
 * and after each change, with the blocks of the device. main.js lists it.
 *
 * All of it is in the section `advice` (docs/PAGE.md), whose figures are those of `gpumemprof advise`. A page without it says how to record the uses.
 */
import '../advice/advice.css';
import {blocksPicture} from '../advice/blocks.js';
import {findingCards, omittedText} from '../advice/cards.js';
import {curvePicture} from '../advice/curve.js';
import {stripsPart} from '../advice/strips.js';
import {answerText, headline, wasteText} from '../advice/words.js';
import {restrictedTo} from '../device.js';
import {el} from '../dom.js';
import {nothingNote} from '../eventful.js';
import {showFailure} from '../failure.js';
import {bytes, exact, plural} from '../format.js';
import {deviceTitle} from '../model.js';

const KEYS = [{key: 'n p', text: 'to the next, previous finding'}, {key: '← →', text: 'on the slider: one change less, more'}];

/** Why the page has no advice, and how to get it. */
function whyNone(page) {
  const {history, only} = page.profile.page;
  if (nothingNote(page)) return nothingNote(page);
  if (only) return el('p', {class: 'note'}, `This page covers only ${only}, and a peak is of all memory: make a page of everything to see which line to change.`);
  if (history === 'window') return el('p', {class: 'note'}, 'This page covers a part of the run, and advice is about all of it: make a page of the whole run.');
  return el('p', {class: 'note'}, 'The capture does not say which operations used which memory, so it is not known which line to change. Record it with ',
    el('code', {}, 'GPUMEMPROF_OPTIONS=history=all:uses=on'), ' and make the page again.');
}

/** What could not be judged, of the devices that are shown. */
function unjudgedPart(page, advice, isShown) {
  const found = advice.not_judged.filter(({place}) => isShown(place));
  return found.length ? el('section', {'aria-labelledby': 'not-judged'}, el('h2', {id: 'not-judged'}, 'Not judged'),
    el('ul', {class: 'sentences'}, found.map(({blocks, bytes: size, reason, place}) => el('li', {}, `${plural(blocks, 'block')} of ${deviceTitle(page, place)}, ${bytes(size)}: ${reason}`)))) : '';
}

/** The number of changes that a link asks for; all of them if it says nothing. */
const stepsMade = (steps, asked) => asked !== undefined && /^\d+$/.test(asked) ? Math.min(Number(asked), steps) : steps;

/**
 * The curve and the blocks of a device, with a slider through the changes of a finding.
 * @param {object} page @param {object} device of the section @param {object|null} finding
 * @param {string} [asked] how many changes are made @param {(made: number) => void} onStep
 */
function picture(page, device, finding, asked, onStep) {
  const title = deviceTitle(page, device.place), steps = finding ? finding.steps : [], rest = finding && finding.steps_in_all > steps.length;
  const last = steps.length + (rest ? 1 : 0), body = el('div'), output = el('output', {for: 'advice-made'});
  let made = stepsMade(last, asked), isWhole = false;
  const words = () => `${exact(made > steps.length ? finding.steps_in_all : made)} of ${exact(finding.steps_in_all)}, peak ${
    bytes(!made ? device.peak : made > steps.length ? finding.peak_after : steps[made - 1].peak)}`;
  const slider = el('input', {type: 'range', id: 'advice-made', min: 0, max: last, step: 1, value: made, oninput() {
    made = Number(slider.value);
    draw();
    onStep(made === last ? '' : made);
  }});
  function draw() {
    slider.value = made;
    if (finding) {
      output.textContent = words();
      slider.setAttribute('aria-valuetext', words());
    }
    const after = !made ? null : made > steps.length ? finding.curve : steps[made - 1].curve;
    body.replaceChildren(curvePicture(device, after, title), blocksPicture(device, steps, made, isWhole, () => {
      isWhole = true;
      draw();
    }));
  }
  draw();
  const part = el('section', {'aria-labelledby': 'advice-picture'}, el('h2', {id: 'advice-picture'}, finding ? `${title} with ${finding.steps_in_all > 1 ? 'these changes' : 'this change'}` : `${title} in this run`),
    finding && finding.steps_in_all < 2 ? el('p', {class: 'few-lines', title: headline(finding)}, headline(finding)) : '',
    finding ? el('div', {class: 'advice-step'}, el('label', {for: 'advice-made'}, 'Changes made'), slider, output) : '',
    el('div', {class: 'advice-picture'}, body),
    el('p', {class: 'quiet'}, `From left to right: the allocations on ${title} and the operations that use its memory, in their order. Grey is this run.`));
  return {part, set(next) {
    made = stepsMade(last, next);
    draw();
  }};
}

function draw(root, page, advice, state, go) {
  const place = restrictedTo(page, state), isShown = own => place < 0 || own === place;
  const findings = advice.findings.filter(one => isShown(one.place)), devices = advice.devices.filter(one => isShown(one.place));
  const chosen = findings.find(({number}) => String(number) === state.finding) || findings[0] || null;
  const device = chosen ? devices.find(one => one.place === chosen.place) : devices.reduce((found, one) => !found || one.peak > found.peak ? one : found, null);
  const shown = device ? picture(page, device, chosen, state.step, step => go('advice', {...state, finding: chosen.number, step}, {replace: true})) : null;
  root.replaceChildren(
    ...devices.map(one => el('p', {class: 'advice-answer'}, el('strong', {}, answerText(one, findings.filter(found => found.place === one.place), deviceTitle(page, one.place))),
      wasteText(one) ? el('span', {class: 'quiet'}, ` ${wasteText(one)}`) : '')),
    devices.length ? '' : el('p', {class: 'empty'}, place < 0 ? 'No GPU held memory.' : `Advice is about GPUs: ${deviceTitle(page, place)} is none that held memory.`),
    findings.length ? el('section', {'aria-labelledby': 'advice-findings'}, el('h2', {id: 'advice-findings'}, 'What to change'), findingCards(page, findings, chosen, state)) : '',
    omittedText(advice) ? el('p', {class: 'quiet'}, omittedText(advice)) : '',
    shown ? shown.part : '',
    unjudgedPart(page, advice, isShown),
    stripsPart(advice, isShown),
    findings.length ? el('p', {class: 'quiet'}, 'All of this is about this run: another run may use what this one did not.') : '');
  return {key: chosen ? `${place} ${chosen.number}` : `${place}`, findings, chosen, set: step => shown?.set(step)};
}

export default {
  name: 'advice', title: 'Advice', key: 'a', devices: 'any', ofDevice: ['finding', 'step'],
  open(root, page, state, go) {
    if (!page.has('advice')) {
      root.append(whyNone(page));
      return {update() {}, close() {}};
    }
    let now = state, advice = null, drawn = null;
    const update = next => {
      now = next;
      if (!advice) return;
      const place = restrictedTo(page, next), wanted = `${place} ${next.finding || ''}`;
      if (drawn && drawn.key === wanted) drawn.set(next.step);
      else drawn = draw(root, page, advice, next, go);
    };
    const onKey = event => {
      const step = {n: 1, p: -1}[event.key];
      if (!step || event.ctrlKey || event.metaKey || event.altKey || event.target.matches('input, select') || document.querySelector('dialog[open]') || !drawn?.chosen) return;
      const {findings, chosen} = drawn, next = findings[(findings.indexOf(chosen) + step + findings.length) % findings.length];
      event.preventDefault();
      go('advice', {...now, finding: next.number, step: ''});
    };
    addEventListener('keydown', onKey);
    page.advice().then(found => {
      advice = found;
      update(now);
    }, error => showFailure(root, error));
    return {keys: KEYS, update, close: () => removeEventListener('keydown', onKey)};
  },
};
