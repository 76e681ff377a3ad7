// A drawing as a file: PNG of the canvas, the strokes as JSON.

import { context2d, element } from "../core/dom.js";
import { save } from "../export/export.js";
import { withText } from "../export/sheet.js";
import { SIDE, toJson } from "../hands/strokes.js";

const NAME = "attnviz-drawing";

/** What can be saved, for `Savers`. @param {{drawing: () => any, values: () => Uint8Array}} owner of the pad */
export function files(owner) {
  return {
    PNG: () => savePng(owner.values()),
    JSON: () => save(`${NAME}.json`, toJson(owner.drawing()), "application/json"),
  };
}

/** Save the canvas as it is shown to the models, but black on white. */
async function savePng(values) {
  const canvas = element("canvas", { width: SIDE, height: SIDE });
  const pixels = new Uint8ClampedArray(4 * values.length).map((_, i) => (i % 4 === 3 ? 255 : 255 - values[i >> 2]));
  context2d(canvas).putImageData(new ImageData(pixels, SIDE), 0, 0);
  const blob = await new Promise((done) => canvas.toBlob(done, "image/png"));
  const png = new Uint8Array(await blob.arrayBuffer());
  save(
    `${NAME}.png`,
    withText(png, "Description", "Drawn in attnviz: black ink, 280 x 280, ten pixels for each that a model sees"),
    "image/png",
  );
}
