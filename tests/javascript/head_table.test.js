// Heads of a net over many pictures: axes, points, brushes, keys and words.

import assert from "node:assert/strict";
import test from "node:test";

import { toSvg } from "../../attnviz/ui/frontend/export/sheet.js";
import {
  axesOf,
  axisOf,
  brushByKey,
  brushOf,
  colourScale,
  headByKey,
  insideOf,
  inWords,
  meanWords,
  nearest,
  pointsOf,
  readBrush,
  RULES,
  summaryOf,
  tableOf,
  tickWords,
  writeBrush,
} from "../../attnviz/ui/frontend/head_table/derive.js";
import { files } from "../../attnviz/ui/frontend/head_table/export.js";
import { LOOK } from "./helpers.js";

const measure = (name, scale, unit = "") => ({ name, title: name, unit, about: "", scale, none: "There is none." });
const SHOWN = {
  measures: [measure("entropy", "positive", "bits"), measure("effect", "signed", "logits"), measure("object", "unit")],
  heads: [
    { name: "1.1", path: "a", layer: 0, number: 0 },
    { name: "1.2", path: "a", layer: 0, number: 1 },
    { name: "2.1", path: "b", layer: 1, number: 0 },
  ],
  nearest: [1, 0, -1],
  pictures: 2000,
  own: {
    means: Float64Array.of(1, 2, 4, -1, 0, 3, NaN, NaN, NaN),
    lows: Float64Array.of(0.9, 1.9, 3.9, -1.2, -0.1, 2, NaN, NaN, NaN),
    highs: Float64Array.of(1.1, 2.1, 4.1, -0.8, 0.1, 4, NaN, NaN, NaN),
  },
  random: null,
};

test("axes have round ends that hold all intervals", () => {
  assert.deepEqual(axisOf(SHOWN, 1, false), { low: -2, high: 4, ticks: [-2, 0, 2, 4] });
  const { low, high } = axisOf(SHOWN, 0, false);
  assert.ok(low <= 0.9 && high >= 4.1);
  assert.equal(axisOf(SHOWN, 2, false), null);
  assert.deepEqual(tickWords([0, 0.5, 1]), ["0", "0.500", "1.00"]);
  assert.deepEqual(tickWords([4.6418, 4.642, 4.6422]), ["4.6418", "4.6420", "4.6422"]);
  const beside = {
    ...SHOWN,
    random: { means: new Float64Array(9).fill(40), lows: SHOWN.own.lows, highs: SHOWN.own.highs },
  };
  assert.equal(axisOf(beside, 1, true).high, 40);
  assert.equal(axisOf(beside, 1, false).high, 4);
});

test("points lie where their means are, and a brush holds those inside", () => {
  const across = { at: 0, axis: { low: 0, high: 4 } };
  const up = { at: 1, axis: { low: -1, high: 3 } };
  const points = pointsOf(SHOWN, SHOWN.own, across, up);
  assert.deepEqual(points.map(({ x, y }) => [x, y]), [[0.25, 0], [0.5, 0.25], [1, 1]]); // prettier-ignore
  assert.deepEqual(insideOf(points, [0, 0.5, 0, 0.25]), [true, true, false]);
  assert.deepEqual(insideOf(points, null), [true, true, true]);
  assert.equal(nearest(points, [0.5, 0.3], [100, 100], 12), 1);
  assert.equal(nearest(points, [0.5, 0.5], [100, 100], 12), -1);
});

test("a brush is written into the URL and read from it", () => {
  assert.deepEqual(readBrush("0,0.5,0.25,1"), [0, 0.5, 0.25, 1]);
  assert.equal(writeBrush([0, 0.5, 0.25, 1]), "0,0.5,0.25,1");
  for (const word of ["", "0,1", "0.5,0,0,1", "0,2,0,1", "a,b,c,d"]) assert.equal(readBrush(word), null);
  assert.deepEqual(brushOf([0.8, -1], [0.2, 0.5]), [0.2, 0.8, 0, 0.5]);
  assert.equal(brushOf([0.5, 0.5], [0.5, 0.5]), null);
});

test("keys begin, move, change and end a brush", () => {
  const { brush } = brushByKey(null, "Enter", false);
  const moved = brushByKey(brush, "ArrowLeft", false).brush.map((part) => part.toFixed(2));
  assert.deepEqual(moved, ["0.20", "0.70", "0.25", "0.75"]);
  assert.deepEqual(brushByKey([0, 0.5, 0.5, 1], "ArrowLeft", false).brush, [0, 0.5, 0.5, 1]);
  assert.equal(brushByKey([0, 0.5, 0.5, 0.9], "ArrowUp", true).brush[3].toFixed(2), "0.95");
  assert.deepEqual(brushByKey(brush, "Delete", false), { brush: null });
  assert.equal(brushByKey(null, "ArrowLeft", false), null);
});

test("keys go over the board by layers and heads", () => {
  const { heads } = SHOWN;
  const led = ["ArrowRight", "ArrowDown", "ArrowLeft", "End"].map((key) => headByKey(heads, 0, key));
  assert.deepEqual(led, [1, 2, 0, 2]);
  assert.equal(headByKey(heads, 1, "ArrowDown"), 1); // there is no second head in layer 2
  assert.equal(headByKey(heads, 0, "a"), null);
});

test("a head is said in words, with its interval", () => {
  assert.equal(meanWords(SHOWN, SHOWN.own, 0, 1), "entropy 2.00 (1.90 to 2.10) bits");
  assert.equal(meanWords(SHOWN, SHOWN.own, 2, 1), "object: There is none.");
  assert.match(
    inWords(SHOWN, 0, ["entropy", "effect", "entropy"]),
    /^Head 1\.1: entropy 1.00 .*; effect \u22121.00 .*like it: head 1\.2\.$/,
  );
  assert.equal(summaryOf(SHOWN, [true, true, true]), "All 3 heads, over 2,000 pictures.");
  assert.equal(summaryOf(SHOWN, [true, false, true]), "2 of 3 heads: 1.1, 2.1, over 2,000 pictures.");
});

test("colours of a signed measure have 0 in the middle", () => {
  const { place, bound } = colourScale(SHOWN, 1);
  assert.deepEqual([place(0), place(3), place(-3), bound], [0.5, 1, 0, 3]);
  assert.equal(colourScale(SHOWN, 0).place(4), 1);
});

test("the table has a row for each head", () => {
  const { head, rows } = tableOf(SHOWN);
  assert.equal(head.length, 2 + 3 * 3);
  assert.deepEqual(rows[2].slice(0, 5), ["2.1", "b", 4, 3.9, 4.1]);
});

test("a view names heads and brushes that there are", () => {
  assert.ok(RULES.exists({ kind: "number" }, 2, SHOWN, {}));
  assert.ok(!RULES.exists({ kind: "number" }, 3, SHOWN, {}));
  assert.ok(!RULES.exists({ kind: "text" }, "nonsense", SHOWN, {}));
});

test("a saved picture has a dot and a cell for each head, where they belong", () => {
  const view = { across: "entropy", up: "effect", colour: "entropy", head: 1, random: false, brush: "" };
  const url = { link: () => "http://here/heads" };
  const part = { ...LOOK, shown: SHOWN, view, url, header: { origin: { model: "small" } } };
  const sheet = files({ ...part, scatter: { inside: [true, true, true], brush: null } }).sheet();
  const dots = sheet.items.filter(({ kind, points }) => kind === "line" && points.length > 2);
  const cells = sheet.items.filter(({ kind }) => kind === "bar");
  assert.deepEqual([dots.length, cells.length], [3, 3]);
  const points = pointsOf(SHOWN, SHOWN.own, axesOf(SHOWN, view).across, axesOf(SHOWN, view).up);
  const x = dots.map((dot) => dot.points[0][0]);
  assert.ok(Math.abs((x[1] - x[0]) / (x[2] - x[0]) - (points[1].x - points[0].x) / (points[2].x - points[0].x)) < 1e-9);
  assert.equal(cells[2].colours[0], LOOK.palettes.positive[254]); // of the highest entropy
  assert.ok(cells[2].y > cells[0].y && cells[1].x > cells[0].x);
  const svg = toSvg(sheet);
  assert.doesNotMatch(svg, /undefined|NaN/);
  for (const said of ["1.1", "1.2", "2.1", "layer 2", "effect against entropy"])
    assert.ok(svg.includes(`>${said}<`), said);
});
