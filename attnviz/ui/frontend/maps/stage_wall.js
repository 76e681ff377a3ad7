// A table of maps on one canvas: a row per layer, a column per stage, a sentence above each row, the scale below each
// map.

import { element, grown, say, set, text } from "../core/dom.js";
import { gridMove, listen } from "../hands/keys.js";
import { Board, cellSize } from "./paint.js";

const LINE = 22; // pixels of the design for the sentence above a row
const TWO_LINES = 38; // if the table is too narrow for it
const ONE_LINE = 640; // width of its longest sentence, pixels of the design
const ASIDE = 116; // for the sentence next to a row, if there are so many rows that height is scarce
const RANGE = 18; // for the scale below a map

/** The table; a component paints into its board, tile by tile, row by row. */
export class StageWall {
  /**
   * @param {object} options
   * @param {string} options.label the table's label for screen readers
   * @param {number} options.rows number of layers
   * @param {string[]} options.columns the headings of the columns
   * @param {string[]} [options.names] labels next to or above the rows; "Layer 1" and so on if there are none
   * @param {import("./cells.js").Cells} options.cells
   * @param {import("./cells.js").Cells[]} [options.each] the cells of each map, if they differ: all maps have the same
   *   size
   * @param {{cell: number, below: boolean}[]} options.edge from `inkEdge`
   * @param {import("../hands/passing.js").Passing} [options.passing] restores the selection before the pointer left
   * @param {(found: {tile: number, token: number}) => void} options.look
   * @param {(found: {tile: number, token: number}) => void} options.take
   * @param {(tile: number, taken: boolean) => void} options.enter called if a map is reached with the keyboard; taken:
   *   by Enter or Space
   */
  constructor(options) {
    this.label = options.label;
    this.rows = options.rows;
    this.columns = options.columns;
    this.cells = options.cells;
    this.each = options.each;
    this.edge = options.edge;
    this.look = options.look;
    this.take = options.take;
    this.enter = options.enter;
    this.active = 0;
    this.canvas = element("canvas", { "aria-hidden": "true" });
    this.board = new Board(this.canvas);
    this.sentences = Array.from({ length: this.rows }, () => text());
    this.lines = this.sentences.map((node, row) =>
      element(
        "p.layer",
        {},
        element("b", {}, options.names?.[row] ?? `Layer ${row + 1}`),
        " ",
        element("span", {}, node),
      ),
    );
    this.heads = this.columns.map((name) => element("span.stage-name", { "aria-hidden": "true" }, name));
    this.ranges = Array.from({ length: this.rows * this.columns.length }, () => text());
    this.tiles = this.ranges.map((node, tile) =>
      element(
        "div.tile",
        { role: "gridcell", tabindex: tile ? -1 : 0 },
        element("div.frame"),
        element("span.caption", { "aria-hidden": "true" }, node),
      ),
    );
    const rows = this.lines.map((_, row) =>
      element(
        "div.line",
        { role: "row" },
        ...this.tiles.slice(row * this.columns.length, (row + 1) * this.columns.length),
      ),
    );
    this.element = element(
      "div.stage-wall",
      { role: "grid", "aria-label": this.label, "aria-readonly": "true" },
      element("div", { role: "presentation" }, this.canvas, ...this.heads, ...this.lines),
      ...rows,
    );
    const at = (act) => (found) => found.token >= 0 && act(found);
    listen(this.canvas, {
      find: (x, y) => this.board.find(x * devicePixelRatio, y * devicePixelRatio),
      same: (one, other) => one.tile === other.tile && one.token === other.token,
      passing: options.passing,
      look: at(this.look),
      take: at(this.take),
    });
    this.element.addEventListener("keydown", (event) => this.key(event));
  }

  /**
   * Lay out the maps; everything has to be painted again afterwards.
   * @param {number} width CSS pixels
   * @param {number} height wanted maximum, CSS pixels
   * @param {boolean} narrow a phone
   */
  layout(width, height, narrow) {
    const [ratio, type] = [devicePixelRatio, grown()];
    const { cells } = this;
    const range = RANGE * type;
    const count = this.columns.length;
    const gap = narrow ? 5 : 10;
    const beside = !narrow && this.rows > 2 && width > 480;
    const two = narrow || (!beside && width < ONE_LINE * type);
    const [aside, line] = beside ? [ASIDE * type, 0] : [0, (two ? TWO_LINES : LINE) * type];
    const across = (width - aside - gap * (count - 1)) / count;
    const top = type * (across < 84 * type ? 34 : 20);
    const down = Math.max(56, (height - top) / this.rows - line - range - 6);
    const room = Math.min(across, narrow ? across : (down * cells.columns) / cells.height) * ratio;
    const cell = Math.min(cellSize(room, cells.columns), cellSize((room * cells.height) / cells.columns, cells.height));
    const [wide, high] = [Math.round(cell * cells.columns) / ratio, Math.round(cell * cells.height) / ratio];
    const step = count > 1 ? Math.min((width - aside - wide) / (count - 1), wide + 24) : wide;
    const below = line + high + range + 6;
    const size = [Math.ceil(aside + step * (count - 1) + wide), Math.ceil(top + this.rows * below)];
    Object.assign(this.canvas.style, { width: `${size[0]}px`, height: `${size[1]}px` });
    this.element.style.height = `${size[1]}px`;
    this.board.resize(Math.ceil(size[0] * ratio), Math.ceil(size[1] * ratio));
    const named = Math.min(wide + 16, Math.max(wide, step - 4)); // a name never overlaps the next one
    this.heads.forEach((head, column) =>
      Object.assign(head.style, {
        left: `${Math.round(aside + column * step + (wide - named) / 2)}px`,
        width: `${Math.round(named)}px`,
        height: `${top}px`,
      }),
    );
    this.element.classList.toggle("beside", beside);
    this.element.classList.toggle("two-lines", two);
    this.lines.forEach((one, row) =>
      Object.assign(one.style, {
        top: `${top + row * below}px`,
        width: `${beside ? aside - 12 : two ? width : size[0]}px`,
      }),
    );
    this.tiles.forEach((tile, number) => {
      const [row, column] = [Math.floor(number / count), number % count];
      const [x, y] = [Math.round((aside + column * step) * ratio), Math.round((top + row * below + line) * ratio)];
      const own = this.each?.[number] ?? cells;
      const size = own === cells ? [cell, cell] : [(wide * ratio) / own.columns, (high * ratio) / own.height];
      this.board.place(x, y, size, own, this.edge, Math.max(1, Math.round(ratio)));
      Object.assign(tile.style, { left: `${x / ratio}px`, top: `${y / ratio}px`, width: `${wide}px` });
      /** @type {HTMLElement} */ (tile.querySelector("div")).style.height = `${high}px`;
    });
    this.wide = wide;
  }

  /** Mark the selected map. */
  mark(tile) {
    this.tiles.forEach((one, number) => one.classList.toggle("chosen", number === tile));
  }

  /** Give screen readers the full name of a map. */
  name(tile, words) {
    set(this.tiles[tile], "aria-label", words);
  }

  sayRange(tile, words) {
    say(this.ranges[tile], words);
  }

  sayLayer(row, words) {
    say(this.sentences[row], words);
  }

  activate(tile, focus = true) {
    this.tiles[this.active].tabIndex = -1;
    this.active = tile;
    this.tiles[tile].tabIndex = 0;
    if (focus) this.tiles[tile].focus();
  }

  key(event) {
    if (event.shiftKey) return;
    const count = this.columns.length;
    const to = gridMove(event, Math.floor(this.active / count), this.active % count, this.rows, count);
    if (to) {
      this.activate(to[0] * count + to[1]);
      this.enter(this.active, false);
    } else if (event.key === "Enter" || event.key === " ") {
      this.enter(this.active, true);
    } else {
      return;
    }
    event.preventDefault();
  }
}
