// Stages of several layers side by side, a row per layer, each map around zero by its own scale. The interface is
// described in face.js; the map has the shape [layer, stage, row, column].

import { makeScale, packed, toIndices } from "../core/colours.js";
import { Board } from "../maps/paint.js";
import { Cells, inkEdge } from "../maps/cells.js";
import { greyOf } from "./face.js";

const boards = new WeakMap(); // canvas -> its board, for one size and shape

export function draw(canvas, _, { map, shape, seen }, { before, theme, palettes, ink = true }) {
  const [layers, stages, rows, columns] = shape.slice(-4);
  const made = boardOf(canvas, layers, stages, rows, columns);
  const { board, indices, values } = made;
  const size = rows * columns;
  const then = before?.map?.length === map.length ? before.map : null;
  const outlined = ink && seen.shape[0] === rows && seen.shape[1] === columns;
  const edge = outlined ? inkEdge(greyOf(seen), rows, columns) : [];
  let most = 0;
  board.clear(packed(theme.background));
  for (let tile = 0; tile < layers * stages; tile++) {
    let own = 0;
    for (let at = 0; at < size; at++) {
      const value = map[tile * size + at] - (then ? then[tile * size + at] : 0);
      values[at] = value;
      own = Math.max(own, Math.abs(value));
    }
    if (tile === 0) most = own;
    toIndices(values, 0, size, makeScale("signed", own), indices);
    board.tiles[tile].edge = board.edgePixels(board.tiles[tile], edge);
    board.paint(tile, indices, 0, palettes.signed, packed(theme.text), packed(theme.edge));
  }
  board.flush();
  return { most };
}

function boardOf(canvas, layers, stages, rows, columns) {
  const { width, height } = canvas;
  const key = [width, height, layers, stages, rows, columns].join();
  const known = boards.get(canvas);
  if (known?.key === key) return known;
  const board = new Board(canvas);
  board.resize(width, height);
  const gap = Math.max(2, Math.round(width / 60));
  const cells = new Cells(rows, columns);
  const cell = Math.min((width - gap * (stages - 1)) / stages / columns, (height - gap * (layers - 1)) / layers / rows);
  const [wide, high] = [cell * columns, cell * rows];
  const [left, top] = [
    (width - stages * wide - gap * (stages - 1)) / 2,
    (height - layers * high - gap * (layers - 1)) / 2,
  ];
  for (let tile = 0; tile < layers * stages; tile++) {
    const [layer, stage] = [Math.floor(tile / stages), tile % stages];
    board.place(
      Math.round(left + stage * (wide + gap)),
      Math.round(top + layer * (high + gap)),
      [cell, cell],
      cells,
      [],
      Math.max(1, Math.round(devicePixelRatio)),
    );
  }
  const made = { key, board, indices: new Uint16Array(rows * columns), values: new Float64Array(rows * columns) };
  boards.set(canvas, made);
  return made;
}
