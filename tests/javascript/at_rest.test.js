// When a component may tell Python what was chosen.

import assert from "node:assert/strict";
import test from "node:test";

import {
  arrived,
  isAtRest,
  isOverdue,
  isSettled,
  NotShown,
  settled,
  watch,
} from "../../attnviz/ui/frontend/core/at_rest.js";

/** A window and a document, as far as they are asked. */
const listeners = {};
const page = { state: "notRunning" };
const observers = new Set();
/** The script's state becomes another one, and whoever observes it is told what it was. */
const becomes = (state) => {
  const oldValue = page.state;
  page.state = state;
  observers.forEach((tell) => tell([{ oldValue }]));
};
class Observer {
  constructor(tell) {
    this.tell = tell;
  }
  observe() {
    observers.add(this.tell);
  }
  disconnect() {
    observers.delete(this.tell);
  }
}
/** Time passes, look by look, and whoever waits goes on. */
const pass = async (t, milliseconds) => {
  for (let past = 0; past < milliseconds; past += 50) {
    t.mock.timers.tick(50);
    await new Promise((done) => setImmediate(done));
  }
};
const happens = (kind, event) => listeners[kind].forEach((act) => act(event));
Object.assign(globalThis, {
  addEventListener: (kind, act) => (listeners[kind] ??= []).push(act),
  document: { querySelector: () => ({ getAttribute: () => page.state }) },
  MutationObserver: Observer,
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

test("a page is not at rest while a pointer is pressed, until it is let go", () => {
  watch();
  const past = performance.now() - 1000; // longer ago than is asked below
  const ends = [
    ["pointerup", { buttons: 0 }],
    ["pointercancel", { buttons: 0 }],
    ["pointermove", { buttons: 0 }],
  ];
  for (const [kind, event] of ends)
    for (const begin of ["pointerdown", "pointermove"]) {
      happens(begin, { timeStamp: past, buttons: 1 });
      assert.equal(isAtRest(500), false, begin);
      happens(kind, { timeStamp: past, ...event });
      assert.equal(isAtRest(500), true, `${begin}, then ${kind}`);
    }
});

test("a pressed pointer of which nothing is heard for long is no longer waited for", () => {
  watch();
  happens("pointerdown", { timeStamp: performance.now() - 2500, buttons: 1 });
  assert.equal(isAtRest(500), true);
});

test("what is drawn is that of the URL again once the run has ended that its change has started", async (t) => {
  watch();
  t.mock.timers.enable({ apis: ["setTimeout"] });
  assert.equal(isSettled(), true);
  happens("popstate", {});
  assert.equal(isSettled(), false, "the run has not begun");
  t.mock.timers.tick(1000);
  assert.equal(isSettled(), false, "however long that takes");
  let saved = false;
  const saving = settled().then(() => (saved = true));
  page.state = "rerunRequested";
  t.mock.timers.tick(50);
  page.state = "running";
  t.mock.timers.tick(50);
  await null;
  assert.equal(saved, false);
  page.state = "notRunning";
  await pass(t, 200);
  assert.equal(saved, false, "a component is still being drawn");
  arrived();
  await pass(t, 200);
  assert.equal(saved, false, "it was not the last one");
  await pass(t, 100); // the fifth look without news, and that of whoever waits
  await saving;
  assert.ok(saved && isSettled());
});

test("a run that is over between two looks is not waited for any longer", async (t) => {
  watch();
  t.mock.timers.enable({ apis: ["setTimeout"] });
  happens("popstate", {});
  becomes("rerunRequested");
  becomes("running");
  becomes("notRunning");
  assert.equal(isSettled(), false, "what has arrived is drawn some looks later");
  await pass(t, 250);
  await settled();
  assert.equal(observers.size, 0);
});

test("a run of which a busy browser has shown nothing but the data is not waited for any longer", async (t) => {
  watch();
  t.mock.timers.enable({ apis: ["setTimeout"] });
  // Data of the component itself, and of another one, which has this module for itself.
  for (const arrives of [arrived, () => happens("attnviz.arrived", {})]) {
    happens("popstate", {});
    await pass(t, 1000);
    assert.equal(isSettled(), false);
    arrives();
    await pass(t, 250);
    assert.equal(isSettled(), true);
  }
});

test("a run that does not begin is refused after a while, and what comes later is that of the URL again", async (t) => {
  watch();
  t.mock.timers.enable({ apis: ["setTimeout"] });
  let now = 0;
  t.mock.method(performance, "now", () => now);
  happens("popstate", {});
  const saving = settled();
  now = 30_000;
  t.mock.timers.tick(50);
  await assert.rejects(saving, NotShown);
  await assert.rejects(settled(), NotShown);
  assert.equal(isSettled(), false, "what is drawn is still the old view");
  assert.equal(isOverdue(), true);
  becomes("running");
  becomes("notRunning");
  await pass(t, 1250);
  await settled();
  assert.ok(isSettled());
});

test("a change of the place on the same page starts no run and is not waited for", async (t) => {
  watch();
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const goes = (oldURL, newURL) => {
    happens("popstate", {});
    happens("hashchange", { oldURL, newURL });
    return isSettled();
  };
  assert.equal(goes("http://a/page?x=1", "http://a/page?x=1#here"), true);
  assert.equal(goes("http://a/page?x=1#here", "http://a/page?x=2"), false, "another view");
  arrived();
  await pass(t, 250);
});

test("what is drawn is not that of the URL while a script runs that a click has started", () => {
  page.state = "running";
  assert.equal(isSettled(), false);
  page.state = "notRunning";
  assert.equal(isSettled(), true);
});
