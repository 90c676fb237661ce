// filter.test.mjs - what is typed into the filter of a table selects the rows it should, against plain predicates.
import assert from 'node:assert/strict';
import test from 'node:test';
import {filterOf, quantity} from '../src/filter.js';
import {random} from './program.mjs';

const columns = [
  {key: 'place', value: row => row.place}, {key: 'function', value: row => row.function}, {key: 'type', value: row => row.type},
  {key: 'at_peak', unit: 'bytes', value: row => row.at_peak}, {key: 'age', unit: 'time', value: row => row.age},
  {key: 'share', unit: 'percent', value: row => row.share},
];
const next = random(7);
const rows = Array.from({length: 500}, (_, i) => ({place: `train.cu:${i % 60}`, function: ['step', 'zeros', 'Forward'][i % 3],
  type: i % 5 ? 'float' : null, at_peak: Math.floor(next() * 2 ** 22), age: i % 7 ? Math.floor(next() * 5e6) : null, share: Math.round(next() * 1e4) / 100}));
const selected = text => rows.filter(filterOf(text, columns, row => [row.place, row.function, row.type].join('\n')));

for (const [text, fits] of [
  ['', () => true],
  ['forward', row => row.function === 'Forward'],
  ['train.cu:41', row => row.place === 'train.cu:41'],
  ['train.cu:4 zeros', row => row.place.startsWith('train.cu:4') && row.function === 'zeros'],
  ['at_peak>1MiB', row => row.at_peak > 2 ** 20],
  ['at_peak<=0.5M function:step', row => row.at_peak <= 2 ** 19 && row.function === 'step'],
  ['-function:step -type:float', row => row.function !== 'step' && row.type !== 'float'],
  ['age<2ms', row => row.age !== null && row.age < 2e6],
  ['share>=50%', row => row.share >= 50],
  ['function=zero', () => false],
  ['"cu:7"', row => row.place.includes('cu:7')],
  ['function:"Forward"', row => row.function === 'Forward'],
  ['at_peak>much', () => false],
]) {
  test(`filter ${JSON.stringify(text)}`, () => assert.deepEqual(selected(text), rows.filter(fits)));
}

test('quantities have the units of their column', () => {
  assert.equal(quantity('bytes', '1.5MiB'), 1.5 * 2 ** 20);
  assert.equal(quantity('bytes', '2k'), 2048);
  assert.equal(quantity('signed', '-3 GB'), -3 * 2 ** 30);
  assert.equal(quantity('time', '2ms'), 2e6);
  assert.equal(quantity('time', '2MiB'), null);
  assert.equal(quantity('count', '12x'), null);
  assert.equal(quantity('percent', '30%'), 30);
});
