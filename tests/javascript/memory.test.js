// What a tab keeps of the draw page until it is closed: a reload begins where one was.

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { forget, here, keepHere, keepLast, last } from "../../attnviz/ui/frontend/drawing_pad/memory.js";
import { Pad } from "../../attnviz/ui/frontend/drawing_pad/pad.js";
import { LastDrawings } from "../../attnviz/ui/frontend/drawing_pad/side.js";
import { enlarged } from "../../attnviz/ui/frontend/draw/arrays.js";
import { Cards } from "../../attnviz/ui/frontend/draw/cards.js";
import { shownBy } from "../../attnviz/ui/frontend/draw/links.js";
import { fromLink, pinnedAgain } from "../../attnviz/ui/frontend/draw/pin.js";
import { DrawingPad } from "../../attnviz/ui/frontend/drawing_pad/drawing_pad.js";
import { straight } from "./helpers.js";

const UPLOAD = { name: "file-1", side: 28, values: Uint8Array.from({ length: 784 }, (_, at) => at % 256) };
const [ONE, TWO] = [
  straight("ink", 20, [
    [10, 10],
    [90, 90],
  ]),
  straight("erase", 8, [
    [50, 10],
    [50, 90],
  ]),
];
const step = (id, base, ...strokes) => ({ id, base, strokes });
const EMPTY = step("a", null);
const HISTORY = {
  past: [EMPTY, step("a", null, ONE), step("b", UPLOAD)],
  now: step("b", UPLOAD, TWO),
  future: [step("b", UPLOAD, TWO, ONE)],
};
const KEPT = { drawing: HISTORY.now, history: HISTORY, centred: false, known: { drawing: "" }, pending: [] };
const NOW = { heads: { "some.model": 2 }, map: "jacobian", change: true, pin_trained: null, pin: null };

let [room, written] = [Infinity, /** @type {Record<string, string>} */ ({})];
const storage = {
  getItem: (name) => written[name] ?? null,
  removeItem: (name) => delete written[name],
  setItem(name, value) {
    if (value.length > room) throw new Error("full");
    written[name] = value;
  },
};
for (const name of ["sessionStorage", "localStorage"])
  Object.defineProperty(globalThis, name, { value: storage, configurable: true });
beforeEach(() => {
  [room, written] = [Infinity, {}];
});

test("a reload brings back the drawing, what can be undone and redone, and what the panels showed", () => {
  const panels = {
    now: NOW,
    known: { ...NOW, heads: {} },
    pinned: { now: step("c", UPLOAD, ONE), centred: false, trained: 25 },
  };
  keepHere({ ...KEPT, panels });
  const pinned = { now: { ...panels.pinned.now, id: "c" }, centred: false, trained: 25 };
  assert.deepEqual(here(), { ...KEPT, panels: { ...panels, pinned } });
});

test("of the last drawings each is shown as it is: after an undo, with the stroke that was drawn then", () => {
  const shown = [];
  const lasts = Object.assign(Object.create(LastDrawings.prototype), {
    ...{ element: {}, forgetter: {}, words: {}, refused: false },
    thumbs: { show: (drawings) => shown.push(drawings.map(({ strokes }) => strokes)), mark() {} },
  });
  for (const stroke of [ONE, TWO, TWO]) {
    lasts.keep(step("a", null, stroke), true);
    lasts.show("a");
  }
  assert.deepEqual(shown, [[[ONE]], [[TWO]]]);
});

test("only what a hand has drawn is among the last drawings, and what was deleted comes with its next stroke", () => {
  const ids = () => last().map(({ id }) => id);
  const pad = Object.assign(Object.create(Pad.prototype), {
    ...{ now: step("own", null), past: [], future: [], own: new Set(), replace() {}, draw() {} },
    show: (next) => (pad.now = next),
    surface: { values: [1] },
  });
  const lasts = { keep: (now, own) => keepLast(now, own) };
  const owner = { pad, lasts, begun: true, toKeep: () => ({ ...KEPT, panels: null }), saySoon() {} };
  const page = /** @type {any} */ ({ ...owner, announce() {} });
  pad.sheet = { focus() {} };
  const keep = () => DrawingPad.prototype.keep.call(page);
  pad.add(ONE);
  keep();
  for (let link = 0; link < 10; link++) {
    pad.now = step(`of a link ${link}`, null, TWO);
    keep();
  }
  assert.deepEqual(ids(), ["own"]);
  pad.now = step("own", null, ONE);
  forget();
  DrawingPad.prototype.forgotten.call(page);
  keep();
  assert.deepEqual(ids(), [], "the page ran once more");
  pad.add(TWO);
  keep();
  assert.deepEqual(ids(), ["own"]);
});

test("no drawing stands twice among the last ones, whatever it was called when it came back", () => {
  const shown = () => last().map(({ id, strokes }) => [id, strokes.length]);
  keepLast(step("first", null, ONE), true);
  keepLast(step("second", null, TWO), true);
  keepLast(step("again", null, ONE), true);
  assert.deepEqual(shown(), [
    ["again", 1],
    ["second", 1],
  ]);
  keepLast(step("second", null, ONE), true);
  assert.deepEqual(shown(), [["second", 1]]);
  keepLast(step("other", UPLOAD, ONE), true);
  assert.equal(shown().length, 2);
});

test("each stroke and each picture is kept once, however many steps they are in", () => {
  keepHere({ ...KEPT, panels: null });
  const { history } = JSON.parse(written["attnviz.drawing"]);
  assert.deepEqual([history.strokes.length, history.bases.length, history.steps.length], [2, 1, 5]);
});

test("where there is no room for all steps, the drawing is kept without them", () => {
  keepHere({ ...KEPT, panels: null });
  room = written["attnviz.drawing"].length - 1;
  keepHere({ ...KEPT, panels: null });
  assert.deepEqual(here(), { ...KEPT, history: null, panels: null });
});

for (const damage of [{ strokes: ["AAAA"] }, { at: 9 }, { bases: [] }, { steps: 7 }]) {
  test(`steps that are damaged are forgotten, and the drawing is not: ${JSON.stringify(damage)}`, () => {
    keepHere({ ...KEPT, panels: null });
    const kept = JSON.parse(written["attnviz.drawing"]);
    written["attnviz.drawing"] = JSON.stringify({ ...kept, history: { ...kept.history, ...damage } });
    assert.deepEqual(here(), { ...KEPT, history: null, panels: null });
  });
}

for (const [canvas, channels] of [
  [280, 1],
  [256, 3],
]) {
  test(`a sample that was pinned is still that sample after a reload, with ${channels} channels`, () => {
    const side = canvas === 280 ? 28 : 32;
    const values = Uint8Array.from({ length: side * side * channels }, (_, at) => at % 251);
    const sample = enlarged({ values, shape: [side, side, channels] });
    const questions = { show: (showing) => showing };
    const how = { centred: true, settled: true, empty: true, now: EMPTY, drawn: null };
    const showing = Cards.prototype.show.call(/** @type {any} */ ({ sample, questions }), sample.canvas, how);
    const cards = { cards: [], map: "attention", trained: null, pin: { change: false, showing } };
    const pad = { now: EMPTY, memory: { ...HISTORY, now: EMPTY } };
    const page = { pad, cards, centred: true, known: null, pending: [], header: { panels: null } };
    keepHere(DrawingPad.prototype.toKeep.call(/** @type {any} */ (page)));
    const { now, centred } = /** @type {any} */ (here()).panels.pinned;
    const again = pinnedAgain(now, centred, null, { canvas, channels, centres: true }, null);
    assert.deepEqual([again.pictures, again.prepare], [sample.canvas, { centred: false }]);
  });
}

test("heads, maps and the pinned drawing are said to Python; a comparison with what no URL can hold is not", () => {
  const cards = [3, null].map((head, at) => ({ head, model: { checkpoint: `model.${at}` } }));
  const drawn = { drawing: "abc", base: null, centred: true };
  const shown = { map: "attention", trained: 25, pin_trained: null };
  const owner = (showing) => /** @type {any} */ ({ cards, ...shown, pin: { change: true, showing } });
  const heads = { "model.0": 3 };
  for (const [then, said] of [
    [25, null],
    [50, 50],
    [null, 100],
  ]) {
    const pinned = { ...shown, pin_trained: said, change: true, pin: drawn };
    assert.deepEqual(shownBy(owner({ drawn, trained: then })), { heads, ...pinned });
    const sheet = { canvas: 280, channels: 1, centres: true };
    assert.equal(fromLink({ drawing: "", base: null, centred: true }, sheet, pinned).trained, then);
  }
  for (const showing of [null, { drawn: null }])
    assert.deepEqual(shownBy(owner(showing)), { heads, ...shown, change: false, pin: null });
});
