// The path as an animation: one frame per glimpse, with the retina's patches and the belief after it.

import { css, packed } from "../core/colours.js";
import { context2d } from "../core/dom.js";
import { save, Sheet } from "../export/export.js";
import { toGif } from "../export/gif.js";
import { best, oneLine, percent } from "../core/numbers.js";
import { toCanvas } from "../export/sheet.js";
import { fileName, files as stills, origin } from "./export.js";
import { beliefOf, hasMoved } from "./derive.js";
import { patchPieces, scenePieces } from "./pieces.js";

/** @typedef {import("./glimpse_player.js").GlimpsePlayer} GlimpsePlayer */

const [EACH, LAST] = [900, 2700]; // milliseconds per frame
const MARGIN = 16;
const SIDE = 400;
const RIGHT = 280;
const ROW = 21;

/** The files to save, for `Savers`. @param {GlimpsePlayer} player */
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
  const { facts, path, header, theme, many } = player;
  const { scales, glimpses } = facts;
  const sheet = new Sheet(theme, origin(player), MARGIN);
  const [top, bold, width] = [40, { weight: 600 }, MARGIN * 3 + SIDE + RIGHT];
  const moved = hasMoved(player.view.moved, glimpse) ? ", moved by hand" : "";
  sheet.write(MARGIN, 26, `Glimpse ${glimpse + 1} of ${glimpses}${moved}`, 16, bold);
  sheet.items.push(...scenePieces(player, { x: MARGIN, y: top, side: SIDE, last: glimpse, every: true }));
  const left = 2 * MARGIN + SIDE;
  const side = Math.min(112, (RIGHT - 8 * (scales - 1)) / scales);
  sheet.write(left, 26, "What the retina sees", 13, bold);
  for (let scale = 0; scale < scales; scale++)
    sheet.items.push(...patchPieces(player, glimpse, scale, { x: left + scale * (side + 8), y: top, side }));
  const values = beliefOf(path, glimpse, facts);
  const first = best(values);
  const down = top + side + 32;
  sheet.write(left, down - 8, "The belief", 13, bold);
  header.classes.forEach((/** @type {string} */ name, /** @type {number} */ which) => {
    const y = down + which * ROW;
    const [from, long] = [left + 84, values[which] * (RIGHT - 84 - 52)];
    sheet.write(left, y + 13, name, 12, which === first ? bold : {});
    sheet.bar(from, y + 4, [1, 12], theme.line);
    sheet.bar(from, y + 4, [Math.max(0.5, long), 12], theme.green);
    if (which === first)
      sheet.write(from + long + 8, y + 14, percent(values[which]), 12, { ...bold, colour: css(packed(theme.green)) });
  });
  const low = Math.max(top + SIDE, down + facts.classes * ROW) + MARGIN;
  const draws = many ? many.belief.length / facts.classes : 0;
  if (many) sheet.write(MARGIN, low, `Violet: the sharp patches of ${draws} draws at this glimpse.`);
  const height = low + (many ? 32 : 16);
  const { software, model, recipe, image } = header.origin;
  sheet.write(MARGIN, height - 10, [software, model, recipe, image].join(" \u00b7 "), 11);
  const whole = { x: 0.5, y: 0.5, width: width - 1, height: height - 1 };
  sheet.items.push({ kind: "frame", ...whole, colour: sheet.rule });
  return sheet.sized(width, height);
}
