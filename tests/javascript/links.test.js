// The picture that a panel shows as a word of a URL, which attnviz/data/inputs/drawing.py reads.

import assert from "node:assert/strict";
import test from "node:test";
import { inflateSync } from "node:zlib";

import { wordOf } from "../../attnviz/ui/frontend/draw/links.js";

const read = (word) => [...inflateSync(Buffer.from(word.split(".").at(-1), "base64url"))];
const pictureOf = (shape, at) => ({
  values: Uint8Array.from({ length: shape.reduce((all, one) => all * one) }, (_, i) => at(i)),
  shape,
});

test("a picture keeps its colours on the way from a panel to a page", async () => {
  const seen = pictureOf([4, 5, 3], (at) => (11 * at) % 256);
  const word = await wordOf(seen);
  assert.match(word, /^4x5x3\./);
  assert.deepEqual(read(word), [...seen.values]);
});

test("ink that a model of colours sees is stored once, as the others see it", async () => {
  const grey = pictureOf([28, 28, 1], (at) => at % 251);
  const word = await wordOf(grey);
  assert.doesNotMatch(word, /\./);
  assert.deepEqual(read(word), [...grey.values]);
  assert.equal(await wordOf(pictureOf([28, 28, 3], (at) => Math.floor(at / 3) % 251)), word);
});

test("a picture that says neither grey nor colour is stored as its mean", async () => {
  const word = await wordOf(pictureOf([2, 2, 2], (at) => 10 * at));
  assert.deepEqual([word.split(".")[0], ...read(word)], ["2x2", 5, 25, 45, 65]);
});
