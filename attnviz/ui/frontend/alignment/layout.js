// Where everything lies on the canvas: the strip, below it the weights of the chosen step as bars, and below these the
// matrix, whose columns are those of the strip. In CSS pixels; no document.

import { edgesOf } from "./derive.js";

const GAP = 6;
const BARS = 52; // the height of the bars, with room for the handle above them
const HEAD = 18; // what the columns of the matrix mean
const LARGEST = 112; // a digit of a short strip
const MATRIX = 250; // the matrix is about as high, if its rows can be read
const ROW = { least: 12, most: 20 };

/**
 * strip, bars, head, matrix: top and bottom; gutter: left edge of all of them; xs: edges of the columns of the matrix;
 * scale: CSS pixels a pixel of the picture; digit: those a digit
 * @typedef {{strip: number[], bars: number[], head: number[], matrix: number[], gutter: number, xs: number[],
 *   rowHeight: number, rows: number, columns: number, width: number, height: number, scale: number,
 *   digit: number}} Layout
 */

/**
 * @param {object} facts
 * @param {number} facts.width that there is
 * @param {number} facts.grown how much larger than the design's a pixel is
 * @param {boolean} facts.narrow
 * @param {number[]} facts.picture its shape
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
 * What lies at a place of the canvas.
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

/** The column at a place; beyond the ends, the first or the last. */
export function columnAt(xs, x) {
  for (let column = 1; column < xs.length; column++) if (x < xs[column]) return column - 1;
  return xs.length - 2;
}
