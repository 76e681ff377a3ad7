// Scales, and the way from a value to an index of a palette and to a colour.

import assert from "node:assert/strict";
import test from "node:test";

import {
  css,
  INFINITE,
  makeScale,
  MASKED,
  NOT_A_NUMBER,
  packed,
  position,
  toIndices,
  TOP,
} from "../../attnviz/ui/frontend/core/colours.js";

const indices = (values, scale, shift = 0) => {
  const found = new Uint16Array(values.length);
  toIndices(Float64Array.from(values), 0, values.length, scale, found, shift);
  return [...found];
};

test("a signed scale is centred on zero, and what is beyond its ends has their colours", () => {
  assert.deepEqual(indices([-2, -1, 0, 1, 2, 9, -9], makeScale("signed", 2)), [0, 64, 127, 191, TOP, TOP, 0]);
});

test("a positive scale begins at zero", () => {
  assert.deepEqual(indices([0, 1, 2], makeScale("positive", 2)), [0, 127, TOP]);
});

test("a scale of shares goes from a sixteenth to sixteen times an even share", () => {
  const even = Math.log(1 / 784);
  const values = [1 / 16, 1 / 4, 1, 4, 16, 100, 0].map((times) => even + Math.log(times));
  assert.deepEqual(indices(values, makeScale("share"), Math.log(784)), [0, 64, 127, 191, TOP, TOP, 0]);
});

test("what is no number has a mark", () => {
  const values = [NaN, Infinity, -Infinity];
  assert.deepEqual(indices(values, makeScale("signed", 1)), [NOT_A_NUMBER, INFINITE, MASKED]);
  assert.deepEqual(indices(values, makeScale("share")), [NOT_A_NUMBER, INFINITE, 0]);
});

test("a scale whose ends are one value is still a scale", () => {
  for (const scale of [makeScale("signed", 0), makeScale("positive", 0), makeScale("own", 3, 3)]) {
    assert.ok(scale.high > scale.low);
    assert.ok(indices([0, 3], scale).every((index) => index <= TOP));
  }
});

test("the pointer of a legend stays on its scale", () => {
  assert.deepEqual(
    [1 / 16, 1, 16, 1e9].map((times) => position(times, makeScale("share"))),
    [0, 0.5, 1, 1],
  );
  assert.deepEqual(
    [-3, 0, 3].map((value) => position(value, makeScale("signed", 2))),
    [0, 0.5, 1],
  );
});

test("a colour is packed as a pixel buffer holds it, and written as CSS", () => {
  assert.equal(packed([1, 2, 255]), 0xffff0201);
  assert.equal(css(packed([1, 2, 255])), "#0102ff");
  assert.deepEqual([...new Uint8Array(Uint32Array.of(packed([1, 2, 255])).buffer)], [1, 2, 255, 255]);
});
