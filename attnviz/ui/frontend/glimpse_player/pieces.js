// The pieces of saved pictures of a path, as items of a sheet (../export/sheet.js).

import { css, packed, TOP } from "../core/colours.js";
import { boxesOf, coverage, patchOf, pixelOf } from "./derive.js";
import { DENSEST } from "./scene.js";

/** @typedef {import("./glimpse_player.js").GlimpsePlayer} GlimpsePlayer */

/**
 * Values from 0 to 1 as a picture.
 * @param {GlimpsePlayer} player
 * @param {ArrayLike<number>} values
 * @param {any} where
 */
export function picture({ palettes }, values, where) {
  return {
    kind: "map",
    ...where,
    edge: [],
    outlines: [],
    strange: [],
    colours: Array.from(values, (value) => palettes.ink[Math.round(value * TOP)]),
  };
}

/**
 * Colours blended with another one on top, like the density of many paths over the picture on the screen.
 * @param {number[]} colours packed
 * @param {ArrayLike<number>} shares 0..1, of paths
 * @param {number[]} over red, green, blue
 * @returns {number[]} packed
 */
export function under(colours, shares, over) {
  return colours.map((colour, i) => {
    const part = DENSEST * shares[i];
    return packed([0, 8, 16].map((bits, which) => (1 - part) * ((colour >> bits) & 255) + part * over[which]));
  });
}

/**
 * The picture, and the path over it up to a glimpse. If many paths are shown, their density is drawn on the picture.
 * @param {GlimpsePlayer} player
 * @param {{x: number, y: number, side: number, last: number, dense?: number, every?: boolean}} how x, y: its
 *   position; side: its longer side with the margin; last: the last glimpse; dense: the glimpse of the density, by
 *   default the last; every: whether the last glimpse has boxes of every scale
 */
export function scenePieces(player, { x: left, y: top, side, last, dense = last, every = false }) {
  const { path, facts, arrays, theme, scene, many } = player;
  const { rows, columns } = facts;
  const orange = css(packed(theme.orange));
  const cell = side / (Math.max(rows, columns) + 2 * scene.margin);
  const [x, y] = [left + scene.margin * cell, top + scene.margin * cell];
  const where = { x, y, width: columns * cell, height: rows * cell };
  const shown = picture(
    player,
    Array.from(/** @type {Uint8Array} */ (arrays.picture), (value) => value / 255),
    { ...where, columns, rows },
  );
  if (many) shown.colours = under(shown.colours, coverage(many.corner, dense, facts), theme.violet[1]);
  /** @type {any[]} */
  const items = [shown];
  items.push({ kind: "frame", ...where, colour: css(packed(theme.line)) });
  const held = (/** @type {number} */ value, /** @type {number} */ end) =>
    Math.min(end + scene.margin, Math.max(-scene.margin, value));
  for (let glimpse = 0; glimpse <= last; glimpse++) {
    const boxes = boxesOf(path, glimpse, facts);
    (every && glimpse === last ? boxes : boxes.slice(0, 1)).forEach((box, scale) => {
      const [from, to] = [held(box.left, columns), held(box.left + box.side, columns)];
      const [above, below] = [held(box.top, rows), held(box.top + box.side, rows)];
      const line = every && glimpse === last && !scale ? 3 : every ? 1 : 1.5;
      const place = { x: x + from * cell, y: y + above * cell };
      const size = { width: (to - from) * cell, height: (below - above) * cell };
      items.push({ kind: "frame", ...place, ...size, colour: orange, line });
    });
  }
  const middles = Array.from({ length: last + 1 }, (_, glimpse) => {
    const [row, column] = pixelOf(path, glimpse, facts);
    return [x + (held(column, columns) + 0.5) * cell, y + (held(row, rows) + 0.5) * cell];
  });
  items.push({ kind: "line", points: middles, colour: orange, line: 1.5 });
  const number = { size: 15, anchor: "middle", weight: 600, colour: orange, halo: css(packed(theme.background)) };
  middles.forEach(([across, down], glimpse) =>
    items.push({ kind: "text", x: across, y: down + 5, text: String(glimpse + 1), ...number }),
  );
  return items;
}

/**
 * One patch of the retina, framed.
 * @param {GlimpsePlayer} player
 * @param {number} glimpse
 * @param {number} scale
 * @param {{x: number, y: number, side: number}} how
 */
export function patchPieces(player, glimpse, scale, { x, y, side }) {
  const { path, facts, theme } = player;
  const where = { x, y, width: side, height: side };
  return [
    picture(player, patchOf(path, glimpse, scale, facts), { ...where, columns: facts.size, rows: facts.size }),
    { kind: "frame", ...where, colour: css(packed(theme.line)) },
  ];
}
