// Renderers of panels, by name; tests/browser/test_renderers.py has what they paint.

import assert from "node:assert/strict";
import test from "node:test";

import { canvasOf, LOOK } from "./helpers.js";

import { rendererOf } from "../../attnviz/ui/frontend/panels/renderers.js";

for (const name of ["share", "signed", "ink", "stages"]) {
  test(`the renderer ${name} is at hand`, () => assert.deepEqual(Object.keys(rendererOf(name)), ["draw"]));
}

test("a renderer of one mechanism is fetched from the front end", async () =>
  assert.deepEqual(Object.keys(await rendererOf("glimpse_player/panel.js")), ["draw"]));

for (const name of [
  "toString",
  "//evil.example/x.js",
  "https://evil.example/x.js",
  "../x.js",
  "a.b/../../x.js",
  "a.b/x.css",
]) {
  test(`nothing is fetched under the name ${name}`, () =>
    assert.rejects(rendererOf(name), { message: `no renderer is called ${name}` }));
}

const seenOf = (places) => ({
  values: Uint8Array.from({ length: 16 }, (_, at) => (places.includes(at) ? 255 : 0)),
  shape: [4, 4, 1],
});
const EMPTY = seenOf([]);
test("stages of a picture that is not square keep its proportions", () => {
  const { canvas, pixels } = canvasOf(96, 96);
  const answer = { map: new Float32Array(2 * 3).fill(1), shape: [1, 1, 2, 3], seen: { ...EMPTY, shape: [4, 4, 1] } };
  rendererOf("stages").draw(canvas, {}, answer, LOOK);
  const painted = pixels();
  const isMap = (x, y) => painted[4 * (96 * y + x)] !== LOOK.theme.background[0];
  const down = Array.from({ length: 96 }, (_, y) => isMap(48, y)).filter(Boolean).length;
  const across = Array.from({ length: 96 }, (_, x) => isMap(x, 48)).filter(Boolean).length;
  assert.deepEqual([across, down], [96, 64]);
});

const ANSWERS = {
  stages: { map: new Float32Array(2 * 3 * 16), shape: [2, 3, 4, 4], panel: { rows: 4, columns: 4 } },
  signed: { map: new Float32Array(16), shape: [4, 4], panel: { rows: 4, columns: 4, prefix: 0 } },
  share: { map: new Float32Array(16).fill(1), shape: [4, 4], panel: { rows: 4, columns: 4, prefix: 0 } },
  ink: { map: null, shape: null, panel: { rows: 4, columns: 4, prefix: 0 } },
};
for (const [name, { panel, ...answer }] of Object.entries(ANSWERS)) {
  test(`the renderer ${name} paints what is seen now, whatever was seen before`, () => {
    const painted = (...pictures) => {
      const { canvas, pixels } = canvasOf(60, 40);
      for (const seen of pictures) rendererOf(name).draw(canvas, panel, { ...answer, seen }, LOOK);
      return pixels();
    };
    const [one, other] = [seenOf([5, 6]), seenOf([9, 10, 11])];
    for (const now of [one, EMPTY]) {
      assert.deepEqual(painted(other, now), painted(now), "nothing of what was drawn before");
      assert.deepEqual(painted(now, now), painted(now), "nothing twice");
    }
    assert.notDeepEqual(painted(one), painted(other));
  });
}
