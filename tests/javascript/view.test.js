// Views out of URLs and back, for the pixel viewer and the stage grid.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";

import * as glimpses from "../../attnviz/ui/frontend/glimpse_player/view.js";
import * as pixels from "../../attnviz/ui/frontend/pixel_viewer/view.js";
import { Cells } from "../../attnviz/ui/frontend/maps/cells.js";
import { readView, urlOf, wordOf } from "../../attnviz/ui/frontend/core/url_fields.js";
import "../../attnviz/ui/frontend/sampling_grid/derive.js";
import { tileOf } from "../../attnviz/ui/frontend/stage_grid/derive.js";
import * as stages from "../../attnviz/ui/frontend/stage_grid/view.js";

const PAGE = "http://localhost:8501/pixel_attention?model=a&old=1";
const WORDS = JSON.parse(readFileSync(new URL("url_words.json", import.meta.url), "utf8"));
const field = (name, kind, otherwise = null, options = []) => ({ name, kind, default: otherwise, options });
const CASES = {
  "pixel viewer": {
    fields: [
      field("query", "place"),
      field("head", "head", 0),
      field("show", "choice", "weights", ["weights", "scores"]),
    ],
    read: (fields, asked) => readView(fields, asked, pixels.RULES, { cells: new Cells(3, 4), heads: 2 }),
    good: { query: [2, 3], head: 1, show: "scores" },
    words: { query: "3,4", head: "2", show: "scores" },
    bad: [
      { query: [3, 0] },
      { query: [0] },
      { query: "0,0" },
      { head: 2 },
      { head: 0.5 },
      { show: "toString" },
      { show: 7 },
    ],
    there: { query: "row 1 to 3, column 1 to 4", head: "1 to 2 or mean", show: "weights or scores" },
  },
  "stage grid": {
    fields: [
      field("pixel", "place"),
      field("layer", "number", 0),
      field("stage", "choice", "attended", ["relevance", "attended", "output"]),
      field("head", "head", 0),
      field("off", "heads", []),
      field("eps", "float"),
      field("skip", "yes_no", true),
      field("relevance", "choice", "learnt", ["learnt", "one"]),
    ],
    read: (fields, asked) =>
      readView(fields, asked, stages.RULES, {
        layers: 2,
        heads: 3,
        rows: 4,
        columns: 5,
        stages: ["attended", "output"],
      }),
    good: {
      pixel: [3, 4],
      layer: 1,
      stage: "output",
      head: "mean",
      off: [
        [0, 1],
        [1, 2],
      ],
      eps: 1e-5,
      skip: false,
      relevance: "one",
    },
    words: {
      pixel: "4,5",
      layer: "2",
      stage: "output",
      head: "mean",
      off: "1.2,2.3",
      eps: "0.00001",
      skip: "no",
      relevance: "one",
    },
    bad: [
      { pixel: [4, 0] },
      { layer: 2 },
      { stage: "relevance" },
      { head: -1 },
      { off: [[0, 3]] },
      { off: "1.1" },
      { eps: 0 },
      { eps: 2 },
      { skip: "no" },
      { relevance: "two" },
    ],
    there: {
      pixel: "row 1 to 4, column 1 to 5",
      layer: "1 to 2",
      stage: "relevance or attended or output",
      head: "1 to 3 or mean",
      off: "layer.head, of layers 1 to 2 and heads 1 to 3",
      eps: "1e-14 to 1",
      skip: "yes or no",
      relevance: "learnt or one",
    },
  },
  "glimpse player": {
    fields: [
      field("glimpse", "number", 0),
      field("locations", "choice", "drawn", ["drawn", "means"]),
      field("draw", "number", 0),
      field("moved", "moves", []),
    ],
    read: (fields, asked) =>
      readView(fields, asked, glimpses.RULES, { glimpses: 4, scales: 2, size: 3, rows: 20, columns: 28, classes: 10 }),
    good: {
      glimpse: 3,
      locations: "means",
      draw: 7,
      moved: [
        [0, 19, 0],
        [2, 0, 27],
      ],
    },
    words: { glimpse: "4", locations: "means", draw: "8", moved: "1.20.1,3.1.28" },
    bad: [
      { glimpse: 4 },
      { glimpse: -1 },
      { draw: 1000 },
      { moved: [[4, 0, 0]] },
      { moved: [[0, 20, 0]] },
      {
        moved: [
          [1, 0, 0],
          [1, 2, 2],
        ],
      },
      { moved: [[0, 1]] },
      { moved: "1.2" },
      { locations: "mean" },
    ],
    there: {
      glimpse: "1 to 4",
      draw: "1 to 1000",
      moved: "glimpse.row.column, from 1.1.1 to 4.20.28, each glimpse once and in order",
      locations: "drawn or means",
    },
  },
};

for (const [name, { fields, read, good, words, bad, there }] of Object.entries(CASES)) {
  const defaults = Object.fromEntries(fields.map((one) => [one.name, one.default]));

  test(`${name}: nothing asked for gives the default, and a URL without fields`, () => {
    for (const asked of [null, {}]) assert.deepEqual(read(fields, asked), { view: defaults, complaint: "" });
    assert.equal(urlOf(PAGE, fields, defaults), PAGE);
    assert.equal(urlOf(urlOf(PAGE, fields, good), fields, defaults), PAGE);
  });

  test(`${name}: a view is read, and counted from 1 in the URL`, () => {
    assert.deepEqual(read(fields, good), { view: good, complaint: "" });
    const made = new URL(urlOf(PAGE, fields, good));
    assert.deepEqual(Object.fromEntries(made.searchParams), { model: "a", old: "1", ...words });
  });

  for (const asked of bad) {
    test(`${name}: nonsense is dropped with a sentence that says what there is: ${JSON.stringify(asked)}`, () => {
      const { view, complaint } = read(fields, asked);
      const [field] = Object.keys(asked);
      assert.deepEqual(view, defaults);
      assert.match(complaint, new RegExp(`asks for ${field} \u201c`));
      assert.ok(complaint.endsWith(`Valid values of ${field}: ${there[field]}.`), complaint);
    });
  }
}

test("the tile that a stage grid looks at is that of its layer and stage, or the first of the layer", () => {
  const tile = (stage) => tileOf({ view: { layer: 1, stage }, columns: ["attended", "after_conv", "output"] });
  assert.deepEqual(["attended", "output", "relevance"].map(tile), [3, 5, 3]);
});

test("a stage grid with all defaults has nothing switched", () => {
  assert.ok(!stages.isSwitched({ off: [], eps: null, skip: true, relevance: "learnt" }));
  assert.ok(stages.isSwitched(CASES["stage grid"].good));
});

test("a stage grid offers no relevance that there is not: a drawing has no other picture", () => {
  const fields = [field("relevance", "choice", "learnt", ["learnt", "mean", "one", "other", "zero"])];
  const here = (arrays) => stages.fieldsHere(fields, arrays);
  assert.deepEqual(here({ "0.mean": [], "other.input": [] }), fields);
  const { view, complaint } = readView(here({ "0.mean": [] }), { relevance: "other" }, stages.RULES, {});
  assert.equal(view.relevance, "learnt");
  assert.match(complaint, /relevance \u201cother\u201d.*Valid values of relevance: learnt or mean or one or zero\.$/);
  assert.deepEqual(here({ "other.input": [] })[0].options, ["learnt", "one", "other", "zero"]);
});

for (const { kind, value, word } of WORDS) {
  test(`a value of the kind ${kind} is the word ${word}, as in Python`, () =>
    assert.equal(wordOf({ kind }, value), word));
}

test("a class token has a place of its own, before the grid", () => {
  const cells = new Cells(3, 4, 1);
  assert.deepEqual(
    [cells.at([-1, 0]), cells.at([0, 0]), cells.at([2, 3]), cells.at([3, 0]), cells.at([-1, 1])],
    [0, 1, 12, -1, -1],
  );
  for (let token = 0; token < 13; token++) assert.equal(cells.at(cells.place(token)), token);
});
