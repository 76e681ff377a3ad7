// When a renderer that is slow is switched off.

import assert from "node:assert/strict";
import test from "node:test";

import { Patience, SLOW, TIMES } from "../../attnviz/ui/frontend/panels/patience.js";

test("a renderer is switched off after slow drawings in a row", () => {
  const patience = new Patience();
  const said = Array.from({ length: TIMES }, () => patience.after(SLOW + 1));
  assert.deepEqual(said, [...Array(TIMES - 1).fill(false), true]);
});

test("a quick drawing shows that the slow ones before it were not the renderer's fault", () => {
  const patience = new Patience();
  for (let time = 1; time < TIMES; time++) assert.equal(patience.after(1000), false);
  assert.equal(patience.after(SLOW), false);
  for (let time = 1; time < TIMES; time++) assert.equal(patience.after(1000), false);
  assert.equal(patience.after(1000), true);
});
