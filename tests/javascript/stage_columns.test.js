// Which stages of a layer are drawn, and what they are called.

import assert from "node:assert/strict";
import test from "node:test";

import { columnsOf } from "../../attnviz/ui/frontend/stage_grid/derive.js";
import { STEPS } from "../../attnviz/ui/frontend/stage_grid/pixel_steps.js";

const COLUMNS = ["attended", "before_norm", "after_norm", "output"];

test("what would come after a norm is left out where no layer has one", () => {
  assert.deepEqual(columnsOf(COLUMNS, [{ output_eps: null }, { output_eps: null }]), [
    "attended",
    "before_norm",
    "output",
  ]);
  assert.deepEqual(columnsOf(COLUMNS, [{ output_eps: null }, { output_eps: 1e-5 }]), COLUMNS);
});

test("the name of the last stage says that it comes after ReLU", () => {
  assert.deepEqual(STEPS.at(-1).slice(0, 2), ["output", "after ReLU"]);
});
