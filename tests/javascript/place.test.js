// Where a pointer is on an element: attnviz/ui/frontend/hands/place.js.

import assert from "node:assert/strict";
import { test } from "node:test";
import { placeIn, shareIn } from "../../attnviz/ui/frontend/hands/place.js";

/**
 * An element of 200 x 100 CSS pixels inside a border, at (7, 12) of the window, as a browser describes it.
 * @param {number} [zoom] by which CSS zooms it; left out where the browser does not tell
 * @param {number} [border] CSS pixels
 * @returns {any}
 */
function element(zoom, border = 0) {
  const by = zoom ?? 1;
  const box = { left: 7, top: 12, width: (200 + 2 * border) * by, height: (100 + 2 * border) * by };
  return { clientLeft: border, clientTop: border, currentCSSZoom: zoom, getBoundingClientRect: () => box };
}

/** The pointer over a place inside the border. */
function over(zoom, border, x, y) {
  return { clientX: 7 + (border + x) * zoom, clientY: 12 + (border + y) * zoom };
}

for (const [zoom, border] of [
  [1, 0],
  [1, 3],
  [1.25, 0],
  [1.25, 4],
  [0.5, 2],
])
  test(`the place and the share of a pointer, zoomed by ${zoom}, with a border of ${border}`, () => {
    const target = element(zoom, border);
    const pointer = over(zoom, border, 50, 75);
    assert.deepEqual(placeIn(target, pointer), { x: 50, y: 75 });
    assert.deepEqual(shareIn(target, pointer), { x: 0.25, y: 0.75 });
    assert.deepEqual(shareIn(target, over(zoom, border, 300, -100)), { x: 1.5, y: -1 });
  });

test("a browser that does not tell the zoom has none", () => {
  assert.deepEqual(placeIn(element(undefined, 1), over(1, 1, 20, 10)), { x: 20, y: 10 });
  assert.deepEqual(shareIn(element(), over(1, 0, 20, 10)), { x: 0.1, y: 0.1 });
});

test("a box that was measured before is not measured again", () => {
  const target = element(1);
  const box = target.getBoundingClientRect();
  target.getBoundingClientRect = () => assert.fail();
  assert.deepEqual(shareIn(target, over(1, 0, 100, 50), box), { x: 0.5, y: 0.5 });
});
