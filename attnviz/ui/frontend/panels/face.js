// The base of the panels' renderers: a map over the model's input, with the edge of its ink, at the screen's own
// resolution.
//
// A renderer is a module that exports one function. Those of attnviz are listed in renderers.js. A panel names its
// renderer (attnviz/ui/components/panel.py); another package serves its renderers from its own component.
//
//     /**
//      * Draw an answer. This is called many times a second and must return within a few milliseconds: a renderer that
//      * takes over a tenth of a second several times in a row is switched off, with a note in the panel (patience.js).
//      * @param {HTMLCanvasElement} canvas the panel's own canvas; its width and height are set, in device pixels
//      * @param {object} panel Python's description: rows, columns, prefix, options, classes, ... (panels.py)
//      * @param {Answer} answer the model's answer
//      * @param {{before: Answer|null, theme: object, palettes: Object<string, Uint32Array>, ink: boolean}} look
//      *   before: the pinned answer if the panel shows the change since then; theme and palettes as in colours.js;
//      *   ink: whether the input is ink on paper, whose outline is drawn over maps
//      * @returns {{values?: ArrayLike<number>, most?: number}} values: the painted values, for exports; most: the
//      *   largest absolute value, for "{most}" in the panel's words
//      */
//     export function draw(canvas, panel, answer, look) { ... }
//
// Answer: {map: Float32Array|null, shape: number[]|null (of the map of this one picture),
//          probabilities, logits: Float32Array,
//          parts: {NAME: {values: Float32Array, shape: number[]}} if the value has several arrays; map is then null,
//          seen: {values: Uint8Array, shape: [rows, columns, channels]}, head: number|null}

import { Boxes } from "../maps/boxes.js";
import { packed, toIndices, TOP } from "../core/colours.js";
import { Board } from "../maps/paint.js";
import { Cells, inkEdge } from "../maps/cells.js";

const faces = new WeakMap(); // canvas -> its face
const edges = new WeakMap(); // the values of a picture -> the edge of its ink, the same on all panels of one size
const greys = new WeakMap(); // the values of a colour picture -> their mean over the channels

/** The face on a canvas, fitted to it and to the model's input. @param {Answer["seen"]} seen */
export function faceOf(canvas, panel, seen) {
  if (!faces.has(canvas)) faces.set(canvas, new Face(canvas, panel));
  const face = faces.get(canvas);
  face.fit(seen);
  return face;
}

/** One value per pixel of a picture, 0 to 255: its mean over the channels. @param {Answer["seen"]} seen */
export function greyOf({ values, shape: [rows, columns, channels] }) {
  if (channels === 1) return values;
  if (!greys.has(values)) {
    const grey = new Uint8Array(rows * columns);
    for (let at = 0; at < grey.length; at++) {
      let sum = 0;
      for (let channel = 0; channel < channels; channel++) sum += values[at * channels + channel];
      grey[at] = Math.round(sum / channels);
    }
    greys.set(values, grey);
  }
  return greys.get(values);
}

class Face {
  constructor(canvas, { rows, columns, prefix, options }) {
    this.canvas = canvas;
    this.boxes = options?.boxes ?? null; // the positions of the values, unless they tile the picture
    this.board = new Board(canvas);
    this.prefix = prefix;
    this.cells = new Cells(rows || 1, columns || 1);
    this.size = "";
    this.pixels = this.cells; // the size of the input
    this.ink = new Uint16Array(0);
    this.values = new Float64Array(prefix + rows * columns);
    this.indices = new Uint16Array(prefix + rows * columns);
  }

  /** Fit to the canvas and to the shape of the input. */
  fit({ shape: [rows, columns] }) {
    const { width, height } = this.canvas;
    const size = [width, height, rows, columns].join();
    if (size === this.size) return;
    Object.assign(this, { size, seen: null, pixels: new Cells(rows, columns), ink: new Uint16Array(rows * columns) });
    this.board.resize(width, height);
    const line = Math.max(1, Math.round(devicePixelRatio));
    const [top, left, bottom, right] = this.boxes
      ? new Boxes(this.boxes, this.cells, [rows, columns]).span
      : [0, 0, rows, columns];
    const [across, down] = [width / columns, height / rows];
    const cell = [((right - left) * across) / this.cells.columns, ((bottom - top) * down) / this.cells.rows];
    this.board.place(Math.round(left * across), Math.round(top * down), cell, this.cells, [], line);
    this.board.place(0, 0, [across, down], this.pixels, [], line);
  }

  /** Paint `values` on a scale of colours.js, and the edge of the ink over it. */
  map(scale, seen, { theme, palettes, ink = true }) {
    const { board, values, indices } = this;
    toIndices(values, 0, values.length, scale, indices);
    if (ink) this.take(seen);
    if (this.boxes) board.clear(packed(theme.background));
    board.paint(0, indices, this.prefix, palettes[scale.palette], packed(theme.text), packed(theme.edge));
    board.paintEdge(1, packed(theme.edge));
    board.flush();
  }

  /** Paint the input, or the change of its ink. */
  picture(seen, before, { theme, palettes }) {
    const { ink, board } = this;
    this.seen = null;
    board.tiles[1].edge = board.edgePixels(board.tiles[1], []); // that of an earlier map
    const [now, then] = [greyOf(seen), before && greyOf(before)];
    const comparable = then && then.length === now.length;
    if (!comparable && seen.shape[2] > 1) {
      board.paintPicture(1, seen.values, seen.shape, null);
    } else {
      for (let at = 0; at < ink.length; at++)
        ink[at] = Math.round((comparable ? 0.5 + (now[at] - then[at]) / 510 : now[at] / 255) * TOP);
      board.paint(1, ink, 0, comparable ? palettes.signed : palettes.ink, packed(theme.text), packed(theme.edge));
    }
    board.flush();
  }

  /** Find the edge of the ink, once for all faces of one size. */
  take(seen) {
    if (seen.values === this.seen) return;
    this.seen = seen.values;
    const tile = this.board.tiles[1];
    if (edges.get(seen.values)?.size !== this.size) {
      const [rows, columns] = seen.shape;
      edges.set(seen.values, {
        size: this.size,
        pixels: this.board.edgePixels(tile, inkEdge(greyOf(seen), rows, columns)),
      });
    }
    tile.edge = edges.get(seen.values).pixels;
  }
}
