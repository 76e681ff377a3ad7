// The retina's view: the patches of one glimpse, all drawn at the same size, one canvas pixel per number.

import { TOP } from "../core/colours.js";
import { element, say, text } from "../core/dom.js";
import { fillPixels } from "../maps/paint.js";
import { patchOf } from "./derive.js";

export class RetinaPanel {
  constructor() {
    this.title = text();
    this.counts = text();
    this.patches = element("div.patches");
    this.element = element(
      "section.retina-part",
      {},
      element("h2", {}, this.title),
      this.patches,
      element("p.how", {}, this.counts),
    );
    /** @type {{canvas: HTMLCanvasElement, figure: HTMLElement}[]} */
    this.tiles = [];
  }

  /** @param {import("./derive.js").Facts} facts */
  build({ scales, size }) {
    this.tiles = Array.from({ length: scales }, (_, scale) => {
      const canvas = element("canvas", { width: size, height: size, role: "img" });
      const side = size * 2 ** scale;
      const how = scale ? `each number the mean of ${2 ** scale} \u00d7 ${2 ** scale}` : "each pixel as it is";
      canvas.setAttribute("aria-label", `Patch of ${side} by ${side} pixels, ${how}`);
      const swatch = element(`i.swatch.scale-${Math.min(scale, 3)}`, { "aria-hidden": "true" });
      return {
        canvas,
        figure: element(
          "figure",
          {},
          canvas,
          element(
            "figcaption",
            {},
            element("b", {}, swatch, `${side} \u00d7 ${side} pixels`),
            element("span", {}, how),
          ),
        ),
      };
    });
    this.patches.replaceChildren(...this.tiles.map(({ figure }) => figure));
  }

  /**
   * Paint the patches of a glimpse.
   * @param {import("./derive.js").Path} path
   * @param {number} glimpse
   * @param {import("./derive.js").Facts} facts
   * @param {Uint32Array} inks the palette of a picture
   */
  paint(path, glimpse, facts, inks) {
    this.tiles.forEach(({ canvas }, scale) => {
      const patch = patchOf(path, glimpse, scale, facts);
      fillPixels(canvas, (at) => inks[Math.round(patch[at] * TOP)]);
    });
  }

  /** @param {string} title @param {string} counts */
  say(title, counts) {
    say(this.title, title);
    say(this.counts, counts);
  }
}
