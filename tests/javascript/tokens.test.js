// The tokens of the pixel viewer: equal ones travel once, and the first one to be looked at lies on the ink.

import assert from "node:assert/strict";
import test from "node:test";

import { middleOfInk, spread } from "../../attnviz/ui/frontend/pixel_viewer/derive.js";
import { Cells } from "../../attnviz/ui/frontend/maps/cells.js";

test("every token gets the numbers of the kind that it is of", () => {
  const kinds = {
    // two heads, two kinds, two numbers each
    query: [
      [
        [1, 2],
        [3, 4],
      ],
      [
        [5, 6],
        [7, 8],
      ],
    ],
    key: [
      [
        [9, 10],
        [11, 12],
      ],
      [
        [13, 14],
        [15, 16],
      ],
    ],
    value: [
      [[17], [18]],
      [[19], [20]],
    ],
  };
  const scalars = {
    log_normaliser: [
      [21, 22],
      [23, 24],
    ],
    carried: [
      [25, 26],
      [27, 28],
    ],
    received: [
      [29, 30],
      [31, 32],
    ],
  };
  const flat = (values) => Float64Array.from(values.flat(Infinity));
  const all = { ...kinds, ...scalars };
  const arrays = {
    ...Object.fromEntries(Object.entries(all).map(([name, values]) => [name, flat(values)])),
    place: Uint16Array.of(1, 0, 1),
  };
  const shapes = {
    query: [2, 2, 2],
    key: [2, 2, 2],
    value: [2, 2, 1],
    log_normaliser: [2, 2],
    carried: [2, 2],
    received: [2, 2],
  };
  const found = spread({ header: {}, arrays, shapes });
  for (const [name, values] of Object.entries(all)) {
    const expected = values.map((head) => [head[1], head[0], head[1]]);
    assert.deepEqual([...found.arrays[name]], [...flat(expected)], name);
  }
  assert.deepEqual(found.shapes.query, [2, 3, 2]);
  assert.deepEqual(found.shapes.carried, [2, 3]);
});

test("where no two tokens are equal, their numbers are not copied", () => {
  const arrays = { query: Float32Array.of(1, 2, 3, 4), place: Int32Array.of(0, 1) };
  const found = spread({ header: {}, arrays: { ...arrays }, shapes: { query: [1, 2, 2] } });
  assert.equal(found.arrays.query, arrays.query);
  assert.deepEqual(found.shapes.query, [1, 2, 2]);
});

test("the first token lies on the ink, nearest to its centre", () => {
  // A ring: its centre is empty; the nearest ink, the first of four, is above it.
  const ring = Float32Array.of(0, 1, 0, 1, 0, 1, 0, 1, 0);
  assert.equal(middleOfInk(ring, new Cells(3, 3)), 1);
  // What is fainter than half of the darkest counts for the centre, but is not chosen.
  assert.equal(middleOfInk(Float32Array.of(1, 0, 0.4, 0, 0.9), new Cells(1, 5)), 0);
  // Tokens that lie nowhere come before the others.
  assert.equal(middleOfInk(Float32Array.of(0, 0, 1, 0), new Cells(2, 2, 1)), 3);
});

test("without ink it is the middle of the grid", () => {
  assert.equal(middleOfInk(new Float32Array(15), new Cells(3, 5)), 7);
});
