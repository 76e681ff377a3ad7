// What the viewer paints: the scales of the maps, the picture and the maps, the outlines of the pair on them, and what a step of the worked pair
// is about.

import { extent } from "../maps/attention.js";
import { makeScale, packed } from "../core/colours.js";
import { set } from "../core/dom.js";

// Whose outlines stand out while a step is looked at. "weight" is the softmax where the map is that of a key: there the
// pair's weight lies at the query, and the other weights of the query lie on no map.
const OUTLINED = { score: ["query", "key"], weight: ["query"], value: ["key"] };

/** What does not change while the pointer moves: the picture and the backgrounds. @param {import("./pixel_viewer.js").Viewer} viewer */
export function paintStill(viewer) {
  const {
    theme,
    frame: { picture, large },
  } = viewer;
  const paper = packed(theme.background);
  viewer.wall?.board.clear(paper);
  large.board.clear(paper);
  if (!viewer.boxes)
    picture.board.paint(0, viewer.pictureIndices, 0, viewer.palettes.ink, packed(theme.text), packed(theme.edge));
  if (viewer.arrays.background)
    picture.board.paintPicture(0, viewer.arrays.background, viewer.shapes.background, viewer.inks);
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

/** Paint all maps: this runs at every move of the pointer. @param {import("./pixel_viewer.js").Viewer} viewer */
export function paint(viewer) {
  const {
    theme,
    palette,
    attention: { heads, tokens },
  } = viewer;
  const [ink, line] = [packed(theme.text), packed(theme.edge)];
  for (let head = 0; viewer.wall && head <= heads; head++) {
    viewer.wall.board.paint(head, viewer.indices, head * tokens, palette, ink, line);
    outline(viewer, viewer.wall.board, head);
  }
  viewer.wall?.board.flush();
  paintLarge(viewer);
}

/** Paint the picture and the chosen head's map, which show what the lit step is about. @param {import("./pixel_viewer.js").Viewer} viewer */
function paintLarge(viewer) {
  const {
    theme,
    chosen,
    palette,
    lit,
    frame: { picture, large },
    attention: { tokens },
  } = viewer;
  large.board.paint(0, viewer.indices, chosen * tokens, palette, packed(theme.text), packed(theme.edge));
  outline(viewer, large.board, 0, lit);
  large.board.flush();
  picture.board.pixels.set(viewer.still);
  outline(viewer, picture.board, 0, lit);
  picture.board.flush();
}

/**
 * Show what a step of the worked pair is about: score the query and the key, softmax the map, value the key, and share
 * the answer.
 * @param {import("./pixel_viewer.js").Viewer} viewer @param {string} step its name, or "" for none
 */
export function light(viewer, step) {
  viewer.step = step;
  viewer.lit = step === "softmax" && viewer.view.direction === "to" ? "weight" : step;
  set(viewer.root, "data-lit", viewer.lit);
  if (viewer.still) paintLarge(viewer);
}

function outline(viewer, board, tile, lit = "") {
  const { view, theme } = viewer;
  const halo = packed(theme.background);
  const outlines = { query: packed(theme.orange), key: packed(theme.blue) };
  const draw = (token, name) => {
    const stands = lit !== "" && Boolean(OUTLINED[lit]?.includes(name));
    const value = stands && lit === "value"; // it is the key's, and green
    const colour = value ? packed(theme.green) : outlines[name];
    const how = { halo, corners: name === "key" && !value, strong: view[name] !== null, lit: stands };
    const box = board === viewer.frame.picture.board ? viewer.boxes?.of(token) : null;
    if (box) board.outlineBox(tile, box, colour, how);
    else if (board !== viewer.frame.picture.board || !viewer.boxes) board.outline(tile, token, colour, how);
  };
  if (view.direction !== "received") draw(viewer.shownOther, viewer.otherName);
  draw(viewer.held, viewer.heldName);
}
