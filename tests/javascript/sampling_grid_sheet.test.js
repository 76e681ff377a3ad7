// What is saved of a picture and its grid: a sheet whose grid stays in its box and says which side is up, and a CSV.

import assert from "node:assert/strict";
import test from "node:test";

import { decomposed, IDENTITY, sampled } from "../../attnviz/ui/frontend/sampling_grid/affine.js";
import { STILL } from "../../attnviz/ui/frontend/sampling_grid/derive.js";
import { clipped, files } from "../../attnviz/ui/frontend/sampling_grid/export.js";
import { canvasOf, csvOf, LOOK } from "./helpers.js";

const SHAPE = [4, 4, 1];
const [LEFT, TOP, SIZE] = [24, 48, 4 * 8 * 1.42]; // of the box, in CSS pixels

/** What can be saved with a theta, and the lines of the grid on the sheet, those that are drawn boldly first. */
function savedOf(t, used) {
  globalThis.document = /** @type {any} */ ({ createElement: () => canvasOf(4, 4).canvas });
  t.after(() => delete (/** @type {any} */ (globalThis).document));
  const picture = Uint8Array.from({ length: 16 }, (_, place) => 16 * place);
  const part = /** @type {any} */ ({
    ...{ ...LOOK, shapes: { picture: SHAPE }, picture, used, kind: "set by hand", view: STILL },
    ...{ values: sampled(picture, SHAPE, used), parts: decomposed(used, SHAPE), url: { link: () => "http://here/" } },
    header: { origin: { model: "small" }, ink: false, classes: ["0", "1"] },
    answer: { words: () => "1, 75.0 %" },
    answered: { probabilities: Float64Array.from([0.25, 0.75]) },
  });
  const saved = files(part);
  const lines = saved.sheet().items.filter(({ kind }) => kind === "line");
  return { saved, csv: () => csvOf(saved), lines, bold: lines.filter(({ line }) => line === 2) };
}

const near = (found, wanted) => {
  assert.equal(found.flat().length, wanted.flat().length);
  wanted.flat().forEach((one, place) => assert.ok(Math.abs(found.flat()[place] - one) < 1e-9, `${found}`));
};

test("the grid of the identity is the frame of the picture, with a stem above it", (t) => {
  const { bold, lines } = savedOf(t, IDENTITY);
  assert.equal(lines.length, 19); // nine each way, and the stem
  const middle = [LEFT + SIZE / 2, TOP + SIZE / 2];
  near(bold.at(-1).points, [[middle[0], middle[1] - 16], [middle[0], middle[1] - 16 * 1.28]]); // prettier-ignore
});

test("a grid that is turned by half is told from the identity by its stem", (t) => {
  const { bold } = savedOf(t, [-1, 0, 0, 0, -1, 0]);
  const middle = [LEFT + SIZE / 2, TOP + SIZE / 2];
  near(bold.at(-1).points, [[middle[0], middle[1] + 16], [middle[0], middle[1] + 16 * 1.28]]); // prettier-ignore
});

test("a grid of four times the size stays in its box, off the headings and off what is classified", (t) => {
  const { lines, bold } = savedOf(t, IDENTITY.map((value) => 4 * value)); // prettier-ignore
  for (const { points } of lines)
    for (const [x, y] of points) {
      assert.ok(x >= LEFT - 1e-9 && x <= LEFT + SIZE + 1e-9, `${x}`);
      assert.ok(y >= TOP - 1e-9 && y <= TOP + SIZE + 1e-9, `${y}`);
    }
  assert.equal(bold.length, 0, "the outline and the stem are out of sight");
  assert.equal(lines.length, 6); // those at -1, 0 and 1 of the picture, each way
});

test("a line is cut off at the sides of a box that it crosses", () => {
  const box = [0, 0, 10, 20];
  near(/** @type {any} */ (clipped([-5, 5], [15, 5], box)), [[0, 5], [10, 5]]); // prettier-ignore
  near(/** @type {any} */ (clipped([5, 30], [5, 10], box)), [[5, 20], [5, 10]]); // prettier-ignore
  near(/** @type {any} */ (clipped([-10, -10], [40, 40], box)), [[0, 0], [10, 10]]); // prettier-ignore
  near(/** @type {any} */ (clipped([1, 2], [3, 4], box)), [[1, 2], [3, 4]]); // prettier-ignore
  for (const [from, to] of [
    [
      [-5, -1],
      [15, -1],
    ],
    [
      [-1, 5],
      [-1, 9],
    ],
    [
      [12, 25],
      [15, 30],
    ],
    [
      [-3, 2],
      [2, -3],
    ],
  ])
    // prettier-ignore
    assert.equal(clipped(from, to, box), null, `${from} ${to}`);
});

test("the CSV says the probability of every class above its table", async (t) => {
  const lines = (await savedOf(t, IDENTITY).csv()).split("\n");
  assert.ok(lines.includes("# probabilities: 0 0.25; 1 0.75"), lines.join("\n"));
  assert.equal(lines.filter((line) => line && !line.startsWith("#")).length, 17);
});
