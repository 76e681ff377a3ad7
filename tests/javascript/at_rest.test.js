// When a component may tell Python what was chosen.

import assert from "node:assert/strict";
import test from "node:test";

import { isAtRest, watch } from "../../attnviz/ui/frontend/core/at_rest.js";

/** A window and a document, as far as they are asked. */
const listeners = {};
const page = { state: "notRunning" };
Object.assign(globalThis, {
  addEventListener: (kind, act) => {
    listeners[kind] = act;
  },
  document: { querySelector: () => ({ getAttribute: () => page.state }) },
});

test("a page is not at rest while its script runs", () => {
  page.state = "running";
  assert.equal(isAtRest(0), false);
  page.state = "notRunning";
  assert.equal(isAtRest(0), true);
});

test("a page is not at rest just after the visitor has done something", () => {
  watch();
  for (const kind of ["pointerdown", "pointerup", "keydown", "click"]) {
    listeners[kind]({ timeStamp: performance.now() });
    assert.equal(isAtRest(10_000), false, kind);
    listeners[kind]({ timeStamp: performance.now() - 20_000 });
    assert.equal(isAtRest(10_000), true, kind);
  }
});
