// What is said below a worked pair while no step of it is looked at.

import assert from "node:assert/strict";
import test from "node:test";

import { restingSentence, several } from "../../attnviz/ui/frontend/pixel_viewer/pair_words.js";

const READING = { direction: "from", show: "scores", head: 0, tokens: 196, count: 9, sum: 1, unit: "boxes" };

test("of the Jacobian nothing is said that belongs to a query", () => {
  assert.match(restingSentence({ ...READING, jacobian: false }), /^The map shows scores/);
  for (const show of ["scores", "weights", "carried"])
    assert.match(restingSentence({ ...READING, show, jacobian: true }), /no query and to no head/);
});

test("a box of several pixels is not called a pixel", () => {
  assert.deepEqual(["pixel", "box", "block"].map(several), ["pixels", "boxes", "blocks"]);
  assert.match(restingSentence({ ...READING, show: "weights", jacobian: false }), /on 9 of 196 boxes\.$/);
});
