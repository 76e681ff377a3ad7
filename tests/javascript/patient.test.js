// The live channel as components use it: what is said while it is lost, and when an old answer is made pale.

import assert from "node:assert/strict";
import test from "node:test";

import { pack } from "../../attnviz/ui/frontend/live/live.js";
import { PatientLive } from "../../attnviz/ui/frontend/live/patient.js";

/** A socket that a test opens, answers and closes. */
class Socket extends EventTarget {
  static OPEN = 1;
  static made = [];

  constructor() {
    super();
    this.readyState = 0;
    this.sent = [];
    Socket.made.push(this);
  }

  send(bytes) {
    this.sent.push(bytes);
  }

  close() {
    this.readyState = 3;
  }

  become(state) {
    this.readyState = state === "open" ? 1 : 3;
    this.dispatchEvent(new Event(state));
  }

  answer(number) {
    this.dispatchEvent(Object.assign(new Event("message"), { data: pack({ number, ask: 0, done: true }, {}).buffer }));
  }
}

const REQUEST = { pictures: [{ data: "strokes", number: 3 }], asks: [{ checkpoint: "a.b" }] };

function made(t) {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  globalThis.WebSocket = /** @type {any} */ (Socket);
  Socket.made = [];
  const said = [];
  const live = new PatientLive({
    guard: (act) => act(),
    complain: (sentence) => said.push(sentence),
    lost: "It is lost.",
    dim: () => said.push("dim"),
    changed: (state) => said.push(state),
  });
  live.open();
  const [socket] = Socket.made;
  socket.become("open");
  said.length = 0;
  return { live, socket, said };
}

test("an answer that takes long makes the old one pale, once", (t) => {
  const { live, said } = made(t);
  live.ask(REQUEST, () => {});
  t.mock.timers.tick(150);
  live.ask(REQUEST, () => {}); // the first is still awaited
  t.mock.timers.tick(49);
  assert.deepEqual(said, []);
  t.mock.timers.tick(1);
  assert.deepEqual(said, ["dim"]);
});

test("nothing becomes pale after the answer", (t) => {
  const { live, socket, said } = made(t);
  live.ask(REQUEST, () => live.rest());
  socket.answer(1);
  t.mock.timers.tick(1000);
  assert.deepEqual(said, []);
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
  live.ask(REQUEST, () => said.push("heard"));
  live.close();
  socket.answer(1);
  t.mock.timers.tick(1000);
  assert.deepEqual(said, []);
  assert.equal(live.isOpen, false);
  live.ask(REQUEST, () => {});
  assert.equal(Socket.made.length, 2);
  live.close();
});
