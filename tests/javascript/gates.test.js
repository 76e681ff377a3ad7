// Bars: where they stand and what they reach to. Gates: what is asked and shown, and the arithmetic of one of them.

import assert from "node:assert/strict";
import test from "node:test";

import { urlOf } from "../../attnviz/ui/frontend/core/url_fields.js";
import { placesOf, sigmoid, stepsOf } from "../../attnviz/ui/frontend/gates/arithmetic.js";
import * as gates from "../../attnviz/ui/frontend/gates/derive.js";
import { StepsPanel } from "../../attnviz/ui/frontend/gates/steps.js";
import { BarPlaces, paintBars, spanOf } from "../../attnviz/ui/frontend/maps/bars.js";
import * as values from "../../attnviz/ui/frontend/value_bars/derive.js";

test("bars reach from 0 to 1, from 0 to the largest, or as far down as up", () => {
  assert.deepEqual(spanOf("unit", [0.2, 3]), { low: 0, high: 1 });
  assert.deepEqual(spanOf("positive", [0.2, 3]), { low: 0, high: 3 });
  assert.deepEqual(spanOf("signed", [0.2, -3]), { low: -3, high: 3 });
  assert.deepEqual(spanOf("signed", [0, NaN]), { low: -1, high: 1 });
});

test("a place on a strip is a bar and a value, and back", () => {
  const places = new BarPlaces({ count: 4, width: 400, height: 100, low: -1, high: 1, widest: 20 });
  assert.equal(places.width, 80);
  assert.deepEqual(
    [-1, 0, 19, 20, 79, 80].map((x) => places.at(x)),
    [-1, 0, 0, 1, 3, -1],
  );
  assert.deepEqual(
    [0, 50, 100, 130].map((y) => places.valueAt(y)),
    [1, 0, -1, -1],
  );
  assert.deepEqual(
    [1, 0, -1, -5].map((value) => places.down(value)),
    [0, 50, 100, 100],
  );
  assert.deepEqual(places.across(2), [40, 16]);
});

test("a bar is painted from zero to its value, below zero in another colour, and none for what is no number", () => {
  const painted = [];
  const context = {
    fillStyle: "",
    fillRect(...box) {
      painted.push([this.fillStyle, ...box]);
    },
    strokeRect() {},
  };
  const grey = [0, 0, 0];
  const theme = {
    background: [1, 1, 1],
    panel: [2, 2, 2],
    text: grey,
    edge: grey,
    violet: [grey, [0, 0, 255]],
    yellow: [grey, [255, 255, 0]],
  };
  const places = new BarPlaces({ count: 3, width: 30, height: 100, low: -1, high: 1, widest: 10 });
  paintBars(/** @type {any} */ (context), places, { values: [0.5, -1, NaN] }, /** @type {any} */ (theme));
  const of = (colour) => painted.filter(([fill]) => fill === colour).map(([, ...box]) => box);
  assert.deepEqual(of("#0000ff"), [[0, 25, 8, 25]]);
  assert.deepEqual(of("#ffff00"), [[10, 50, 8, 50]]);
});

// Two layers of two channels and one unit; the second has gates of places.
const header = {
  other: "picture 3",
  layers: [
    {
      title: "Block 1",
      path: "a",
      form: "gate",
      tap: { address: "a.gate" },
      space_tap: null,
      space_is: "",
      kinds: ["varies", "constant"],
    },
    {
      title: "Block 2",
      path: "b",
      form: "gate",
      tap: { address: "b.gate" },
      space_tap: { address: "b.space_gate" },
      space_is: "gate",
      kinds: ["always open", "varies"],
    },
  ],
};
const arrays = {};
const shapes = {};
[0, 1].forEach((number) => {
  const put = (name, list, shape = [list.length], Kind = Float64Array) => {
    arrays[`${number}.${name}`] = Kind.from(list);
    shapes[`${number}.${name}`] = shape;
  };
  put("gate", [0.5, 0.9]);
  put("mean", [0.4, 0.2]);
  put("lowest", [0.1, 0.1]);
  put("highest", [0.8, 0.95]);
  put("squeezed", [2, 3]);
  put("reduced", [1.5]);
  put("excite", [2, -1], [2, 1]);
  put("shift", [0.25, 0]);
  put("tap.mean", [0.4, 0.2], [2], Float32Array);
  put("tap.other", [0.7, 0.6], [2], Float32Array);
});
Object.assign(arrays, {
  "1.squeezed_max": Float64Array.of(7, 8),
  "1.space": Float64Array.of(0.1, 0.2),
  "1.space_tap.mean": Float32Array.of(0.5, 0.5),
});
Object.assign(shapes, { "1.space": [1, 2], "1.space_tap.mean": [1, 2] });
const layers = gates.layersOf(header, arrays, shapes);
const view = { layer: 0, channel: null, gates: "own", turned: [] };

test("gates as they are computed are no edit; those turned by hand are one for each value", () => {
  assert.deepEqual(gates.editsOf(view, layers), { edits: [], arrays: {} });
  assert.equal(gates.isSwitched(view), false);
  const turned = [
    [0, 0, 25],
    [0, 1, 25],
    [1, 1, 100],
  ];
  assert.deepEqual(gates.editsOf({ ...view, turned }, layers).edits, [
    { edit: "set", address: "a.gate", index: { channel: [0, 1] }, value: 0.25 },
    { edit: "set", address: "b.gate", index: { channel: [1] }, value: 1 },
  ]);
});

test("all gates at 1 or at their mean include those of places; a hand comes after", () => {
  assert.deepEqual(gates.editsOf({ ...view, gates: "one" }, layers).edits, [
    { edit: "set", address: "a.gate", value: 1 },
    { edit: "set", address: "b.gate", value: 1 },
    { edit: "set", address: "b.space_gate", value: 1 },
  ]);
  const mean = gates.editsOf({ ...view, gates: "mean", turned: [[0, 1, 0]] }, layers);
  assert.deepEqual(
    mean.edits.map(({ array, value }) => array ?? value),
    ["0.put_mean", 0, "1.put_mean", "1.put_space_mean"],
  );
  assert.deepEqual(mean.arrays["1.put_space_mean"].shape, [1, 2]);
});

test("what is shown is the hand, then what stands in place of the gates, then what is computed", () => {
  const now = { ...layers[0].own, gate: Float64Array.of(0.3, 0.6) };
  const shown = (more) =>
    [...gates.shownGates({ ...view, ...more }, layers[0], 0, now).values].map((one) => Number(one.toFixed(6)));
  assert.deepEqual(shown({}), [0.3, 0.6]);
  assert.deepEqual(shown({ gates: "one" }), [1, 1]);
  assert.deepEqual(
    shown({
      gates: "other",
      turned: [
        [0, 0, 5],
        [1, 1, 9],
      ],
    }),
    [0.05, 0.6],
  );
});

test("turning a gate replaces what it was turned to before, and letting it go takes it out", () => {
  const turned = gates.turnedTo(
    [
      [0, 1, 30],
      [1, 0, 10],
    ],
    0,
    1,
    0.456,
  );
  assert.deepEqual(turned, [
    [0, 1, 46],
    [1, 0, 10],
  ]);
  assert.deepEqual(gates.turnedTo(turned, 0, 1, null), [[1, 0, 10]]);
});

test("the arithmetic of a gate is that of its weights", () => {
  const steps = stepsOf(layers[0], layers[0].own, 0, 0.5);
  assert.equal(steps.score, 2 * 1.5 + 0.25);
  assert.ok(Math.abs(steps.computed - 1 / (1 + Math.exp(-3.25))) < 1e-12);
  assert.deepEqual(steps.terms, [{ unit: 0, weight: 2, product: 3 }]);
  assert.deepEqual([steps.squeezed, steps.squeezedMax, steps.factor, steps.scaled], [2, null, 0.5, 1]);
  assert.equal(stepsOf(layers[1], layers[1].own, 1, 0.5).squeezedMax, 8);
  assert.equal(stepsOf({ ...layers[0], form: "one plus" }, layers[0].own, 0, 0.5).scaled, 3);
});

/** Gates of places that are added to the score of the channel. */
const scored = {
  ...layers[1],
  space_is: "score",
  put: { put_other: { values: Float32Array.of(0.125, 0.25, 0.5, 0.75), shape: [2, 1, 2] } },
};
const placed = (more, layer = scored) => {
  const found = placesOf({ ...view, layer: 1, ...more }, layer, layer.own, 1, 1);
  return found && [...found.values];
};

test("a score of places is added before the sigmoid, at each place", () => {
  assert.deepEqual(placed({}), [sigmoid(1.1), sigmoid(1.2)]);
  assert.deepEqual(placed({}, layers[1]), [0.1, 0.2]);
  assert.equal(placed({}, layers[0]), null);
});

test("by place, too, stands what the net uses: the hand, then what stands in place of the gates", () => {
  assert.deepEqual(placed({ gates: "one" }), [1, 1]);
  assert.deepEqual(placed({ gates: "other" }), [0.5, 0.75]);
  const turned = [
    [0, 1, 40],
    [1, 1, 25],
  ];
  assert.deepEqual(placed({ gates: "other", turned }), [0.25, 0.25]);
  assert.deepEqual(placed({ turned: turned.slice(0, 1) }), [sigmoid(1.1), sigmoid(1.2)]);
});

test("what stands in the place of a computed gate is said, of gates of places too", () => {
  const word = () => ({ data: "" });
  const node = () => ({ getAttribute: () => "", setAttribute() {} });
  const panel = Object.assign(Object.create(StepsPanel.prototype), {
    words: new Proxy({}, { get: (words, name) => (words[name] ??= word()) }),
    ...{ before: node(), after: node(), value: { show() {} } },
    terms: [{ name: word(), product: word() }],
    lines: [{}],
  });
  const said = (layer, held, all) => {
    panel.show(layer, 1, stepsOf(layer, layer.own, 1, 0.25), held, all);
    return panel.words.computed.data;
  };
  assert.match(said(scored, false, "own"), /on average over all places\.$/);
  assert.match(said(scored, false, "mean"), /on average over all places; 0\.250 stands in its place\.$/);
  assert.match(said(scored, true, "own"), /; you have set 0\.250 instead\.$/);
  assert.match(said(layers[0], true, "own"), /^The sigmoid of the score is 0\.\d+; you have set 0\.250 instead\.$/);
});

test("an answer of the live channel gives what a layer computed, where gates vary over places their mean", () => {
  const answer = {
    "1.gate": Float32Array.of(0, 1, 0.5, 0.5),
    "1.squeezed": Float32Array.of(1, 2),
    "1.reduced": Float32Array.of(2),
    "1.reduced_max": Float32Array.of(3),
  };
  const found = gates.valuesOf(layers[1], 1, answer);
  assert.deepEqual([[...found.gate], [...found.reduced]], [[0.5, 0.5], [5]]);
  assert.deepEqual(
    Object.keys(gates.wantedOf(layers)).filter((name) => name.startsWith("1.")),
    ["1.gate", "1.squeezed", "1.reduced", "1.squeezed_max", "1.reduced_max", "1.space"],
  );
});

test("the gate that is looked at is the chosen one, or the farthest from its mean", () => {
  assert.equal(gates.channelOf(view, layers), 1);
  assert.equal(gates.channelOf({ ...view, channel: 0 }, layers), 0);
});

test("a gate that never varies says so, and the row counts them", () => {
  assert.equal(gates.kindsInWords(layers[0]), "2 channels, 1 constant");
  assert.match(gates.inWords(layers[1], 0, 0.5, true), /^Block 2, channel 1: 0\.500, set by hand; .*: always open$/);
  assert.doesNotMatch(gates.inWords(layers[1], 1, 0.5, false), /always|constant|hand/);
});

test("gates that are turned stand in the link, and nonsense does not exist", () => {
  const fields = [{ name: "turned", kind: "turns", default: [], options: [] }];
  assert.equal(
    urlOf("http://x/", fields, {
      turned: [
        [0, 4, 25],
        [1, 2, 100],
      ],
    }),
    "http://x/?turned=1.5-25%2C2.3-100",
  );
  const turned = Array.from({ length: 100 }, (_, channel) => [5, channel, 100]);
  const link = new URL(urlOf("http://x/", fields, { turned }));
  assert.equal(link.searchParams.get("turned")?.split(",").at(-1), "6.100-100", "and none is cut off");
  const facts = { layers, other: null };
  const exists = (name, value, asked = {}) => gates.RULES.exists(/** @type {any} */ ({ name }), value, facts, asked);
  assert.deepEqual(
    [exists("turned", [[1, 1, 100]]), exists("turned", [[1, 2, 100]]), exists("turned", [[0, 0, 101]])],
    [true, false, false],
  );
  const twice = [
    [1, 1, 20],
    [1, 1, 80],
  ];
  assert.equal(exists("turned", twice), false, "a gate has one value");
  assert.deepEqual(
    [exists("gates", "mean"), exists("gates", "other"), exists("layer", 2), exists("channel", 1, { layer: 1 })],
    [true, false, false, true],
  );
});

test("bars of values are read, summed up and saved", () => {
  const shown = {
    header: { names: ["channel 1", "channel 2"], range: "unit" },
    arrays: { values: [0.25, 0.75], marks: [0.5, 0.5] },
    span: { low: 0, high: 1 },
  };
  assert.equal(values.inWords(shown, 1), "channel 2: 0.7500, mean 0.500");
  assert.equal(
    values.summaryOf(shown),
    "Bars from 0 to 1.00; values from 0.250 to 0.750. The line across a bar is its mean.",
  );
  assert.deepEqual(values.tableOf(shown), {
    head: ["name", "value", "mean"],
    rows: [
      ["channel 1", 0.25, 0.5],
      ["channel 2", 0.75, 0.5],
    ],
  });
});

test("a finger slides along a strip, and the last bar stays chosen beyond its end", async () => {
  const { BarStrip } = await import("../../attnviz/ui/frontend/maps/bar_strip.js");
  const strip = Object.create(BarStrip.prototype);
  const chosen = [];
  strip.places = new BarPlaces({ count: 64, width: 320, height: 26 });
  strip.bars = { values: [], chosen: 3 };
  strip.choose = (bar) => {
    chosen.push(bar);
    strip.bars.chosen = bar;
  };
  for (const x of [16, 22, 24, 400, -9]) strip.slideTo(x);
  assert.deepEqual(chosen, [4, 63, 0]);
});
