// Strokes into pixels: the path of the pen, and its trace on the canvas of 280 x 280 that the models are shown. It is
// computed here rather than drawn by the browser, so that a drawing gives the same bytes everywhere, also after an undo
// or from a link. On the screen the browser draws the same path at the screen's own resolution.

import { CELLS, channelsOf, greyAt, PRESSURES, SIDE, UNITS } from "./strokes.js";

const STEP = 3; // approximate length of the straight pieces of a curve, canvas pixels
// The width of a pen's line relative to its set width, at no pressure and at full; at half of full it is the set width.
const [LIGHT, HEAVY] = [0.4, 1.6];

// An eraser takes this much more on each side, so that it can remove the soft edge of its own ink.
const EDGE = 1;

/** Half the width of a stroke at one of its points, in canvas pixels. */
function radius({ tool, width, pressures }, i) {
  const factor = pressures ? LIGHT + ((HEAVY - LIGHT) * pressures[i]) / PRESSURES : 1;
  return (width / 2) * factor + (tool === "erase" ? EDGE : 0);
}

/**
 * Walk along a stroke, in short straight pieces. The path is smooth: a parabola around each point, from the midpoint
 * before it to the one after it.
 * @param {Stroke} stroke
 * @param {(...piece: number[]) => void} visit called with x, y and radius of the start and of the end of each piece, in
 *   canvas pixels
 * @param {number} first point at which to begin: the part before it is drawn already
 */
export function walk(stroke, visit, first = 0) {
  const { points } = stroke;
  const last = points.length / 2 - 1;
  const at = (i) => [points[2 * i] / UNITS, points[2 * i + 1] / UNITS, radius(stroke, i)];
  const middle = (one, other) => one.map((value, i) => (value + other[i]) / 2);
  if (last === 0) {
    visit(...at(0), ...at(0));
    return;
  }
  for (let i = first; i <= last; i++) {
    const here = at(i);
    const from = i === 0 ? here : middle(at(i - 1), here);
    const to = i === last ? here : middle(here, at(i + 1));
    if (i === 0 || i === last) visit(...from, ...to);
    else bend(from, here, to, visit);
  }
}

/** @param {number[]} from @param {number[]} here @param {number[]} to @param {(...piece: number[]) => void} visit */
function bend([x0, y0, r0], [x1, y1], [x2, y2, r2], visit) {
  const length = Math.sqrt((x1 - x0) ** 2 + (y1 - y0) ** 2) + Math.sqrt((x2 - x1) ** 2 + (y2 - y1) ** 2);
  const steps = Math.max(1, Math.ceil(length / STEP));
  let [x, y, r] = [x0, y0, r0];
  for (let step = 1; step <= steps; step++) {
    const t = step / steps;
    const [a, b, c] = [(1 - t) * (1 - t), 2 * t * (1 - t), t * t];
    const [nextX, nextY, nextR] = [a * x0 + b * x1 + c * x2, a * y0 + b * y1 + c * y2, r0 + t * (r2 - r0)];
    visit(x, y, r, nextX, nextY, nextR);
    [x, y, r] = [nextX, nextY, nextR];
  }
}

/** A piece of a stroke, scaled to a canvas of another size. @param {number[]} piece @returns {any} */
function scaled(piece, scale) {
  return scale === 1 ? piece : piece.map((one) => one * scale);
}

/**
 * The canvas. `values` are uint8, row by row: 0 is paper and 255 is ink. In colour there are three bytes per pixel,
 * paper is black, and ink without a colour is white.
 */
export class Raster {
  /** @param {number} side pixels along each side @param {number} channels 1 or 3 */
  constructor(side = SIDE, channels = 1) {
    this.side = side;
    this.channels = channels;
    this.values = new Uint8Array(side * side * channels);
    /**
     * @type {{under: Uint8Array, mask: Raster}|null} for a canvas in colour: the pixels below the last stroke, and its
     *   ink
     */
    this.last = null;
  }

  /** Rows, columns, channels. */
  get shape() {
    return [this.side, this.side, this.channels];
  }

  /** Draw everything anew. @param {{base: Base|null, strokes: Stroke[]}} drawing */
  draw({ base, strokes }) {
    this.values.fill(0);
    if (base) this.lay(base);
    for (const stroke of strokes) this.stroke(stroke);
  }

  /** @param {Base} base */
  lay(base) {
    const { channels } = this;
    const from = channelsOf(base);
    const size = this.side / base.side;
    for (let row = 0, to = 0; row < this.side; row++) {
      const start = Math.floor(row / size) * base.side;
      for (let column = 0; column < this.side; column++, to += channels) {
        const at = from * (start + Math.floor(column / size));
        if (channels === 1) this.values[to] = from === 1 ? base.values[at] : greyAt(base.values, at);
        else for (let one = 0; one < channels; one++) this.values[to + one] = base.values[from === 1 ? at : at + one];
      }
    }
  }

  /** Draw a stroke, or the rest of it after a point. @param {Stroke} stroke */
  stroke(stroke, first = 0) {
    if (this.channels > 1) this.lacquer(stroke, first);
    else this.ink(stroke, first, stroke.colour ? greyAt(stroke.colour, 0) / 255 : 1);
  }

  /** @param {number} full the ink of a fully covered pixel, 0..1 */
  ink(stroke, first, full = 1, erase = stroke.tool === "erase") {
    const scale = this.side / SIDE;
    walk(stroke, (...piece) => this.piece(...scaled(piece, scale), erase, full), first);
  }

  /** Lay a stroke over a canvas in colour: where its pieces overlap, it covers the pixels below only once. */
  lacquer(stroke, first) {
    const { values } = this;
    if (!this.last || first === 0) this.last = { under: values.slice(), mask: new Raster(this.side) };
    const { under, mask } = this.last;
    mask.ink(stroke, first, 1, false);
    const colour = stroke.tool === "erase" ? [0, 0, 0] : (stroke.colour ?? [255, 255, 255]);
    mask.values.forEach((share, pixel) => {
      for (let one = 0, at = 3 * pixel; share && one < 3; one++)
        values[at + one] = Math.round(under[at + one] + (share / 255) * (colour[one] - under[at + one]));
    });
  }

  /**
   * Ink, or erase, a straight piece with round ends. The edge is one pixel soft; where pieces overlap, the strongest
   * counts, so that the number of pieces makes no difference.
   */
  piece(x0, y0, r0, x1, y1, r1, erase, full = 1) {
    const { side, values } = this;
    const [dx, dy, dr] = [x1 - x0, y1 - y0, r1 - r0];
    const square = dx * dx + dy * dy;
    if (square <= dr * dr && square > 0) {
      // one end lies within the other
      if (r0 > r1) this.piece(x0, y0, r0, x0, y0, r0, erase, full);
      else this.piece(x1, y1, r1, x1, y1, r1, erase, full);
      return;
    }
    const scale = square > 0 ? 1 / square : 0;
    const lean = square > 0 ? dr / Math.sqrt(square - dr * dr) : 0; // a widening piece reaches back
    const most = Math.max(r0, r1) + 1;
    const [left, right] = [
      Math.max(0, Math.floor(Math.min(x0, x1) - most)),
      Math.min(side - 1, Math.ceil(Math.max(x0, x1) + most)),
    ];
    const [top, bottom] = [
      Math.max(0, Math.floor(Math.min(y0, y1) - most)),
      Math.min(side - 1, Math.ceil(Math.max(y0, y1) + most)),
    ];
    for (let row = top; row <= bottom; row++) {
      const py = row + 0.5 - y0;
      for (let column = left; column <= right; column++) {
        const px = column + 0.5 - x0;
        const along = Math.min(1, Math.max(0, (px * dx + py * dy + lean * Math.abs(px * dy - py * dx)) * scale));
        const [awayX, awayY] = [px - along * dx, py - along * dy];
        const away = awayX * awayX + awayY * awayY;
        const edge = r0 + along * dr + 0.5;
        if (away >= edge * edge) continue;
        const ink =
          edge > 1 && away <= (edge - 1) * (edge - 1)
            ? 255
            : Math.min(255, Math.floor((edge - Math.sqrt(away)) * 255 + 0.5));
        const place = row * side + column;
        if (erase) values[place] = Math.min(values[place], 255 - ink);
        else values[place] = Math.max(values[place], full === 1 ? ink : Math.round(full * ink));
      }
    }
  }

  /** The mean, 0..255, of the part of the canvas that is covered by one of 28 x 28 cells. */
  mean(row, column) {
    const { side, channels, values } = this;
    const edge = (cell) => Math.round((cell * side) / CELLS);
    let [sum, count] = [0, 0];
    for (let y = edge(row); y < edge(row + 1); y++) {
      for (let at = channels * (y * side + edge(column)); at < channels * (y * side + edge(column + 1)); at++) {
        sum += values[at];
        count++;
      }
    }
    return sum / count;
  }
}
