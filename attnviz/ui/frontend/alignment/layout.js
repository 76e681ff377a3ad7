// The layout of the canvas, in CSS pixels: the strip, below it the weights of the chosen step as bars, and below these
// the matrix, whose columns are those of the strip. It does not access the page.

import { edgesOf } from "./derive.js";

const GAP = 6;
const BARS = 52; // height of the bars, with space for the handle above them
const HEAD = 18; // height of the headings of the matrix's columns
const LARGEST = 112; // maximum width of a digit, for short strips
const MATRIX = 250; // approximate height of the matrix, if its rows stay readable
const ROW = { least: 12, most: 20 };

/**
 * strip, bars, head, matrix: top and bottom; gutter: left edge of all of them; xs: edges of the columns of the matrix;
 * scale: CSS pixels per pixel of the picture; digit: CSS pixels per digit
 * @typedef {{strip: number[], bars: number[], head: number[], matrix: number[], gutter: number, xs: number[],
 *   rowHeight: number, rows: number, columns: number, width: number, height: number, scale: number,
 *   digit: number}} Layout
 */

/**
 * @param {object} facts
 * @param {number} facts.width available width
 * @param {number} facts.grown the factor by which the design is enlarged
 * @param {boolean} facts.narrow
 * @param {number[]} facts.picture shape of the picture
 * @param {number} facts.digits
 * @param {number} facts.pitch
 * @param {number} facts.features columns of features on the strip
 * @param {{queries: string, keys: string}} facts.layer
 * @param {number} facts.rows of the matrix
 * @param {number} facts.columns of the matrix
 * @returns {Layout}
 */
export function layoutOf({ width, grown, narrow, picture, digits, pitch, features, layer, rows, columns }) {
  const gutter = (narrow ? 76 : 128) * grown;
  const wide = Math.min(width - gutter - 1, digits * LARGEST * grown);
  const scale = wide / picture[1];
  const strip = [0, picture[0] * scale];
  const bars = [strip[1] + GAP, strip[1] + GAP + BARS * grown];
  const head = [bars[1] + 2, bars[1] + 2 + HEAD * grown];
  const ofColumns = layer.queries === "columns";
  const rowHeight = ofColumns
    ? Math.max(2.5, Math.min(wide / columns, (MATRIX * grown) / rows))
    : Math.max(ROW.least, Math.min(ROW.most, MATRIX / rows)) * grown;
  const onStrip = edgesOf(features, pitch, picture[1]).map((x) => gutter + x * scale);
  const most = layer.keys === "steps" ? Math.min(width - gutter - 1, columns * 26 * grown) : width - gutter - 1;
  const xs =
    layer.keys === "columns" ? onStrip : Array.from({ length: columns + 1 }, (_, i) => gutter + (i * most) / columns);
  const matrix = [head[1], head[1] + rows * rowHeight];
  return {
    strip,
    bars,
    head,
    matrix,
    gutter,
    xs,
    rowHeight,
    rows,
    columns,
    width,
    height: Math.ceil(matrix[1]) + 1,
    scale,
    digit: wide / digits,
  };
}

/**
 * The zone and the cell at a position on the canvas.
 * @param {Layout} layout
 * @param {number} x
 * @param {number} y
 * @returns {{zone: "strip"|"bars"|"matrix"|"gutter"|"", row: number, column: number}} row and column of the matrix, -1
 *   for none
 */
export function found({ strip, bars, matrix, gutter, xs, rowHeight, rows, columns }, x, y) {
  const row = y >= matrix[0] && y < matrix[1] ? Math.min(rows - 1, Math.floor((y - matrix[0]) / rowHeight)) : -1;
  const inside = x >= gutter && x < xs[columns];
  const column = inside ? columnAt(xs, x) : -1;
  if (x < gutter) return { zone: row >= 0 ? "gutter" : "", row, column: -1 };
  if (y >= strip[0] && y < strip[1]) return { zone: "strip", row: -1, column };
  if (y >= strip[1] && y < bars[1] + 2) return { zone: "bars", row: -1, column };
  return { zone: row >= 0 && inside ? "matrix" : "", row, column: row >= 0 ? column : -1 };
}

/** The column at a position; beyond the ends, the first or the last one. */
export function columnAt(xs, x) {
  for (let column = 1; column < xs.length; column++) if (x < xs[column]) return column - 1;
  return xs.length - 2;
}
