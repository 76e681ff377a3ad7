// A strip, its text and its weights: what is derived from them, against numbers made by hand.

import assert from "node:assert/strict";
import test from "node:test";

import { readView, urlOf } from "../../attnviz/ui/frontend/core/url_fields.js";
import * as derive from "../../attnviz/ui/frontend/alignment/derive.js";
import { Alignment } from "../../attnviz/ui/frontend/alignment/alignment.js";
import { pressed } from "../../attnviz/ui/frontend/alignment/hands.js";
import { columnAt, found, layoutOf } from "../../attnviz/ui/frontend/alignment/layout.js";
import { Shown } from "../../attnviz/ui/frontend/alignment/shown.js";

const GEOMETRY = { pitch: 8, side: 28, digits: 2 };
const near = (one, other) =>
  assert.ok(
    Array.from(other).every((value, i) => Math.abs(one[i] - value) < 1e-9),
    `${Array.from(one)}`,
  );

test("columns lie around every eighth pixel, and belong to the digit under their middle", () => {
  assert.deepEqual(derive.edgesOf(4, 8, 28), [0, 4, 12, 20, 28]);
  assert.deepEqual(
    Array.from({ length: 7 }, (_, column) => derive.digitAt(column, 8, 28, 2)),
    [0, 0, 0, 0, 1, 1, 1],
  );
  assert.deepEqual(derive.columnsOf(0, 8, 28, 7), [0, 4]);
  assert.deepEqual(derive.columnsOf(1, 8, 28, 7), [4, 7]);
});

test("a row is that of a head, or the mean of all; a query that there is not has none", () => {
  const weights = { values: [0.1, 0.9, 0.5, 0.5, 0.3, 0.7, 1, 0], shape: [2, 2, 2] };
  near(derive.rowOf(weights, 0, 1), [0.5, 0.5]);
  near(derive.rowOf(weights, 1, 1), [1, 0]);
  near(derive.rowOf(weights, "mean", 1), [0.75, 0.25]);
  near(derive.rowOf(weights, "mean", 2), [0, 0]);
});

test("weights that are moved sum to one, and the peak stays on the strip", () => {
  const row = [0.1, 0.6, 0.2, 0.1];
  near(derive.movedRow(row, 1), [0, 0.1 / 0.9, 0.6 / 0.9, 0.2 / 0.9]);
  near(derive.movedRow(row, -1), [0.6 / 0.9, 0.2 / 0.9, 0.1 / 0.9, 0]);
  near(derive.movedRow(row, 9), row);
  assert.deepEqual(derive.reach(row), [-1, 2]);
});

test("what is moved is kept by step, and let go at 0", () => {
  let moved = derive.withMoved([], 4, 3);
  moved = derive.withMoved(moved, 1, -2);
  assert.deepEqual(moved, [
    [1, -2],
    [4, 3],
  ]);
  assert.equal(derive.movedBy(moved, 4), 3);
  assert.equal(derive.movedBy(moved, 2), 0);
  assert.deepEqual(derive.withMoved(moved, 4, 0), [[1, -2]]);
});

test("a text is compared with the right one place by place, up to where it ends", () => {
  const right = [3, 1, 4, 10];
  assert.deepEqual(derive.compared([3, 1, 4, 10], right), { right: 3, of: 3, exact: true });
  assert.deepEqual(derive.compared([3, 9, 4, 10], right), { right: 2, of: 3, exact: false });
  assert.deepEqual(derive.compared([3, 10], right), { right: 1, of: 3, exact: false });
  assert.deepEqual(derive.compared([3, 1, 4, 4, 10], right), { right: 3, of: 3, exact: false });
  assert.equal(derive.compared([3], null), null);
});

test("symbols and their letters come from the probabilities", () => {
  const classes = ["0", "1", "stop"];
  const probabilities = [0.2, 0.7, 0.1, 0.1, 0.1, 0.8];
  assert.deepEqual(derive.symbolsOf(probabilities, 3), [1, 2]);
  assert.deepEqual(derive.letters([3, 1, 2], classes), ["\u25b8", "1", "\u25a0"]);
  near(derive.stepOf(probabilities, 3, 1), [0.1, 0.1, 0.8]);
  assert.equal(derive.nameOf(2, classes), "stop");
  assert.equal(derive.nameOf(3, classes), "start");
});

test("where a step looks is said with the digit that it should say", () => {
  const row = [0, 0.7, 0.1, 0, 0.2, 0, 0];
  assert.deepEqual(derive.mostOn(row, GEOMETRY).digit, 0);
  assert.match(derive.whereInWords(row, GEOMETRY, 0), /^80\.0 % of the weight lies on the 1st digit, the right one/);
  assert.match(derive.whereInWords(row, GEOMETRY, 1), /1st digit; the right one, the 2nd, has 20\.0 %/);
  assert.match(derive.whereInWords(row, GEOMETRY, null), /1st digit\.$/);
  assert.deepEqual(
    [1, 2, 3, 4, 11, 12, 13, 21, 22].map(derive.ordinal).join(" "),
    "1st 2nd 3rd 4th 11th 12th 13th 21st 22nd",
  );
});

test("a length has its own test, or those around it, and beyond the lengths that were tested none", () => {
  assert.deepEqual(
    [4, 3, 1, 6].map((length) => derive.testsAround([3, 5], length)),
    [[0, 1], [0], [], []],
  );
  assert.ok(Math.abs(derive.independent(0.99, 15) - 0.86) < 1e-3);
});

test("the URL names what there is, and what is not there is complained of", () => {
  const fields = [
    { name: "at", kind: "number", default: 0, options: [] },
    { name: "told", kind: "choice", default: "own", options: ["own", "right"] },
    { name: "layer", kind: "text", default: "", options: [] },
    { name: "head", kind: "head", default: "mean", options: [] },
    { name: "mask", kind: "yes_no", default: true, options: [] },
    { name: "moved", kind: "moved_weights", default: [], options: [] },
  ];
  const facts = {
    layers: ["cross-2", "cross-1"],
    headsOf: () => 4,
    steps: 5,
    columns: 14,
    told: false,
    masked: true,
    moves: true,
  };
  const asked = { at: 3, layer: "cross-1", head: 2, moved: [[2, -4]] };
  const { view, complaint } = readView(fields, asked, derive.RULES, facts);
  assert.equal(complaint, "");
  assert.equal(
    urlOf("http://here/sequences", fields, view),
    "http://here/sequences?at=4&layer=cross-1&head=3&moved=3.-4",
  );
  for (const wrong of [
    { at: 5 },
    { layer: "cross-9" },
    { head: 4 },
    { told: "right" },
    { moved: [[40, 1]] },
    { moved: "x" },
  ])
    assert.notEqual(readView(fields, wrong, derive.RULES, facts).complaint, "", JSON.stringify(wrong));
  assert.notEqual(readView(fields, { moved: [[1, 2]] }, derive.RULES, { ...facts, moves: false }).complaint, "");
  assert.notEqual(readView(fields, { mask: false }, derive.RULES, { ...facts, masked: false }).complaint, "");
});

const FACTS = {
  width: 700,
  grown: 1,
  narrow: false,
  picture: [28, 56, 1],
  digits: 2,
  pitch: 8,
  features: 7,
  layer: { queries: "steps", keys: "columns" },
  rows: 3,
  columns: 7,
};

test("the columns of the matrix stand below those of the strip, and a place is found again", () => {
  const at = layoutOf(FACTS);
  assert.equal(at.xs[0], at.gutter);
  assert.ok(Math.abs(at.xs[7] - at.gutter - 56 * at.scale) < 1e-9);
  const y = at.matrix[0] + 1.5 * at.rowHeight;
  const x = (at.xs[4] + at.xs[5]) / 2;
  assert.deepEqual(found(at, x, y), { zone: "matrix", row: 1, column: 4 });
  assert.deepEqual(found(at, x, (at.bars[0] + at.bars[1]) / 2), { zone: "bars", row: -1, column: 4 });
  assert.deepEqual(found(at, x, 3), { zone: "strip", row: -1, column: 4 });
  assert.deepEqual(found(at, 5, y), { zone: "gutter", row: 1, column: -1 });
  assert.equal(columnAt(at.xs, -100), 0);
  assert.equal(columnAt(at.xs, 1e6), 6);
});

test("a phone has room for a strip of thirty digits", () => {
  const at = layoutOf({
    ...FACTS,
    width: 335,
    narrow: true,
    picture: [28, 840, 1],
    digits: 30,
    features: 105,
    columns: 105,
    rows: 31,
  });
  assert.ok(at.xs[105] <= 335);
  assert.ok(at.rowHeight >= 12);
});

const STEPS = { name: "additive", title: "Attention", path: "a", queries: "steps", keys: "columns", learnt: true };
const STATE = {
  header: {
    digits: 2,
    pitch: 14,
    classes: ["3", "5", "stop"],
    right: [0, 1, 2],
    reads: [0, 1],
    own: { before: [3, 0, 0] },
    told: { before: [3, 0, 1] },
    layers: [{ ...STEPS, of: "weight" }],
    checkpoint: "a net",
  },
  arrays: {
    "own.probabilities": [0.9, 0.1, 0, 0.6, 0.4, 0, 0, 0, 1],
    "0.own": [0.7, 0.3, 0, 0, 0, 0.4, 0.6, 0, 0.1, 0.2, 0.3, 0.4],
  },
  shapes: { picture: [28, 56, 1], "own.probabilities": [3, 3], "0.own": [1, 3, 4] },
  view: { at: 1, told: "own", layer: "", head: "mean", column: 0, mask: true, moved: [] },
  answered: null,
  gradients: {},
};

test("what is shown follows from state and data: texts, the row of a step, and where it looks", () => {
  const shown = new Shown(STATE);
  assert.deepEqual(shown.letters, ["3", "3", "\u25a0"]);
  assert.deepEqual(shown.right, ["3", "5", "\u25a0"]);
  assert.equal(shown.verdict, "1 of 2 digits in the right place.");
  assert.equal(shown.says, "Step 2 predicts 3");
  assert.equal(shown.how, "60.0 %; it is 5");
  assert.deepEqual(shown.headings, ["3", "5"]);
  near(shown.matrix.subarray(4, 8), [0, 0.4, 0.6, 0]);
  assert.equal(shown.where(shown.matrix.subarray(4, 8)), "60.0 % of the weight lies on the 2nd digit, the right one.");
  assert.equal(
    shown.reading({ row: 1, column: 2 }),
    "Step 2 looks at column 3, in the 2nd digit: weight 0.600, 2.40 \u00d7 an even share.",
  );
});

test("a lesson can ask for what is shown", () => {
  const found = new Shown(STATE).declared;
  near([found.probability, found.weight_on_digit, found.weight_on_right], [0.6, 0.6, 0.6]);
  const { answer, right, step, steps, digit, text, right_text, digits, digits_right, moved, mask } = found;
  assert.deepEqual(
    { answer, right, step, steps, digit, text, right_text, digits, digits_right, moved, mask },
    {
      answer: "3",
      right: "5",
      step: 2,
      steps: 3,
      digit: 2,
      text: "33",
      right_text: "35",
      digits: 2,
      digits_right: 1,
      moved: 0,
      mask: "on",
    },
  );
  assert.equal(
    new Shown({ ...STATE, header: { ...STATE.header, right: null, reads: null } }).declared.right,
    undefined,
  );
});

test("weights follow a hand that is ahead of the answer, by what the answer has not moved yet", () => {
  const view = { ...STATE.view, moved: [[1, 1]] };
  near(new Shown({ ...STATE, view }).matrix.subarray(4, 8), [0, 0, 0.4, 0.6]);
  const weights = { values: [0.7, 0.3, 0, 0, 0, 0, 0.4, 0.6, 0.1, 0.2, 0.3, 0.4], shape: [1, 3, 4] };
  const answered = {
    probabilities: [0.9, 0.1, 0, 0.2, 0.8, 0, 0, 0, 1],
    weights,
    moved: view.moved,
    layer: "additive",
  };
  const shown = new Shown({ ...STATE, view, answered });
  near(shown.matrix.subarray(4, 8), [0, 0, 0.4, 0.6]);
  assert.equal(shown.how, "before: 3, 60.0 %");
  assert.deepEqual(shown.lettersBefore, ["3", "3", "\u25a0"]);
});

const TWO = {
  ...STATE,
  header: {
    ...STATE.header,
    layers: ["additive", "decoder"].map((name, i) => ({ ...STEPS, name, keys: i ? "steps" : "columns", of: "weight" })),
  },
  arrays: { ...STATE.arrays, "1.own": [1, 0, 0, 0.5, 0.5, 0, 0.2, 0.2, 0.6] },
  shapes: { ...STATE.shapes, "1.own": [1, 3, 3] },
};

test("another layer never shows the weights of the one that was answered", () => {
  const view = { ...STATE.view, mask: false, layer: "decoder" };
  const answered = {
    probabilities: [0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 0, 1], // a step more than before
    weights: { values: new Array(16).fill(0.25), shape: [1, 4, 4] },
    moved: [],
    layer: "additive",
  };
  const shown = new Shown({ ...TWO, view, answered });
  assert.deepEqual(shown.letters, ["5", "5", "5", "\u25a0"]);
  near(shown.matrix, [1, 0, 0, 0.5, 0.5, 0, 0.2, 0.2, 0.6, 0, 0, 0]);
  near(new Shown({ ...TWO, view, answered: { ...answered, layer: "decoder" } }).matrix, answered.weights.values);
});

/** The component without a document: what it shows, what it says, and what it points at on its legend. */
function partOf(more = {}) {
  const part = Object.create(Alignment.prototype);
  const { view, ...data } = TWO;
  Object.assign(part, data, {
    url: { now: { ...view, layer: "decoder", ...more } },
    theme: {},
    palettes: {},
    room: 700,
    looked: null,
    live: { data: "" },
    toAnnounce: false,
    player: { on: false, stop() {} },
    pointed: [],
    stage: {},
    asker: { rest() {} },
    root: { classList: { remove() {} } },
    scene: { at: { rows: 3, columns: 3 }, facts: {}, layout() {}, paint() {} },
    settle() {},
    refit() {},
    saySoon() {},
  });
  part.legend = { element: {}, colour() {}, say() {}, point: (value) => part.pointed.push(value) };
  part.shown = new Shown(part);
  return part;
}

test("a place that is looked at is let go of with its layer or text, and where there is none any more", () => {
  for (const changes of [{ layer: "" }, { told: "own" }]) {
    const part = partOf();
    part.looked = { row: 1, column: 1 };
    part.set(changes);
    assert.equal(part.looked, null, JSON.stringify(changes));
  }
  for (const [place, stays] of [
    [{ row: 2, column: 2 }, true],
    [{ row: -1, column: 2 }, true],
    [{ row: 3, column: 2 }, false],
    [{ row: 2, column: 3 }, false],
  ]) {
    const part = partOf();
    part.look(place);
    assert.equal(part.looked !== null, stays, JSON.stringify(place));
  }
});

test("the legend points at the weight that is looked at, of another row too", () => {
  const part = partOf();
  const row = part.shown.matrix.subarray(3, 6); // that of the step
  for (const looked of [{ row: 2, column: 2 }, { row: -1, column: 1 }, { row: 2, column: -1 }, null]) {
    part.looked = looked;
    part.sayLegend(row);
  }
  const rounded = (values) => values.map((value) => value.toFixed(6));
  assert.deepEqual(rounded(part.pointed), rounded([0.6 * 3, 0.5 * 3, NaN, NaN]));
});

test("a column that is read with the keys is what is said, and not the step", () => {
  const part = partOf();
  const key = { key: "ArrowRight", composedPath: () => [part.stage] };
  assert.ok(pressed(part, /** @type {any} */ (key)));
  assert.match(part.live.data, /^Step 2 looks at step 1/);
  part.announceDone(() => "Step 2 predicts 3"); // a frame later, with the other words
  assert.match(part.live.data, /^Step 2 looks at step 1/);
});

test("gradients stand beside the text of the net as it is, not beside the answer to moved weights", () => {
  const gradient = { ...STEPS, name: "gradient", of: "gradient" };
  const part = partOf({ layer: "gradient" });
  part.header = { ...TWO.header, layers: [...TWO.header.layers, gradient], origin: {} };
  part.asker.ask = () => {};
  const weights = { values: [1], shape: [1, 1, 1] };
  part.answered = { probabilities: [0, 0, 1], weights, moved: [[0, 1]], layer: "additive" };
  part.follow();
  assert.deepEqual(part.shown.letters, ["3", "3", "\u25a0"]);
});

test("what was measured at a length is said beside what independent errors would give", () => {
  const curve = { lengths: [1, 15], digits: [0.99, 0.99], exact: [0.99, 0.85], distance: [] };
  assert.equal(
    derive.hereInWords(curve, { measure: "exact", length: 15 }),
    "With 15 digits this model reads 85.0 % of the strips without an error; 99.0 % a digit would give 86.0 % if " +
      "errors did not depend on each other (dotted).",
  );
  assert.equal(
    derive.hereInWords({ ...curve, distance: [0.01, 0.05] }, { measure: "digits", length: 15 }),
    "With 15 digits this model gets 99.0 % of the digits right. 0.050 changes per digit would mend its answers.",
  );
});

test("at a length that was not tested nothing is said to be measured but what was, around it", () => {
  const curve = { lengths: [20, 25], digits: [0.8, 0.6], exact: [0.3, 0.1], distance: [0.1, 0.2] };
  assert.equal(
    derive.hereInWords(curve, { measure: "exact", length: 22 }),
    "This model has not been tested with 22 digits. With 20 it reads 30.0 % of the strips without an error, and " +
      "10.0 % with 25.",
  );
  assert.equal(
    derive.hereInWords(curve, { measure: "digits", length: 22 }),
    "This model has not been tested with 22 digits. With 20 it gets 80.0 % of the digits right, and 60.0 % with 25.",
  );
  assert.equal(
    derive.hereInWords(curve, { measure: "digits", length: 1 }),
    "This model has not been tested on strips of 1 digit.",
  );
});

test("a model keeps its dashes while another one is chosen", () => {
  const first = derive.numbered(new Map(), ["a", "b", "c"]);
  assert.deepEqual(
    [...derive.numbered(first, ["c", "d", "a"])],
    [
      ["a", 0],
      ["b", 1],
      ["c", 2],
      ["d", 3],
    ],
  );
});
