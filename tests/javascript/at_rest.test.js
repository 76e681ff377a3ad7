// When a component may tell Python what was chosen.

import assert from "node:assert/strict";
import test from "node:test";

import { isAtRest, watch } from "../../attnviz/ui/frontend/core/at_rest.js";

/** A window and a document, as far as they are asked. */
const listeners = {};
const page = { state: "notRunning" };
const happens = (kind, event) => listeners[kind].forEach((act) => act(event));
Object.assign(globalThis, {
  addEventListener: (kind, act) => (listeners[kind] ??= []).push(act),
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
  for (const kind of ["keydown", "pointerup", "click"]) {
    happens(kind, { timeStamp: performance.now() });
    assert.equal(isAtRest(10_000), false, kind);
    happens(kind, { timeStamp: performance.now() - 20_000 });
    assert.equal(isAtRest(10_000), true, kind);
  }
});

test("a page is not at rest while a pointer is pressed, however long it stays where it is", () => {
  watch();
  const timeStamp = performance.now() - 20_000;
  const ends = [
    ["pointerup", {}],
    ["pointercancel", {}],
    ["pointermove", { buttons: 0 }],
  ];
  for (const [kind, event] of ends) {
    if (kind === "pointerup") happens("pointerdown", { timeStamp, pointerId: 1 });
    else happens("pointermove", { timeStamp, pointerId: 1, buttons: 1 });
    happens(kind, { timeStamp, pointerId: 2, ...event });
    assert.equal(isAtRest(10_000), false, `another pointer: ${kind}`);
    happens(kind, { timeStamp, pointerId: 1, ...event });
    assert.equal(isAtRest(10_000), true, kind);
  }
});

test("a finger whose end was never heard is forgotten when the next one comes down", () => {
  watch();
  const timeStamp = performance.now() - 20_000;
  happens("pointerdown", { timeStamp, pointerId: 3, isPrimary: true });
  happens("pointerdown", { timeStamp, pointerId: 4, isPrimary: true });
  happens("pointerup", { timeStamp, pointerId: 4 });
  assert.equal(isAtRest(10_000), true);
});
