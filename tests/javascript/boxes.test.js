// Where tokens lie that are no pixels: boxes that overlap and reach over the edge, on a picture that is not square.

import assert from "node:assert/strict";
import test from "node:test";

import { Boxes } from "../../attnviz/ui/frontend/maps/boxes.js";
import { Cells } from "../../attnviz/ui/frontend/maps/cells.js";

const boxes = new Boxes([0, 0, 4, 4, 11, 11], new Cells(4, 6), [20, 28]);

test("a box is cut where the picture ends", () => {
  assert.deepEqual(boxes.of(0), [0, 0, 11, 11]);
  assert.deepEqual(boxes.of(9), [4, 12, 15, 23]); // row 1, column 3
  assert.deepEqual(boxes.of(23), [12, 20, 20, 28]);
});

test("a pixel belongs to the token whose middle is nearest", () => {
  const at = (row, column) => boxes.tokenAt(row * 28 + column);
  assert.equal(at(0, 0), 0);
  assert.equal(at(5, 5), 0);
  assert.equal(at(9, 17), 9); // the middle of row 1, column 3
  assert.equal(at(19, 27), 23);
  for (let token = 0; token < 24; token++) {
    const [row, column] = [Math.floor(token / 6), token % 6];
    assert.equal(at(4 * row + 5, 4 * column + 5), token);
  }
});

test("a token that lies nowhere has no box", () => {
  assert.equal(new Boxes([0, 0, 4, 4, 11, 11], new Cells(4, 6, 1), [20, 28]).of(0), null);
});

test("the edge of the ink lies on a map as it lies on the picture", () => {
  const picture = new Uint8Array(20 * 28);
  picture[9 * 28 + 17] = 255; // the pixel in the middle of row 1, column 3
  const lines = boxes.edge(picture).map(({ line }) => line);
  assert.equal(lines.length, 4);
  // The map begins at 3.5: the pixel reaches from column 13.5 / 4 = 3.375 to 14.5 / 4 = 3.625, and likewise down.
  assert.deepEqual(
    lines
      .map(([x1, , x2]) => [Math.min(x1, x2), Math.max(x1, x2)])
      .flat()
      .sort(),
    [3.375, 3.375, 3.375, 3.375, 3.625, 3.625, 3.625, 3.625].sort(),
  );
  assert.deepEqual([...new Set(lines.flatMap(([, y1, , y2]) => [y1, y2]))].sort(), [1.375, 1.625]);
  picture.fill(0);
  picture[0] = 255; // beyond the first middle: it lies on no map
  assert.deepEqual(boxes.edge(picture), []);
});
