// The maps of the pixel viewer as colours: their scales, what stays as it is while the pointer moves, and what follows it.

import { extent } from "../shared/attention.js";
import { makeScale, packed } from "../shared/colours.js";

/** Paint what does not change while the pointer moves: the picture and the backgrounds. @param {import("./pixel_viewer.js").Viewer} viewer */
export function paintStill(viewer) {
  const { theme, palettes, arrays, shapes, wall, frame: { picture, large } } = viewer;
  const paper = packed(theme.background);
  wall?.board.clear(paper);
  large.board.clear(paper);
  picture.board.paint(0, viewer.pictureIndices, 0, palettes.ink, packed(theme.text), packed(theme.edge));
  if (arrays.background) picture.board.paintPicture(0, arrays.background, shapes.background, viewer.inks);
  viewer.still = picture.board.pixels.slice();
}

/** A scale for each head and the mean. @param {import("./pixel_viewer.js").Viewer} viewer @returns {Scale[]} */
export function scalesOf({ view, maps, header, attention: { heads, tokens } }) {
  const count = heads + 1;
  if (view.show === "weights" && view.scale === "share") return Array(count).fill(makeScale("share"));
  const signed = view.show === "scores" || (view.show === "carried" && header.carried_signed);
  const kind = signed ? "signed" : "positive";
  if (view.scale !== "map") return Array(count).fill(makeScale(kind, extent(maps, 0, count * tokens).most));
  return Array.from({ length: count }, (_, head) => makeScale(kind, extent(maps, head * tokens, tokens).most));
}

/** Paint all maps, and outline query and key on them. @param {import("./pixel_viewer.js").Viewer} viewer */
export function paint(viewer) {
  const { theme, chosen, palette, indices, wall, frame: { picture, large }, attention: { heads, tokens } } = viewer;
  const [ink, line] = [packed(theme.text), packed(theme.edge)];
  for (let head = 0; wall && head <= heads; head++) {
    wall.board.paint(head, indices, head * tokens, palette, ink, line);
    outline(viewer, wall.board, head);
  }
  wall?.board.flush();
  large.board.paint(0, indices, chosen * tokens, palette, ink, line);
  outline(viewer, large.board, 0);
  large.board.flush();
  picture.board.pixels.set(viewer.still);
  outline(viewer, picture.board, 0);
  picture.board.flush();
}

/** @param {import("./pixel_viewer.js").Viewer} viewer @param {import("../shared/paint.js").Board} board @param {number} tile */
function outline({ view, theme, held, heldName, shownOther, otherName }, board, tile) {
  const halo = packed(theme.background);
  const outlines = { query: packed(theme.orange), key: packed(theme.blue) };
  const draw = (token, name) => board.outline(tile, token, outlines[name], { halo, corners: name === "key", strong: view[name] !== null });
  if (view.direction !== "received") draw(shownOther, otherName);
  draw(held, heldName);
}
