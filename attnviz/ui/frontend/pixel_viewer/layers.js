// The layers of a model: the visitor chooses the shown one here. A layer is fetched over the live channel on first use
// and cached; then its neighbours are fetched ahead.

import { around } from "../core/epoch.js";
import { headerOf } from "../core/payload.js";
import { FetchedViews } from "../live/fetched_views.js";
import { layerChoice } from "./layer_choice.js";

const AHEAD = 2; // number of layers to fetch ahead

export class Layers extends FetchedViews {
  /** @type {any} */ choice;

  /** @param {import("./pixel_viewer.js").Viewer} viewer that shows the layers */
  constructor(viewer) {
    super(viewer, "layer");
    this.viewer = viewer;
  }

  /** Cache the data from Python, which the viewer shows. @param {Uint8Array} bytes */
  take(bytes) {
    this.header = headerOf(bytes).header;
    this.shown = this.header.request.parameters.layer;
    this.refused.clear();
    this.choice = layerChoice(this.viewer.frame.controls, this.header);
    this.choice.disabled = false;
    this.choice.onchange = () => this.viewer.guard(() => this.viewer.choose("address", this.choice.value));
    this.views.set(this.name(this.shown ?? ""), bytes);
    this.follow();
  }

  /** Path of the chosen layer. */
  get wanted() {
    return this.viewer.view.address ?? this.shown;
  }

  get isThere() {
    return this.wanted === this.shown;
  }

  get lacks() {
    return this.refused.has(this.wanted ?? "");
  }

  /** Show the chosen layer, then fetch its neighbours. */
  follow() {
    this.choice.value = this.wanted;
    this.settle(this.wanted);
    if (!this.isThere) return;
    const paths = this.header.paths.filter(({ refused: why }) => !why).map(({ path }) => path);
    const near = around(paths.length, paths.indexOf(this.wanted)).slice(0, AHEAD);
    this.ahead(near.map((at) => paths[at]));
  }

  /** @param {string} path */
  asked(path) {
    const { checkpoint, parameters } = this.header.request;
    return { checkpoint, parameters: { ...parameters, layer: path } };
  }
}
