// What the models of the draw page are asked: the newest drawing, one question at a time, and what is pinned before it.

import assert from "node:assert/strict";
import test from "node:test";

import { unpack } from "../../attnviz/ui/frontend/core/payload.js";
import { Questions } from "../../attnviz/ui/frontend/draw/questions.js";
import { Socket } from "./helpers.js";

const drawn = (number) => ({ pictures: [{ data: "strokes", number }], prepare: { centred: true } });

function made(t, cards = [{ asked: { checkpoint: "a.b" } }]) {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  globalThis.WebSocket = /** @type {any} */ (Socket);
  Socket.made = [];
  const pin = { showing: /** @type {any} */ (null), stale: false };
  const [heard, renewed] = [/** @type {any[]} */ ([]), /** @type {number[]} */ ([])];
  const questions = new Questions({
    guard: (act) => act(),
    complaint: /** @type {any} */ ({ say() {} }),
    pin: /** @type {any} */ (pin),
    cards: () => /** @type {any} */ (cards),
    renewed: () => renewed.push(questions.turn),
    hear: (answer, asked) => heard.push([answer.ask, asked.pinned ? "pinned" : asked.turn]),
  });
  t.after(() => questions.close());
  questions.open();
  const [socket] = Socket.made;
  socket.become("open");
  /** The number of the picture of each question so far. */
  const sent = () => socket.sent.map((bytes) => unpack(bytes).header.pictures[0].number);
  return { questions, socket, pin, heard, renewed, sent };
}

test("of the drawings that come while an answer is awaited only the newest is asked about", (t) => {
  const { questions, socket, heard, renewed, sent } = made(t);
  for (const number of [3, 4, 5]) questions.show(drawn(number));
  assert.deepEqual(sent(), [3]);
  socket.answer(1);
  assert.deepEqual(sent(), [3, 5]);
  socket.answer(2);
  assert.deepEqual(sent(), [3, 5], "all of it is answered");
  assert.deepEqual(heard, [
    [0, 1],
    [0, 3],
  ]);
  assert.deepEqual(renewed, [1, 2, 3]);
  assert.equal(questions.answered, 3);
});

test("the next question waits for the answers of all models", (t) => {
  const { questions, socket, sent } = made(t, [{ asked: { checkpoint: "a.b" } }, { asked: { checkpoint: "c.d" } }]);
  questions.show(drawn(3));
  questions.show(drawn(4));
  socket.answer(1, { done: false });
  assert.deepEqual(sent(), [3]);
  socket.answer(1, { ask: 1 });
  assert.deepEqual(sent(), [3, 4]);
});

test("what is pinned is asked about anew, before the drawing, where something else is asked of the models", (t) => {
  const { questions, socket, pin, heard, sent } = made(t);
  questions.show(drawn(3));
  socket.answer(1);
  Object.assign(pin, { showing: { ...drawn(7), turn: 1 } });
  questions.again();
  assert.deepEqual(sent(), [3, 7]);
  socket.answer(2);
  assert.deepEqual(sent(), [3, 7, 3]);
  socket.answer(3);
  assert.equal(sent().length, 3);
  assert.deepEqual(heard, [
    [0, 1],
    [0, "pinned"],
    [0, 2],
  ]);
});

test("a question that came to nothing is asked again once the connection is back", (t) => {
  const { questions, socket, sent } = made(t);
  questions.show(drawn(3));
  socket.answer(1, { ask: undefined, error: "The server is busy." });
  assert.deepEqual(sent(), [3]);
  questions.become("ready");
  assert.deepEqual(sent(), [3, 3]);
  questions.become("ready");
  assert.deepEqual(sent(), [3, 3], "it did not fail again");
});

test("nothing is asked without models, nor before the connection is wanted", (t) => {
  const { questions, sent } = made(t, []);
  questions.show(drawn(3));
  assert.deepEqual(sent(), []);
  questions.close();
  questions.cards = () => /** @type {any} */ ([{ asked: { checkpoint: "a.b" } }]);
  questions.again();
  assert.equal(Socket.made.length, 1);
});
