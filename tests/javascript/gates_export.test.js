// What is saved of gates: every gate with what it is computed from, and a sheet of bars.

import assert from "node:assert/strict";
import test from "node:test";

import { packed, TOP } from "../../attnviz/ui/frontend/core/colours.js";
import { sigmoid } from "../../attnviz/ui/frontend/gates/arithmetic.js";
import { files } from "../../attnviz/ui/frontend/gates/export.js";
import { csvOf, LOOK } from "./helpers.js";

/** A layer of two channels and one unit; its own numbers are those of the net, whatever is turned before it. */
function layerOf(path, own) {
  return {
    ...{ title: path.toUpperCase(), path, form: "gate", space_is: "", kinds: ["varies", "constant"], channels: 2 },
    ...{ units: 1, excite: [2, -1], shift: [0.25, 0], mean: [0.4, 0.2], lowest: [0.1, 0.1], highest: [0.8, 0.9] },
    ...{ put: { put_other: { values: [0.7, 0.6] } }, own },
  };
}

function savedOf(t, view, places = { map: null }) {
  globalThis.document = /** @type {any} */ ({});
  t.after(() => delete (/** @type {any} */ (globalThis).document));
  const own = { squeezed: [2, 3], squeezedMax: null, reduced: [1.5], gate: [0.5, 0.9], space: null };
  const now = { squeezed: [1, 4], squeezedMax: [7, 8], reduced: [0.5], gate: [0.3, 0.2], space: null };
  const part = /** @type {any} */ ({
    ...{ ...LOOK, layers: [layerOf("a", own), layerOf("b", own)], now: [own, now], view },
    header: { origin: { model: "small" }, other: "picture 3, 7", many: "500 pictures" },
    places,
    ...{ answer: { words: () => "1, 75.0 %" }, answered: {}, url: { link: () => "http://here/" } },
  });
  return files(part);
}

test("the CSV has each gate with what it is computed from, behind the gates that are set", async (t) => {
  const lines = (await csvOf(savedOf(t, { gates: "own", turned: [[0, 1, 25]] }))).trim().split("\n");
  const rows = lines.filter((line) => !line.startsWith("#")).map((line) => line.split(","));
  assert.deepEqual(rows[0].slice(2, 8), ["squeezed", "squeezed_max", "score", "computed", "gate", "set by hand"]);
  const [, first, held, behind] = rows;
  assert.deepEqual([first[0], first[1], Number(first[2]), first[3]], ["a", "1", 2, ""]);
  assert.deepEqual([Number(held[5]), Number(held[6]), held[7]], [sigmoid(-1.5), 0.25, "yes"]);
  assert.deepEqual(behind.slice(2, 5).map(Number), [1, 7, 2 * 0.5 + 0.25], "of what comes in now");
  assert.ok(lines.includes("# turned: 1.2 to 25 %"));
});

test("whose gates they are is saved with them", async (t) => {
  const text = await csvOf(savedOf(t, { gates: "other", turned: [] }));
  assert.match(text, /^# shows: gates: of another picture \(picture 3, 7\)$/m);
});

test("a bar that is set by hand does not hide the line at its mean", (t) => {
  const { items } = savedOf(t, { gates: "own", turned: [[0, 0, 100]] }).sheet();
  const { background, text } = LOOK.theme;
  const bars = items.filter(({ kind, x }) => kind === "bar" && x === 24).map((one) => [one.colours[0], one.height]);
  assert.deepEqual(bars.slice(1, 4), [
    [packed(text), 48],
    [packed(background), 4],
    [packed(text), 2],
  ]);
});

test("the gates of places are saved as they are seen, with their scale", (t) => {
  const map = { values: Float64Array.of(0, 1, 0.5, 0.25, 0.75, 1), rows: 2, columns: 3 };
  const { items } = savedOf(t, { gates: "own", turned: [] }, { map, whose: "Block 2, channel 3" }).sheet();
  const drawn = items.filter(({ kind }) => kind === "map");
  const { positive } = LOOK.palettes;
  const at = (value) => positive[Math.round(value * TOP)];
  assert.deepEqual(
    drawn.map(({ rows, columns, colours }) => ({ rows, columns, colours })),
    [{ rows: 2, columns: 3, colours: [0, 1, 0.5, 0.25, 0.75, 1].map(at) }],
  );
  assert.equal(drawn[0].width / drawn[0].height, 1.5);
  assert.ok(items.some(({ text }) => text === "By place, Block 2, channel 3: 0 to 1.0"));
  const legend = items.find(({ kind, colours }) => kind === "bar" && colours.length > 1);
  assert.deepEqual([legend.colours[0], legend.colours.at(-1)], [at(0), at(1)]);
});

test("where no gate depends on the place, no map is saved", (t) => {
  const { items } = savedOf(t, { gates: "own", turned: [] }).sheet();
  assert.deepEqual(
    items.filter(({ kind }) => kind === "map"),
    [],
  );
});
