// Paths of glimpses: where boxes lie, what moving does, and what is asked for.

import assert from "node:assert/strict";
import test from "node:test";

import { packed } from "../../attnviz/ui/frontend/core/colours.js";
import {
  answersOf,
  beliefOf,
  boxesOf,
  coverage,
  drawsOf,
  locationOf,
  locationsOf,
  moveTo,
  patchOf,
  pixelOf,
  placeOf,
  rewardOf,
  sharplySeen,
  shifted,
} from "../../attnviz/ui/frontend/glimpse_player/derive.js";
import { cornersOf } from "../../attnviz/ui/frontend/glimpse_player/export.js";
import { under } from "../../attnviz/ui/frontend/glimpse_player/pieces.js";
import { DENSEST } from "../../attnviz/ui/frontend/glimpse_player/scene.js";
import { manyAnswers, manyWords, policyWords } from "../../attnviz/ui/frontend/glimpse_player/words.js";

const FACTS = { glimpses: 2, scales: 2, size: 3, rows: 6, columns: 10, classes: 2 };
const PATH = {
  location: Float32Array.of(0, 0, -1, 1),
  mean: Float32Array.of(0, 0, -1, 1),
  baseline: Float32Array.of(0.5, 0.75),
  corner: Float32Array.of(2, 4, 0, 2, -1, 9, -3, 7), // from the pixels 3, 5 and 0, 10
  patches: Float32Array.from({ length: 36 }, (_, i) => i),
  belief: Float32Array.of(0.25, 0.75, 1, 0),
};

test("boxes, pixels, patches and beliefs are those of the glimpse", () => {
  assert.deepEqual(boxesOf(PATH, 1, FACTS), [
    { top: -1, left: 9, side: 3 },
    { top: -3, left: 7, side: 6 },
  ]);
  assert.deepEqual(
    [0, 1].map((glimpse) => pixelOf(PATH, glimpse, FACTS)),
    [
      [3, 5],
      [0, 10],
    ],
  );
  assert.deepEqual(
    [...patchOf(PATH, 1, 0, FACTS)],
    Array.from({ length: 9 }, (_, i) => 18 + i),
  );
  assert.deepEqual([...beliefOf(PATH, 1, FACTS)], [1, 0]);
});

test("the middle of a pixel is a location of that pixel, in single precision too", () => {
  for (const side of [6, 10, 20, 28, 40, 60]) {
    for (let pixel = 0; pixel < side; pixel++) {
      const location = Math.fround(locationOf(pixel, side));
      assert.ok(location > -1 && location < 1);
      assert.equal(Math.floor(Math.fround(Math.fround(Math.fround(location + 1) / 2) * side)), pixel);
      assert.ok(Math.abs(placeOf(location, side) - pixel - 0.5) < 1e-4);
    }
  }
});

test("cross and circle are where the draws lie: around the mean, or around the squashed one", () => {
  const path = { ...PATH, mean: Float32Array.of(0, 0, 0.75, -1) };
  const [std, noise] = [0.25, Array.from({ length: 20001 }, (_, number) => Math.sin(number * number))]; // symmetric
  for (const [squash, squashed] of [
    ["clamp", (/** @type {number} */ x) => x],
    ["tanh", Math.tanh],
  ]) {
    const { middle, ends } = drawsOf(path, 1, FACTS, { std, squash });
    [0.75, -1].forEach((mean, axis) => {
      const side = [FACTS.rows, FACTS.columns][axis];
      const drawn = noise.map((one) => ((squashed(mean + std * one) + 1) / 2) * side).sort((one, other) => one - other);
      assert.ok(Math.abs(middle[axis] - drawn[10000]) < 0.01 * side, `${squash}, ${axis}`);
      const expected = [-1, 1].map((sign) => ((squashed(mean + sign * std) + 1) / 2) * side);
      ends[axis].forEach((end, place) => assert.ok(Math.abs(end - expected[place]) < 1e-9));
    });
  }
  // What was stored before models said how they squash is of models that do not.
  assert.deepEqual(drawsOf(path, 1, FACTS, { std }), drawsOf(path, 1, FACTS, { std, squash: "clamp" }));
  const how = { policy: "learnt", std, centre: false, draw: 0, moved: false };
  assert.match(
    policyWords(path, 1, FACTS, { ...how, squash: "clamp" }),
    /row 5\.8, column 0\.5 .* 0\.8 rows and 1\.3 col/,
  );
  assert.match(
    policyWords(path, 1, FACTS, { ...how, squash: "tanh" }),
    /row 5\.4, column 1\.7 .* 0\.4 rows and 0\.5 col/,
  );
});

test("a moved glimpse puts its boxes around the pixel, and leaves the others and the given path alone", () => {
  const moved = shifted(PATH, 0, [1, 7], FACTS);
  assert.deepEqual(boxesOf(moved, 0, FACTS), [
    { top: 0, left: 6, side: 3 },
    { top: -2, left: 4, side: 6 },
  ]);
  assert.deepEqual(boxesOf(moved, 1, FACTS), boxesOf(PATH, 1, FACTS));
  assert.deepEqual(pixelOf(PATH, 0, FACTS), [3, 5]);
});

test("what was moved after a glimpse goes back to the model", () => {
  const moved = moveTo(moveTo(moveTo([], 1, [0, 0]), 3, [1, 1]), 2, [5, 9]);
  assert.deepEqual(moved, [
    [1, 0, 0],
    [2, 5, 9],
  ]);
  assert.deepEqual(moveTo(moved, 2, [4, 4]), [
    [1, 0, 0],
    [2, 4, 4],
  ]);
  assert.deepEqual(moveTo(moved, 0, [4, 4]), [[0, 4, 4]]);
});

test("a location is asked for each that was moved, and none for the others", () => {
  assert.deepEqual(locationsOf([], FACTS), []);
  assert.deepEqual(
    locationsOf(
      [
        [0, 0, 9],
        [2, 5, 0],
      ],
      FACTS,
    ),
    [[1 / 6 - 1, 19 / 10 - 1], null, [11 / 6 - 1, 1 / 10 - 1]],
  );
});

test("pixels that were seen sharp are counted once, and none beside the picture", () => {
  assert.equal(sharplySeen(PATH, 1, FACTS), 9);
  assert.equal(sharplySeen(PATH, 2, FACTS), 9 + 2);
  assert.equal(sharplySeen(shifted(PATH, 1, [3, 6], FACTS), 2, FACTS), 12);
});

test("the density counts the sharp patches of many paths over each pixel, at borders too", () => {
  // top, left
  const corners = Float32Array.of(0, 0, 9, 9, /* of the second path */ 0, 0, -1, 8, /* and the third */ 0, 0, 0, 8);
  const share = coverage(corners, 1, FACTS);
  const at = (row, column) => Math.round(3 * share[10 * row + column]);
  assert.deepEqual([at(0, 8), at(0, 9), at(1, 9), at(2, 9), at(0, 7), at(3, 9), at(5, 9)], [2, 2, 2, 1, 0, 0, 0]);
  assert.deepEqual([...coverage(corners, 0, FACTS)].filter((one) => Math.abs(one - 1) < 1e-6).length, 9);
});

test("answers of many paths are counted, and a reward is 1 for the right last answer", () => {
  assert.deepEqual(answersOf(Float32Array.of(0.4, 0.6, 0.9, 0.1, 0.2, 0.8), 2), [1, 2]);
  assert.deepEqual(
    [0, 1, -1].map((right) => rewardOf(PATH, right, FACTS)),
    [1, 0, null],
  );
});

test("what many paths show is saved as it is shown: their density on the picture, their answers, their patches", () => {
  const [white, violet] = [
    [255, 255, 255],
    [61, 26, 110],
  ];
  const mixed = white.map((part, i) => (1 - DENSEST) * part + DENSEST * violet[i]);
  assert.deepEqual(under([packed(white), packed(white)], [0, 1], violet), [packed(white), packed(mixed)]);
  const many = {
    corner: Float32Array.of(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11), // three paths of two glimpses
    belief: Float32Array.of(1, 0, 0, 1, 0, 1),
  };
  assert.deepEqual(cornersOf(many, FACTS)[1], [
    [4, 5],
    [6, 7],
  ]);
  assert.equal(manyAnswers(many, FACTS, ["a", "b"]), "2 answer b, 1 answers a");
  assert.match(manyWords(many, 1, FACTS, ["a", "b"]), /^Of 3 draws, 2 answer b, 1 answers a\. .*at glimpse 2\.$/);
});
