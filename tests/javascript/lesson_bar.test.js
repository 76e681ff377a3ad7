// What a lesson's bar decides without a document: whether a task is done, how a number is written, what is right.

import assert from "node:assert/strict";
import test from "node:test";

import { arrived, watch } from "../../attnviz/ui/frontend/core/at_rest.js";
import { Bar } from "../../attnviz/ui/frontend/lessons/lesson_bar.js";
import { asWritten, filled, holds, isRight, isStepOf } from "../../attnviz/ui/frontend/lessons/progress.js";

const page = { query: "12,13", off: "3,5", "switch.answer": "2", "viewer.share": 11.8, "viewer.off": 2 };
const find = (name) => page[name];
const before = (name) => ({ "switch.answer": "8", "viewer.share": 11.8 })[name];

for (const [relation, ...args] of [
  ["is", "query", "12,13"],
  ["is", "viewer.off", "2"],
  ["is not", "switch.answer", "8"],
  ["contains", "off", "5"],
  ["is set", "query", ""],
  ["is not set", "key", ""],
  ["changed", "switch.answer", ""],
  [">", "viewer.share", "11"],
  ["<=", "viewer.share", "11.8"],
])
  test(`${args[0]} ${relation} ${args[1]} holds`, () => {
    assert.ok(holds([[args[0], relation, args[1]]], find, before));
  });

for (const [relation, ...args] of [
  ["is", "query", "12,1"],
  ["is", "key", ""],
  ["is not", "key", "3,3"],
  ["contains", "off", "35"],
  ["is set", "key", ""],
  ["is not set", "query", ""],
  ["changed", "viewer.share", ""],
  ["changed", "viewer.off", ""],
  ["<", "viewer.share", "11"],
  [">", "key", "0"],
])
  test(`${args[0]} ${relation} ${args[1]} does not hold`, () => {
    assert.ok(!holds([[args[0], relation, args[1]]], find, before));
  });

test("conditions hold together", () => {
  assert.ok(!holds([["query", "is set", ""], ["key", "is set", ""]], find, before)); // prettier-ignore
});

test("a value is written as the lesson writes it", () => {
  assert.equal(asWritten(0.015107, "0.0151"), "0.0151");
  assert.equal(asWritten(0.9756, "98 %"), "98 %");
  assert.equal(asWritten(0.9756, "97.6 %"), "97.6 %");
  assert.equal(asWritten(-5.3637, "\u22125.36"), "\u22125.36");
  assert.equal(asWritten(9.924, "+9.92"), "+9.92");
  assert.equal(asWritten(-0.0001, "0.00"), "0.00");
  assert.equal(asWritten(3136, "3,136"), "3,136");
  assert.equal(asWritten("8", "8"), "8");
  assert.equal(asWritten(undefined, "8"), "8");
});

test("an answer may be off by what the lesson allows", () => {
  assert.ok(isRight(" 12 ", "11.8", 0.5));
  assert.ok(isRight("0,25", "0.25", 0));
  assert.ok(isRight("\u22121", "-1", 0));
  assert.ok(!isRight("12.4", "11.8", 0.5));
  assert.ok(!isRight("", "0", 0.5));
  assert.ok(!isRight("twelve", "12", 0.5));
});

/** A bar at the second step of a lesson, with a task. */
const made = (check) =>
  Object.assign(Object.create(Bar.prototype), {
    lesson: { name: "looks", step: 1, task: { check }, view: { page: "glimpses", words: {}, frame: "" } },
    made: { shown: [] },
    done: false,
    back: {},
    takeTheme() {},
    frame() {},
    finish() {
      this.done = true;
    },
  });

test("a task is judged by the page of its own step, once that has run", (t) => {
  const page = { state: "running", share: 90 };
  const root = { dataset: { component: "viewer" }, declared: () => ({ share: page.share }) };
  Object.assign(globalThis, {
    document: {
      querySelector: () => ({ getAttribute: () => page.state }),
      querySelectorAll: () => [{ shadowRoot: { querySelectorAll: () => [root] } }],
    },
    location: { search: "?lesson=looks&step=2", pathname: "/glimpses" },
  });
  t.after(() => ["document", "location"].forEach((name) => delete globalThis[name]));
  const [above, changed] = [[["viewer.share", ">", "50"]], [["viewer.share", "changed", ""]]].map(made);
  const look = () => [above, changed].map((bar) => (bar.look(), bar.done));
  assert.deepEqual(look(), [false, false], "the view of the step before is still there");
  page.share = 10;
  assert.deepEqual(look(), [false, false]);
  page.state = "notRunning";
  assert.deepEqual(look(), [false, false], "nothing has been done since the step began");
  page.share = 60;
  location.search = "?lesson=looks&step=3";
  assert.deepEqual(look(), [false, false], "the next step was asked for, and its run has not begun");
  location.search = "?lesson=looks&step=2";
  assert.deepEqual(look(), [true, true]);
});

test("a task is not judged by what the step before has left, before the page of its own is drawn", (t) => {
  const declared = { step: 9 };
  const root = { dataset: { component: "alignment" }, declared: () => declared };
  const state = { now: "notRunning" };
  const listeners = {};
  const app = { getAttribute: () => state.now };
  Object.assign(globalThis, {
    addEventListener: (kind, act) => (listeners[kind] = act),
    MutationObserver: class {
      observe() {}
      disconnect() {}
    },
    document: {
      querySelector: () => app,
      querySelectorAll: () => [{ shadowRoot: { querySelectorAll: () => [root] } }],
    },
    location: { search: "?lesson=looks&step=2", pathname: "/sequences" },
  });
  t.after(() =>
    ["addEventListener", "MutationObserver", "document", "location"].forEach((it) => delete globalThis[it]),
  );
  t.mock.timers.enable({ apis: ["setTimeout"] });
  watch();
  const bar = made([["alignment.step", "is", "9"]]);
  const look = () => (bar.look(), bar.done);
  listeners.popstate(); // Next step
  state.now = "running";
  t.mock.timers.tick(50);
  state.now = "notRunning";
  t.mock.timers.tick(50);
  assert.equal(look(), false, "the run has ended, and its bar was drawn first");
  declared.step = 6;
  arrived();
  for (let looks = 0; looks < 5; looks++) t.mock.timers.tick(50);
  assert.equal(look(), false);
  declared.step = 9;
  assert.equal(look(), true);
});

for (const [search, is] of /** @type {[string, boolean][]} */ ([
  ["?lesson=looks&step=2&query=1,1", true],
  ["?lesson=looks&step=3", false],
  ["?lesson=heads&step=2", false],
  ["?lesson=looks", false],
  ["?query=1,1", false],
]))
  test(`${search} is ${is ? "" : "not "}that of the step that is shown`, () => {
    assert.equal(isStepOf(search, { name: "looks", step: 1 }), is);
  });

test("numbers are written as the language of the lesson writes them", () => {
  const german = { decimal: ",", group: "." };
  assert.equal(asWritten(0.5412, "0,54", german), "0,54");
  assert.equal(asWritten(3136.25, "3.136,2", german), "3.136,3");
  assert.equal(asWritten(0.9756, "97,6 %", german), "97,6 %");
  assert.equal(asWritten(0.9756, "98%"), "98%");
});

test("words are filled in, and nothing else is", () => {
  assert.equal(filled("{title}, step {step}", { title: "A", step: 2 }), "A, step 2");
  assert.equal(filled("{other}", {}), "{other}");
});
