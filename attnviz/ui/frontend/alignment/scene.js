// The canvas: the strip with the weights of the chosen step on it, these weights as bars, and the matrix of all steps.

import { css, MASKED, makeScale, packed, toIndices, TOP } from "../core/colours.js";
import { context2d, element } from "../core/dom.js";
import { best, wholePercent } from "../core/numbers.js";
import { canvasOf } from "../maps/paint.js";
import { found, layoutOf } from "./layout.js";

// The positions of the gutter's columns, in pixels of the design; 0 for a hidden one
const WIDE = { number: 18, right: 40, said: 76, sure: 122, heads: ["target", "output"] };
const NARROW = { number: 16, right: 32, said: 54, sure: 0, heads: ["true", "out"] };

/**
 * The shown data.
 * @typedef {object} Shown
 * @property {Uint8Array} picture
 * @property {{queries: string, keys: string, of?: string}} layer
 * @property {Float64Array} matrix (query, key)
 * @property {number} row the chosen row
 * @property {number} step the chosen step
 * @property {string[]} said by step
 * @property {string[]|null} right by step
 * @property {number[]} sure the probability of the predicted symbol, by step
 * @property {string[]} heads the headings of the matrix's columns, or the digits of the strip
 * @property {{row: number, column: number}|null} looked
 * @property {boolean} hides whether later steps are masked
 * @property {boolean} moves whether the peak has a handle
 * @property {number} by the shift of the step's weights
 */

export class Scene {
  constructor() {
    this.canvas = element("canvas", { "aria-hidden": "true" });
    /** @type {import("./layout.js").Layout} */
    this.at = /** @type {any} */ (null);
    this.facts = /** @type {Parameters<typeof layoutOf>[0]} */ (/** @type {any} */ (null));
    this.strip = document.createElement("canvas"); // the strip at its own resolution, tinted
  }

  /** @param {Parameters<typeof layoutOf>[0]} facts */
  layout(facts) {
    this.at = layoutOf(facts);
    this.facts = facts;
    const { canvas, at } = this;
    const ratio = devicePixelRatio;
    const [width, height] = [at.width, at.height].map((size) => Math.round(size * ratio));
    if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
    Object.assign(canvas.style, { width: `${at.width}px`, height: `${at.height}px` });
  }

  /** @param {number} x @param {number} y in CSS pixels of the canvas */
  find(x, y) {
    return found(this.at, x, y);
  }

  /** @param {Shown} shown @param {Theme} theme @param {Palettes} palettes */
  paint(shown, theme, palettes) {
    const { canvas, at } = this;
    const context = context2d(canvas);
    const colour = (name) => css(packed(theme[name]));
    const ratio = devicePixelRatio;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.fillStyle = colour("background");
    context.fillRect(0, 0, at.width, at.height);
    const family = getComputedStyle(canvas).fontFamily;
    /** @type {(words: string, x: number, y: number, how?: any) => void} */
    const write = (words, x, y, { size = 12, weight = 400, fill = colour("text"), align = "left" } = {}) => {
      context.font = `${weight} ${size * this.facts.grown}px ${family}`;
      Object.assign(context, { fillStyle: fill, textAlign: align, textBaseline: "middle" });
      context.fillText(words, x, y);
    };
    const quiet = css(packed(theme.text.map((part, i) => part + 0.3 * (theme.background[i] - part))));
    const tools = { context, colour, write, quiet, theme, palettes };
    const row = shown.matrix.subarray(shown.row * at.columns, (shown.row + 1) * at.columns);
    const indices = this.indicesOf(shown);
    this.paintStrip(shown, indices, tools);
    this.paintBars(shown, row, tools);
    this.paintMatrix(shown, indices, tools);
    this.paintGutter(shown, tools);
    this.paintCross(shown, tools);
  }

  /** Map the weights to indices on their scale. @param {Pick<Shown, "matrix"|"layer"|"hides">} shown */
  indicesOf({ matrix, layer, hides }) {
    const { rows, columns } = this.at;
    const indices = new Uint16Array(matrix.length);
    if (layer.keys === "numbers") {
      const most = matrix.reduce((largest, value) => Math.max(largest, Math.abs(value)), 0);
      toIndices(matrix, 0, matrix.length, makeScale("signed", most), indices);
      return indices;
    }
    toIndices(matrix.map(Math.log), 0, matrix.length, makeScale("share"), indices, Math.log(columns));
    if (layer.keys === "steps" && hides)
      for (let query = 0; query < rows; query++)
        for (let key = query + 1; key < columns; key++) indices[query * columns + key] = MASKED;
    return indices;
  }

  /** A matrix of weights as a picture at its own resolution, for exports. */
  mapOf(matrix, hides, palettes) {
    const { rows, columns } = this.at;
    const { layer } = this.facts;
    const indices = this.indicesOf({ matrix, layer, hides });
    const palette = layer.keys === "numbers" ? palettes.signed : palettes.share;
    return canvasOf(columns, rows, (pixel) => palette[indices[pixel]]);
  }

  /** Paint the picture with the weights of the chosen row, if its keys are columns of the strip. */
  paintStrip({ picture, layer, row }, indices, { context, colour, write, quiet, theme, palettes }) {
    const { at, strip, facts } = this;
    const [rows, columns] = facts.picture;
    if (strip.width !== columns || strip.height !== rows) Object.assign(strip, { width: columns, height: rows });
    const own = context2d(strip);
    const image = own.createImageData(columns, rows);
    const tinted = layer.keys === "columns";
    const feature = (x) => Math.min(at.columns - 1, Math.max(0, Math.floor(x / facts.pitch + 0.5)));
    for (let x = 0; x < columns; x++) {
      const packedColour = tinted ? palettes.share[indices[row * at.columns + feature(x)]] : packed(theme.background);
      const under = [packedColour & 255, (packedColour >> 8) & 255, (packedColour >> 16) & 255];
      const ink = inkOn(under, theme);
      for (let y = 0; y < rows; y++) {
        const share = picture[y * columns + x] / 255;
        const place = 4 * (y * columns + x);
        for (let part = 0; part < 3; part++) image.data[place + part] = under[part] + share * (ink[part] - under[part]);
        image.data[place + 3] = 255;
      }
    }
    own.putImageData(image, 0, 0);
    context.imageSmoothingEnabled = false;
    context.drawImage(strip, at.gutter, at.strip[0], columns * at.scale, rows * at.scale);
    context.strokeStyle = colour("line");
    context.lineWidth = 1;
    context.strokeRect(at.gutter + 0.5, at.strip[0] + 0.5, columns * at.scale - 1, rows * at.scale - 1);
    const left = at.gutter - 8;
    write("the strip", left, (at.strip[0] + at.strip[1]) / 2, { align: "right", fill: quiet });
  }

  paintBars({ layer, moves, by, step }, row, { context, colour, write, quiet, theme }) {
    const { at } = this;
    const [top, bottom] = at.bars;
    const room = bottom - top - 14;
    const signed = layer.keys === "numbers";
    const most = row.reduce((largest, value) => Math.max(largest, Math.abs(value)), 0) || 1;
    const zero = signed ? bottom - room / 2 : bottom;
    context.fillStyle = css(packed(theme.violet[1]));
    for (let column = 0; column < at.columns; column++) {
      const high = ((signed ? room / 2 : room) * row[column]) / most;
      const [x, next] = [at.xs[column], at.xs[column + 1]];
      if (signed) context.fillStyle = css(packed((high < 0 ? theme.yellow : theme.violet)[1]));
      const apart = next - x > 3 ? 1 : 0;
      context.fillRect(x + apart / 2, zero - Math.max(0, high), next - x - apart, Math.abs(high));
    }
    context.fillStyle = colour("line");
    context.fillRect(at.gutter, zero, at.xs[at.columns] - at.gutter, 1);
    const left = at.gutter - 8;
    const what = layer.queries === "columns" ? "this column" : `step ${step + 1}`;
    const beside = { align: "right", fill: quiet };
    write(
      signed ? "the vector" : layer.of === "gradient" ? "gradient" : "weights",
      left,
      bottom - room / 2 - 7,
      beside,
    );
    write(`of ${what}`, left, bottom - room / 2 + 8, beside);
    if (!moves) return;
    const peak = best(row);
    const x = (at.xs[peak] + at.xs[peak + 1]) / 2;
    if (by) {
      const from = Math.min(at.columns - 1, Math.max(0, peak - by));
      const before = (at.xs[from] + at.xs[from + 1]) / 2;
      context.strokeStyle = quiet;
      context.lineWidth = 1.5;
      context.setLineDash([3, 3]);
      context.beginPath();
      context.moveTo(before, top + 7);
      context.lineTo(x, top + 7);
      context.stroke();
      context.setLineDash([]);
    }
    context.beginPath();
    context.arc(x, top + 7, 6.5, 0, 2 * Math.PI);
    context.fillStyle = by ? colour("text") : colour("background");
    context.fill();
    context.strokeStyle = colour("text");
    context.lineWidth = 1.5;
    context.stroke();
    context.strokeStyle = by ? colour("background") : colour("text");
    context.beginPath();
    for (const side of [-1, 1]) {
      context.moveTo(x + side * 1.2, top + 4);
      context.lineTo(x + side * 3.8, top + 7);
      context.lineTo(x + side * 1.2, top + 10);
    }
    context.stroke();
  }

  paintMatrix({ layer, row, heads }, indices, { context, colour, write, quiet, theme, palettes }) {
    const { at } = this;
    const palette = layer.keys === "numbers" ? palettes.signed : palettes.share;
    for (let query = 0; query < at.rows; query++) {
      const y = at.matrix[0] + query * at.rowHeight;
      for (let key = 0; key < at.columns; key++) {
        const index = indices[query * at.columns + key];
        const [x, next] = [at.xs[key], at.xs[key + 1]];
        context.fillStyle = index > TOP ? colour("panel") : css(palette[index]);
        context.fillRect(x, y, next - x + 0.3, at.rowHeight + 0.3);
        if (index !== MASKED) continue;
        context.strokeStyle = colour("line");
        context.lineWidth = 1;
        context.beginPath();
        context.moveTo(x + 2, y + at.rowHeight - 2);
        context.lineTo(next - 2, y + 2);
        context.stroke();
      }
    }
    // The digits of the strip, which identify its columns
    context.strokeStyle = colour("line");
    context.lineWidth = 1;
    const right = at.xs[at.columns];
    if (layer.keys === "columns") {
      for (let digit = 1; digit < this.facts.digits; digit++) {
        const x = Math.round(at.gutter + digit * at.digit) + 0.5;
        context.beginPath();
        context.moveTo(x, at.matrix[0]);
        context.lineTo(x, at.matrix[1]);
        context.stroke();
      }
    }
    context.strokeRect(at.gutter + 0.5, at.matrix[0] + 0.5, right - at.gutter - 1, at.matrix[1] - at.matrix[0] - 1);
    const middle = (at.head[0] + at.head[1]) / 2;
    heads.forEach((words, i) => {
      const x = layer.keys === "columns" ? at.gutter + (i + 0.5) * at.digit : (at.xs[i] + at.xs[i + 1]) / 2;
      write(words, x, middle, { align: "center", fill: quiet });
    });
    if (layer.keys === "numbers")
      write("the numbers of the vector, one column each", at.gutter, middle, { fill: quiet });
    context.strokeStyle = css(packed(theme.text));
    context.lineWidth = 2;
    const y = at.matrix[0] + row * at.rowHeight;
    context.strokeRect(at.gutter, y, right - at.gutter, Math.max(at.rowHeight, 4));
  }

  paintGutter({ layer, said, right, sure, step, heads }, { write, quiet, colour, context, theme }) {
    const { at, facts } = this;
    if (layer.queries === "columns") {
      heads.forEach((words, i) =>
        write(words, at.gutter - 8, at.matrix[0] + ((i + 0.5) * (at.matrix[1] - at.matrix[0])) / facts.digits, {
          align: "right",
          fill: quiet,
        }),
      );
      return;
    }
    const unit = at.gutter / (facts.narrow ? 76 : 128);
    const xs = facts.narrow ? NARROW : WIDE;
    const head = (at.head[0] + at.head[1]) / 2;
    if (right) write(xs.heads[0], unit * xs.right, head, { align: "center", fill: quiet });
    write(xs.heads[1], unit * xs.said, head, { align: "center", fill: quiet });
    for (let one = 0; one < at.rows; one++) {
      const y = at.matrix[0] + (one + 0.5) * at.rowHeight;
      const chosen = one === step;
      if (chosen) {
        context.fillStyle = colour("panel");
        context.fillRect(0, y - at.rowHeight / 2, at.gutter, at.rowHeight);
      }
      const wrong = right !== null && said[one] !== right[one];
      write(String(one + 1), unit * xs.number, y, { align: "right", fill: quiet, size: 11.5 });
      if (right) write(right[one] ?? "", unit * xs.right, y, { align: "center", fill: quiet });
      write(said[one] ?? "", unit * xs.said, y, { align: "center", weight: 600, size: 13 });
      if (wrong && said[one]) {
        context.strokeStyle = css(packed(theme.orange));
        context.lineWidth = 1.5;
        const half = Math.min(9, at.rowHeight / 2 - 1);
        context.strokeRect(unit * xs.said - 8, y - half, 16, 2 * half);
      }
      if (xs.sure && sure[one] !== undefined)
        write(wholePercent(sure[one]), unit * xs.sure, y, { align: "right", fill: quiet, size: 11.5 });
    }
  }

  /** Paint one cross-hair for strip, bars and matrix. */
  paintCross({ looked }, { context, theme }) {
    if (!looked) return;
    const { at } = this;
    context.strokeStyle = css(packed(theme.text));
    context.lineWidth = 1;
    context.setLineDash([2, 2]);
    context.beginPath();
    if (looked.column >= 0) {
      const [x, next] = [at.xs[looked.column], at.xs[looked.column + 1]];
      const top = this.onStrip ? at.strip[0] : at.bars[0];
      for (const edge of [x, next]) {
        context.moveTo(Math.round(edge) + 0.5, top);
        context.lineTo(Math.round(edge) + 0.5, at.matrix[1]);
      }
    }
    if (looked.row >= 0) {
      for (const y of [looked.row, looked.row + 1].map((row) => Math.round(at.matrix[0] + row * at.rowHeight) + 0.5)) {
        context.moveTo(0, y);
        context.lineTo(at.xs[at.columns], y);
      }
    }
    context.stroke();
    context.setLineDash([]);
  }

  /** Whether the columns of the matrix are those of the strip. */
  get onStrip() {
    return this.facts?.layer.keys === "columns";
  }
}

/** The colour of ink on a background: that of text, or of the page if that is closer to the background. */
function inkOn(under, theme) {
  const light = (colour) => 0.299 * colour[0] + 0.587 * colour[1] + 0.114 * colour[2];
  const [below, text, page] = [under, theme.text, theme.background].map(light);
  return Math.abs(below - text) >= Math.abs(below - page) ? theme.text : theme.background;
}
