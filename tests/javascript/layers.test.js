// The maps of all layers: attnviz/ui/frontend/layer_board/layers.js.

import assert from "node:assert/strict";
import test from "node:test";

import { fillLayers, layersOf, partsOf } from "../../attnviz/ui/frontend/layer_board/layers.js";

const [LAYERS, HEADS, TOKENS, SIZE] = [2, 2, 3, 2];

/** A payload whose queries and keys are drawn by a fixed rule, and the weights that follow, spelled out. */
function payload() {
  const number = (i) => Math.sin(7 * i + 1);
  const many = (length, shift) => Float64Array.from({ length }, (_, i) => number(i + shift));
  const count = LAYERS * HEADS * TOKENS;
  const [query, key] = [many(count * SIZE, 0), many(count * SIZE, 50)];
  const [weights, log, received] = [[], new Float64Array(count), new Float64Array(count)];
  for (let head = 0; head < LAYERS * HEADS; head++) {
    const rows = Array.from({ length: TOKENS }, (_, q) => {
      const scores = Array.from({ length: TOKENS }, (_, k) => {
        const at = (token) => (head * TOKENS + token) * SIZE;
        return (query[at(q)] * key[at(k)] + query[at(q) + 1] * key[at(k) + 1]) / Math.sqrt(SIZE);
      });
      const sum = scores.reduce((total, score) => total + Math.exp(score), 0);
      log[head * TOKENS + q] = Math.log(sum);
      return scores.map((score) => Math.exp(score) / sum);
    });
    rows.forEach((row) => row.forEach((weight, k) => (received[head * TOKENS + k] += weight / TOKENS)));
    weights.push(rows);
  }
  const shapes = Object.fromEntries(["query", "key", "value"].map((name) => [name, [LAYERS, HEADS, TOKENS, SIZE]]));
  for (const name of ["log_normaliser", "carried", "received"]) shapes[name] = [LAYERS, HEADS, TOKENS];
  shapes.output = [LAYERS, TOKENS, 1];
  const arrays = { query, key, value: many(count * SIZE, 90), log_normaliser: log, received };
  Object.assign(arrays, { carried: many(count, 9), output: many(LAYERS * TOKENS, 3) });
  return { given: { header: { layers: LAYERS }, arrays, shapes }, weights };
}

const VIEW = { show: "weights", direction: "from", scale: "share", head: 0, layer: 1 };

test("each layer has its own part of every array, without a copy", () => {
  const { given } = payload();
  const parts = partsOf(given);
  assert.deepEqual(parts[1].shapes.query, [HEADS, TOKENS, SIZE]);
  assert.equal(parts[1].arrays.query[0], given.arrays.query[HEADS * TOKENS * SIZE]);
  assert.equal(parts[1].arrays.output[2], given.arrays.output[TOKENS + 2]);
  assert.equal(parts[0].arrays.query.buffer, given.arrays.query.buffer);
});

for (const direction of ["from", "to", "received"])
  test(`the maps of all layers are the weights: ${direction}`, () => {
    const { given, weights } = payload();
    const { all, layers } = layersOf(partsOf(given));
    const held = 1;
    const view = { ...VIEW, direction };
    const { shownOther } = fillLayers({ layers, all, view, held, other: -1, carriedSigned: false });
    const wanted = (head, token) => {
      const rows = weights[head];
      if (direction === "from") return rows[held][token];
      if (direction === "to") return rows[token][held];
      return rows.reduce((sum, row) => sum + row[token] / TOKENS, 0);
    };
    for (let layer = 0; layer < LAYERS; layer++)
      for (let token = 0; token < TOKENS; token++) {
        const start = layer * (HEADS + 1) * TOKENS;
        const found = [0, 1].map((head) => all.maps[start + head * TOKENS + token]);
        found.forEach((value, head) => assert.ok(Math.abs(value - wanted(layer * HEADS + head, token)) < 1e-12));
        const mean = all.maps[start + HEADS * TOKENS + token];
        assert.ok(Math.abs(mean - (found[0] + found[1]) / 2) < 1e-12);
      }
    const chosen = Array.from({ length: TOKENS }, (_, token) => wanted(HEADS, token));
    assert.equal(shownOther, chosen.indexOf(Math.max(...chosen)));
  });

test("one scale for all maps reaches to the largest value of all layers", () => {
  const { given } = payload();
  const { all, layers } = layersOf(partsOf(given));
  const view = { ...VIEW, show: "scores", scale: "all" };
  const { scale } = fillLayers({ layers, all, view, held: 0, other: -1, carriedSigned: false });
  assert.equal(scale.high, Math.max(...all.maps.map(Math.abs)));
});

/** The layers, and how often the maps of each were computed. */
function counted(parts, before = null) {
  const made = layersOf(parts, before);
  const times = made.layers.map(() => 0);
  made.layers.forEach(({ attention }, layer) => {
    if (!attention) return;
    attention.fill = (...given) => {
      times[layer]++;
      Object.getPrototypeOf(attention).fill.apply(attention, given);
    };
  });
  return { ...made, times };
}

const STATE = { view: VIEW, held: 1, other: -1, carriedSigned: false };

test("the maps of a layer that stays are not computed again for another one, and are as if they were", () => {
  const parts = partsOf(payload().given);
  const first = counted(parts);
  fillLayers({ ...STATE, ...first });
  fillLayers({ ...STATE, ...first, view: { ...VIEW, layer: 0, head: 1 } });
  assert.deepEqual(first.times, [1, 1]);
  const other = { ...parts[1], arrays: { ...parts[1].arrays, query: parts[1].arrays.query.map((one) => 3 * one) } };
  const second = counted([parts[0], other], first);
  fillLayers({ ...STATE, ...second });
  assert.deepEqual(second.times, [0, 1]);
  const anew = layersOf([parts[0], other]);
  fillLayers({ ...STATE, ...anew });
  assert.deepEqual(second.all, anew.all);
  for (const changed of [{ held: 2 }, { view: { ...VIEW, direction: "to" } }, { view: { ...VIEW, show: "scores" } }]) {
    const before = [...second.times];
    fillLayers({ ...STATE, ...second, ...changed });
    assert.deepEqual(
      second.times,
      before.map((count) => count + 1),
    );
  }
});

test("a layer with larger values changes the colours of the others, where all have one scale", () => {
  const parts = partsOf(payload().given);
  const view = { ...VIEW, show: "scores", scale: "all" };
  const first = layersOf([parts[0], null]);
  fillLayers({ ...STATE, ...first, view: { ...view, layer: 0 } });
  const larger = { ...parts[1], arrays: { ...parts[1].arrays, query: parts[1].arrays.query.map((one) => 9 * one) } };
  const second = layersOf([parts[0], larger], first);
  const anew = layersOf([parts[0], larger]);
  for (const one of [second, anew]) fillLayers({ ...STATE, ...one, view });
  assert.deepEqual(second.all.indices, anew.all.indices);
});

test("nothing of what was shown before is left where a layer is not here", () => {
  const parts = partsOf(payload().given);
  const first = layersOf(parts);
  fillLayers({ ...STATE, ...first });
  const { all } = layersOf([null, parts[1]], first);
  assert.ok(all.maps.slice(0, (HEADS + 1) * TOKENS).every((value) => value === 0));
});
