// What stands on saved pictures: whole URLs, digits that can be read on ink, and that a glimpse was moved.

import assert from "node:assert/strict";
import test from "node:test";

import { makeScale } from "../../attnviz/ui/frontend/core/colours.js";
import { originLines } from "../../attnviz/ui/frontend/export/export.js";
import { toSvg } from "../../attnviz/ui/frontend/export/sheet.js";
import { saversOf } from "../../attnviz/ui/frontend/hands/controls.js";
import { LivePart } from "../../attnviz/ui/frontend/live/live_part.js";
import { movedWords } from "../../attnviz/ui/frontend/glimpse_player/words.js";
import { files } from "../../attnviz/ui/frontend/map_grid/export.js";
import { Cells } from "../../attnviz/ui/frontend/maps/cells.js";
import { LOOK } from "./helpers.js";

test("a URL that is longer than a line goes on in the next one", () => {
  const url = `http://here/draw?strokes=${"x".repeat(400)}`;
  const lines = originLines({ model: "small", page: url }, 130);
  assert.ok(lines.every((line) => line.length <= 131));
  assert.equal(lines.join("").replace(/\s/g, ""), `modelsmall\u00b7page${url}`);
});

test("letters with a halo have a rim behind them", () => {
  const text = { kind: "text", x: 1, y: 2, text: "3", size: 15, colour: "#c86016" };
  const svg = (/** @type {any} */ more) =>
    toSvg({ width: 9, height: 9, background: "#fff", ink: "#000", origin: {}, items: [{ ...text, ...more }] });
  assert.match(svg({ halo: "#fdfcf9" }), /stroke="#fdfcf9" stroke-width="4"[^>]*paint-order="stroke"/);
  assert.doesNotMatch(svg({}), /paint-order/);
});

test("which glimpses were moved is said with where they lie", () => {
  assert.equal(movedWords([]), "");
  assert.equal(
    movedWords([
      [2, 4, 5],
      [3, 0, 0],
    ]),
    "glimpse 3 to row 5, column 6; glimpse 4 to row 1, column 1",
  );
});

test("what is saved while an answer is awaited holds it; where it cannot be had, nothing is saved", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const buttons = {};
  globalThis.document = /** @type {any} */ ({
    createElement() {
      const made = Object.assign(new EventTarget(), { setAttribute() {}, append: (words) => (buttons[words] = made) });
      return made;
    },
    querySelector: () => null, // no script of a page runs
  });
  t.after(() => delete (/** @type {any} */ (globalThis).document));
  const [saved, said] = [[], []];
  const part = Object.assign(Object.create(LivePart.prototype), {
    answer: "of the unturned picture",
    files: async () => ({ PNG: () => saved.push(part.answer) }),
    announce: (words) => said.push(words),
  });
  saversOf(part);
  const press = async (answered) => {
    part.asker = { whenAnswered: async () => answered() };
    buttons.PNG.dispatchEvent(new Event("click"));
    await new Promise((done) => setImmediate(done));
  };
  await press(() => {
    part.answer = "of the turned picture";
    return true;
  });
  await press(() => false);
  assert.deepEqual(saved, ["of the turned picture"]);
  assert.deepEqual(said, ["PNG: saved.", "PNG: not possible."]);
});

/** What `files` reads of a grid whose maps stand in a table of two rows. */
function tableOf(columns) {
  const [cells, count] = [new Cells(3, 3), 2 * columns];
  const heads = Array.from({ length: columns }, (_, i) => String(i + 1));
  const labels = Array.from({ length: count }, (_, i) => `map ${i + 1}`);
  return {
    header: { title: "Heads", labels, origin: {}, table: { columns, rows: ["layer 1", "layer 2"], heads }, tokens: 9 },
    ...{ cells, count, theme: LOOK.theme, palette: LOOK.palettes.signed, scale: "all", shown: -1, chosen: null },
    ...{ arrays: { maps: new Float64Array(9 * count) }, indices: new Uint16Array(9 * count), picture: null },
    ...{ edges: labels.map(() => []), tileScales: labels.map(() => makeScale("signed", 1)), wall: { perRow: columns } },
  };
}

for (const columns of [4, 30, 128]) {
  test(`a table of ${columns} columns is saved as one, with every label and maps that can be seen`, (t) => {
    globalThis.location = /** @type {any} */ ({ href: "http://here/page" });
    t.after(() => delete (/** @type {any} */ (globalThis).location));
    const sheet = files(tableOf(columns)).sheet();
    const maps = sheet.items.filter(({ kind }) => kind === "map");
    assert.equal(new Set(maps.map(({ y }) => y)).size, 2);
    assert.equal(new Set(maps.map(({ x }) => x)).size, columns);
    for (const { x, width, height } of maps) assert.ok(width >= 24 && height >= 24 && x + width < sheet.width);
    const said = sheet.items.filter(({ kind }) => kind === "text").map(({ text }) => text);
    for (const label of ["layer 1", "layer 2", "1", String(columns)])
      assert.equal(said.filter((text) => text === label).length, 1, label);
    assert.doesNotMatch(toSvg(sheet), /undefined|NaN/);
  });
}
