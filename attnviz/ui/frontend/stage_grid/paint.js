// The maps of the stage grid on their canvases: the layer below the outlines is painted after changes and cached.

import { packed, toIndices } from "../core/colours.js";
import { bytes, isInColour } from "./derive.js";

export class Painter {
  constructor() {
    /** @type {Map<import("../maps/paint.js").Board, Uint32Array>} the pixels of each board without outlines */
    this.stills = new Map();
  }

  /** Paint the maps of all stages, and the picture. @param {import("./stage_grid.js").StageGrid} grid */
  stages(grid) {
    const { wall, cells, frame, arrays, shapes, inks, tiles } = grid;
    const inColour = isInColour(grid);
    this.tiles(grid, wall.board, tiles.length, (tile, paint) => {
      const { drawn, own, scale } = tiles[tile];
      if (inColour) wall.board.paintPicture(tile, bytes(drawn, own), [cells.rows, cells.columns, 3], null);
      else paint(drawn[0], scale);
    });
    this.tiles(grid, frame.picture.board, 1, () =>
      frame.picture.board.paintPicture(0, arrays.picture, shapes.picture, inks),
    );
  }

  /** Paint the maps of one head. @param {import("./stage_grid.js").StageGrid} grid */
  inside(grid) {
    const { inside, insideMaps } = grid;
    this.tiles(grid, inside.board, insideMaps.length, (tile, paint) =>
      paint(insideMaps[tile].away, insideMaps[tile].scale),
    );
  }

  /**
   * Paint a board, and keep its pixels.
   * @param {import("./stage_grid.js").StageGrid} grid
   * @param {import("../maps/paint.js").Board} board
   * @param {number} count the number of its tiles
   * @param {(tile: number, paint: (values: Float64Array, scale: Scale) => void) => void} each
   */
  tiles({ cells, theme, palettes }, board, count, each) {
    const [ink, line] = [packed(theme.text), packed(theme.edge)];
    const indices = new Uint16Array(cells.tokens);
    board.clear(packed(theme.background));
    for (let tile = 0; tile < count; tile++)
      each(tile, (values, scale) => {
        toIndices(values, 0, cells.tokens, scale, indices);
        board.paint(tile, indices, 0, palettes[scale.palette], ink, line);
      });
    this.stills.set(board, board.pixels.slice());
  }

  /** Outline the selected pixel on all boards. @param {import("./stage_grid.js").StageGrid} grid */
  outline({ cells, at, view, theme, wall, frame, inside, showsInside }) {
    const token = cells.at(at);
    const how = { halo: packed(theme.background), strong: view.pixel !== null };
    for (const board of [wall.board, frame.picture.board, ...(showsInside ? [inside.board] : [])]) {
      board.pixels.set(/** @type {Uint32Array} */ (this.stills.get(board)));
      board.tiles.forEach((_, tile) => board.outline(tile, token, packed(theme.text), how));
      board.flush();
    }
  }
}
