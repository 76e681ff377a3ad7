// What stands on saved pictures: whole URLs, digits that can be read on ink, and that a glimpse was moved.

import assert from "node:assert/strict";
import test from "node:test";

import { makeScale } from "../../attnviz/ui/frontend/core/colours.js";
import { moveTo } from "../../attnviz/ui/frontend/core/epoch.js";
import { Part } from "../../attnviz/ui/frontend/core/part.js";
import { originLines } from "../../attnviz/ui/frontend/export/export.js";
import { toSvg } from "../../attnviz/ui/frontend/export/sheet.js";
import { saversOf } from "../../attnviz/ui/frontend/hands/controls.js";
import { LivePart } from "../../attnviz/ui/frontend/live/live_part.js";
import { movedWords } from "../../attnviz/ui/frontend/glimpse_player/words.js";
import { linkTo } from "../../attnviz/ui/frontend/head_switch/derive.js";
import { HeadTable } from "../../attnviz/ui/frontend/head_table/head_table.js";
import { files } from "../../attnviz/ui/frontend/map_grid/export.js";
import { Cells } from "../../attnviz/ui/frontend/maps/cells.js";
import { Jacobian } from "../../attnviz/ui/frontend/pixel_viewer/jacobian.js";
import { Viewer } from "../../attnviz/ui/frontend/pixel_viewer/pixel_viewer.js";
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

/** A document of which the buttons are known by their words, and in which no script of a page runs. */
function buttonsOf(t) {
  const buttons = {};
  globalThis.document = /** @type {any} */ (
    Object.assign(new EventTarget(), {
      createElement() {
        const made = new EventTarget();
        return Object.assign(made, { setAttribute() {}, append: (words) => (buttons[words] = made) });
      },
      querySelector: () => null,
    })
  );
  t.after(() => delete (/** @type {any} */ (globalThis).document));
  return buttons;
}
const turn = () => new Promise((done) => setImmediate(done));

test("what is saved while an answer is awaited holds it; where it cannot be had, nothing is saved", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const buttons = buttonsOf(t);
  const [saved, said] = [[], []];
  const part = Object.assign(Object.create(LivePart.prototype), {
    answer: "of the unturned picture",
    async files() {
      const { answer } = part; // what is saved may be made at once
      return { PNG: () => saved.push(answer) };
    },
    announce: (words) => said.push(words),
  });
  saversOf(part);
  const press = async (answered) => {
    part.asker = { whenAnswered: async () => answered() };
    buttons.PNG.dispatchEvent(new Event("click"));
    await turn();
  };
  await press(() => {
    part.answer = "of the turned picture";
    return true;
  });
  await press(() => false);
  assert.deepEqual(saved, ["of the turned picture"]);
  assert.deepEqual(said, ["PNG: saved.", "PNG: not possible."]);
});

for (const [what, views] of Object.entries({
  "of another epoch": (view) => ({ epochs: view }),
  "of another layer": (view) => ({ modelLayers: view }),
}))
  test(`saving waits for a view ${what} on its way, and says so; what cannot be had is not saved`, async (t) => {
    t.mock.timers.enable({ apis: ["setTimeout"] });
    const buttons = buttonsOf(t);
    const [saved, said] = [[], []];
    const view = { isThere: false, lacks: false, isLost: false };
    const Kind = what.endsWith("layer") ? Viewer : Part;
    const part = Object.assign(Object.create(Kind.prototype), {
      ...views(view),
      shown: "the old view",
      async files() {
        const { shown } = part;
        return { PNG: () => saved.push(shown) };
      },
      announce: (words) => said.push(words),
    });
    saversOf(part, {});
    const press = async (then) => {
      buttons.PNG.dispatchEvent(new Event("click"));
      await turn();
      t.mock.timers.tick(200);
      await turn();
      then();
      t.mock.timers.tick(20);
      await turn();
    };
    await press(() => {
      assert.equal(buttons.PNG.textContent, "waiting\u2026");
      Object.assign(view, { isThere: true });
      part.shown = "the new view";
    });
    assert.deepEqual(saved, ["the new view"]);
    Object.assign(view, { isThere: false, isLost: true });
    await press(() => {});
    Object.assign(view, { isThere: true, isLost: false, lacks: true });
    await press(() => {});
    assert.equal(saved.length, 1);
    const waits = "PNG: waiting for the view that was asked for.";
    assert.deepEqual(said, [waits, "PNG: saved.", "PNG: not possible.", "PNG: not possible."]);
  });

test("what is saved is of the view that the URL asks for, also where it changes while the file is made", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const buttons = buttonsOf(t);
  const saved = [];
  const script = { state: "notRunning" };
  document.querySelector = () => /** @type {any} */ ({ getAttribute: () => script.state });
  const part = Object.assign(Object.create(Part.prototype), {
    shown: "the old view",
    async files() {
      const { shown } = part;
      if (saved.length === 0 && shown === "the old view") script.state = "running";
      return { PNG: () => saved.push(shown) };
    },
    announce() {},
  });
  saversOf(part, {});
  buttons.PNG.dispatchEvent(new Event("click"));
  await turn();
  assert.deepEqual(saved, []);
  Object.assign(part, { shown: "the new view" });
  script.state = "notRunning";
  t.mock.timers.tick(50);
  await turn();
  assert.deepEqual(saved, ["the new view"]);
});

test("what is saved of a Jacobian waits until the last of its answers is there", async () => {
  const asker = {
    pending: false,
    hear: (/** @type {any} */ _) => {},
    ask: (_subject, _request, hear) => Object.assign(asker, { pending: true, hear }),
    rest: () => (asker.pending = false),
    whenAnswered: async () => !asker.pending,
  };
  const part = Object.assign(Object.create(Jacobian.prototype), {
    ...{
      asker,
      viewer: { page: "http://here/page?map=jacobian" },
      take: ({ maps }) => maps && (part.reading = { maps }),
    },
  });
  part.ask({ checkpoint: "a", picture: {} }, false);
  asker.hear({ maps: [1, NaN] });
  assert.equal(await part.whenAnswered(), false, "small steps are still awaited");
  asker.hear({ maps: [1, 2] });
  assert.equal(await part.whenAnswered(), true);
  part.ask({ checkpoint: "a", picture: {} }, false);
  asker.hear({ error: "There is none." });
  assert.equal(asker.pending, false);
  assert.equal(part.page, "http://here/page?map=jacobian");
});

test("what is saved of heads waits until all pictures are measured", () => {
  const isThere = (header) => Object.assign(Object.create(HeadTable.prototype), { header }).isThere;
  assert.deepEqual([isThere({ measuring: true }), isThere({ measuring: false })], [false, true]);
});

test("the link in what is saved is that of what is drawn, which the address bar says only later", (t) => {
  buttonsOf(t);
  globalThis.location = /** @type {any} */ ({ href: "http://here/explorer?model=a%3A1&off=2" });
  t.after(() => delete (/** @type {any} */ (globalThis).location));
  const page = (header) => new URL(Object.assign(Object.create(Part.prototype), { header }).page).searchParams;
  moveTo({ nets: ["a:1", "a:2"], at: 1, eager: false });
  assert.equal(page({ request: {} }).get("model"), "a:2");
  assert.equal(page({}).get("model"), "a:1", "it does not follow the slider");
  const switched = new URL(linkTo(location.href, ["uniform", "on", "off", "off"])).searchParams;
  assert.deepEqual([switched.get("off"), switched.get("uniform")], ["3,4", "1"]);
  assert.equal(new URL(linkTo(location.href, ["on"])).searchParams.get("off"), null);
});

/** What `files` reads of a grid whose maps stand in a table of two rows. */
function tableOf(columns) {
  const [cells, count] = [new Cells(3, 3), 2 * columns];
  const heads = Array.from({ length: columns }, (_, i) => String(i + 1));
  const labels = Array.from({ length: count }, (_, i) => `map ${i + 1}`);
  return {
    page: "http://here/page",
    header: { title: "Heads", labels, origin: {}, table: { columns, rows: ["layer 1", "layer 2"], heads }, tokens: 9 },
    ...{ cells, count, theme: LOOK.theme, palette: LOOK.palettes.signed, scale: "all", shown: -1, chosen: null },
    ...{ arrays: { maps: new Float64Array(9 * count) }, indices: new Uint16Array(9 * count), picture: null },
    ...{ edges: labels.map(() => []), tileScales: labels.map(() => makeScale("signed", 1)), wall: { perRow: columns } },
  };
}

for (const columns of [4, 30, 128]) {
  test(`a table of ${columns} columns is saved as one, with every label and maps that can be seen`, () => {
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
