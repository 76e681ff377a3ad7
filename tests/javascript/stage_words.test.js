// What the stage grid says of its colours and of what follows the shares.

import assert from "node:assert/strict";
import test from "node:test";

import { colourWords, normedHow } from "../../attnviz/ui/frontend/stage_grid/words.js";

test("a relevance that is replaced is not said to be the shares times the number of positions", () => {
  const found = { norm: null, replaced: false, factor: 49 };
  assert.match(normedHow(found), /times the number of positions/);
  assert.equal(normedHow({ ...found, norm: { eps: 1e-5 }, factor: null }), "");
  assert.equal(normedHow({ ...found, factor: 1 }), "");
  for (const norm of [null, { eps: 1e-5 }]) assert.match(normedHow({ ...found, norm, replaced: true }), /replaced/);
});

test("what colours mean is said of one map, of all maps, and of none in particular", () => {
  assert.match(colourWords({ scale: "map" }, { low: 0, high: 1 }), /blue from 0.* to 1.*, each map its own\.$/);
  assert.match(colourWords({ scale: "all" }, { low: 0, high: 1 }), /one scale for all maps\.$/);
  assert.match(colourWords({ scale: "map" }, null), /each map from its lowest to its highest value\.$/);
});
