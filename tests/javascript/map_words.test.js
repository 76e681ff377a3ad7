// What a grid of maps says and gives to the clipboard.

import assert from "node:assert/strict";
import test from "node:test";

import { copied, noteOf, placeOf, pointedAt, shownValue, summaryOf } from "../../attnviz/ui/frontend/map_grid/words.js";
import { Cells } from "../../attnviz/ui/frontend/maps/cells.js";

const HEADER = { title: "Weights", labels: ["head 1", "head 2"], origin: { model: "a.b" }, role: "share", tokens: 6 };
const SAID = {
  header: HEADER,
  count: 2,
  cells: new Cells(2, 3),
  chosen: null,
  looked: { tile: 1 },
  shown: 5,
  value: (tile) => [0.125, 0.25][tile],
};

test("a cell is said by row and column from 1, or by the names that its axes have", () => {
  assert.equal(placeOf(SAID), "row 2, column 3");
  const names = { row: "query", rows: ["a", "b"], column: "key", columns: ["x", "y", "z"] };
  assert.equal(placeOf({ ...SAID, header: { ...HEADER, names } }), "query b, key z");
});

test("what is pointed at, and nothing where the pointer is elsewhere", () => {
  assert.equal(pointedAt(SAID), "row 2, column 3, head 2: 0.2500");
  assert.equal(pointedAt({ ...SAID, shown: -1 }), "");
});

test("a summary says which map is chosen and what is pointed at", () => {
  const whole = "Weights, 2 maps of 2 rows and 3 columns.";
  assert.equal(summaryOf({ ...SAID, shown: -1 }), whole);
  const expected = `${whole} head 1 is chosen. At row 2, column 3, head 2: 0.2500.`;
  assert.equal(summaryOf({ ...SAID, chosen: 0 }), expected);
});

test("shares stand as multiples of an even share, all else as it is", () => {
  assert.equal(shownValue(0.25, "share", 6), "1.5\u00d7");
  assert.equal(shownValue(0.25, "all", 6), "0.250");
  assert.equal(noteOf(HEADER, "share"), "\u00d7 an even share, 1/6 = 0.167");
  assert.equal(noteOf({ ...HEADER, note: "of its own" }, "all"), "of its own");
  assert.match(noteOf({ ...HEADER, role: "own" }, "map"), /^a scale for each map; the numbers/);
});

test("copied are the cell, each map's value, and where they come from", () => {
  assert.equal(copied(SAID), "cell\trow 2, column 3\nhead 1\t0.125\nhead 2\t0.25\nmodel\ta.b");
  assert.equal(copied({ ...SAID, shown: -1 }), "head 1\t\nhead 2\t\nmodel\ta.b");
});
