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
