// Renderers of panels, by name; tests/browser/test_renderers.py has what they paint.

import assert from "node:assert/strict";
import test from "node:test";

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
