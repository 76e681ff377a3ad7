// The positions of tokens on a picture if tokens are not its pixels: each has a box of several pixels, and boxes may
// overlap, like the receptive fields of a convolution.

import { Cells, inkEdge } from "./cells.js";

/** The boxes of a grid of tokens on a picture. */
export class Boxes {
  /**
   * @param {number[]} layout top, left, step down, step across, height, width, in pixels of the picture
   * @param {Cells} cells the grid of tokens
   * @param {number[]} shape rows and columns of the picture
   */
  constructor(layout, cells, [rows, columns]) {
    const [top, left, down, across, high, wide] = layout;
    this.top = top;
    this.left = left;
    this.down = down;
    this.across = across;
    this.high = high;
    this.wide = wide;
    this.cells = cells;
    this.pixels = new Cells(rows, columns);
  }

  /**
   * Top, left, bottom, right of a token's box in pixels, clipped to the picture; null for a token without a position.
   */
  of(token) {
    const [row, column] = this.cells.place(token);
    if (row < 0) return null;
    const [y, x] = [this.top + row * this.down, this.left + column * this.across];
    const { rows, columns } = this.pixels;
    return [Math.max(0, y), Math.max(0, x), Math.min(rows, y + this.high), Math.min(columns, x + this.wide)];
  }

  /**
   * The pixel in the middle of a token's box, counted row by row; the nearest one if that is off the picture.
   * @param {number} token
   */
  middle(token) {
    const [row, column] = this.cells.place(token);
    const at = (first, step, place, size, count) =>
      Math.min(count - 1, Math.max(0, Math.floor(first + place * step + size / 2)));
    const { rows, columns } = this.pixels;
    const y = at(this.top, this.down, row, this.high, rows);
    return y * columns + at(this.left, this.across, column, this.wide, columns);
  }

  /** The token whose middle is nearest to a pixel. @param {number} pixel counted row by row */
  tokenAt(pixel) {
    const { cells, pixels } = this;
    const nearest = (at, first, step, size, count) =>
      Math.min(count - 1, Math.max(0, Math.round((at + 0.5 - first - size / 2) / step)));
    const row = nearest(Math.floor(pixel / pixels.columns), this.top, this.down, this.high, cells.rows);
    return cells.at([row, nearest(pixel % pixels.columns, this.left, this.across, this.wide, cells.columns)]);
  }

  /**
   * The window of cells of another grid that each cell is computed from, down and across: the start of the first window
   * (below 0 with padding), the size, and the stride, in cells.
   * @param {Boxes} from the other grid
   * @returns {{first: number, size: number, step: number}[]}
   */
  windowOn(from) {
    const along = (first, size, step, of) => ({ first: first / of, size: size / of + 1, step: step / of });
    return [
      along(this.top - from.top, this.high - from.high, this.down, from.down),
      along(this.left - from.left, this.wide - from.wide, this.across, from.across),
    ];
  }

  /**
   * The part of the picture covered by a map of the tokens: each cell covers the pixels nearest to its middle.
   * @returns {number[]} top, left, bottom, right in pixels
   */
  get span() {
    const { cells } = this;
    const [top, left] = [this.top + (this.high - this.down) / 2, this.left + (this.wide - this.across) / 2];
    return [top, left, top + cells.rows * this.down, left + cells.columns * this.across];
  }

  /**
   * The edge of the ink on a map of the tokens, as lines because it runs within cells.
   * @param {Numbers} picture intensities of its pixels, row by row
   * @returns {InkEdge}
   */
  edge(picture) {
    const {
      cells,
      pixels,
      span: [top, left],
    } = this;
    const found = [];
    for (const { cell, below } of inkEdge(picture, pixels.rows, pixels.columns)) {
      const [row, column] = [Math.floor(cell / pixels.columns), cell % pixels.columns];
      const ends = below ? [column, row + 1, column + 1, row + 1] : [column + 1, row, column + 1, row + 1];
      const line = ends.map((at, i) => (i % 2 ? (at - top) / this.down : (at - left) / this.across));
      const [x1, y1, x2, y2] = line;
      if (Math.min(x1, y1) >= 0 && x2 <= cells.columns && y2 <= cells.rows) found.push({ cell, below, line });
    }
    return found;
  }
}
