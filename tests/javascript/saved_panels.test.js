// What is saved of the panels of the draw page as CSV: every number, with its place and with the answer it belongs to.

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { files } from "../../attnviz/ui/frontend/draw/export.js";
import { toSave } from "../../attnviz/ui/frontend/draw/maps_note.js";

/** An answer of two classes with a map whose values count from `first`. */
function answerOf(shape, first = 0, head = null) {
  const count = shape.reduce((one, other) => one * other, 1);
  const map = Float32Array.from({ length: count }, (_, at) => first + at);
  return { probabilities: [0.25, 0.75], logits: [first, 1], map, shape, head };
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
  const cards = [{ net: "some.model", pinned: null, model: { ...MODEL, ...model }, ...card }];
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
  for (const one of ["# shows: the answer, and the pinned one", ...numbers]) assert.ok(lines.includes(one), one);
  for (const page of [{}, { pin: { change: true }, map: "jacobian" }])
    assert.doesNotMatch((await written(card, page)).lines.join("\n"), /pinned/);
});

test("Jacobians stand with row and column", async () => {
  const jacobian = { values: [4, 5, 6, 7], shape: [2, 2] };
  const { lines } = await written({ answer: answerOf([2]), jacobian }, { map: "jacobian" });
  assert.ok(lines.includes('some.model,,Jacobian,"2, 1",6'));
});
