// Trials as lines across axes: which are brushed, which is nearest, and what is said of them.

import assert from "node:assert/strict";
import test from "node:test";

import {
  brushOf,
  insideOf,
  inWords,
  moved,
  nearest,
  ordered,
  placeWords,
  readBrushes,
  RULES,
  strengths,
  summaryOf,
  tableOf,
  writeBrushes,
} from "../../attnviz/ui/frontend/parallel_coordinates/derive.js";
import { Room } from "../../attnviz/ui/frontend/parallel_coordinates/paint.js";

const HEADS = {
  name: "heads",
  title: "heads",
  choices: true,
  ticks: [
    { place: 0, words: "1" },
    { place: 0.5, words: "8" },
    { place: 1, words: "25" },
  ],
};
const RATE = {
  name: "learning_rate",
  title: "learning rate",
  choices: false,
  ticks: [
    { place: 0, words: "0.001" },
    { place: 1, words: "0.1" },
  ],
};
const ACCURACY = { ...RATE, name: "accuracy", title: "accuracy" };
const AXES = [HEADS, RATE, ACCURACY];
const SHOWN = {
  title: "A",
  axes: AXES,
  trials: [
    { number: 0, why: "", words: ["1", "0.001"] },
    { number: 3, why: "", words: ["8", "0.01"] },
    { number: 4, why: "it diverged", words: ["25", "0.1"] },
  ],
  places: Float64Array.of(0.04, 0, 0.2, 0.46, 0.5, 1, 1, 1, NaN),
  values: Float64Array.of(0.91, 0.99, NaN),
  measure: "accuracy",
  better: "higher",
};
const NONE = [null, null, null];

test("brushes are read from the URL as they are written into it", () => {
  const brushes = [[0, 0.5], null, [0.123, 1]];
  assert.equal(writeBrushes(brushes, AXES), "heads:0-0.5;accuracy:0.123-1");
  assert.deepEqual(readBrushes("heads:0-0.5;accuracy:0.123-1", AXES), brushes);
  assert.deepEqual(readBrushes("", AXES), NONE);
  for (const word of ["heads", "heads:1-0", "heads:0-2", "wings:0-1", "heads:0-1;", "heads:-1-1", "heads:0.1234-1"])
    assert.equal(readBrushes(word, AXES), null, word);
});

test("a view names trials and brushes that there are", () => {
  const exists = (kind, value) => RULES.exists({ name: "", kind, default: null, options: [] }, value, SHOWN, {});
  assert.deepEqual(
    [0, 1, 3, 4].map((number) => exists("number", number)),
    [true, false, true, true],
  );
  assert.deepEqual(
    ["", "heads:0-0", "x"].map((word) => exists("text", word)),
    [true, true, false],
  );
});

test("a trial is inside where it lies in every brush, one spread around a choice too, one without a value not", () => {
  assert.deepEqual(insideOf(SHOWN, NONE), [true, true, true]);
  assert.deepEqual(insideOf(SHOWN, [[0, 0], null, null]), [true, false, false]);
  assert.deepEqual(insideOf(SHOWN, [[0, 0.5], null, null]), [true, true, false]);
  assert.deepEqual(insideOf(SHOWN, [[0, 0.5], [0.4, 1], null]), [false, true, false]);
  assert.deepEqual(insideOf(SHOWN, [null, null, [0, 1]]), [true, true, false]);
});

test("a brush ends on choices where there are only these, and is none where it covers all", () => {
  assert.deepEqual(brushOf(HEADS, 0.8, 0.3), [0.5, 0.5]);
  assert.deepEqual(brushOf(HEADS, -0.2, 0.55), [0, 0.5]);
  assert.deepEqual(brushOf(HEADS, 0.2, 0.3), [0.5, 0.5], "the nearest, where it covers none");
  assert.deepEqual(brushOf(RATE, 0.8, 0.3), [0.3, 0.8]);
  assert.deepEqual(brushOf(RATE, -1, 0.3), [0, 0.3]);
  assert.equal(brushOf(RATE, -1, 2), null);
  assert.equal(brushOf(HEADS, 0, 1), null);
});

test("keys move an end of a brush, from choice to choice or in steps, never past the other end", () => {
  assert.deepEqual(moved(HEADS, null, 0, "ArrowUp"), { range: [0.5, 1] });
  assert.deepEqual(moved(HEADS, [0.5, 1], 0, "ArrowDown"), { range: null });
  assert.deepEqual(moved(HEADS, [0.5, 0.5], 0, "ArrowUp"), { range: [0.5, 0.5] });
  assert.deepEqual(moved(RATE, null, 1, "PageDown"), { range: [0, 0.8] });
  assert.deepEqual(moved(RATE, [0.2, 0.8], 0, "Home"), { range: [0, 0.8] });
  assert.deepEqual(moved(RATE, [0.2, 0.8], 1, "Home"), { range: [0.2, 0.2] });
  assert.deepEqual(moved(RATE, [0.2, 0.8], 1, "End"), { range: [0.2, 1] });
  assert.deepEqual(moved(RATE, [0.2, 0.8], 0, "Delete"), { range: null });
  assert.equal(moved(RATE, null, 0, "a"), null);
});

test("the nearest line is read, but none outside the brushes and none that is far", () => {
  const all = [true, true, true];
  assert.equal(nearest(SHOWN, all, 0, 0.05, 0.06), 0);
  assert.equal(nearest(SHOWN, all, 0.5, 0.48, 0.06), 1);
  assert.equal(nearest(SHOWN, [true, false, true], 0.5, 0.48, 0.06), -1);
  assert.equal(nearest(SHOWN, all, 1, 0.2, 0.06), -1);
  assert.equal(nearest(SHOWN, all, 1.5, 1, 0.06), -1, "the third has no line there");
});

test("the better a trial, the stronger its colour and the later it is painted", () => {
  assert.deepEqual(strengths(SHOWN), [0, 1, NaN]);
  assert.deepEqual(ordered(SHOWN), [2, 0, 1]);
  assert.deepEqual(ordered({ ...SHOWN, better: "lower" }), [2, 1, 0]);
  assert.deepEqual(strengths({ values: Float64Array.of(0.5, 0.5), better: "higher" }), [1, 1]);
});

test("words and numbers say the same", () => {
  assert.equal(inWords(SHOWN, 1), "Trial 4: heads 8, learning rate 0.01; accuracy 0.9900");
  assert.equal(inWords(SHOWN, 2), "Trial 5: heads 25, learning rate 0.1; ended early: it diverged");
  assert.equal(inWords(SHOWN, -1), "");
  assert.equal(summaryOf(SHOWN, [true, true, true]), "All 3 trials; accuracy 0.9100 to 0.9900, median 0.9500.");
  assert.equal(summaryOf(SHOWN, [false, true, false]), "1 of 3 trials; accuracy 0.9900 to 0.9900, median 0.9900.");
  assert.equal(summaryOf(SHOWN, [false, false, true]), "1 of 3 trials.");
  assert.equal(placeWords(HEADS, 0.5), "8");
  assert.equal(placeWords(RATE, 0.25), "25 % of the way up from 0.001");
  const { head, rows } = tableOf(SHOWN, [true, false, true]);
  assert.deepEqual(head, ["trial", "heads", "learning_rate", "accuracy", "ended early", "brushed"]);
  assert.deepEqual(rows[1], [4, "8", "0.01", 0.99, "", "no"]);
});

test("where axes stand close, the words of the last one stand outside, and there is space for them", () => {
  const phone = new Room({ width: 335, height: 300, axes: 5, px: 1 });
  const wide = new Room({ width: 560, height: 300, axes: 5, px: 1 });
  assert.deepEqual([phone.narrow, wide.narrow], [true, false]);
  assert.ok(335 - phone.x(4) >= 12 + 31); // five digits, and their distance from the axis
});
