/**
 * words.js - what the view of advice says: the answer for a device, a finding, a block while it lives; and the spans of a block that are drawn alike.
 *
 * cards.js, blocks.js and views/source.js call it. Figures are those of the section `advice` (docs/PAGE.md). A position is an allocation or an
 * operation on the device.
 */
import {bytes, exact, percent} from '../format.js';
import {baseName} from '../model.js';

/**
 * "The peak of GPU 0, 80.00 MiB, can be 48.00 MiB: 32.00 MiB less; with copies to the host 40.00 MiB.", as `gpumemprof advise` says it.
 * @param {object} device of the section @param {object[]} findings of it @param {string} title of the device
 */
export function answerText({peak}, findings, title) {
  const lowestOf = some => some.reduce((least, {peak_after: after}) => Math.min(least, after), peak);
  const lowest = lowestOf(findings), plain = lowestOf(findings.filter(({copied}) => !copied)), after = plain < peak ? plain : lowest;
  if (lowest === peak) return `No change of a line lowers the peak of ${title}, ${bytes(peak)}.`;
  const copies = plain === peak ? ', with copies to the host' : bytes(lowest) !== bytes(plain) ? `; with copies to the host ${bytes(lowest)}` : '';
  return `The peak of ${title}, ${bytes(peak)}, can be ${bytes(after)}: ${bytes(peak - after)} less${copies}.`;
}

/** How much of the peak is waste, the figure of `gpumemprof check --max-waste`; or nothing. @param {object} device of the section */
export const wasteText = ({peak, ideal}) => ideal < peak ?
  `${bytes(peak - ideal)} of it (${percent(100 * (peak - ideal) / peak)}) are waste: memory before its first use or after its last, which gpumemprof check --max-waste limits.` : '';

/** The sentence of a finding: that of its only step, or how many changes it is. */
export const headline = ({steps, steps_in_all: all}) => all > 1 ? `Make ${exact(all)} changes together` : stepText(steps[0]);

/** "2mm.cu:205 mm2Cuda: free A_gpu after line 195 instead (mm2_kernel1 was its last use)". */
export const stepText = ({place, says}) => `${place}: ${says}`;

/** "saves 16.00 MiB, peak 80.00 MiB -> 64.00 MiB", with an arrow. */
export const savingText = finding => `peak ${bytes(finding.peak_before)} → ${bytes(finding.peak_after)}`;

/**
 * The spans of a block, ascending and without gaps. maybe: something may use it then; unjudged: nothing is known of it.
 * @param {{begin: number, end: number, used?: number[], certain?: number[]|null, not_judged: string|null}} block
 * @returns {{kind: 'waiting'|'used'|'kept'|'maybe'|'unused'|'unjudged', from: number, to: number}[]}
 */
export function spansOf({begin, end, used, certain, not_judged: notJudged}) {
  if (notJudged) return [{kind: 'unjudged', from: begin, to: end}];
  if (!used) return [{kind: 'unused', from: begin, to: end}];
  const [from, to] = certain || [used[1], used[1]];
  return [{kind: 'waiting', from: begin, to: used[0]}, {kind: 'maybe', from: used[0], to: from}, {kind: 'used', from, to},
    {kind: 'maybe', from: to, to: used[1]}, {kind: 'kept', from: used[1], to: end}].filter(span => span.from < span.to);
}

/** What each kind of span is called, for the legend and for who cannot see it. */
export const KINDS = {
  waiting: 'waits for its first use', used: 'in use', kept: 'kept after its last use', maybe: 'may be in use', unused: 'never used', unjudged: 'not judged',
  removed: 'not there after the changes',
};

/** What a span is, with its reason. @param {object} block @param {{kind: string}} span */
export function spanText(block, {kind, from, to}) {
  const why = {waiting: () => `; first use: ${block.first_use}`, kept: () => `; last use: ${block.last_use}`, unjudged: () => `: ${block.not_judged}`,
    maybe: () => from === block.used[0] ? `, from ${block.first_use} on` : `, until ${block.last_use}`}[kind];
  return `${KINDS[kind]} during ${exact(to - from)} ${to - from === 1 ? 'allocation or operation' : 'allocations or operations'}${why ? why() : ''}`;
}

/** "weights, 8.00 MiB, allocated at advice.cu:7". */
export function blockText({bytes: size, allocated: {file, line, variable}}) {
  return `${variable || 'a block'}, ${bytes(size)}, allocated at ${file ? `${baseName(file)}:${line}` : 'an unknown line'}`;
}

/** Which finding has all of its steps, and which ones it cannot be followed together with, or nothing. @param {object} finding of the section */
export function othersText({part_of: whole, instead_of: instead}) {
  return [whole ? `Part of finding ${exact(whole)}.` : '', insteadText(instead)].filter(Boolean).join(' ');
}

function insteadText(instead) {
  if (!instead.length) return '';
  return `Instead of finding ${instead.length > 1 ? `${instead.slice(0, -1).join(', ')} or ` : ''}${instead[instead.length - 1]}.`;
}
