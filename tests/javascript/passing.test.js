// What a pointer only passes on its way out of a map is looked at no more once it has left; what it rests on stays.

import assert from "node:assert/strict";
import test from "node:test";

import { listen } from "../../attnviz/ui/frontend/hands/keys.js";
import { Passing } from "../../attnviz/ui/frontend/hands/passing.js";
import { randomOf } from "./helpers.js";

const SIDE = 252; // CSS pixels of a map
const REPORT = 8; // milliseconds between two reports of a mouse

/** A map of `cells` by `cells` that shows what is looked at; whoever has the pointer tells it by `hand`. */
function mapOf(cells) {
  const heard = {};
  const shown = { token: -1, taken: -1, drawn: 0 };
  const passing = new Passing(
    () => [shown.token, shown.taken],
    ([token]) => Object.assign(shown, { token, drawn: shown.drawn + 1 }),
  );
  const box = { left: 0, top: 0 };
  const target = {
    clientLeft: 0,
    clientTop: 0,
    addEventListener: (kind, act) => (heard[kind] = act),
    getBoundingClientRect: () => box,
  };
  const cellAt = (x, y) => Math.floor((y * cells) / SIDE) * cells + Math.floor((x * cells) / SIDE);
  const inside = (x, y) => x >= 0 && y >= 0 && x < SIDE && y < SIDE;
  listen(/** @type {any} */ (target), {
    find: (x, y) => (inside(x, y) ? { token: cellAt(x, y) } : null),
    same: (one, other) => one.token === other.token,
    look: ({ token }) => Object.assign(shown, { token, drawn: shown.drawn + 1 }),
    take: ({ token }) => Object.assign(shown, { token, taken: token }),
    passing,
  });
  let over = false;
  let now = 1000;
  const tell = (kind, [x, y], more = {}) =>
    heard[kind]({
      ...{ pointerType: "mouse", isPrimary: true, button: 0, timeStamp: now },
      ...{ clientX: x, clientY: y, touches: [{ clientX: x, clientY: y }] },
      preventDefault() {},
      ...more,
    });
  const hand = {
    at: [-50, -50],
    wait: (milliseconds) => (now += milliseconds),
    to(place) {
      hand.at = place;
      if (inside(...place)) tell("pointermove", place);
      else if (over) tell("pointerleave", place);
      over = inside(...place);
    },
    /** As hands move: the way of the smallest jerk (Flash and Hogan, 1985). Returns the tokens on it. */
    go(to, milliseconds) {
      const [x, y] = hand.at;
      const passed = new Set();
      for (let time = REPORT; time <= milliseconds; time += REPORT) {
        const part = time / milliseconds;
        const done = part ** 3 * (10 - 15 * part + 6 * part ** 2);
        hand.wait(REPORT);
        hand.to([Math.round(x + done * (to[0] - x)), Math.round(y + done * (to[1] - y))]); // a mouse counts pixels
        passed.add(shown.token);
      }
      return passed;
    },
    finger: (kind, place, more = {}) => tell(kind, place, { pointerType: "touch", ...more }),
    scrolled(by) {
      box.top = -by;
      tell("pointermove", hand.at);
      box.top = 0;
    },
    click(place) {
      tell("pointerdown", place);
      tell("pointerup", place);
    },
  };
  return { shown, hand, passing, cellAt };
}

test("from a pixel in a straight line out of the map: what stood there still stands", () => {
  const random = randomOf(38);
  let crossed = 0;
  for (const cells of [4, 7, 14, 28]) {
    for (let way = 0; way < 100; way++) {
      const { shown, hand, cellAt } = mapOf(cells);
      const start = [SIDE * random(), SIDE * random()].map(Math.floor);
      hand.to(start);
      hand.wait(300);
      const end = [SIDE + 60 + 400 * random(), SIDE * (2 * random() - 0.5)];
      const passed = hand.go(end, 300 + 900 * random());
      assert.equal(shown.token, cellAt(...start), `${cells} ${way}`);
      crossed += passed.size > 1;
    }
  }
  assert.ok(crossed > 300, "most of these ways led over other cells");
});

test("what is under the pointer is shown in the same call, on a way and at rest", () => {
  const { shown, hand, cellAt } = mapOf(28);
  for (let x = 3; x < SIDE; x += 9) {
    hand.wait(10);
    hand.to([x, 100]);
    assert.equal(shown.token, cellAt(x, 100));
  }
});

test("what the pointer rests on stays, also where a hand trembles or reads cell after cell", () => {
  const { shown, hand, cellAt } = mapOf(28);
  hand.to([20, 20]);
  hand.wait(300);
  hand.go([200, 100], 400);
  hand.wait(130);
  hand.go([400, 100], 500);
  assert.equal(shown.token, cellAt(200, 100));
  for (const [x, y] of [
    [100, 100],
    [100.6, 100],
    [101, 99.5],
  ]) {
    hand.to([x, y]);
    hand.wait(50);
  }
  hand.to([400, 100]);
  assert.equal(shown.token, cellAt(100, 100));
  // 25 pixels a second: a cell of 9 pixels in 360 ms; and of a map of small cells one in 80 ms.
  for (const side of [28, 126]) {
    const slow = mapOf(side);
    for (let x = 50.5; x < 150; x += 0.2) {
      slow.hand.wait(8);
      slow.hand.to([x, 100]);
    }
    slow.hand.go([400, 100], 400);
    const [first, last] = [slow.cellAt(142, 100), slow.cellAt(150, 100)];
    assert.ok(slow.shown.token >= first && slow.shown.token <= last, `${first} ${slow.shown.token} ${last}`);
  }
});

test("a pointer that crosses a map without resting changes nothing, nor does one that rests between maps", () => {
  const { shown, hand } = mapOf(14);
  shown.token = 5;
  hand.to([-30, 100]);
  assert.ok(hand.go([300, 120], 300).size > 5);
  assert.equal(shown.token, 5);
  hand.to([100, 100]);
  hand.wait(10);
  hand.to([-1, 100]);
  hand.wait(500);
  assert.equal(shown.token, 5);
});

test("a click chooses at once, and so does what a key or a button changes", () => {
  const { shown, hand, cellAt } = mapOf(14);
  hand.to([30, 30]);
  hand.wait(300);
  hand.to([100, 100]);
  hand.wait(20);
  hand.click([100, 100]);
  hand.wait(20);
  hand.to([-1, 0]);
  assert.deepEqual([shown.token, shown.taken], [cellAt(100, 100), cellAt(100, 100)]);
  hand.to([30, 30]);
  shown.token = 77; // an arrow key
  hand.wait(20);
  hand.to([300, 30]);
  assert.equal(shown.token, 77);
  hand.to([30, 30]);
  shown.token = 78;
  hand.to([60, 30]);
  hand.to([300, 30]);
  assert.equal(shown.token, 78);
});

test("a page that moves under a pointer that rests changes nothing", () => {
  const { shown, hand, cellAt } = mapOf(14);
  hand.to([30, 30]);
  hand.wait(300);
  hand.go([100, 100], 400);
  hand.wait(300);
  hand.scrolled(40);
  assert.equal(shown.token, cellAt(100, 100));
  // The browser says so when it has laid out, not when it happened: the way goes on meanwhile.
  hand.go([180, 20], 100);
  hand.wait(200);
  hand.scrolled(0);
  hand.wait(-192);
  hand.go([300, 0], 100);
  assert.equal(shown.token, cellAt(100, 100));
});

test("what belongs to other data is never brought back", () => {
  const { shown, hand, passing } = mapOf(28);
  shown.token = 700;
  hand.to([20, 20]);
  const passed = shown.token;
  passing.keep(); // another picture has come
  hand.to([-1, 20]);
  assert.equal(shown.token, passed);
});

test("a tap of a finger chooses; a scroll that starts on a map does not", () => {
  const { shown, hand, cellAt } = mapOf(14);
  const tap = (place) => {
    hand.finger("touchstart", place);
    hand.finger("pointerdown", place);
    hand.wait(40);
    hand.finger("pointerup", place);
    hand.finger("pointerleave", place);
  };
  tap([100, 100]);
  assert.equal(shown.token, cellAt(100, 100));
  const drawn = shown.drawn;
  hand.finger("touchstart", [200, 200]);
  hand.finger("pointerdown", [200, 200]);
  for (let y = 199; y > 185; y -= 2) hand.finger("pointermove", [200, y]);
  hand.finger("pointercancel", [200, 185]);
  hand.finger("pointerleave", [200, 185]);
  assert.deepEqual([shown.token, shown.drawn], [cellAt(100, 100), drawn]);
  tap([40, 200]);
  assert.equal(shown.token, cellAt(40, 200));
  // From the cell that was tapped last a finger drags it; what it is dragged to stays.
  hand.finger("touchstart", [42, 198]);
  hand.finger("pointerdown", [42, 198]);
  for (let x = 42; x < 150; x += 9) hand.finger("pointermove", [x, 198]);
  hand.finger("pointerup", [150, 198]);
  hand.finger("pointerleave", [150, 198]);
  assert.equal(shown.token, cellAt(141, 198));
});
