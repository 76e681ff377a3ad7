// What is behind the outlines of the stage grid: the maps of every stage, and those inside one head.

import { extent } from "../maps/attention.js";
import { makeScale, packed, toIndices } from "../core/colours.js";
import { bytes, join, whole } from "./maps.js";
import { evenShare, INSIDE } from "./words.js";

/** Paint the maps of all stages and the picture, unless they are as they were. @param {import("./stage_grid.js").StageGrid} grid */
export function paintStages(grid) {
  const { view, wall, layers, columns, cells, frame, theme } = grid;
  if (grid.prepared) return;
  const inColour = grid.coloured && view.channel === "colour";
  const planes = inColour ? [0, 1, 2] : [grid.plane];
  grid.tiles = layers.flatMap((layer, number) =>
    columns.map((tap) => {
      const even = evenShare(tap, layer);
      const raw = planes.map((plane) => grid.map(number, tap, plane));
      // A share is drawn by how far it is from an even one: it is that which differs.
      const drawn = even ? raw.map((values) => values.map((value) => value - even)) : raw;
      return {
        raw,
        drawn,
        kind: even ? "excess" : "signed",
        extent: join(raw.map(whole)),
        own: join(drawn.map(whole)),
      };
    }),
  );
  const all = join(grid.tiles.map(({ own }) => own));
  for (const tile of grid.tiles) {
    if (view.scale === "all") tile.own = all;
    tile.scale = makeScale(tile.kind, tile.own.most);
  }
  const [ink, line] = [packed(theme.text), packed(theme.edge)];
  const indices = new Uint16Array(cells.tokens);
  wall.board.clear(packed(theme.background));
  grid.tiles.forEach(({ drawn, scale, own }, tile) => {
    if (inColour) {
      wall.board.paintPicture(tile, bytes(drawn, own), [cells.rows, cells.columns, 3], null);
    } else {
      toIndices(drawn[0], 0, cells.tokens, scale, indices);
      wall.board.paint(tile, indices, 0, grid.palettes[scale.palette], ink, line);
    }
  });
  const { board } = frame.picture;
  board.clear(packed(theme.background));
  board.paintPicture(0, grid.arrays.picture, grid.shapes.picture, grid.header.ink ? grid.palettes.ink : null);
  grid.stills = [wall.board, board].map((one) => one.pixels.slice());
  grid.prepared = true;
  grid.preparedInside = "";
}

/** Paint the maps of one head, which change with the layer that is looked at. @param {import("./stage_grid.js").StageGrid} grid */
export function paintInside(grid) {
  const { view, inside, layers, cells, theme, head } = grid;
  const subject = `${view.layer} ${head}`;
  if (grid.preparedInside === subject) return;
  grid.preparedInside = subject;
  const [ink, line] = [packed(theme.text), packed(theme.edge)];
  const indices = new Uint16Array(cells.tokens);
  grid.insideMaps = INSIDE.map((tap) => grid.map(view.layer, tap, grid.plane, head));
  inside.board.clear(packed(theme.background));
  grid.insideMaps.forEach((values, tile) => {
    const even = evenShare(INSIDE[tile], layers[view.layer]);
    const away = values.map((value) => value - even);
    const scale = makeScale(even ? "excess" : "signed", extent(away, 0, away.length).most);
    toIndices(away, 0, cells.tokens, scale, indices);
    inside.board.paint(tile, indices, 0, grid.palettes[scale.palette], ink, line);
  });
  grid.insideStill = inside.board.pixels.slice();
}
