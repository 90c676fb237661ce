// cut.test.mjs - a name without room keeps both of its ends: file and line, and the end of the function.
import assert from 'node:assert/strict';
import test from 'node:test';
import {fitted, middle} from '../src/cut.js';

const NAME = 'attention.cu:120 library::detail::kernels::Workspace<float>::take';
const widthOf = text => 7 * text.length;

test('a name is cut in the middle', () => {
  assert.equal(middle(NAME, 100), NAME);
  assert.equal(middle(NAME, 31), 'attention.cu…space<float>::take');
  for (let letters = 4; letters < NAME.length; ++letters) {
    const shown = middle(NAME, letters), [head, tail] = shown.split('…');
    assert.equal(shown.length, letters);
    assert.ok(NAME.startsWith(head) && NAME.endsWith(tail) && head && tail.length >= head.length, shown);
  }
});

test('as much of a name is shown as there is room for', () => {
  assert.equal(fitted(widthOf, NAME, 7 * NAME.length), NAME);
  for (let room = 42; room < 7 * NAME.length; room += 7) assert.equal(widthOf(fitted(widthOf, NAME, room)), room);
  assert.equal(fitted(widthOf, NAME, 41), '', 'an ellipsis with a letter or two says nothing');
  assert.equal(fitted(widthOf, 'ab', 14), 'ab');
});
