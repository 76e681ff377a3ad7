// Hands on a picture and its grid: what can be undone, which pointer holds, numbers that are typed, and what is said
// while the network has not answered.

import assert from "node:assert/strict";
import test from "node:test";

import { IDENTITY } from "../../attnviz/ui/frontend/sampling_grid/affine.js";
import * as derive from "../../attnviz/ui/frontend/sampling_grid/derive.js";
import { anywhere, listen } from "../../attnviz/ui/frontend/sampling_grid/hands.js";
import { Past } from "../../attnviz/ui/frontend/sampling_grid/past.js";
import { SamplingGrid } from "../../attnviz/ui/frontend/sampling_grid/sampling_grid.js";
import { Scene } from "../../attnviz/ui/frontend/sampling_grid/scene.js";
import { ThetaPanel } from "../../attnviz/ui/frontend/sampling_grid/theta.js";

const OWN = Object.freeze({ ...derive.FREE, drag: "picture" });
const event = (type, more = {}) => Object.assign(new Event(type, { cancelable: true }), more);

/** A component with a view and a past, without a page. */
function componentOf(view, more = {}) {
  const node = () => Object.assign(new EventTarget(), { getAttribute: () => "", setAttribute() {} });
  const classes = new Set();
  const classList = { add: (name) => classes.add(name), remove: (name) => classes.delete(name), toggle() {} };
  const part = Object.assign(Object.create(SamplingGrid.prototype), {
    ...{ classes, url: { now: { ...OWN, ...view } }, past: new Past(), shapes: { picture: [4, 4, 1] } },
    ...{ arrays: { mean: IDENTITY }, header: { angles: { slope: 1, offset: 0, here: 10 }, classes: ["0", "1"] } },
    ...{ answered: { theta: IDENTITY, probabilities: [0.25, 0.75], move: derive.STILL } },
    ...{ before: { probabilities: [0.25, 0.75] }, parts: { angle: -20, shear: 0 }, looked: -1, failed: false },
    ...{ asker: { pending: false, rest() {} }, theta: { rewrite() {} }, scene: { listen() {} } },
    ...{ stage: node(), seenBoard: node(), seen: { canvas: node(), board: {} } },
    root: Object.assign(node(), { classList }),
    ...{ guard: (act) => act(), settle() {}, follow() {}, draw() {} },
    ...more,
  });
  listen(part);
  part.root.addEventListener("keydown", (event) => anywhere(part, /** @type {any} */ (event)));
  return part;
}

test("what the same hand does is one step, and after another picture it is a new one", () => {
  const past = new Past();
  past.keep({ rotate: 0 }, "rotate");
  past.keep({ rotate: 1 }, "rotate");
  assert.equal(past.length, 1);
  past.clear();
  assert.equal(past.length, 0);
  past.keep({ rotate: 2 }, "rotate");
  assert.deepEqual(past.back(), { rotate: 2 });
  assert.equal(past.back(), undefined);
});

test("a drag that moved nothing is no step, and a hundred steps are kept", () => {
  const past = new Past();
  past.keep({ rotate: 0 }, "");
  past.end({ rotate: 0 });
  assert.equal(past.length, 0);
  for (let step = 0; step < 120; step++) past.keep({ step }, "");
  assert.equal(past.length, 100);
  assert.deepEqual(past.back(), { step: 119 });
});

test("what changes nothing is no step: all released, a part reset, a key that is at its end", () => {
  const part = componentOf({});
  part.choose(derive.FREE, "");
  part.slide("rotate", null);
  for (const key of ["Delete", "Escape"]) part.stage.dispatchEvent(event("keydown", { key }));
  assert.equal(part.past.length, 0);
  part.slide("rotate", 30);
  part.choose({ theta: [...IDENTITY] }, "");
  part.choose({ theta: [...IDENTITY] }, "");
  assert.equal(part.past.length, 2);
});

test("Ctrl and Z undo; with Shift, which means redo, nothing happens", () => {
  const part = componentOf({});
  part.slide("rotate", 30);
  const press = (more) => {
    const pressed = event("keydown", { ctrlKey: true, ...more });
    part.root.dispatchEvent(pressed);
    return pressed.defaultPrevented;
  };
  assert.equal(press({ key: "Z", shiftKey: true }), false);
  assert.equal(part.view.rotate, 30);
  assert.equal(press({ key: "z" }), true);
  assert.equal(part.view.rotate, 0);
});

test("half a turn keeps its sign; more than that goes on from the other side", () => {
  const turned = (rotate) => derive.asMove({ ...derive.STILL, rotate }, [4, 4]).rotate;
  assert.deepEqual([180, -180, 181, -190, 540].map(turned), [180, -180, -179, 170, -180]);
});

/** A canvas that takes pointers, and what was done with them. */
function scene() {
  const done = [];
  const box = { left: 0, top: 0 };
  const canvas = Object.assign(new EventTarget(), {
    style: {},
    clientLeft: 0,
    clientTop: 0,
    setPointerCapture() {},
    getBoundingClientRect: () => box,
  });
  const part = Object.assign(Object.create(Scene.prototype), { canvas, shape: [4, 4, 1], cell: 50, size: [284, 284] });
  part.listen({
    frame: () => IDENTITY,
    begin: (handle) => done.push(handle),
    drag: (from, to) => done.push(to.map((one) => Math.round(100 * one) / 100)),
    end: () => done.push("end"),
  });
  const point = (type, pointerId, clientX = 142, more = {}) =>
    canvas.dispatchEvent(event(type, { pointerId, clientX, clientY: 142, isPrimary: true, button: 0, ...more }));
  return { done, point };
}

test("a second finger neither takes a drag over nor ends it", () => {
  const { done, point } = scene();
  point("pointerdown", 1);
  point("pointerdown", 2, 200, { isPrimary: false });
  point("pointermove", 2, 242, { isPrimary: false });
  point("lostpointercapture", 2, 242, { isPrimary: false });
  point("pointermove", 1, 192);
  point("lostpointercapture", 1);
  point("pointermove", 1, 242); // hovers
  assert.deepEqual(done, ["middle", [0.5, 0], "end"]);
});

test("a drag whose end was never heard ends when the next one begins", () => {
  const { done, point } = scene();
  point("pointerdown", 1);
  point("pointerdown", 2);
  point("lostpointercapture", 1);
  point("pointermove", 2, 242);
  assert.deepEqual(done, ["middle", "end", "middle", [1, 0]]);
});

/** A panel whose cells are there without a page, and what was typed. */
function panel(t) {
  const made = () => {
    const attributes = {};
    const setAttribute = (name, value) => (attributes[name] = value);
    const node = Object.assign(new EventTarget(), {
      value: "",
      attributes,
      setAttribute,
      getAttribute() {},
      append() {},
    });
    return Object.defineProperty(node, "valueAsNumber", { get: () => (node.value === "" ? NaN : Number(node.value)) });
  };
  const page = { createElement: made, createTextNode: (data) => ({ data }), getElementById: () => null };
  globalThis.document = /** @type {any} */ (page);
  t.after(() => delete (/** @type {any} */ (globalThis).document));
  const typed = [];
  const found = new ThetaPanel({ type: (place, value) => typed.push([place, value]) });
  const parts = { angle: 0, scales: [1, 1], shear: 0, shift: [0, 0], mirrored: false };
  const show = (theta) => found.show(theta, parts, "set by hand");
  return { found, typed, show, cells: /** @type {any[]} */ (found.cells) };
}

test("a number that is typed stands as it is until it is done; then the one that is used is shown", (t) => {
  const { found, typed, show, cells } = panel(t);
  show(IDENTITY);
  const type = (value) => {
    cells[0].value = value;
    cells[0].dispatchEvent(event("input"));
  };
  type("7");
  show([4, 0, 0, 0, 1, 0]);
  assert.equal(cells[0].value, "7");
  cells[0].dispatchEvent(event("change"));
  assert.equal(cells[0].value, "4.000");
  type("");
  assert.deepEqual(typed, [[0, 7]]);
  cells[0].dispatchEvent(event("blur"));
  assert.equal(cells[0].value, "4.000");
  type("2");
  found.rewrite(); // undone
  show(IDENTITY);
  assert.equal(cells[0].value, "1.000");
});

test("undo and Escape rewrite the number that is being typed", () => {
  let rewritten = 0;
  const part = componentOf({}, { theta: { rewrite: () => rewritten++ } });
  part.type(0, 2);
  part.root.dispatchEvent(event("keydown", { key: "z", ctrlKey: true }));
  assert.equal(rewritten, 1);
  part.type(0, 2);
  part.root.dispatchEvent(event("keydown", { key: "Escape" }));
  assert.deepEqual([rewritten, part.view.theta], [2, null]);
});

test("arrow keys go in steps of 0.05 from any number, and none is a mismatch", (t) => {
  const { typed, show, cells } = panel(t);
  assert.equal(String(cells[0].attributes.step), "0.001");
  show([0.783, 0, 0, 0, 3.98, 0]);
  const press = (place, key) => {
    const pressed = event("keydown", { key });
    cells[place].dispatchEvent(pressed);
    return pressed.defaultPrevented;
  };
  assert.equal(press(0, "ArrowUp"), true);
  press(0, "ArrowUp");
  press(1, "ArrowDown");
  press(4, "ArrowUp");
  assert.equal(press(0, "ArrowLeft"), false);
  assert.deepEqual(typed, [[0, 0.833], [0, 0.883], [1, -0.05], [4, 4]]); // prettier-ignore
  assert.deepEqual([cells[0].value, cells[4].value], ["0.883", "4.000"]);
});

test("where no line is near to the dots the plot says so, and where nothing was answered it names no angle", (t) => {
  const { found } = panel(t);
  const said = () => [found.words.here.data, found.words.plot.data];
  found.tell({ slope: null, here: 3 }, { picture: 3, grid: -2 }, "1,000 pictures", false);
  assert.match(said()[0], /rotated by 3\.0\u00b0 counter-clockwise, its grid by 2\.0\u00b0 clockwise/);
  assert.match(said()[1], /no line fits the dots/);
  found.tell({ slope: 0.5, here: 3 }, null, "1,000 pictures", true);
  assert.match(said()[0], /the network has not answered/);
  assert.match(said()[1], /best fit: 0\.50\u00b0 for each degree/);
  found.tell({ slope: 0.5, here: null }, null, "1,000 pictures", false);
  assert.match(said()[0], /The rotation of this picture is unknown/);
});

test("the pixel that is looked at is forgotten with a picture of another shape", () => {
  const part = componentOf(
    {},
    { sliders: { fit() {} }, answer: { name() {} }, takeView() {}, takeSubject: () => true },
  );
  part.takeData();
  part.looked = 15;
  part.takeData();
  assert.equal(part.looked, 15);
  part.shapes = { picture: [3, 3, 1] };
  part.takeData();
  assert.equal(part.looked, -1);
});

test("while an answer is awaited the angle of the picture is that of the grid's answer, never a newer one", () => {
  const part = componentOf({ rotate: 60 }, { asker: { pending: true, rest() {} } });
  assert.deepEqual(part.dot, { picture: 10, grid: 20 });
  part.url.now.theta = [...IDENTITY]; // a grid that is held by hand is known
  assert.deepEqual(part.dot, { picture: 70, grid: 20 });
});

test("where the network has not answered, the old answer stays pale and belongs to nothing new", () => {
  const said = [];
  const part = componentOf({ rotate: 60 }, { announceDone: (words) => said.push(words()) });
  const of = { picture: new Uint8Array(16), move: { ...derive.STILL, rotate: 60 } };
  part.hear({ error: "Too many requests.", arrays: {} }, of);
  assert.ok(part.classes.has("waiting"));
  assert.deepEqual(part.declared(), {});
  assert.equal(part.dot, null);
  part.hear({ arrays: { logits: [0, 1], probabilities: [0.9, 0.1], theta: IDENTITY } }, of);
  assert.ok(!part.classes.has("waiting"));
  assert.equal(part.declared().answer, "0");
  assert.deepEqual(part.dot, { picture: 70, grid: 20 });
  part.hear({ error: "Too many requests.", arrays: {} }, of);
  part.rest(); // nothing is asked any more
  assert.notDeepEqual(part.declared(), {});
});

test("nothing is announced where the network has not answered", () => {
  const said = [];
  const show = { show() {} };
  const part = componentOf(
    { rotate: 60 },
    {
      ...{ failed: true, words: { answer: {}, verdict: {}, reading: {} }, undoer: null, freer: null },
      ...{ sliders: show, drags: show, grids: show, values: new Float64Array(16) },
      theta: { show() {}, tell: (line, dot, many, failed) => said.push([dot, failed]) },
      answer: { change: () => "", words: () => "", summary: () => "an old answer" },
      announceDone: (words) => said.push(words()),
    },
  );
  Object.assign(part, { undoer: part.stage, freer: part.stage });
  part.sayAll();
  assert.deepEqual(said, [[null, true]]);
  part.failed = false;
  part.sayAll();
  assert.equal(said.at(-1), "an old answer");
});

test("the plot of angles reaches as far as its dots, in steps, and no farther than half a circle", () => {
  const reach = (picture, grid, dot = null) => derive.reachOf({ picture, grid }, dot, 45);
  assert.equal(reach([-80, 20], [10, 3]), 90);
  assert.equal(reach([-80, 20], [121, 3]), 135);
  assert.equal(reach([-80, 20], [10, 3], { picture: 130, grid: 0 }), 135);
  assert.equal(reach([-80, 20], [10, 3], { picture: 0, grid: -179 }), 180);
  assert.equal(reach([], []), 45);
  assert.equal(reach([180.01], []), 180);
});

test("a scale that is 1 to two places neither enlarges nor shrinks", () => {
  const words = (...scales) => derive.inWords({ angle: 0, scales, shear: 0, shift: [0, 0], mirrored: false }).scale;
  assert.equal(words(1 + 1e-9, 1), "1.00 and 1.00");
  assert.equal(words(1.5, 1.5), "1.50 and 1.50: shrinks to 0.67 of its size");
  assert.equal(words(0.5, 0.5), "0.50 and 0.50: enlarges 2.00 times");
  assert.equal(words(0, 0), "0.00 and 0.00");
});
