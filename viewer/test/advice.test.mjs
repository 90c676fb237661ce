// advice.test.mjs - what the view of advice says, and the spans of a block, from a section `advice` as docs/PAGE.md has it.
import assert from 'node:assert/strict';
import test from 'node:test';
import {marksOf} from '../src/advice/marks.js';
import {answerText, blockText, headline, othersText, spansOf, spanText, wasteText} from '../src/advice/words.js';

const block = {bytes: 8 << 20, allocated: {file: '/src/a.cu', line: 7, function: 'main', variable: 'w'}, begin: 1, end: 12, not_judged: null, used: [2, 9], certain: [4, 6],
  first_use: 'a.cu:8 main, copied', last_use: 'a.cu:9 main, step'};
const kinds = given => spansOf({...block, ...given}).map(({kind, from, to}) => `${kind} ${from}-${to}`);

test('the spans of a block cover it without gaps', () => {
  assert.deepEqual(kinds({}), ['waiting 1-2', 'maybe 2-4', 'used 4-6', 'maybe 6-9', 'kept 9-12']);
  assert.deepEqual(kinds({certain: null}), ['waiting 1-2', 'maybe 2-9', 'kept 9-12'], 'all of its uses are uncertain');
  assert.deepEqual(kinds({begin: 2, end: 9, certain: [2, 9]}), ['used 2-9']);
  assert.deepEqual(kinds({used: undefined, certain: undefined}), ['unused 1-12']);
  assert.deepEqual(kinds({not_judged: 'the host can use it'}), ['unjudged 1-12'], 'what is known of its uses does not count then');
});

test('a span says why it is what it is', () => {
  const [waiting, early, used, late, kept] = spansOf(block).map(span => spanText(block, span));
  assert.equal(waiting, 'waits for its first use during 1 allocation or operation; first use: a.cu:8 main, copied');
  assert.equal(early, 'may be in use during 2 allocations or operations, from a.cu:8 main, copied on');
  assert.equal(used, 'in use during 2 allocations or operations');
  assert.equal(late, 'may be in use during 3 allocations or operations, until a.cu:9 main, step');
  assert.equal(kept, 'kept after its last use during 3 allocations or operations; last use: a.cu:9 main, step');
  assert.equal(blockText(block), 'w, 8.00 MiB, allocated at a.cu:7');
  assert.equal(blockText({...block, allocated: {file: null, line: 0, variable: null}}), 'a block, 8.00 MiB, allocated at an unknown line');
});

test('the answer is the lowest peak of all findings', () => {
  assert.equal(answerText({peak: 8 << 20}, [{peak_after: 6 << 20}, {peak_after: 2 << 20}], 'GPU 1'), 'The peak of GPU 1, 8.00 MiB, can be 2.00 MiB: 6.00 MiB less.');
  const copying = {peak_after: 1 << 20, copied: 8 << 20};
  assert.equal(answerText({peak: 8 << 20}, [{peak_after: 6 << 20, copied: 0}, copying], 'GPU 1'),
    'The peak of GPU 1, 8.00 MiB, can be 6.00 MiB: 2.00 MiB less; with copies to the host 1.00 MiB.');
  assert.doesNotMatch(answerText({peak: 8 << 20}, [{peak_after: (1 << 20) + 1, copied: 0}, copying], 'GPU 1'), /copies/, 'what is too little more is not said');
  assert.equal(answerText({peak: 8 << 20}, [copying], 'GPU 1'), 'The peak of GPU 1, 8.00 MiB, can be 1.00 MiB: 7.00 MiB less, with copies to the host.');
  assert.equal(answerText({peak: 8 << 20}, [], 'GPU 1'), 'No change of a line lowers the peak of GPU 1, 8.00 MiB.');
});

test('waste is said apart from what the changes reach', () => {
  assert.match(wasteText({peak: 8 << 20, ideal: 6 << 20}), /^2\.00 MiB of it \(25\.00\s%\) are waste: .* check --max-waste/);
  assert.equal(wasteText({peak: 8 << 20, ideal: 8 << 20}), '');
});

const step = (line, says) => ({from: {file: '/a.cu', line}, place: `a.cu:${line} main`, says});

test('a finding is named by its change, or by how many it has', () => {
  assert.equal(headline({steps: [step(3, 'free x')], steps_in_all: 1}), 'a.cu:3 main: free x');
  assert.equal(headline({steps: [step(3, 'free x'), step(4, 'free y')], steps_in_all: 25}), 'Make 25 changes together');
});

test('a finding says which one before it has its steps, and which ones cannot be followed as well', () => {
  assert.equal(othersText({part_of: null, instead_of: []}), '');
  assert.equal(othersText({part_of: null, instead_of: [2]}), 'Instead of finding 2.');
  assert.equal(othersText({part_of: null, instead_of: [1, 2, 4]}), 'Instead of finding 1, 2 or 4.');
  assert.equal(othersText({part_of: 1, instead_of: []}), 'Part of finding 1.');
  assert.equal(othersText({part_of: 1, instead_of: [2]}), 'Part of finding 1. Instead of finding 2.');
});

test('a line has the mark of the first finding that names it, and other things to do there with what they save', () => {
  const advice = {findings: [{number: 1, place: 0, saving: 5, steps_in_all: 1, steps: [step(3, 'free x')]}, {number: 2, place: 0, saving: 9, steps_in_all: 2, steps: [step(3, 'free x'), step(4, 'free y')]},
    {number: 3, place: 1, saving: 1, steps_in_all: 1, steps: [step(3, 'free z')]}]};
  const all = marksOf(advice, -1).get('/a.cu');
  assert.deepEqual(all.get(3), {number: 1, choices: [{says: 'free x', saving: 5, others: 0}, {says: 'free z', saving: 1, others: 0}]});
  assert.deepEqual(all.get(4), {number: 2, choices: [{says: 'free y', saving: 9, others: 1}]});
  assert.deepEqual([...marksOf(advice, 1).get('/a.cu').keys()], [3]);
  assert.equal(marksOf(null, -1).size, 0);
});
