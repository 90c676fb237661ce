// cut.test.mjs - a name without room keeps its file and line, and what is left of the room shows the function.
import assert from 'node:assert/strict';
import test from 'node:test';
import {cut, fitted, placeIn} from '../src/cut.js';

const PLACE = 'attention.cu:120', NAME = `${PLACE} library::detail::kernels::Workspace<float>::take`, FUNCTION = 'library::detail::kernels::Workspace<float>::take';
const widthOf = text => 7 * text.length;

test('a name begins with its file and line, or it has none', () => {
  assert.equal(placeIn(NAME), PLACE);
  assert.equal(placeIn(PLACE), PLACE);
  assert.equal(placeIn('vector:319 resize'), 'vector:319', 'headers of the standard library have no extension');
  assert.equal(placeIn('my kernel.cu:3 main'), 'my kernel.cu:3');
  for (const none of [FUNCTION, 'main', '', 'attention.cu', 'std::array<int, 3>::at', 'f(a ? b:3 )', 'host (pinned memory)']) assert.equal(placeIn(none), '', none);
});

test('a function is cut in the middle', () => {
  assert.equal(cut(FUNCTION, 100), FUNCTION);
  for (let letters = 4; letters < FUNCTION.length; ++letters) {
    const shown = cut(FUNCTION, letters), [head, tail] = shown.split('…');
    assert.equal(shown.length, letters);
    assert.ok(FUNCTION.startsWith(head) && FUNCTION.endsWith(tail) && head && tail.length >= head.length, shown);
  }
});

test('file and line stay whole, and the function behind them is cut', () => {
  assert.equal(cut(NAME, 100), NAME);
  assert.equal(cut(NAME, 40), 'attention.cu:120 library:…e<float>::take');
  assert.equal(cut(NAME, 24), 'attention.cu:120 librar…');
  assert.equal(cut(NAME, 17), 'attention.cu:120…');
  assert.equal(cut(NAME, 16), PLACE);
  assert.equal(cut(NAME, 12), '…tion.cu:120', 'the front of the name of the file, where there is no room for more');
  for (let letters = 2; letters < NAME.length; ++letters) {
    const shown = cut(NAME, letters);
    assert.equal(shown.length, letters);
    assert.ok(letters < PLACE.length ? PLACE.endsWith(shown.slice(1)) : shown.startsWith(PLACE), shown);
  }
});

test('as much of a name is shown as there is room for', () => {
  assert.equal(fitted(widthOf, NAME, 7 * NAME.length), NAME);
  for (let room = 42; room < 7 * NAME.length; room += 7) assert.equal(widthOf(fitted(widthOf, NAME, room)), room);
  assert.equal(fitted(widthOf, NAME, 41), '', 'an ellipsis with a letter or two says nothing');
  assert.equal(fitted(widthOf, 'ab', 14), 'ab');
});
