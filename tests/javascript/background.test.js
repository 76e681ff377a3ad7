// What lies below the outlines of the pixel viewer: attnviz/ui/frontend/pixel_viewer/paint.js.

import assert from "node:assert/strict";
import test from "node:test";

import { Painter } from "../../attnviz/ui/frontend/pixel_viewer/paint.js";

/** A viewer of a photograph of 2 x 3 grey pixels, whose boards count how often they are painted. */
function made() {
  const counts = { cleared: 0, painted: 0 };
  const board = () => ({
    pixels: new Uint32Array(4),
    clear: () => counts.cleared++,
    paint() {},
    paintPicture: () => counts.painted++,
  });
  const colours = { background: [255, 255, 255], text: [0, 0, 0], edge: [9, 9, 9] };
  const viewer = {
    theme: colours,
    palettes: { ink: new Uint32Array(258) },
    inks: null,
    boxes: null,
    wall: { board: board() },
    frame: { picture: { board: board() }, large: { board: board() } },
    header: { prefix: 1 },
    attention: { tokens: 3 },
    arrays: { picture: Float64Array.of(0, 1), background: Uint8Array.of(1, 2, 3, 4, 5, 6) },
    shapes: { background: [2, 3, 1] },
  };
  const painter = new Painter();
  const show = () => {
    painter.take(/** @type {any} */ (viewer));
    painter.background(/** @type {any} */ (viewer));
    return counts;
  };
  return { viewer, show };
}

test("the picture is painted once for all layers that share it", () => {
  const { viewer, show } = made();
  show();
  viewer.arrays = { picture: viewer.arrays.picture.slice(), background: viewer.arrays.background.slice() };
  assert.deepEqual(show(), { cleared: 2, painted: 1 });
});

for (const [what, change] of /** @type {[string, (viewer: any) => void][]} */ ([
  ["a pixel among the first", ({ arrays }) => (arrays.background = Uint8Array.of(1, 9, 3, 4, 5, 6))],
  ["the last pixel", ({ arrays }) => (arrays.background = Uint8Array.of(1, 2, 3, 4, 5, 7))],
  ["a token", ({ arrays }) => (arrays.picture = Float64Array.of(0, 0.5))],
  ["the theme", (viewer) => (viewer.theme = { ...viewer.theme })],
  ["the size", ({ frame }) => (frame.picture.board.pixels = new Uint32Array(8))],
  ["the wall", ({ wall }) => (wall.board.pixels = new Uint32Array(8))],
]))
  test(`the picture is painted again for another one of these: ${what}`, () => {
    const { viewer, show } = made();
    show();
    change(viewer);
    assert.equal(show().painted, 2);
  });
