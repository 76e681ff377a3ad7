// What is saved of the panels of the draw page as CSV: every number, with its place and with the answer it belongs to.

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { files } from "../../attnviz/ui/frontend/draw/export.js";
import { toSave } from "../../attnviz/ui/frontend/draw/maps_note.js";
import { LOOK } from "./helpers.js";

/** An answer of two classes with a map whose values count from `first`. */
function answerOf(shape, first = 0, head = null) {
  const count = shape.reduce((one, other) => one * other, 1);
  const map = Float32Array.from({ length: count }, (_, at) => first + at);
  return { probabilities: [0.25, 0.75], logits: [first, 1], map, shape, head, net: "some.model" };
}

const MODEL = { classes: ["3", "8"], renderer: "share", prefix: 0, columns: 3 };

let saved = new Blob();
beforeEach((t) => {
  const { mock } = /** @type {import("node:test").TestContext} */ (t);
  mock.timers.enable({ apis: ["setTimeout"] });
  mock.method(URL, "createObjectURL", (/** @type {Blob} */ blob) => {
    saved = blob;
    return "";
  });
  globalThis.document = /** @type {any} */ ({ createElement: () => ({ click() {} }) });
});

/** What is written of one panel, on a page. @param {any} card @param {any} [page] */
async function written({ model = {}, ...card }, page = {}) {
  const one = { pinned: null, comparable: true, current: card.answer, model: { ...MODEL, ...model }, ...card };
  const cards = [{ ...one, knowsAll: true, best: "8", sure: true }];
  const owner = { cards, map: "attention", ink: true, classes: [], kind: "digits", look: null, pin: { change: false } };
  const whole = { ...owner, questions: { showing: null }, url: () => "http://here/draw", ...page };
  files(() => toSave(/** @type {any} */ (whole))).CSV();
  const lines = (await saved.text()).trim().split("\n");
  return { lines, places: lines.filter((line) => line.includes(",map,")).map((line) => line.split(",map,")[1]) };
}

test("the values of several maps stand with layer, stage, row and column", async () => {
  const { places } = await written({ answer: answerOf([2, 2, 3, 3]) });
  assert.equal(places.length, 36);
  assert.deepEqual(
    [0, 5, 9, 35].map((at) => places[at]),
    [
      '"layer 1, stage 1, row 1, column 1",0',
      '"layer 1, stage 1, row 2, column 3",5',
      '"layer 1, stage 2, row 1, column 1",9',
      '"layer 2, stage 2, row 3, column 3",35',
    ],
  );
  const of = async (shape, model = {}) => (await written({ answer: answerOf(shape), model })).places;
  assert.equal((await of([2, 1, 2]))[3], '"map 2, row 1, column 2",3');
});

test("the values of one map stand with row and column, others by number", async () => {
  const of = async (shape, model = {}) => (await written({ answer: answerOf(shape), model })).places;
  assert.deepEqual((await of([2, 3])).slice(2, 4), ['"1, 3",2', '"2, 1",3']);
  assert.deepEqual((await of([7], { prefix: 1 })).slice(0, 5), [
    ...['"nowhere, 1",0', '"1, 1",1'],
    ...['"1, 2",2', '"1, 3",3', '"2, 1",4'],
  ]);
  assert.deepEqual(await of([2], { columns: 0 }), ["1,0", "2,1"]);
});

test("where the panels show a change, the pinned answer is saved beside the answer", async () => {
  const card = { answer: answerOf([1, 2], 5, 0), pinned: answerOf([1, 2], 7, 1) };
  const numbers = [
    'some.model,1,map,"1, 1",5',
    "some.model,1,probability,8,0.75",
    ...['some.model,2,pinned map,"1, 1",7', 'some.model,2,pinned map,"1, 2",8'],
    ...["some.model,2,pinned probability,8,0.75", "some.model,2,pinned logit,1,7"],
  ];
  const { lines } = await written(card, { pin: { change: true } });
  for (const one of ["# shows: change since pinned, of which both answers stand here", ...numbers])
    assert.ok(lines.includes(one), one);
  const slopes = { ...card, jacobian: { values: [1], shape: [1, 1] } };
  const change = { pin: { change: true } };
  for (const [of, page] of [
    [card, {}],
    [slopes, { ...change, map: "jacobian" }],
    [{ ...card, comparable: false }, change],
  ])
    assert.doesNotMatch((await written(of, page)).lines.join("\n"), /pinned/);
});

test("Jacobians stand with row and column", async () => {
  const jacobian = { values: [4, 5, 6, 7], shape: [2, 2] };
  const { lines } = await written({ answer: answerOf([2]), jacobian }, { map: "jacobian" });
  assert.ok(lines.includes('some.model,,Jacobian,"2, 1",6'));
});

test("a Jacobian that was chosen and is not there is not said to be saved", async () => {
  const { lines } = await written({ answer: answerOf([2]) }, { map: "jacobian" });
  assert.ok(lines.includes("# shows: the answer to what is drawn"), lines.join("\n"));
});

test("a refused panel is not saved, nor under the name of a net that never answered", async () => {
  const { lines } = await written({ answer: answerOf([2]), current: null });
  assert.deepEqual(lines.slice(-1), ['model,head,what,"class, column, or row and column",value']);
  assert.ok(lines.includes("# models: "), lines.join("\n"));
  const old = await written({ answer: { ...answerOf([2]), net: "history:some.model@3" }, net: "some.model" });
  assert.ok(old.lines.includes("history:some.model@3,,logit,2,1"));
});

test("an answer of several arrays is saved with all of them, each value with its place along every axis", async () => {
  const parts = { theta: { values: [1, 2, 3, 4, 5, 6], shape: [2, 3] }, corner: { values: [7], shape: [1, 1, 1] } };
  const { lines } = await written({ answer: { ...answerOf([0]), map: null, shape: null, parts } });
  for (const one of ['some.model,,theta,"2, 1",4', 'some.model,,corner,"1, 1, 1",7'])
    assert.ok(lines.includes(one), one);
});

test("the sheet names the share that maps are multiples of", () => {
  const answer = answerOf([1, 2]);
  const card = { ...{ pinned: answer, current: answer, answer, comparable: true, model: MODEL, knowsAll: true } };
  const words = { head: { data: "" }, says: { data: "" }, knows: { data: "" } };
  const shown = { ...card, words, best: "8", sure: true, kind: { data: "" }, canvas: { width: 28, height: 28 } };
  const owner = { cards: [shown], map: "attention", ink: true, classes: [], kind: "digits", look: LOOK };
  const page = { ...owner, pin: { change: true }, questions: { showing: null }, url: () => "http://here/draw" };
  const written = files(() => toSave(/** @type {any} */ (page)))
    .sheet()
    .items.map(({ text }) => text);
  assert.ok(written.includes("1 \u00d7 the pinned share"), written.join("\n"));
});
