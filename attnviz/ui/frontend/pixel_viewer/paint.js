// Paints the pixel viewer: the picture, the maps of all heads, the outlines of the pair on them, and the highlights of
// a step of the worked pair.

import { makeScale, packed, toIndices } from "../core/colours.js";

// The outlines that stand out while a step is selected. "weight" is the softmax if the map is that of a key: there the
// pair's weight is at the query, and the query's other weights are on no map.
const OUTLINED = { score: ["query", "key"], weight: ["query"], value: ["key"] };

const NONE = new Uint8Array();

/** @typedef {import("./pixel_viewer.js").Viewer} Viewer */

export class Painter {
  constructor() {
    /** @type {Uint32Array|null} the picture without outlines */
    this.still = null;
    /** @type {any[]} the canvases of the picture and the backgrounds */
    this.on = [];
    /** @type {Numbers[]} the painted picture */
    this.what = [];
  }

  /** The colours of the picture's tokens. @param {Viewer} viewer */
  take({ arrays: { picture }, header: { prefix }, attention: { tokens } }) {
    this.picture = new Uint16Array(tokens);
    toIndices(picture, 0, picture.length, makeScale("ink"), this.picture.subarray(prefix));
  }

  /** Paint the parts that do not move: the picture and the backgrounds. @param {Viewer} viewer */
  background({ theme, palettes, wall, boxes, arrays, shapes, inks, frame: { picture, large } }) {
    // Layers and epochs of one picture share all of this.
    const on = [theme, inks, boxes, wall?.board.pixels, large.board.pixels, picture.board.pixels];
    const what = [this.picture, arrays.background ?? NONE];
    const known = on.every((one, i) => one === this.on[i]) && what.every((one, i) => equal(one, this.what[i]));
    [this.on, this.what] = [on, what];
    if (known) return;
    const paper = packed(theme.background);
    wall?.board.clear(paper);
    large.board.clear(paper);
    if (!boxes) picture.board.paint(0, this.picture, 0, palettes.ink, packed(theme.text), packed(theme.edge));
    if (arrays.background) picture.board.paintPicture(0, arrays.background, shapes.background, inks);
    this.still = picture.board.pixels.slice();
  }

  /** Paint all maps; runs at every move of the pointer. @param {Viewer} viewer */
  maps(viewer) {
    const {
      theme,
      wall,
      tiles: { indices },
      attention: { tokens },
    } = viewer;
    const [ink, line] = [packed(theme.text), packed(theme.edge)];
    for (let tile = 0; wall && tile < wall.tiles.length; tile++) {
      wall.board.paint(tile, indices, tile * tokens, viewer.palette, ink, line);
      this.outline(viewer, wall.board, tile);
    }
    wall?.board.flush();
    this.large(viewer);
  }

  /** Paint the picture and the chosen head's map, with the highlights of the lit step. @param {Viewer} viewer */
  large(viewer) {
    if (!this.still) return;
    const {
      theme,
      lit,
      buffers: { indices },
      frame: { picture, large },
      attention: { tokens },
    } = viewer;
    const start = viewer.chosen * tokens;
    large.board.paint(0, indices, start, viewer.palette, packed(theme.text), packed(theme.edge));
    this.outline(viewer, large.board, 0, lit);
    large.board.flush();
    picture.board.pixels.set(this.still);
    this.outline(viewer, picture.board, 0, lit);
    picture.board.flush();
  }

  /** @param {Viewer} viewer @param {import("../maps/paint.js").Board} board */
  outline(viewer, board, tile, lit = "") {
    const { view, theme, boxes } = viewer;
    const onPicture = board === viewer.frame.picture.board;
    const halo = packed(theme.background);
    const outlines = { query: packed(theme.orange), key: packed(theme.blue) };
    const draw = (token, name) => {
      const stands = lit !== "" && Boolean(OUTLINED[lit]?.includes(name));
      const value = stands && lit === "value"; // it is the key's, and green
      const colour = value ? packed(theme.green) : outlines[name];
      const how = { halo, corners: name === "key" && !value, strong: view[name] !== null, lit: stands };
      const box = onPicture ? boxes?.of(token) : null;
      if (box) board.outlineBox(tile, box, colour, how);
      else if (!onPicture || !boxes) board.outline(tile, token, colour, how);
    };
    if (view.direction !== "received") draw(viewer.shownOther, viewer.otherName);
    draw(viewer.held, viewer.heldName);
  }
}

/** Whether two arrays hold the same bytes. @param {Numbers} one @param {Numbers} [other] */
function equal(one, other) {
  if (one === other) return true;
  if (!other || one.byteLength !== other.byteLength) return false;
  const whole = one.byteLength & ~3; // four bytes at a time because a photograph has many
  const words = (of) => new Uint32Array(of.buffer, of.byteOffset, whole >> 2);
  const rest = (of) => new Uint8Array(of.buffer, of.byteOffset + whole, of.byteLength - whole);
  return [words, rest].every((part) => {
    const [here, there] = [part(one), part(other)];
    for (let i = 0; i < here.length; i++) if (here[i] !== there[i]) return false;
    return true;
  });
}
