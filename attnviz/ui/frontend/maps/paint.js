// Maps in a pixel buffer, at the screen's own resolution: one canvas holds any number of them. Writing the pixels
// directly is several times faster than a canvas element, or a drawing call, for each map.

import { INFINITE, MASKED, NOT_A_NUMBER, TOP } from "../core/colours.js";
import { context2d } from "../core/dom.js";

/**
 * The packed colour of one pixel of a picture in 8 bit.
 * @param {Uint8Array} picture (row, column, channel)
 * @param {number} at index at which the pixel begins
 * @param {number} channels 1 or 3
 * @param {Uint32Array|null} inks the palette for a drawing; null for a photograph
 */
export function colourAt(picture, at, channels, inks) {
  if (channels === 1 && inks) return inks[Math.round((picture[at] * TOP) / 255)];
  const [red, green, blue] = channels === 3 ? [0, 1, 2] : [0, 0, 0];
  return ((255 << 24) | (picture[at + blue] << 16) | (picture[at + green] << 8) | picture[at + red]) >>> 0;
}

/**
 * A canvas with a picture at its own resolution.
 * @param {Uint8Array} picture (row, column, channel)
 * @param {number[]} shape rows, columns, channels
 * @param {Uint32Array|null} inks as in `colourAt`
 */
export function pictureCanvas(picture, [rows, columns, channels], inks) {
  return canvasOf(columns, rows, (pixel) => colourAt(picture, pixel * channels, channels, inks));
}

/** A canvas painted pixel by pixel, with `fillPixels`. @param {(pixel: number) => number} colourOf */
export function canvasOf(columns, rows, colourOf) {
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [columns, rows];
  return fillPixels(canvas, colourOf);
}

/** Paint a canvas. @param {HTMLCanvasElement} canvas @param {(pixel: number) => number} colourOf packed */
export function fillPixels(canvas, colourOf) {
  const context = context2d(canvas);
  const image = context.createImageData(canvas.width, canvas.height);
  const pixels = new Uint32Array(image.data.buffer);
  for (let pixel = 0; pixel < pixels.length; pixel++) pixels[pixel] = colourOf(pixel);
  context.putImageData(image, 0, 0);
  return canvas;
}

/** The size of a cell in device pixels: a whole number, unless that would waste more than a seventh of the space. */
export function cellSize(room, count) {
  const whole = Math.floor(room / count);
  return whole >= 1 && whole * count >= room * 0.86 ? whole : room / count;
}

/**
 * Place one map on a board and resize its canvas, as large as the space allows.
 * @param {{board: Board, canvas: HTMLCanvasElement}} frame
 * @param {import("./cells.js").Cells} cells
 * @param {number} room in CSS pixels, for the longer side
 * @param {InkEdge} [edge]
 * @returns {number} the width in CSS pixels
 */
export function fitBoard({ board, canvas }, cells, room, edge = []) {
  const ratio = devicePixelRatio;
  const size = cellSize(room * ratio, Math.max(cells.columns, cells.height));
  const [width, height] = [Math.round(size * cells.columns), Math.round(size * cells.height)];
  board.resize(width, height);
  board.place(0, 0, [size, size], cells, edge, Math.max(1, Math.round(ratio)));
  Object.assign(canvas.style, { width: `${width / ratio}px`, height: `${height / ratio}px` });
  return width / ratio;
}

/** A canvas, its pixels, and where the maps lie on it. */
export class Board {
  constructor(canvas) {
    this.canvas = canvas;
    this.context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d", { alpha: false }));
    this.image = this.context.createImageData(1, 1);
    this.pixels = new Uint32Array(this.image.data.buffer);
    /** @type {any[]} */
    this.tiles = [];
  }

  /** Set the size of the canvas, in device pixels; all tiles are removed. */
  resize(width, height) {
    this.canvas.width = Math.max(1, width);
    this.canvas.height = Math.max(1, height);
    this.image = this.context.createImageData(this.canvas.width, this.canvas.height);
    this.pixels = new Uint32Array(this.image.data.buffer);
    this.tiles = [];
  }

  /**
   * Place a map on the board; all sizes are in device pixels.
   * @param {number} x left
   * @param {number} y top
   * @param {number[]} size width and height of a cell
   * @param {import("./cells.js").Cells} cells
   * @param {{cell: number, below: boolean}[]} edge from `inkEdge`
   * @param {number} line width of a hairline
   */
  place(x, y, [wide, high], cells, edge, line) {
    const xs = Int32Array.from({ length: cells.columns + 1 }, (_, i) => x + Math.round(i * wide));
    const ys = Int32Array.from({ length: cells.height + 1 }, (_, i) => y + Math.round(i * high));
    const tile = { xs, ys, cells, size: Math.min(wide, high), line };
    tile.edge = this.edgePixels(tile, edge);
    this.tiles.push(tile);
  }

  edgePixels({ xs, ys, cells, line }, edge) {
    const found = new Set();
    const before = line >> 1;
    for (const { cell, below, line: within } of edge) {
      if (within) {
        this.linePixels(found, { xs, ys, cells, line }, within);
        continue;
      }
      const [row, column] = [Math.floor(cell / cells.columns), cell % cells.columns];
      const [left, right] = below
        ? [xs[column] - before, xs[column + 1]]
        : [xs[column + 1] - 1 - before, xs[column + 1] - 1 - before + line];
      const [top, bottom] = below
        ? [ys[row + 1] - 1 - before, ys[row + 1] - 1 - before + line]
        : [ys[row] - before, ys[row + 1]];
      for (let y = Math.max(0, top); y < bottom; y++)
        for (let x = Math.max(0, left); x < right; x++) found.add(y * this.canvas.width + x);
    }
    // Tokens without a position get a frame because an empty one would look like the page.
    for (let token = 0; token < cells.prefix; token++) {
      const [row, column] = [Math.floor(cells.cell[token] / cells.columns), cells.cell[token] % cells.columns];
      for (let y = ys[row]; y < ys[row + 1]; y++) {
        for (let x = xs[column]; x < xs[column + 1]; x++) {
          if (Math.min(x - xs[column], y - ys[row], xs[column + 1] - 1 - x, ys[row + 1] - 1 - y) < line)
            found.add(y * this.canvas.width + x);
        }
      }
    }
    return Int32Array.from(found);
  }

  /**
   * The pixels of a line within cells, up and down or across.
   * @param {Set<number>} found
   * @param {any} tile
   * @param {number[]} ends in cells
   */
  linePixels(found, { xs, ys, cells, line }, [x1, y1, x2, y2]) {
    const across = (at) => xs[0] + Math.round((at * (xs[cells.columns] - xs[0])) / cells.columns);
    const down = (at) => ys[0] + Math.round((at * (ys[cells.height] - ys[0])) / cells.height);
    const [left, right, top, bottom] = [across(x1), across(x2), down(y1), down(y2)];
    const end = [Math.min(xs[cells.columns], right + line), Math.min(ys[cells.height], bottom + line)];
    for (let y = top; y < end[1]; y++) for (let x = left; x < end[0]; x++) found.add(y * this.canvas.width + x);
  }

  clear(colour) {
    this.pixels.fill(colour);
  }

  /**
   * Paint one map.
   * @param {number} number which tile
   * @param {Uint16Array} indices one palette index per token, beginning at `start`
   * @param {number} start
   * @param {Uint32Array} palette packed colours
   * @param {number} ink packed colour of the marks
   * @param {number} line packed colour of the edge, blended half and half
   */
  paint(number, indices, start, palette, ink, line) {
    const { xs, ys, cells } = this.tiles[number];
    const { pixels } = this;
    const width = this.canvas.width;
    const { columns, height, token } = cells;
    const [left, right] = [xs[0], xs[columns]];
    let marked = false;
    for (let row = 0, cell = 0; row < height; row++) {
      const above = ys[row] * width;
      for (let column = 0; column < columns; column++, cell++) {
        const which = token[cell];
        const index = which < 0 ? MASKED : indices[start + which];
        if (index > TOP && which >= 0) marked = true;
        const colour = palette[index];
        for (let x = above + xs[column], end = above + xs[column + 1]; x < end; x++) pixels[x] = colour;
      }
      for (let y = ys[row] + 1; y < ys[row + 1]; y++) pixels.copyWithin(y * width + left, above + left, above + right);
    }
    this.paintEdge(number, line);
    if (marked) this.paintMarks(number, indices, start, ink);
  }

  /** Draw the edge of a tile, blended half and half with the pixels below. @param {number} line packed colour */
  paintEdge(number, line) {
    const { pixels } = this;
    const { edge } = this.tiles[number];
    const half = (line & 0xfefefefe) >>> 1;
    for (let i = 0; i < edge.length; i++)
      pixels[edge[i]] = (((pixels[edge[i]] & 0xfefefefe) >>> 1) + half) | 0xff000000;
  }

  /** NaN is hatched, infinity a filled square, minus infinity (masked) a small dot. */
  paintMarks(number, indices, start, ink) {
    const { xs, ys, cells } = this.tiles[number];
    for (let token = 0; token < cells.tokens; token++) {
      const index = indices[start + token];
      if (index <= TOP) continue;
      const [row, column] = [Math.floor(cells.cell[token] / cells.columns), cells.cell[token] % cells.columns];
      const [left, right, top, bottom] = [xs[column], xs[column + 1], ys[row], ys[row + 1]];
      const pitch = right - left > 8 ? 4 : 2;
      const rim = Math.floor((right - left) * (index === INFINITE ? 0.2 : 0.38));
      for (let y = top; y < bottom; y++) {
        for (let x = left; x < right; x++) {
          const within = x >= left + rim && x < right - rim && y >= top + rim && y < bottom - rim;
          if (index === NOT_A_NUMBER ? (x + y) % pitch === 0 : within) this.pixels[y * this.canvas.width + x] = ink;
        }
      }
    }
  }

  /**
   * Draw a picture at its own resolution over the grid.
   * @param {Uint8Array} picture (row, column, channel)
   * @param {number[]} shape rows, columns, channels
   * @param {Uint32Array|null} inks the palette for a picture of one channel that is a drawing
   */
  paintPicture(number, picture, shape, inks) {
    const [rows, columns, channels] = shape;
    const { xs, ys, cells } = this.tiles[number];
    const [left, right, top, bottom] = [xs[0], xs[cells.columns], ys[0], ys[cells.rows]];
    for (let y = top; y < bottom; y++) {
      const row = Math.floor(((y - top) * rows) / (bottom - top));
      for (let x = left; x < right; x++) {
        const at = (row * columns + Math.floor(((x - left) * columns) / (right - left))) * channels;
        this.pixels[y * this.canvas.width + x] = colourAt(picture, at, channels, inks);
      }
    }
  }

  /**
   * Outline one cell, around it rather than on it, so that its colour stays visible.
   * @param {number} token the token of the cell
   * @param {number} colour packed
   * @param {Outline} how corners: draw only the corners, so that two outlines differ without colour; halo: packed
   *   colour of a rim that sets the outline off the map; strong: locked; lit: being explained
   */
  outline(number, token, colour, how) {
    const { xs, ys, cells, size } = this.tiles[number];
    const [row, column] = [Math.floor(cells.cell[token] / cells.columns), cells.cell[token] % cells.columns];
    this.frame(number, [xs[column], ys[row], xs[column + 1], ys[row + 1]], size, colour, how);
  }

  /**
   * Outline a box that need not be a cell.
   * @param {number} number
   * @param {number[]} edges top, left, bottom, right, in cells
   * @param {number} colour packed
   * @param {Outline} how
   */
  outlineBox(number, [top, left, bottom, right], colour, how) {
    const { xs, ys, cells } = this.tiles[number];
    const [wide, high] = [(xs[cells.columns] - xs[0]) / cells.columns, (ys[cells.height] - ys[0]) / cells.height];
    const box = [xs[0] + left * wide, ys[0] + top * high, xs[0] + right * wide, ys[0] + bottom * high];
    this.frame(number, box.map(Math.round), Math.min(box[2] - box[0], box[3] - box[1]), colour, how);
  }

  /** @param {number} number @param {number[]} box @param {number} size @param {number} colour @param {Outline} how */
  frame(number, [left, top, right, bottom], size, colour, { corners = false, halo, strong = false, lit = false }) {
    const { xs, ys, cells, line } = this.tiles[number];
    const large = size >= 6 * line;
    const thick = line * (lit ? (large ? 5 : 3) : large ? (strong ? 3 : 2) : 1);
    const rim = large || lit ? line : 0;
    const bounds = [xs[0], ys[0], xs[cells.columns], ys[cells.height]];
    const grown = (by) => [
      Math.max(bounds[0], left - by),
      Math.max(bounds[1], top - by),
      Math.min(bounds[2], right + by),
      Math.min(bounds[3], bottom + by),
    ];
    if (rim) this.ring(grown(thick + rim), thick + 2 * rim, halo, corners);
    this.ring(grown(thick), thick, colour, corners && large);
  }

  /** @param {number[]} box @param {number} thick @param {number} colour @param {boolean} corners */
  ring([left, top, right, bottom], thick, colour, corners) {
    const [longX, longY] = corners ? [(right - left) * 0.36, (bottom - top) * 0.36] : [Infinity, Infinity];
    for (let y = top; y < bottom; y++) {
      const edgeY = Math.min(y - top, bottom - 1 - y);
      for (let x = left; x < right; x++) {
        const edgeX = Math.min(x - left, right - 1 - x);
        if ((edgeX < thick || edgeY < thick) && edgeX < longX && edgeY < longY)
          this.pixels[y * this.canvas.width + x] = colour;
      }
    }
  }

  /** The tile and the token at a position in device pixels. @returns {{tile: number, token: number}|null} */
  find(x, y) {
    for (let tile = 0; tile < this.tiles.length; tile++) {
      const { xs, ys, cells } = this.tiles[tile];
      if (x < xs[0] || x >= xs[cells.columns] || y < ys[0] || y >= ys[cells.height]) continue;
      const column = Math.min(
        cells.columns - 1,
        xs.findLastIndex((edge) => edge <= x),
      );
      const row = Math.min(
        cells.height - 1,
        ys.findLastIndex((edge) => edge <= y),
      );
      return { tile, token: cells.token[row * cells.columns + column] };
    }
    return null;
  }

  /** Show the painted pixels. */
  flush() {
    this.context.putImageData(this.image, 0, 0);
  }
}
