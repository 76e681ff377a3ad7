// What the head switch asks and shows: its states, the request, the notes under its tiles, and the two answers.

import assert from "node:assert/strict";
import test from "node:test";

import { editsOf, logOdds, noteOf, rowsOf, turned } from "../../attnviz/ui/frontend/head_switch/derive.js";

test("a click switches a head off, the next makes it uniform, the third switches it on; the others stay", () => {
  const states = ["uniform", "on"];
  const clicked = [1, 2, 3].reduce((made) => [...made, turned(made.at(-1), 1)], [states]);
  assert.deepEqual(
    clicked.map(([other, head]) => `${other} ${head}`),
    ["uniform on", "uniform off", "uniform uniform", "uniform on"],
  );
  assert.deepEqual(states, ["uniform", "on"]);
});

test("a request has one edit for each state that some head is in, and none where all are on", () => {
  assert.deepEqual(editsOf(["uniform", "off", "on", "off"], "attn.weights"), [
    { edit: "off", address: "attn.weights", index: { head: [1, 3] } },
    { edit: "uniform", address: "attn.weights", index: { head: [0] } },
  ]);
  assert.deepEqual(editsOf(["on", "on"], "attn.weights"), []);
});

test("under a tile stands its state, or the value that is looked at, or nothing; the entropy always", () => {
  assert.deepEqual(noteOf("off", 1.256, true), { state: "off", value: "off", range: "1.26 bits" });
  assert.deepEqual(noteOf("on", 8, true), { state: "on", value: null, range: "8.00 bits" });
  assert.equal(noteOf("on", 8, false).value, "");
});

test("the log-odds are log(p / (1 - p)), of two classes from one number too", () => {
  const logits = [1, -2, 0.5];
  const sum = logits.reduce((all, logit) => all + Math.exp(logit), 0);
  logOdds(logits).forEach((odds, which) => {
    const share = Math.exp(logits[which]) / sum;
    assert.ok(Math.abs(odds - Math.log(share / (1 - share))) < 1e-12);
  });
  assert.deepEqual(logOdds([3]), [-3, 3]);
  assert.deepEqual(logOdds([1000, 0]), [1000, -1000]); // no overflow
});

test("a row has what was before in front of what is now", () => {
  const [before, now] = [
    { logits: [2], probabilities: [0.1, 0.9] },
    { logits: [-1], probabilities: [0.7, 0.3] },
  ];
  assert.deepEqual(rowsOf(["left", "right"], now, before), [
    ["left", 0.1, 0.7, -2, 1],
    ["right", 0.9, 0.3, 2, -1],
  ]);
});
