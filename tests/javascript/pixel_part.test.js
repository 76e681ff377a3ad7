// The keyboard on a grid of pixels: where keys lead, what they lock and let go.

import assert from "node:assert/strict";
import test from "node:test";

import { gridMove } from "../../attnviz/ui/frontend/hands/keys.js";
import { cellSize } from "../../attnviz/ui/frontend/maps/paint.js";
import { Cells } from "../../attnviz/ui/frontend/maps/cells.js";
import { PixelPart } from "../../attnviz/ui/frontend/hands/pixel_part.js";

/** A part that has no page: what it is told, it writes down. */
function partOf({ locked = false, cursor = null } = {}) {
  const said = [];
  const part = Object.assign(Object.create(PixelPart.prototype), { toAnnounce: false });
  part.release = () => said.push("release") && locked;
  part.cursorOf = () =>
    cursor && {
      row: 1,
      column: 2,
      rows: 3,
      columns: 4,
      move: (to) => said.push(to),
      take: () => said.push("take"),
      ...cursor,
    };
  return { part, said };
}

function press(part, key, more = {}) {
  const done = [];
  part.key({ key, preventDefault: () => done.push("prevented"), stopPropagation: () => done.push("stopped"), ...more });
  return done;
}

test("arrow keys move by one cell and stop at the edges", () => {
  const moves = {
    ArrowUp: [0, 2],
    ArrowDown: [2, 2],
    ArrowLeft: [1, 1],
    ArrowRight: [1, 3],
    Home: [1, 0],
    End: [1, 3],
    PageUp: [0, 2],
    PageDown: [2, 2],
  };
  for (const [key, to] of Object.entries(moves)) assert.deepEqual(gridMove({ key }, 1, 2, 3, 4), to, key);
  assert.deepEqual(gridMove({ key: "ArrowRight" }, 2, 3, 3, 4), [2, 3]);
  assert.deepEqual(gridMove({ key: "Home", ctrlKey: true }, 2, 3, 3, 4), [0, 0]);
  assert.deepEqual(gridMove({ key: "End", ctrlKey: true }, 0, 0, 3, 4), [2, 3]);
  assert.equal(gridMove({ key: "a" }, 1, 2, 3, 4), null);
  assert.equal(gridMove({ key: "ArrowUp", altKey: true }, 1, 2, 3, 4), null); // the browser's own key
});

test("an arrow key moves the pixel and is announced; no one else hears it", () => {
  const { part, said } = partOf({ cursor: {} });
  assert.deepEqual(press(part, "ArrowLeft"), ["prevented", "stopped"]);
  assert.deepEqual(said, [[1, 1]]);
  assert.ok(part.toAnnounce);
});

test("Enter and the space bar take the pixel, where it can be taken", () => {
  for (const key of ["Enter", " "]) {
    const { part, said } = partOf({ cursor: {} });
    assert.deepEqual(press(part, key), ["prevented", "stopped"]);
    assert.deepEqual(said, ["take"]);
    const none = partOf({ cursor: { take: null } });
    assert.deepEqual(press(none.part, key), []);
    assert.deepEqual(none.said, []);
  }
});

test("Escape releases it, wherever the keyboard is; where nothing is locked the page hears it", () => {
  for (const locked of [true, false]) {
    const { part, said } = partOf({ locked });
    assert.deepEqual(press(part, "Escape"), locked ? ["prevented"] : []);
    assert.deepEqual(said, ["release"]);
  }
});

test("other keys, and keys elsewhere, are left to the page", () => {
  const there = partOf({ cursor: {} });
  assert.deepEqual(press(there.part, "a"), []);
  const elsewhere = partOf();
  for (const key of ["ArrowUp", "Enter", " "]) assert.deepEqual(press(elsewhere.part, key), []);
  assert.deepEqual([...there.said, ...elsewhere.said], []);
});

test("the empty row between the grid and the tokens that lie nowhere is stepped over", () => {
  // rows 0 and 1 are the grid, row 2 is empty, row 3 holds the one token that lies nowhere
  const cells = new Cells(2, 3, 1);
  assert.equal(cells.height, 4);
  assert.equal(cells.tokenNear(1, 2, false), 1 + 5);
  assert.equal(cells.tokenNear(2, 0, false), 0);
  assert.equal(cells.tokenNear(2, 2, false), 0); // where that row is empty, the last of them
  assert.equal(cells.tokenNear(2, 1, true), 1 + 4);
  assert.equal(cells.tokenNear(3, 2, false), 0);
  assert.equal(new Cells(2, 3, 2).tokenNear(3, 2, false), 1);
});

test("a cell is a whole number of pixels, unless that wastes more than a seventh of the room", () => {
  assert.equal(cellSize(100, 24), 4); // 96 of 100
  assert.equal(cellSize(100, 28), 100 / 28); // 84 of 100 would be too little
  assert.equal(cellSize(10, 28), 10 / 28);
  for (let room = 1; room < 300; room += 7)
    for (let n = 1; n < 60; n++) assert.ok(cellSize(room, n + 1) <= cellSize(room, n));
});
