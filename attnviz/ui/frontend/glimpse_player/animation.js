// The path as an animation: a frame for each glimpse, with what the retina sees there and what is believed after it.

import { css, packed } from "../core/colours.js";
import { context2d } from "../core/dom.js";
import { save } from "../export/export.js";
import { toGif } from "../export/gif.js";
import { best, oneLine, percent } from "../core/numbers.js";
import { toCanvas } from "../export/sheet.js";
import { fileName, files as stills, origin } from "./export.js";
import { beliefOf } from "./derive.js";
import { patchPieces, scenePieces } from "./pieces.js";

/** @typedef {import("./glimpse_player.js").GlimpsePlayer} GlimpsePlayer */

const [EACH, LAST] = [900, 2700]; // milliseconds of a frame
const MARGIN = 16;
const SIDE = 400;
const RIGHT = 280;
const ROW = 21;

/** What can be saved, for `Savers`. @param {GlimpsePlayer} player */
export function files(player) {
  return { GIF: () => saveGif(player), ...stills(player) };
}

/** Save the path as an animated GIF. @param {GlimpsePlayer} player */
function saveGif(player) {
  const { glimpses } = player.facts;
  const canvases = Array.from({ length: glimpses }, (_, glimpse) => toCanvas(frame(player, glimpse), 1));
  const [{ width, height }] = canvases;
  const frames = canvases.map((canvas, glimpse) => ({
    pixels: new Uint32Array(context2d(canvas).getImageData(0, 0, width, height).data.buffer),
    delay: glimpse < glimpses - 1 ? EACH : LAST,
  }));
  const comment = oneLine(origin(player)).replace(/[^\x20-\x7e]/g, "?");
  save(`${fileName(player)}.gif`, /** @type {BlobPart} */ (toGif({ width, height, frames, comment })), "image/gif");
}

/** @param {GlimpsePlayer} player @param {number} glimpse */
function frame(player, glimpse) {
  const { facts, path, header, theme } = player;
  const { scales, glimpses } = facts;
  const [ink, green, line] = [theme.text, theme.green, theme.line].map((colour) => css(packed(colour)));
  /** @type {any[]} */
  const items = [];
  const write = (/** @type {number} */ x, /** @type {number} */ y, /** @type {string} */ text, size = 13, more = {}) =>
    items.push({ kind: "text", x, y, text, size, colour: ink, ...more });
  const top = 40;
  const moved = player.view.moved.some(([which]) => which === glimpse) ? ", moved by hand" : "";
  write(MARGIN, 26, `Glimpse ${glimpse + 1} of ${glimpses}${moved}`, 16, { weight: 600 });
  items.push(...scenePieces(player, { x: MARGIN, y: top, side: SIDE, last: glimpse, every: true }));
  const left = 2 * MARGIN + SIDE;
  const side = Math.min(112, (RIGHT - 8 * (scales - 1)) / scales);
  write(left, 26, "What the retina sees", 13, { weight: 600 });
  for (let scale = 0; scale < scales; scale++)
    items.push(...patchPieces(player, glimpse, scale, { x: left + scale * (side + 8), y: top, side }));
  const values = beliefOf(path, glimpse, facts);
  const first = best(values);
  const down = top + side + 32;
  write(left, down - 8, "The belief", 13, { weight: 600 });
  header.classes.forEach((/** @type {string} */ name, /** @type {number} */ which) => {
    const y = down + which * ROW;
    write(left, y + 13, name, 12, which === first ? { weight: 600 } : {});
    const [from, most] = [left + 84, RIGHT - 84 - 52];
    items.push({ kind: "bar", x: from, y: y + 4, width: 1, height: 12, colours: [packed(theme.line)] });
    items.push({
      kind: "bar",
      x: from,
      y: y + 4,
      width: Math.max(0.5, values[which] * most),
      height: 12,
      colours: [packed(theme.green)],
    });
    if (which === first)
      write(from + values[which] * most + 8, y + 14, percent(values[which]), 12, { weight: 600, colour: green });
  });
  const low = Math.max(top + SIDE, down + facts.classes * ROW) + MARGIN;
  const { many } = player;
  if (many)
    write(MARGIN, low, `Violet: the sharp patches of ${many.belief.length / facts.classes} draws at this glimpse.`, 12);
  const height = low + (many ? 32 : 16);
  write(
    MARGIN,
    height - 10,
    [header.origin.software, header.origin.model, header.origin.recipe, header.origin.image].join(" \u00b7 "),
    11,
  );
  items.push({ kind: "frame", x: 0.5, y: 0.5, width: MARGIN * 3 + SIDE + RIGHT - 1, height: height - 1, colour: line });
  return {
    width: MARGIN * 3 + SIDE + RIGHT,
    height: Math.round(height),
    background: css(packed(theme.background)),
    ink,
    items,
    origin: origin(player),
  };
}
