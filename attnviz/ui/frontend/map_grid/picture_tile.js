// The picture of a grid of maps, at its own resolution and in its own colours, before the maps. The cells of the maps
// are framed on it: a cell may cover several pixels, and cells may overlap.

import { packed } from "../core/colours.js";
import { Boxes } from "../maps/boxes.js";
import { Cells } from "../maps/cells.js";
import { TileWall } from "../maps/tiles.js";

export class PictureTile {
  /** @param {import("./map_grid.js").MapGrid} grid the grid with its `arrays.background` */
  constructor(grid) {
    this.grid = grid;
    const {
      header,
      cells,
      shapes: {
        background: [rows, columns],
      },
    } = grid;
    this.boxes = header.boxes && new Boxes(header.boxes, cells, [rows, columns]);
    const moved =
      (act) =>
      ({ token }) => {
        const cell = this.boxes ? this.boxes.tokenAt(token) : -1;
        if (cell >= 0) grid.guard(() => act({ tile: grid.looked.tile, token: cell }));
      };
    this.wall = new TileWall({
      label: "The picture",
      tiles: [{ name: "the picture", spoken: "the picture" }],
      cells: new Cells(rows, columns),
      passing: grid.passing,
      look: moved((found) => grid.look(found)),
      take: moved((found) => grid.lock(found)),
    });
    this.element = this.wall.element;
  }

  /** Lay out the picture. @param {number} wanted width in CSS pixels @returns {number} its width */
  layout(wanted) {
    this.wall.room = wanted;
    this.wall.layout(wanted);
    return wanted;
  }

  /** Paint the picture and frame the outlined cell and the selected one. */
  draw(theme) {
    const {
      grid,
      wall: { board },
    } = this;
    board.clear(packed(theme.background));
    board.paintPicture(0, grid.arrays.background, grid.shapes.background, this.inks);
    for (const { box, colour, strong } of this.frames(theme))
      board.outlineBox(0, box, colour, { halo: packed(theme.background), strong });
    board.flush();
  }

  get inks() {
    return this.grid.header.ink ? this.grid.palettes.ink : null;
  }

  /** The frames. @returns {{box: number[], colour: number, strong: boolean}[]} boxes in pixels of the picture */
  frames(theme) {
    const { header, shown, cell } = this.grid;
    if (!this.boxes) return [];
    const found = header.outlined
      ? [{ box: this.boxes.of(header.outlined[0]), colour: packed(theme.orange), strong: true }]
      : [];
    if (shown >= 0) found.push({ box: this.boxes.of(shown), colour: packed(theme.text), strong: cell !== null });
    return found;
  }
}
