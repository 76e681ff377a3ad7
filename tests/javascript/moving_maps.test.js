// What moving maps compute while a hand moves, and what their panes hold.

import assert from "node:assert/strict";
import test from "node:test";

import { KINDS, panesOf } from "../../attnviz/ui/frontend/moving_maps/derive.js";

function assertNear(found, wanted) {
  assert.equal(found.length, wanted.length);
  wanted.forEach((value, i) => assert.ok(Math.abs(found[i] - value) < 1e-12, `${found[i]}, not ${value}`));
}

test("a weight gives w x intensity + b to both panes, and says what its own scale hides", () => {
  const sent = { header: { bias: 0.5 }, arrays: { picture: Float64Array.of(0, 0.25, 1) }, shapes: {} };
  const of = (at) => KINDS.weight.compute(sent, at);
  const { panes, lines } = of(-2);
  assert.deepEqual(
    panes.map((maps) => [...maps]),
    Array(2).fill([0.5, 0, -1.5]),
  );
  assert.deepEqual(lines, ["On its own scale the tile is its negative; its values span only 2.000."]);
  assert.match(of(2).lines[0], /the tile is the picture;/);
  assert.match(of(0).lines[0], /^w = 0: every value is b = 0\.5000\./);
  assert.equal(KINDS.weight.say(-2), "w = \u22122.000");
});

test("a temperature gives the softmax of scores that are divided by ten to its power, and its bits", () => {
  const sent = {
    header: { names: ["one", "other"] },
    arrays: { query: Float64Array.of(2, 0, 0, 0), key: Float64Array.of(1, 5, 3, 5) },
    shapes: { query: [2, 2], key: [2, 2] },
  };
  const { panes, lines } = KINDS.temperature.compute(sent, 1);
  const less = Math.exp((-4 / Math.sqrt(2)) * 0.1); // scores of 2 and 6
  const share = 1 / (1 + less);
  assertNear(panes[0], [1 - share, share, 0.5, 0.5]);
  const bits = -share * Math.log2(share) - (1 - share) * Math.log2(1 - share);
  assert.deepEqual(lines, [
    `one: ${bits.toFixed(2)} of 1.00 bits, half of the weight on 1 of 2 pixels`,
    "other: 1.00 of 1.00 bits, half of the weight on 1 of 2 pixels",
  ]);
  const cold = KINDS.temperature.compute(sent, -300); // of large scores too
  assert.deepEqual([...cold.panes[0]].slice(0, 2), [0, 1]);
  assert.match(cold.lines[0], /^one: 0\.00 of/);
});

test("what scores are divided by is said without powers of ten", () => {
  assert.deepEqual([0, 1.5, 3.79048, -3.79048].map(KINDS.temperature.say), [
    "scores \u00f7 1",
    "scores \u00f7 31.6",
    "scores \u00f7 6,173",
    "scores \u00f7 1/6,173",
  ]);
});

test("places are compared with the one that is looked at, as products or as cosines", () => {
  const sent = (cosine) => ({
    header: { cosine },
    arrays: { code: Float64Array.of(3, 4, 0, 2, -6, -8) },
    shapes: { code: [3, 2] },
  });
  const of = (cosine) => KINDS.places.compute(sent(cosine), 0).panes;
  assert.deepEqual(
    of(false).map((maps) => maps && [...maps]),
    [null, [25, 8, -50], null],
  );
  assertNear(of(true)[1], [1, 0.8, -1]);
});

test("a pane holds what was computed, else what was sent; with the picture where its edge is drawn", () => {
  const [maps, picture, computed] = [[1, 2], [3, 4], Float64Array.of(5, 6)];
  const sent = {
    header: { rows: 1, columns: 2, origin: "here", panes: [{ labels: ["a"], edge: true }, { labels: ["b", "c"] }] },
    arrays: { maps_0: maps, picture },
  };
  assert.deepEqual(panesOf(sent, [null, computed]), [
    {
      header: { labels: ["a"], edge: true, origin: "here" },
      arrays: { maps, picture },
      shapes: { maps: [1, 1, 2], picture: [1, 2] },
    },
    {
      header: { labels: ["b", "c"], origin: "here" },
      arrays: { maps: computed },
      shapes: { maps: [2, 1, 2], picture: [1, 2] },
    },
  ]);
});
