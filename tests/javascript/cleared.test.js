// Which drawings were cleared from the pad before the current one: each report to Python contains them all, since the
// page may run once for several reports.

import assert from "node:assert/strict";
import test from "node:test";

import { DrawingPad } from "../../attnviz/ui/frontend/drawing_pad/drawing_pad.js";
import { Pad } from "../../attnviz/ui/frontend/drawing_pad/pad.js";
import { straight } from "./helpers.js";

const STROKE = straight("ink", 20, [
  [10, 10],
  [90, 90],
]);

/** A pad without a sheet, and the page's report about it. */
function pages() {
  const pad = Object.assign(Object.create(Pad.prototype), {
    ...{ past: [], future: [], own: new Set(), surface: { draw() {} }, tell() {}, draw() {}, repaint() {} },
    show: (next) => (pad.now = next),
  });
  pad.now = { id: "first", base: null, strokes: [] };
  const header = { cards: { settled: true }, longest: 1500 };
  const page = Object.assign(Object.create(DrawingPad.prototype), { pad, header, settle() {} });
  Object.defineProperty(page, "cards", { value: null });
  const words = () => {
    const { word, cleared } = page.settled().seen;
    return [word, ...cleared.map(([, input]) => input)];
  };
  const draw = (input) => {
    pad.add(STROKE);
    page.saw(input);
  };
  return { pad, page, header, words, draw };
}

test("a report contains the input of each drawing that was cleared, the oldest first", () => {
  const { pad, page, words, draw } = pages();
  draw("three");
  assert.deepEqual(words(), ["three"]);
  pad.clear();
  assert.deepEqual(words(), ["", "three"], "before the models have answered");
  draw("seven");
  pad.clear();
  draw("one");
  assert.deepEqual(words(), ["one", "three", "seven"]);
  const names = page.settled().seen.cleared.map(([name]) => name);
  assert.equal(new Set(names).size, 2);
});

test("an undo of Clear takes it from the report, and a redo brings back the same clearing", () => {
  const { pad, page, words, draw } = pages();
  draw("three");
  pad.clear();
  draw("seven");
  const before = page.settled().seen;
  pad.undo();
  pad.undo();
  assert.deepEqual(words(), ["three"]);
  pad.redo();
  pad.redo();
  assert.deepEqual(page.settled().seen, before);
});

test("another picture on the pad keeps what was cleared before it", () => {
  const { pad, page, words, draw } = pages();
  draw("three");
  pad.clear();
  pad.open({ base: null, strokes: [STROKE] });
  page.saw("a sample");
  assert.deepEqual(words(), ["a sample", "three"]);
});

test("of many cleared drawings the last fifteen are reported", () => {
  const { pad, words, draw } = pages();
  for (let number = 0; number < 20; number++) {
    draw(`drawing ${number}`);
    pad.clear();
  }
  assert.deepEqual(words().slice(1).at(0), "drawing 5");
  assert.equal(words().length, 16);
});

test("nothing is reported unless the page asks for it", () => {
  const { page, header, draw } = pages();
  header.cards.settled = false;
  draw("three");
  assert.equal(page.settled().seen, null);
});
