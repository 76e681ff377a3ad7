// What the models of the draw page are asked: the newest drawing, one question at a time, and what is pinned before it.

import assert from "node:assert/strict";
import test from "node:test";

import { unpack } from "../../attnviz/ui/frontend/core/payload.js";
import { Cards } from "../../attnviz/ui/frontend/draw/cards.js";
import { Questions } from "../../attnviz/ui/frontend/draw/questions.js";
import { Socket } from "./helpers.js";

const drawn = (number) => ({ pictures: [{ data: "strokes", number }], prepare: { centred: true } });

/** A card that asks a net; of what was pinned at another epoch, that of this epoch. */
const asks = (checkpoint, more = {}) => ({
  asked: { checkpoint },
  askedAt: (trained) => ({ checkpoint: `${checkpoint}@${trained}` }),
  ...more,
});

function made(t, cards = [asks("a.b")]) {
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
  const { questions, socket, sent } = made(t, [asks("a.b"), asks("c.d")]);
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

test("while only the training is moved what is pinned stays, and is otherwise asked of the nets of then", (t) => {
  const { questions, socket, pin, sent } = made(t);
  const nets = () => unpack(socket.sent.at(-1)).header.asks.map(({ checkpoint }) => checkpoint);
  questions.show(drawn(3));
  socket.answer(1);
  Object.assign(pin, { showing: { ...drawn(3), turn: 1, trained: 25 } });
  const page = { trained: 25, showTraining() {}, questions };
  Cards.prototype.train.call(/** @type {any} */ (page), 50);
  assert.equal(page.trained, 50);
  assert.deepEqual([sent(), nets()], [[3, 3], ["a.b"]]);
  socket.answer(2);
  assert.equal(sent().length, 2, "nothing is asked of what is pinned");
  questions.again();
  assert.deepEqual(nets(), ["a.b@25"]);
});

test("what is pinned while an answer is awaited is one drawing, of which the missing answers are asked for", (t) => {
  const pinned = [];
  const card = (checkpoint) => asks(checkpoint, { turn: 0, answer: "", pin: (answer) => pinned.push(answer) });
  const cards = [card("a.b"), card("c.d")];
  const { questions, socket, pin, heard, sent } = made(t, cards);
  const take = (showing, stale) => Object.assign(pin, { showing, stale });
  const page = { questions, cards, pin: Object.assign(pin, { take }), sayPin() {}, announce() {} };
  const pinNow = (turn) => {
    pinned.length = 0;
    Cards.prototype.pinNow.call(/** @type {any} */ ({ ...page, shown: { turn } }));
    return [pin.showing.turn, pin.stale, ...pinned];
  };
  questions.show(drawn(3));
  socket.answer(1);
  for (const one of cards) Object.assign(one, { turn: 1, answer: "to 3" });
  assert.deepEqual(pinNow(1), [1, false, "to 3", "to 3"]);
  assert.deepEqual(sent(), [3], "all is known");
  questions.show(drawn(4));
  Object.assign(cards[0], { turn: 2, answer: "to 4" });
  assert.deepEqual(pinNow(1), [2, true, "to 4", null]);
  questions.show(drawn(5));
  for (const number of [2, 3, 4]) socket.answer(number);
  assert.deepEqual(sent(), [3, 4, 4, 5]);
  assert.deepEqual(
    heard.map(([, turn]) => turn),
    [1, 2, "pinned", 3],
  );
  Object.assign(cards[0], { turn: 3, refused: "The model is not there." });
  Object.assign(cards[1], { turn: 3, answer: "to 5" });
  assert.deepEqual(pinNow(3), [3, false, null, "to 5"], "what was refused has no answer to it");
});

test("an answer to what was pinned that comes after it was unpinned is not taken", () => {
  const pinned = [];
  const card = { element: { classList: { remove() {} } }, model: {}, pin: (answer) => pinned.push(answer.logits) };
  const answer = { arrays: { logits: [1] }, shapes: {}, axes: {}, parameters: {}, milliseconds: 1, prepared: {} };
  const asked = { pinned: true, turn: 2, seen: [{ values: [], shape: [] }] };
  const seen = { arrays: { ...answer.arrays, seen: [] }, shapes: { seen: [] } };
  for (const showing of [{ turn: 2 }, null, { turn: 4 }])
    Cards.prototype.place.call(
      /** @type {any} */ ({ pin: { showing } }),
      { ...answer, ...seen },
      { card, net: "" },
      asked,
    );
  assert.deepEqual(pinned, [[1]]);
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
