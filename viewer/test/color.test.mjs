// color.test.mjs - the categories' colours: distinguished by everybody, read on, and hatched when there are more of them.
import assert from 'node:assert/strict';
import test from 'node:test';
import {CATEGORIES, COLORS, category, hatchOn, inkOn, isHatched, restColor, sequence} from '../src/color.js';
import {paint, shadesOf} from '../src/timeline/paint.js';
import {REST} from '../src/timeline/tracks/rest.js';

/** What people without the pigment for middle, for long waves see: Machado, Oliveira and Fernandes 2009, the whole of it missing; in linear light. */
const SIGHTS = {
  normal: [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
  deuteranopia: [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.01182, 0.04294, 0.968881]],
  protanopia: [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
};
const LEAST = {normal: 28, deuteranopia: 18, protanopia: 18}; // CIE76

const partsOf = color => [1, 3, 5].map(at => parseInt(color.slice(at, at + 2), 16));
const times = (matrix, vector) => matrix.map(row => row.reduce((sum, factor, i) => sum + factor * vector[i], 0));

function lab(color, sight) {
  const linear = partsOf(color).map(part => part / 255).map(part => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
  const seen = times(SIGHTS[sight], linear).map(part => Math.min(1, Math.max(0, part)));
  const [x, y, z] = times([[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.072175], [0.0193339, 0.119192, 0.9503041]], seen)
    .map((part, i) => part / [0.95047, 1, 1.08883][i]).map(part => part > 216 / 24389 ? Math.cbrt(part) : (24389 / 27 * part + 16) / 116);
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
}

const contrast = (one, other) => {
  const [high, low] = [one, other].map(color => partsOf(color).reduce((sum, part, i) => sum + (part / 255) ** 2.2 * [0.2126, 0.7152, 0.0722][i], 0))
    .sort((a, b) => b - a);
  return (high + 0.05) / (low + 0.05);
};

test('eight colours and that of the rest are well apart, for people with colour blindness too', () => {
  assert.equal(COLORS, 8);
  for (const dark of [false, true]) {
    const all = [...Array.from({length: COLORS}, (_, i) => category(i, dark)), restColor(dark)];
    for (const [sight, least] of Object.entries(LEAST)) {
      for (let i = 0; i < all.length; ++i) {
        for (let j = 0; j < i; ++j) {
          const distance = Math.hypot(...lab(all[i], sight).map((part, k) => part - lab(all[j], sight)[k]));
          assert.ok(distance >= least, `${all[j]} (${j}) and ${all[i]} (${i}) differ by ${distance.toFixed(1)}, ${sight}`);
        }
      }
    }
  }
});

test('after eight colours come the same eight with hatching', () => {
  assert.equal(CATEGORIES, 16);
  for (let place = 0; place < CATEGORIES; ++place) {
    assert.equal(isHatched(place), place >= 8);
    assert.equal(category(place, false), category(place % 8, false));
  }
  assert.equal(new Set(Array.from({length: CATEGORIES}, (_, place) => `${category(place, true)} ${isHatched(place)}`)).size, 16);
  assert.equal(isHatched(16), false, 'then they repeat');
});

test('ink can be read on every colour, and on its hatching no worse', () => {
  for (const dark of [false, true]) {
    for (let place = 0; place < COLORS; ++place) {
      const color = category(place, dark);
      assert.ok(contrast(color, inkOn(color)) >= 4.4, `${color} with ${inkOn(color)}`);
      assert.notEqual(hatchOn(color).slice(0, 7), inkOn(color), 'hatching goes away from the ink');
    }
    assert.notEqual(sequence(0, dark), sequence(1, dark));
  }
});

test('the picture of the timeline hatches a group, and the rest in the other direction', () => {
  const colors = [category(0, false), category(8, false)], hatched = [false, true], size = 16, out = new Uint32Array(size * size);
  const appearance = {shades: shadesOf(colors, '#ffffff', false), hatched, ofBlock: null, ofCell: [0, 1], cellOf: [0, 1], restCell: [1], otherGroup: 0, found: null,
    foundCell: null};
  const painted = id => {
    paint({ids: new Uint32Array(size * size).fill(id), height: size}, out, appearance);
    return {colors: new Set(out.subarray(size)).size, at: (x, y) => out[y * size + x]}; // without the edge on top
  };
  assert.equal(painted(1).colors, 1, 'a plain group');
  const group = painted(2);
  assert.equal(group.colors, 2, 'a hatched one');
  for (let y = 2; y < size - 1; ++y) for (let x = 0; x + 1 < size; ++x) assert.equal(group.at(x, y + 1), group.at(x + 1, y), 'rising to the right');
  assert.ok(painted(REST).colors >= 3, 'the rest of a hatched group has both');
});
