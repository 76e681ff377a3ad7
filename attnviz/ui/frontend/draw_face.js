// The picture of a card: a map over the digit, with the edge of its ink, at the screen's own resolution.

import { makeScale, packed, toIndices, TOP } from "./colours.js";
import { Board, Cells, inkEdge } from "./paint.js";

const SIDE = 28;
const PIXELS = new Cells(SIDE, SIDE);
const LEAST = 1 / 16; // of an even share: the ends of the scale, beyond which a difference is none
const MOST = 16;
const edges = new WeakMap(); // the edge of a picture's ink, the same on every card

/** One map on one canvas. */
export class Face {
  /**
   * @param {HTMLCanvasElement} canvas
   * @param {{rows: number, columns: number, prefix: number}} grid of the values
   */
  constructor(canvas, { rows, columns, prefix }) {
    this.canvas = canvas;
    this.board = new Board(canvas);
    this.prefix = prefix;
    this.cells = new Cells(rows, columns);
    this.values = new Float64Array(prefix + rows * columns);
    this.indices = new Uint16Array(prefix + rows * columns);
    this.ink = new Uint16Array(SIDE * SIDE);
  }

  /** @param {number} size of a side, in device pixels @returns {boolean} whether it has to be painted again */
  resize(size) {
    if (size === this.size || size < 1) return false;
    this.size = size;
    this.seen = null;
    this.board.resize(size, size);
    for (const cells of [this.cells, PIXELS]) this.board.place(0, 0, [size / cells.columns, size / cells.rows], cells, [], this.line);
    return true;
  }

  /** Width of a hairline. */
  get line() {
    return Math.max(1, Math.round(devicePixelRatio));
  }

  /**
   * Paint multiples of an even share, or how many times those before.
   * @param {Float32Array} values
   * @param {Float32Array|null} before
   */
  shares(values, before, look) {
    const { values: logs } = this;
    for (let at = 0; at < logs.length; at++) {
      logs[at] = before ? Math.log(clipped(values[at]) / clipped(before[at])) : Math.log(values[at]);
    }
    this.map(makeScale("share"), look);
  }

  /**
   * Paint values around zero, or their difference from those before.
   * @returns {number} the largest in size, which has the deepest colour
   */
  signed(values, before, look) {
    let most = 0;
    for (let at = 0; at < this.values.length; at++) {
      const value = before ? values[at] - before[at] : values[at];
      this.values[at] = value;
      if (Math.abs(value) > most) most = Math.abs(value);
    }
    this.map(makeScale("signed", most), look);
    return most;
  }

  /** Paint the digit itself, or how its ink differs from that before. */
  digit(seen, before, { theme, palettes }) {
    const { ink, board } = this;
    for (let at = 0; at < ink.length; at++) ink[at] = Math.round((before ? 0.5 + (seen[at] - before[at]) / 510 : seen[at] / 255) * TOP);
    board.paint(1, ink, 0, before ? palettes.diverging : palettes.ink, packed(theme.text), packed(theme.edge));
    board.flush();
  }

  map(scale, { seen, theme, palettes }) {
    const { board, values, indices } = this;
    toIndices(values, 0, values.length, scale, indices);
    this.take(seen);
    board.paint(0, indices, this.prefix, palettes.diverging, packed(theme.text), packed(theme.edge));
    board.paintEdge(1, packed(theme.edge));
    board.flush();
  }

  /** Find the edge of the ink, once for all faces of one size. */
  take(seen) {
    if (seen === this.seen) return;
    this.seen = seen;
    const tile = this.board.tiles[1];
    const known = edges.get(seen);
    if (known?.size !== this.size) edges.set(seen, { size: this.size, pixels: this.board.edgePixels(tile, inkEdge(seen, SIDE, SIDE)) });
    tile.edge = edges.get(seen).pixels;
  }
}

function clipped(value) {
  return Math.min(MOST, Math.max(LEAST, value));
}
