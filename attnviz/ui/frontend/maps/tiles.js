// A wall of small maps on one canvas, with a name and a value under each; shared by all components.

import { element, focused, grown, say, text } from "../core/dom.js";
import { gridMove, listen } from "../hands/keys.js";
import { Board, cellSize } from "./paint.js";

/** Many small maps of the same grid of cells. */
export class TileWall {
  /**
   * @param {object} options
   * @param {string} options.label the wall's label for screen readers
   * @param {{name: string, spoken: string}[]} options.tiles name: under the tile; spoken: in full, for screen readers
   * @param {import("./cells.js").Cells} options.cells
   * @param {{cell: number, below: boolean}[]} [options.edge] from `inkEdge`, for all tiles
   * @param {{cell: number, below: boolean}[][]} [options.edges] the same, one for each tile
   * @param {number} [options.across] tiles in a row on a phone; six by default
   * @param {number} [options.room] wanted width of a tile in CSS pixels
   * @param {{columns: number, rows: string[], heads: string[]}} [options.table] tiles in a table with this number of
   *   columns, and labels of its rows and columns
   * @param {{rows: string[], columns: string[]}} [options.names] labels of the cells, if there is only one map
   * @param {boolean} [options.atOnce] a finger chooses with its first tap
   * @param {boolean} [options.ranges] an extra line under each tile, for `sayRange`
   * @param {import("../hands/passing.js").Passing} [options.passing] restores the selection before the pointer left
   * @param {(found: {tile: number, token: number}) => void} [options.look] the pointer is over this cell
   * @param {(found: {tile: number, token: number}) => void} [options.take] this cell was clicked
   * @param {(tile: number) => void} [options.choose] this tile was chosen (click, or Enter with the keyboard)
   */
  constructor(options) {
    this.label = options.label;
    this.tiles = options.tiles;
    this.cells = options.cells;
    this.edge = options.edge ?? [];
    this.edges = options.edges;
    this.across = options.across;
    this.room = options.room ?? 84;
    this.table = options.table;
    this.names = options.names;
    this.atOnce = options.atOnce;
    this.ranges = options.ranges;
    this.look = options.look;
    this.take = options.take;
    this.choose = options.choose;
    this.chosen = -1;
    this.active = 0;
    this.perRow = 1;
    this.canvas = element("canvas", { "aria-hidden": "true" });
    this.board = new Board(this.canvas);
    this.values = this.tiles.map(() => text());
    this.limits = this.tiles.map(() => text());
    this.frames = this.tiles.map((tile, number) => this.frame(tile, number));
    this.element = element("div.wall", { role: this.choose ? "grid" : "group", "aria-label": this.label }, this.canvas);
    listen(this.canvas, {
      find: (x, y) => this.board.find(x * devicePixelRatio, y * devicePixelRatio),
      atOnce: this.atOnce,
      passing: options.passing,
      same: (one, other) => one.tile === other.tile && one.token === other.token,
      look: (found) => found.token >= 0 && this.look?.(found),
      take: (found) => {
        if (found.token >= 0) this.take?.(found);
        this.choose?.(found.tile);
      },
    });
    this.element.addEventListener("keydown", (event) => this.key(event));
  }

  frame({ name, spoken }, number) {
    const ends = spoken.endsWith(name);
    const before = element("span.hidden", {}, ends ? spoken.slice(0, spoken.length - name.length) : spoken);
    const caption = element(
      "span.caption",
      {},
      before,
      element("b", ends ? {} : { "aria-hidden": "true" }, name),
      " ",
      element("span.value", {}, this.values[number]),
    );
    const range = this.ranges ? [element("span.range", {}, this.limits[number])] : [];
    return element(
      "div.tile",
      this.choose ? { role: "gridcell", tabindex: number ? -1 : 0 } : {},
      element("div.frame"),
      caption,
      ...range,
    );
  }

  /**
   * Lay out the tiles; everything has to be painted again afterwards.
   * @param {number} width of the whole wall, CSS pixels
   * @param {boolean} narrow a phone: six tiles in a row, no values under them
   */
  layout(width, narrow = false) {
    const [ratio, type] = [devicePixelRatio, grown()];
    const { cells, table, names } = this;
    const beside = table?.rows ?? names?.rows;
    const longest = Math.max(0, ...(beside ?? []).map((name) => name.length));
    const aside = longest && type * Math.min(64, 12 + 7 * longest);
    const above = table?.heads || names ? 18 * type : 0;
    const gap = narrow || table ? 5 : 8;
    const strip = cells.columns > 8 * cells.height;
    const fitting = (cell) =>
      Math.max(1, Math.min(this.tiles.length, Math.floor((width + gap) / ((cell * cells.columns) / ratio + gap))));
    let perRow = table?.columns ?? Math.min(this.tiles.length, this.across ?? 6);
    let room = (width - aside - gap * (perRow - 1)) / perRow;
    // A table fits a screen's height; if a phone is too narrow for it, it scrolls sideways.
    if (table)
      room = Math.floor(Math.max(narrow ? 40 : 24, Math.min(room, 520 / Math.ceil(this.tiles.length / perRow))));
    if (strip && !table) room = width;
    else if (!narrow && !table) room = Math.min(this.room, width - aside);
    let wide = Math.max(
      1,
      cellSize(Math.min(room, this.room, strip ? 12 * cells.columns : Infinity) * ratio, cells.columns),
    );
    if (strip) wide = Math.max(1, cellSize(Math.min(room, 12 * cells.columns) * ratio, cells.columns));
    let high = strip ? Math.max(wide, 14 * ratio) : wide;
    if (cells.height * high > 1.5 * room * ratio) high = wide = Math.max(1, cellSize(1.5 * room * ratio, cells.height));
    if (!narrow && !table) {
      perRow = fitting(wide);
      // If the last row has only one or two tiles, let rows hold one more if that costs a tile at most a tenth.
      const tighter = Math.min(wide, (((width - (gap - 2) * perRow) / (perRow + 1)) * ratio) / cells.columns);
      const alone = this.tiles.length % perRow;
      if (alone > 0 && alone <= 2 && this.tiles.length > perRow && tighter >= 0.88 * wide) {
        high *= tighter / wide;
        wide = tighter;
        perRow += 1;
      }
    }
    const size = [Math.round(wide * cells.columns) / ratio, Math.round(high * cells.height) / ratio];
    // The rest of a row goes between its tiles, so that the wall ends with the columns above it.
    const full = this.tiles.length > perRow && !table;
    const step =
      full && perRow > 1
        ? Math.min(size[0] + 20, (width - size[0]) / (perRow - 1))
        : table || perRow < 2
          ? size[0] + gap
          : Math.min(size[0] + gap, (width - size[0]) / (perRow - 1));
    const caption = (table ? 5 : 20 * type) + (this.ranges && !narrow ? 16 * type : 0);
    const rows = Math.ceil(this.tiles.length / perRow);
    this.perRow = perRow;
    const total = [aside + step * (perRow - 1) + size[0], above + rows * (size[1] + caption + 2)];
    this.element.classList.toggle("narrow", narrow);
    this.element.classList.toggle("table", Boolean(table));
    this.canvas.style.width = `${Math.ceil(total[0] * ratio) / ratio}px`;
    this.canvas.style.height = `${Math.ceil(total[1] * ratio) / ratio}px`;
    this.board.resize(Math.ceil(total[0] * ratio), Math.ceil(total[1] * ratio));
    this.frames.forEach((frame, number) => {
      const [row, column] = [Math.floor(number / perRow), number % perRow];
      const x = Math.round((aside + column * step) * ratio);
      const y = Math.round((above + row * (size[1] + caption + 2)) * ratio);
      this.board.place(x, y, [wide, high], cells, this.edges?.[number] ?? this.edge, Math.max(1, Math.round(ratio)));
      Object.assign(frame.style, { left: `${x / ratio}px`, top: `${y / ratio}px`, width: `${size[0]}px` });
      /** @type {HTMLElement} */ (frame.firstElementChild).style.height = `${size[1]}px`;
    });
    this.arrange(rows, { aside, above, step, size, caption });
    this.layoutDone = true;
  }

  arrange(rows, { aside, above, step, size, caption }) {
    const active = focused(this.element);
    const labels = this.names ? this.nameCells(this.names, aside, above, size) : [];
    const label = (name, left, top, width, role) =>
      labels.push(element(`span.side.${role}`, { style: `left:${left}px;top:${top}px;width:${width}px` }, name));
    this.table?.heads?.forEach((name, column) => label(name, aside + column * step, 0, size[0], "head"));
    this.table?.rows?.forEach((name, row) =>
      label(name, 0, above + row * (size[1] + caption + 2) + size[1] / 2 - 8, aside - 8, "row"),
    );
    const lines = Array.from({ length: rows }, (_, row) =>
      element(
        "div.line",
        this.choose ? { role: "row" } : {},
        ...this.frames.slice(row * this.perRow, (row + 1) * this.perRow),
      ),
    );
    this.element.replaceChildren(this.canvas, ...labels, ...lines);
    if (this.frames.includes(active)) active.focus({ preventScroll: true }); // after a move it has lost the focus
  }

  /** Label the rows and columns of the only map; if cells are small, every second or third of them. */
  nameCells(names, aside, above, [wide, high]) {
    const { cells } = this;
    const [across, down] = [wide / cells.columns, high / cells.rows];
    const every = Math.ceil(15 / Math.min(across, down));
    const label = (name, role, style) => element(`span.side.${role}`, { style, "aria-hidden": "true" }, name);
    const some = (list) => list.map((name, i) => [name, i]).filter(([, i]) => i % every === 0);
    return [
      ...some(names.columns).map(([name, i]) =>
        label(name, "head", `left:${aside + (i + 0.5) * across - 20}px;top:0;width:40px`),
      ),
      ...some(names.rows).map(([name, i]) =>
        label(name, "row", `left:0;top:${above + (i + 0.5) * down - 8}px;width:${aside - 6}px`),
      ),
    ];
  }

  /** Write the value under a tile. */
  say(number, value) {
    say(this.values[number], value);
  }

  /** Write the range of a tile's own scale. */
  sayRange(number, range) {
    say(this.limits[number], range);
  }

  /** Frame the chosen tile. */
  mark(number) {
    if (number === this.chosen) return;
    this.chosen = number;
    this.frames.forEach((frame, which) => {
      frame.classList.toggle("chosen", which === number);
      if (this.choose) frame.setAttribute("aria-selected", String(which === number));
    });
    if (number >= 0) this.activate(number, false);
  }

  activate(number, focus) {
    if (!this.choose) return;
    this.frames[this.active].tabIndex = -1;
    this.active = number;
    this.frames[number].tabIndex = 0;
    if (focus) this.frames[number].focus();
  }

  key(event) {
    if (!this.choose) return;
    const rows = Math.ceil(this.tiles.length / this.perRow);
    const [row, column] = [Math.floor(this.active / this.perRow), this.active % this.perRow];
    const to = gridMove(event, row, column, rows, this.perRow);
    if (to) {
      const number = to[0] * this.perRow + to[1];
      if (number < this.tiles.length) this.activate(number, true);
    } else if (event.key === "Enter" || event.key === " ") {
      this.choose(this.active);
    } else {
      return;
    }
    event.preventDefault();
  }
}
