// Draws the map of a panel with the renderer that its model names, which may be another package's. If the renderer is
// unavailable, fails or takes too long, the panel shows the model's input instead, and says why.

import { Patience } from "../panels/patience.js";
import { rendererOf } from "../panels/renderers.js";

export class MapDrawer {
  unable = ""; // why the model's own renderer does not draw

  /** @param {any} model the description from panels.py @param {() => void} ready called once it can draw */
  constructor(model, ready) {
    this.model = model;
    /** @type {Patience|null} with a renderer of another package */
    this.patience = null;
    const found = rendererOf(model.renderer);
    if (!(found instanceof Promise)) {
      this.renderer = found;
      return;
    }
    found
      .then((renderer) => {
        if (typeof renderer.draw !== "function") throw new Error(`${model.renderer} exports no function draw`);
        this.renderer = renderer;
        this.patience = new Patience();
      })
      .catch((error) => this.drawInk(error, "could not be loaded"))
      .then(ready);
  }

  /** From now on, draw the model's input instead. */
  drawInk(error, why) {
    console.warn("attnviz:", error);
    this.renderer = rendererOf("ink");
    this.patience = null;
    this.unable = `The module that draws this panel ${why}; this is what the model saw.`;
  }

  /** @returns {{most?: number, values?: ArrayLike<number>}|null} null if the renderer has not loaded yet */
  draw(canvas, answer, look) {
    const { model } = this;
    if (!this.renderer) return null;
    const began = performance.now();
    try {
      const drawn = this.renderer.draw(canvas, model, answer, look) ?? {};
      if (!Number.isFinite(drawn.most ?? 0) || !(drawn.values ?? [])[Symbol.iterator])
        throw new Error(`${model.renderer} returns no {most, values}`);
      if (!this.patience?.after(performance.now() - began)) return drawn;
      this.drawInk(new Error(`${model.renderer} takes too long`), "takes so long that the page cannot follow");
    } catch (error) {
      this.drawInk(error, "has failed");
    }
    return rendererOf("ink").draw(canvas, model, answer, look) ?? {};
  }
}
