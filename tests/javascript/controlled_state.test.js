// Who owns what a visitor chose, as the browser keeps it: core/controlled_state.js.

import assert from "node:assert/strict";
import { test } from "node:test";
import { ControlledState } from "../../attnviz/ui/frontend/core/controlled_state.js";

const asked = (key, value, revision) => ({ value, revision, key });

test("what Python asks for is taken once, when its revision is new", () => {
  const state = new ControlledState();
  assert.deepEqual(state.take(asked("once", 5, 1)), { value: 5 });
  assert.equal(state.take(asked("once", 5, 1)), null);
  assert.deepEqual(state.take(asked("once", 5, 2)), { value: 5 });
});

test("what Python knows is not reported, and each report names the revision that was known", () => {
  const state = new ControlledState();
  state.take(asked("reports", 5, 1));
  state.note(5);
  assert.equal(state.report(5), null);
  assert.deepEqual(state.report(7), { value: 7, revision: 1 });
  assert.equal(state.report(7), null);
  state.take(asked("reports", 5, 2));
  assert.deepEqual(state.report(7), { value: 7, revision: 2 }, "of the new revision nobody has told Python yet");
});

test("a component that is mounted anew shows what was chosen since Python asked", () => {
  const before = new ControlledState();
  before.take(asked("anew", 5, 3));
  before.report(7);
  assert.deepEqual(new ControlledState().take(asked("anew", 5, 3)), { value: 7 });
  assert.deepEqual(new ControlledState().take(asked("anew", 5, 4)), { value: 5 }, "the visitor has been elsewhere");
  assert.deepEqual(new ControlledState().take(asked("another", 5, 3)), { value: 5 });
});
