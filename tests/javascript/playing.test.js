// A component that plays goes on a step a beat, ends at the last one, and stops where it is told to.

import assert from "node:assert/strict";
import test from "node:test";

import { Playing } from "../../attnviz/ui/frontend/hands/playing.js";

function playing(t, steps) {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const seen = { at: 0, ended: 0 };
  const played = new Playing({
    beat: 100,
    guard: (act) => act(),
    next: () => (seen.at += 1),
    isLast: () => seen.at >= steps - 1,
    ended: () => (seen.ended += 1),
  });
  return { played, seen };
}

test("it goes on a step a beat and ends once, at the last step", (t) => {
  const { played, seen } = playing(t, 3);
  played.begin();
  assert.deepEqual([played.on, seen.at], [true, 0]);
  t.mock.timers.tick(100);
  assert.deepEqual([played.on, seen.at, seen.ended], [true, 1, 0]);
  t.mock.timers.tick(100);
  assert.deepEqual([played.on, seen.at, seen.ended], [false, 2, 1]);
  t.mock.timers.tick(1000);
  assert.deepEqual([seen.at, seen.ended], [2, 1]);
});

test("stopped, it takes no step more; with one step it ends at the first beat", (t) => {
  const { played, seen } = playing(t, 3);
  played.begin();
  played.stop();
  t.mock.timers.tick(1000);
  assert.deepEqual([played.on, seen.at, seen.ended], [false, 0, 0]);
  seen.at = 2;
  played.begin();
  t.mock.timers.tick(100);
  assert.deepEqual([played.on, seen.at, seen.ended], [false, 2, 1]);
});
