// What stands on saved pictures: whole URLs, digits that can be read on ink, and that a glimpse was moved.

import assert from "node:assert/strict";
import test from "node:test";

import { originLines } from "../../attnviz/ui/frontend/export/export.js";
import { toSvg } from "../../attnviz/ui/frontend/export/sheet.js";
import { saversOf } from "../../attnviz/ui/frontend/hands/controls.js";
import { LivePart } from "../../attnviz/ui/frontend/live/live_part.js";
import { movedWords } from "../../attnviz/ui/frontend/glimpse_player/words.js";

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
