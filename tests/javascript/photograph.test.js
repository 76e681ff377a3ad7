// Boxes on a photograph, by pointer and by key.

import assert from "node:assert/strict";
import test from "node:test";

import { boxAfterKey, boxBetween, inWords } from "../../attnviz/ui/frontend/photograph/derive.js";

const photograph = { rows: 200, columns: 100, least: 8 };

test("a box lies between two points, in any order, and inside of the photograph", () => {
  assert.deepEqual(boxBetween({ row: 50.4, column: 90 }, { row: 20, column: 10.6 }, photograph), [20, 11, 50, 90]);
  assert.deepEqual(boxBetween({ row: -9, column: -9 }, { row: 300, column: 300 }, photograph), [0, 0, 200, 100]);
});

test("a box that is too small is none", () => {
  assert.equal(boxBetween({ row: 50, column: 50 }, { row: 57, column: 90 }, photograph), null);
  assert.equal(boxBetween({ row: 50, column: 50 }, { row: 50, column: 50 }, photograph), null);
});

test("arrow keys move a box as far as the edge", () => {
  assert.deepEqual(boxAfterKey([10, 10, 50, 50], "ArrowDown", false, photograph), [14, 10, 54, 50]);
  assert.deepEqual(boxAfterKey([10, 2, 50, 50], "ArrowLeft", false, photograph), [10, 0, 50, 48]);
  assert.equal(boxAfterKey([10, 10, 50, 50], "a", false, photograph), null);
});

test("with shift they resize it, and it stays large enough", () => {
  assert.deepEqual(boxAfterKey([10, 10, 50, 50], "ArrowRight", true, photograph), [10, 10, 50, 54]);
  assert.deepEqual(boxAfterKey([10, 10, 20, 50], "ArrowUp", true, photograph), [10, 10, 18, 50]);
  assert.deepEqual(boxAfterKey([10, 10, 20, 98], "ArrowRight", true, photograph), [10, 10, 20, 100]);
});

test("a box is said in percent", () => {
  assert.match(inWords([20, 25, 100, 50], photograph), /rows 10 to 50 % and columns 25 to 50 %/);
});
