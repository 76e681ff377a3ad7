// Draws the map of a panel with the renderer that its model names, which may be another package's. One that cannot be
// had, fails or takes too long is replaced: the panel then shows what the model saw, and says why.

import { Patience } from "../panels/patience.js";
import { rendererOf } from "../panels/renderers.js";

export class MapDrawer {
  unable = ""; // why the model's own renderer does not draw

  /** @param {any} model what panels.py describes @param {() => void} ready it can draw now what it could not before */
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

  /** Draw what the model saw, from now on, in place of what cannot be drawn. */
  drawInk(error, why) {
    console.warn("attnviz:", error);
    this.renderer = rendererOf("ink");
    this.patience = null;
    this.unable = `The module that draws this panel ${why}; this is what the model saw.`;
  }

  /** @returns {{most?: number, values?: ArrayLike<number>}|null} null while there is no renderer yet */
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
