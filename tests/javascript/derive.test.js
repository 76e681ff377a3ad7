// What components derive from their views and data, without a page.

import assert from "node:assert/strict";
import test from "node:test";

import * as grid from "../../attnviz/ui/frontend/map_grid/derive.js";
import { Attention } from "../../attnviz/ui/frontend/maps/attention.js";
import { Cells } from "../../attnviz/ui/frontend/maps/cells.js";
import * as viewer from "../../attnviz/ui/frontend/pixel_viewer/derive.js";
import * as stages from "../../attnviz/ui/frontend/stage_grid/derive.js";
import { Placement } from "../../attnviz/ui/frontend/stage_grid/stages.js";
import * as maps from "../../attnviz/ui/frontend/stage_maps/derive.js";

const HEADER = { role: "share", fixed: false, scale: "share", bounds: null };

test("a grid of maps offers the scales that make sense for its numbers", () => {
  assert.deepEqual(grid.choicesOf(HEADER, 2), { share: true, all: true, map: true, pictures: false });
  assert.deepEqual(grid.choicesOf({ ...HEADER, role: "ink" }, 2), {
    share: false,
    all: true,
    map: false,
    pictures: false,
  });
  assert.deepEqual(grid.choicesOf({ ...HEADER, fixed: true }, 2), { share: true });
  assert.equal(grid.choicesOf({ ...HEADER, role: "signed", bounds: [-1, 2] }, 1).pictures, true);
});

test("the scales of a grid span all maps, each its own, or those of all pictures", () => {
  const values = Float64Array.of(-1, 0.5, 3, -4);
  const ends = (scale, header) => grid.scalesOf(header, values, 2, scale).map(({ low, high }) => [low, high]);
  const signed = { ...HEADER, role: "signed", bounds: [-8, 2] };
  assert.deepEqual(ends("all", signed), [
    [-4, 4],
    [-4, 4],
  ]);
  assert.deepEqual(ends("map", signed), [
    [-1, 1],
    [-4, 4],
  ]);
  assert.deepEqual(ends("pictures", signed), [
    [-8, 8],
    [-8, 8],
  ]);
});

test("of one picture all maps have one edge, of several each its own", () => {
  const cells = new Cells(1, 2);
  const pictures = Float64Array.of(1, 0, 0, 0);
  const [one, other] = grid.edgesOf({ role: "signed" }, pictures, true, cells, 2);
  assert.ok(one.length > 0);
  assert.deepEqual(other, []);
  assert.deepEqual(grid.edgesOf({ role: "signed" }, pictures, false, cells, 2), [one, one]);
  assert.deepEqual(grid.edgesOf({ role: "ink" }, pictures, true, cells, 2), [[], []]);
});

test("the pixel viewer pairs the held token with the strongest one, and reads the pair", () => {
  // One head, two tokens, scores 1 and 3 for the first query.
  const arrays = {
    query: Float64Array.of(1, 2),
    key: Float64Array.of(1, 3),
    log_normaliser: Float64Array.of(Math.log(Math.exp(1) + Math.exp(3)), Math.log(Math.exp(2) + Math.exp(6))),
    carried: Float64Array.of(5, 7),
    received: Float64Array.of(0, 0),
  };
  const attention = new Attention(/** @type {any} */ (arrays), [1, 2, 1]);
  const view = { show: "weights", direction: "from", head: 0, scale: "map" };
  const buffers = viewer.buffersOf(attention);
  const state = { attention, view, held: 0, other: -1, buffers, carriedSigned: false, arrays };
  const { shownOther, scale } = viewer.fillMaps(state);
  assert.equal(shownOther, 1);
  const weight = 1 / (1 + Math.exp(-2));
  assert.ok(Math.abs(scale.high - weight) < 1e-12);
  const reading = viewer.readingOf({ ...state, shownOther });
  assert.deepEqual([reading.query, reading.key, reading.value], [0, 1, 7]);
  assert.ok(Math.abs(reading.weight - weight) < 1e-12 && Math.abs(reading.share - 2 * weight) < 1e-12);
  assert.equal(viewer.fillMaps({ ...state, other: 0 }).shownOther, 0);
  assert.equal(viewer.chosenOf({ head: "mean" }, 3), 3);
});

/** A layer of one channel and two heads over one row of two pixels. */
const LAYER = /** @type {any} */ ({
  heads: 2,
  channels: 1,
  rows: 1,
  columns: 2,
  xWeights: [1, 2, 3, 4],
  yWeights: [5, 6, 7, 8],
});

function shown(view) {
  const found = {
    relevance: Float64Array.of(0.5, 0.25, 0.75, 0.25),
    attended: Float64Array.of(1, -2, -3, 1),
    output: Float64Array.of(4, 8),
  };
  return /** @type {any} */ ({
    view: {
      layer: 0,
      head: "mean",
      channel: "colour",
      scale: "map",
      relevance: "learnt",
      off: [],
      eps: null,
      skip: true,
      ...view,
    },
    layers: [LAYER],
    placement: new Placement(LAYER, 1),
    columns: ["relevance", "output"],
    coloured: false,
    stages: [found],
    at: [0, 0],
    arrays: { "0.mean": Float64Array.of(9, 9, 9, 9) },
  });
}

test("a map of a stage is that of a head, their mean, or the layer's", () => {
  assert.deepEqual([...stages.mapOf(shown({}), 0, "relevance")], [0.625, 0.25]);
  assert.deepEqual([...stages.mapOf(shown({ head: 1 }), 0, "relevance")], [0.75, 0.25]);
  assert.deepEqual([...stages.mapOf(shown({ head: 1 }), 0, "x_weights")], [3, 4]);
  assert.deepEqual([...stages.mapOf(shown({}), 0, "output")], [4, 8]);
});

test("a share is drawn by how far it is from an even one, on its own scale or on that of all maps", () => {
  const [relevance, output] = stages.tilesOf(shown({}));
  assert.deepEqual([...relevance.drawn[0]], [0.125, -0.25]);
  assert.deepEqual(
    [relevance.kind, relevance.scale.high, output.kind, output.scale.high],
    ["excess", 0.25, "signed", 8],
  );
  assert.deepEqual([relevance.extent.low, relevance.extent.high], [0.25, 0.625]);
  assert.deepEqual(
    stages.tilesOf(shown({ scale: "all" })).map(({ scale }) => scale.high),
    [8, 8],
  );
});

test("where the mean is shown, the head that says most about the pixel is spelled out", () => {
  assert.equal(stages.headOf(shown({})), 1);
  assert.equal(stages.headOf({ ...shown({}), at: [0, 1] }), 0);
  assert.equal(stages.headOf(shown({ head: 0 })), 0);
});

test("the relevance is replaced by one, zero, its mean or another picture's", () => {
  const other = () => [{ normed_relevance: Float64Array.of(7) }];
  const replaced = (relevance) => stages.replacedRelevance(shown({ relevance }), other);
  assert.equal(replaced("learnt"), null);
  assert.deepEqual(replaced("one"), [Float64Array.of(1, 1, 1, 1)]);
  assert.deepEqual(replaced("zero"), [Float64Array.of(0, 0, 0, 0)]);
  assert.deepEqual(replaced("mean"), [Float64Array.of(9, 9, 9, 9)]);
  assert.deepEqual(replaced("other"), [Float64Array.of(7)]);
});

test("stage maps take ReLU from the convolution and show the channel with the largest mean until one is chosen", () => {
  const boxes = [0, 0, 1, 1, 1, 1];
  const stages = { conv: "after conv", relu: "after ReLU", pool: "after pooling" };
  const header = { stages, layers: [{ title: "Convolution 1", boxes: { conv: boxes }, channel: null }] };
  const arrays = { "0.conv": Float64Array.of(-1, 2, 3, -4) };
  const layers = maps.layersOf(header, arrays, { picture: [1, 2], "0.conv": [2, 1, 2] });
  assert.deepEqual([...layers[0].maps.relu], [0, 2, 3, 0]);
  assert.deepEqual([layers[0].strongest, layers[0].cut, layers[0].maps.pool], [1, 0.5, layers[0].maps.relu]);
  const view = { layer: 0, stage: "relu", channel: null };
  const state = { layers, stages: Object.keys(stages), view, looked: { tile: 0, token: 1 } };
  assert.deepEqual([...maps.valuesOf(state, 1)], [3, 0]);
  assert.deepEqual([...maps.valuesOf({ ...state, view: { ...view, channel: 0 } }, 0)], [-1, 2]);
  assert.deepEqual([maps.tileOf(state), maps.tokenOf(state, 1)], [1, 1]);
  assert.equal(maps.inWords(state, 1, stages), "Convolution 1, channel 2, after ReLU: 0 at row 1, column 2.");
});

test("stages of a block may have other channels, cells and scales; the row is on one scale and one place", () => {
  const stages = { input: "what comes in", relu: "after ReLU", gate: "after the gate" };
  const half = [0, 0, 2, 2, 4, 4]; // cells two pixels apart, whose boxes begin at the picture's corner
  const header = {
    stages,
    layers: [{ title: "Block 1", boxes: { input: [0, 0, 1, 1, 1, 1], relu: half, gate: half }, channel: 1 }],
  };
  const shapes = { picture: [4, 4], "0.input": [1, 4, 4], "0.relu": [2, 2, 2], "0.gate": [2, 2, 2] };
  const arrays = {
    "0.input": Float32Array.from({ length: 16 }, (_, at) => at),
    "0.relu": Float32Array.of(9, 9, 9, 9, 0, 1, 2, 3),
    "0.gate": Float32Array.of(9, 9, 9, 9, 0, 0.5, 1, -1.5),
  };
  const layers = maps.layersOf(header, arrays, shapes);
  const view = { layer: 0, stage: "gate", channel: null };
  const state = { layers, stages: Object.keys(stages), view, looked: { tile: 2, token: 3 } };
  assert.deepEqual(
    [0, 1, 2].map((tile) => maps.channelOf(state, 0, state.stages[tile])),
    [0, 1, 1],
  );
  assert.deepEqual([...maps.valuesOf(state, 2)], [0, 0.5, 1, -1.5]);
  // The last cell's box has rows and columns 2 to 6, of which the picture has 4: its middle is the last pixel.
  assert.equal(maps.tokenOf(state, 0), 15);
  assert.equal(maps.scalesOf(state)[0].high, 15);
});
