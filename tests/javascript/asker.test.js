// What components ask the live channel: which answers are heard, what is said, and when an old answer is made pale.

import assert from "node:assert/strict";
import test from "node:test";

import { Asker } from "../../attnviz/ui/frontend/live/asker.js";
import { Socket } from "./helpers.js";

const REQUEST = { pictures: [{ data: "strokes", number: 3 }], asks: [{ checkpoint: "a.b" }] };

function made(t, more = {}) {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  globalThis.WebSocket = /** @type {any} */ (Socket);
  Socket.made = [];
  const said = [];
  const live = new Asker({
    guard: (act) => act(),
    complaint: { say: (sentence) => said.push(sentence) },
    lost: "It is lost.",
    dim: () => said.push("dim"),
    changed: (state) => said.push(state),
    ...more,
  });
  live.open();
  const [socket] = Socket.made;
  socket.become("open");
  said.length = 0;
  return { live, socket, said };
}

test("an answer that takes long makes the old one pale, once", (t) => {
  const { live, said } = made(t);
  live.ask("a", REQUEST, () => {});
  t.mock.timers.tick(150);
  live.ask("a", REQUEST, () => {}); // the first is still awaited
  t.mock.timers.tick(49);
  assert.deepEqual(said, []);
  t.mock.timers.tick(1);
  assert.deepEqual(said, ["dim"]);
});

test("nothing becomes pale after the answer", (t) => {
  const { live, socket, said } = made(t);
  live.ask("a", REQUEST, () => live.rest());
  socket.answer(1);
  t.mock.timers.tick(1000);
  assert.deepEqual(said, []);
  assert.equal(live.pending, false);
});

test("an answer is heard only while it is the one that is asked for, of the weights that it is asked of", (t) => {
  const { live, socket, said } = made(t);
  const hear = ({ ask, error }) => said.push(error ?? ask);
  live.ask("a", REQUEST, hear, "digest");
  live.ask("b", REQUEST, hear, "digest");
  socket.answer(1, { digest: "digest" });
  assert.deepEqual(said, [], "another question has been asked since");
  socket.answer(2, { digest: "other", done: false });
  assert.deepEqual(said, [], "the weights have been replaced since");
  socket.answer(2, { digest: "digest", done: false });
  assert.deepEqual(said, [0]);
  live.rest();
  socket.answer(2, { digest: "digest" });
  assert.deepEqual(said, [0], "nothing is awaited any more");
});

test("what is wrong is said, and heard; what is wrong with one ask of several its owner may say itself", (t) => {
  const wrong = { error: "It is wrong.", digest: undefined };
  const { live, socket, said } = made(t);
  live.ask("a", REQUEST, ({ error }) => said.push(error), "digest");
  socket.answer(1, wrong);
  assert.deepEqual(said, ["It is wrong.", "It is wrong."]);
  live.ask("a", REQUEST, () => {});
  socket.answer(2);
  assert.deepEqual(said.slice(2), [""], "a good answer takes it back");
  t.mock.timers.reset();
  const other = made(t, { each: true });
  other.live.ask("a", REQUEST, () => other.said.push("heard"));
  other.socket.answer(1, { ...wrong, done: false });
  other.socket.answer(1, { ...wrong, ask: undefined });
  assert.deepEqual(other.said, ["heard", "It is wrong.", "heard"]);
});

test("what others complain of stays, through a connection that opens and answers that are good", (t) => {
  const { live, socket, said } = made(t);
  said.push("There is no layer 9.");
  live.ask("a", REQUEST, () => {});
  socket.answer(1);
  live.close();
  live.open();
  Socket.made[1].become("open");
  assert.deepEqual(said, ["There is no layer 9.", "connecting", "ready"]);
  live.close();
});

test("a lost connection is said until it is back", (t) => {
  const { live, socket, said } = made(t);
  socket.become("close");
  assert.deepEqual(said, ["It is lost.", "lost"]);
  t.mock.timers.tick(250);
  Socket.made[1].become("open");
  assert.deepEqual(said, ["It is lost.", "lost", "", "ready"]);
  live.close();
});

test("once closed, nothing is heard, and asking connects again", (t) => {
  const { live, socket, said } = made(t);
  live.ask("a", REQUEST, () => said.push("heard"));
  live.close();
  socket.answer(1);
  t.mock.timers.tick(1000);
  assert.deepEqual(said, []);
  assert.equal(live.isOpen, false);
  live.ask("a", REQUEST, () => {});
  assert.equal(Socket.made.length, 2);
  live.close();
});

test("who waits for an answer hears whether it has come, and waits for no connection that is lost", async (t) => {
  const { live, socket } = made(t);
  const ask = () => live.ask("a", REQUEST, () => live.rest());
  assert.equal(await live.whenAnswered(), true, "nothing was asked");
  ask();
  let known;
  const waits = live.whenAnswered().then((found) => (known = found));
  await Promise.resolve();
  assert.equal(known, undefined);
  socket.answer(1);
  t.mock.timers.tick(20);
  await waits;
  assert.equal(known, true);
  ask();
  socket.answer(2, { error: "It is wrong." });
  assert.equal(await live.whenAnswered(), false);
  ask();
  const lost = live.whenAnswered();
  socket.become("close");
  t.mock.timers.tick(20);
  assert.equal(await lost, false);
  live.close();
});
