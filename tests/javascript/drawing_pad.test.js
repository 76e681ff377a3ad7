// What the draw page says of a drawing, keeps and links, and the strokes of a hand and of keys.

import assert from "node:assert/strict";
import test from "node:test";

import * as pad from "../../attnviz/ui/frontend/drawing_pad/derive.js";
import { Seen } from "../../attnviz/ui/frontend/drawing_pad/side.js";

const STROKE = { tool: "ink", width: 20, points: [0, 0, 100, 200], pressures: [10, 20] };
const UPLOAD = { name: "upload", side: 28, values: new Uint8Array(784) };
const SAMPLE = { ...UPLOAD, name: "strokes.12" };
const drawn = (drawing) => ({ drawing, base: null, centred: true });

test("strokes that are too long stay out of a link, and so does a picture that is no sample", () => {
  const obstacle = (base, strokes, short) => pad.obstacleOf({ base, strokes }, short);
  assert.equal(obstacle(null, [STROKE], ""), "strokes");
  assert.equal(obstacle(UPLOAD, [STROKE], ""), "strokes");
  assert.equal(obstacle(UPLOAD, [STROKE], "abc"), "base");
  assert.equal(obstacle(SAMPLE, [STROKE], "abc"), null);
  assert.equal(obstacle(null, [], ""), null);
});

test("a picture of a file is called a sample only if it is that sample: a link would bring another one", () => {
  const samples = [{ base: SAMPLE }];
  const named = (base) => pad.fromFile({ base, strokes: [STROKE] }, samples).base?.name;
  assert.equal(named({ ...SAMPLE }), "strokes.12");
  const other = { ...SAMPLE, values: SAMPLE.values.map(() => 7) };
  for (const base of [other, { ...SAMPLE, name: "strokes.13" }, { ...SAMPLE, name: "photo.png" }]) {
    assert.equal(named(base), "file");
    assert.ok(!pad.fitsLink(pad.fromFile({ base, strokes: [] }, samples).base));
  }
  assert.deepEqual(pad.fromFile({ base: null, strokes: [STROKE] }, samples), { base: null, strokes: [STROKE] });
  assert.ok(!pad.fitsLink({ ...SAMPLE, name: "photo.png" }));
});

test("an empty pad is not said to be centred while that is switched off", () => {
  const seen = { box: { checked: true }, centres: true, picture: null, words: { data: "" }, draw() {} };
  const shown = Object.assign(Object.create(Seen.prototype), seen);
  const said = (/** @type {boolean} */ centred) => (shown.set(centred), shown.words.data);
  assert.match(said(true), /^Your drawing is cut out/);
  assert.match(said(false), /^The whole pad, scaled/);
});

test("a link says the drawing, the panels if there are any, and the drawing that is pinned", () => {
  const panels = { models: "", heads: "", map: "attention", change: false, trained: "", pin_trained: "" };
  const bare = { strokes: "abc", start: null, centred: true, ...panels };
  const none = { pin: "", pin_start: null, pin_centred: true };
  assert.deepEqual(pad.linkedOf(drawn("abc"), {}), { ...bare, ...none });
  const pin = { drawing: "xyz", base: "strokes.3", centred: false };
  assert.deepEqual(pad.linkedOf(drawn("abc"), { models: "one,two", heads: "1", map: "lrp", pin }), {
    ...bare,
    models: "one,two",
    heads: "1",
    map: "lrp",
    pin: "xyz",
    pin_start: "strokes.3",
    pin_centred: false,
  });
});

test("each drawing to start from has its own picture of 28 x 28", () => {
  const values = Uint8Array.from({ length: 2 * 784 }, (_, i) => (i < 784 ? 1 : 2));
  const [one, two] = pad.startsOf(
    ["3", "8"].map((label) => ({ name: `strokes.${label}`, label })),
    values,
  );
  assert.deepEqual([one.words, two.base.name, two.strokes], ["Start from a drawn 3", "strokes.8", []]);
  assert.deepEqual(
    [one, two].map(({ base }) => [base.values.length, ...new Set(base.values)]),
    [
      [784, 1],
      [784, 2],
    ],
  );
});

test("what a tab kept counts where the URL is empty, or says what the tab had told", () => {
  const kept = { known: drawn("a"), pending: [drawn("ab"), drawn("abc")] };
  for (const written of ["", "a", "ab", "abc"]) assert.ok(pad.isNewer(kept, drawn(written)), written);
  assert.ok(!pad.isNewer(kept, drawn("other")));
  assert.ok(!pad.isNewer({ known: drawn("a") }, drawn("ab")));
  assert.ok(!pad.isNewer(kept, { ...drawn(""), centred: false }));
});

test("what a tab kept of its panels counts where the URL says nothing of them, what it said then, or the same", () => {
  const [nothing, one, two] = [{}, { heads: { a: 1, b: 2 } }, { map: "jacobian" }].map((some) => ({
    ...{ heads: {}, map: "attention", change: false, trained: null, pin_trained: null, pin: null },
    ...some,
  }));
  const kept = { known: one, now: two };
  for (const url of [nothing, { ...one, heads: { b: 2, a: 1 } }, two]) assert.ok(pad.panelsNewer(kept, url));
  assert.ok(!pad.panelsNewer(kept, { ...nothing, heads: { a: 0 } }));
});

test("once the URL speaks of a drawing, only those after it are awaited", () => {
  const pending = ["a", "ab", "abc"].map(drawn);
  assert.deepEqual(pad.pendingAfter(pending, drawn("ab")), [drawn("abc")]);
  assert.deepEqual(pad.pendingAfter(pending, drawn("other")), pending);
});

test("Ctrl or Cmd with Z undoes, with Y or Shift and Z redoes; other keys do neither", () => {
  const step = (key, more) => pad.stepOf({ key, ...more });
  assert.deepEqual(
    [step("z", { ctrlKey: true }), step("Z", { metaKey: true, shiftKey: true }), step("y", { ctrlKey: true })],
    ["undo", "redo", "redo"],
  );
  assert.deepEqual(
    [step("z"), step("z", { ctrlKey: true, altKey: true }), step("a", { ctrlKey: true })],
    [null, null, null],
  );
});

test("sizes are not parted between two lines", () => {
  assert.equal(
    pad.captionOf("to 20 \u00d7 20, in 28 \u00d7 28"),
    "to 20\u00a0\u00d7\u00a020, in 28\u00a0\u00d7\u00a028",
  );
  assert.match(pad.captionOf(""), /^Your drawing is cut out, scaled to 20\u00a0\u00d7\u00a020 pixels/);
});

test("the next point of a stroke is four canvas pixels away, and the first one anywhere", () => {
  assert.ok(pad.isNear([50, 50, 0, 0], [9, 12])); // 15 quarters of a pixel
  assert.ok(!pad.isNear([50, 50, 0, 0], [0, 16]));
  assert.ok(!pad.isNear([], [0, 0]));
});

test("the tip of the pen leads from the last point; a stroke ends there unless the hand came back to it", () => {
  const rest = [101, 203, 30];
  const given = structuredClone(STROKE);
  assert.deepEqual(pad.tipOf(given, rest), { ...STROKE, points: [100, 200, 101, 203], pressures: [20, 30] });
  assert.equal(pad.tipOf({ ...given, pressures: null }, rest).pressures, null);
  assert.deepEqual(pad.endedAt(given, rest), {
    ...STROKE,
    points: [0, 0, 100, 200, 101, 203],
    pressures: [10, 20, 30],
  });
  for (const same of [null, [100, 200, 30]]) assert.deepEqual(pad.endedAt(given, same), STROKE);
  assert.deepEqual(given, STROKE);
});

test("a line of keys goes from the middle of one cell to that of the next, and on; at the edge nowhere", () => {
  assert.deepEqual(pad.centreOf([0, 27]), [1100, 20]); // quarters of one of 280 pixels, ten of which are a cell
  const points = pad.lineTo([0, 0], [0, 1], null);
  assert.deepEqual(points, [20, 20, 60, 20]);
  assert.deepEqual(pad.lineTo([0, 1], [1, 1], { points }), [...points, 60, 60]);
  assert.equal(pad.lineTo([0, 1], [0, 1], { points }), null);
  assert.equal(pad.lineTo([0, 0], [0, 0], null), null);
});

test("a cell is said with its place, from 1, and what lies in it", () => {
  assert.equal(pad.placeOf(0, 27), "row 1, column 28");
  assert.deepEqual([0, 0.02, 0.03, 0.5, 0.51].map(pad.contentOf), [
    "background",
    "background",
    "the edge of ink",
    "the edge of ink",
    "ink",
  ]);
});
