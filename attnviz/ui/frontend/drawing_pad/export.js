// A drawing as a file: PNG of the canvas, the strokes as JSON.

import { context2d, element } from "../core/dom.js";
import { save } from "../export/export.js";
import { withText } from "../export/sheet.js";
import { toJson } from "../hands/strokes.js";

const NAME = "attnviz-drawing";

/**
 * The files to save, for `Savers`.
 * @param {{drawing: () => any, raster: () => import("../live/live.js").Values}} owner access to the pad
 */
export function files(owner) {
  return {
    PNG: () => savePng(owner.raster()),
    JSON: () => save(`${NAME}.json`, toJson(owner.drawing()), "application/json"),
  };
}

/** Save the canvas that the models are shown, as black ink on white. @param {{values: any, shape: number[]}} raster */
async function savePng({ values, shape: [rows, columns, channels] }) {
  const canvas = element("canvas", { width: columns, height: rows });
  const at = (pixel, one) => (channels === 1 ? 255 - values[pixel] : values[channels * pixel + one]);
  const pixels = new Uint8ClampedArray(4 * rows * columns).map((_, i) => (i % 4 === 3 ? 255 : at(i >> 2, i % 4)));
  context2d(canvas).putImageData(new ImageData(pixels, columns), 0, 0);
  const blob = await new Promise((done) => canvas.toBlob(done, "image/png"));
  const png = new Uint8Array(await blob.arrayBuffer());
  save(
    `${NAME}.png`,
    withText(
      png,
      "Description",
      `Drawn in attnviz: ${channels === 1 ? "black ink" : "in colour"}, ${columns} x ${rows}, several pixels for ` +
        "each that a model sees",
    ),
    "image/png",
  );
}
