// The picture that a grid of maps belongs to, at its own resolution and in its own colours, before the maps. The cells of
// the maps are framed on it where they lie: a cell may see several pixels, and cells may overlap.

import { packed } from "../shared/colours.js";
import { Cells } from "../shared/paint.js";
import { TileWall } from "../shared/tiles.js";

export class PictureTile {
  /** @param {import("./map_grid.js").MapGrid} grid whose `arrays.background` it shows */
  constructor(grid) {
    this.grid = grid;
    this.boxes = grid.header.boxes;
    const [rows, columns] = grid.shapes.background;
    this.rows = rows;
    this.columns = columns;
    const moved = (act) => ({ token }) => {
      const cell = this.cellAt(token);
      if (cell >= 0) grid.guard(() => act({ tile: grid.looked.tile, token: cell }));
    };
    this.wall = new TileWall({
      label: "The picture",
      tiles: [{ name: "the picture", spoken: "the picture" }],
      cells: new Cells(this.rows, this.columns),
      look: moved((found) => grid.look(found)),
      take: moved((found) => grid.lock(found)),
    });
    this.element = this.wall.element;
  }

  /** Lay it out. @param {number} room wanted width in CSS pixels @returns {number} its width */
  layout(room) {
    this.wall.room = room;
    this.wall.layout(room);
    return room;
  }

  /** Paint the picture, and frame the cells: the outlined one, and the one that is looked at. */
  draw(theme) {
    const { grid, wall: { board } } = this;
    board.clear(packed(theme.background));
    board.paintPicture(0, grid.arrays.background, grid.shapes.background, this.inks);
    for (const { box, colour, strong } of this.frames(theme)) board.outlineBox(0, box, colour, { halo: packed(theme.background), strong });
    board.flush();
  }

  get inks() {
    return this.grid.header.ink ? this.grid.palettes.ink : null;
  }

  /** What is framed. @returns {{box: number[], colour: number, strong: boolean}[]} boxes in pixels of the picture */
  frames(theme) {
    const { header, shown, cell } = this.grid;
    if (!this.boxes) return [];
    const found = header.outlined ? [{ box: this.box(header.outlined[0]), colour: packed(theme.orange), strong: true }] : [];
    if (shown >= 0) found.push({ box: this.box(shown), colour: packed(theme.text), strong: cell !== null });
    return found;
  }

  /** Top, left, bottom, right of a cell, in pixels of the picture, as far as they are on it. */
  box(cell) {
    const [top, left, down, across, high, wide] = this.boxes;
    const [row, column] = this.grid.cells.place(cell);
    const [y, x] = [top + row * down, left + column * across];
    return [Math.max(0, y), Math.max(0, x), Math.min(this.rows, y + high), Math.min(this.columns, x + wide)];
  }

  /** The cell whose middle is nearest to a pixel; -1 where cells lie nowhere. */
  cellAt(pixel) {
    if (!this.boxes) return -1;
    const [top, left, down, across, high, wide] = this.boxes;
    const { cells } = this.grid;
    const nearest = (at, first, step, size, count) => Math.min(count - 1, Math.max(0, Math.round((at + 0.5 - first - size / 2) / step)));
    const row = nearest(Math.floor(pixel / this.columns), top, down, high, cells.rows);
    return row * cells.columns + nearest(pixel % this.columns, left, across, wide, cells.columns);
  }
}
