// The layers of a model: which one the viewer shows is chosen here. A layer is fetched over the live channel when it is
// looked at, and kept; then those beside it are fetched ahead.

import { Complaint } from "../core/complaint.js";
import { element } from "../core/dom.js";
import { around } from "../core/epoch.js";
import { headerOf } from "../core/payload.js";
import { completed, Views } from "../live/epoch_views.js";
import { Live } from "../live/live.js";

const AHEAD = 2; // layers that are fetched before they are chosen
const SLOW = 200; // milliseconds after which a layer that is still awaited makes the old one pale
const LOST = "The live connection is lost. This layer is shown as soon as it is back.";

export class Layers {
  /** @param {import("./pixel_viewer.js").Viewer} viewer that shows the layers */
  constructor(viewer) {
    this.viewer = viewer;
    this.views = new Views();
    /** @type {any} of what Python has sent last */
    this.header = null;
    this.shown = ""; // path of the layer that the viewer shows
    /** @type {string|null} path of the layer that is being fetched */
    this.fetched = null;
    /** @type {Map<string, string>} paths of layers that could not be had, and why */
    this.refused = new Map();
    /** @type {Live|null} */
    this.live = null;
    this.complaint = new Complaint();
    this.choice = element("select", {
      "aria-label": "Layer",
      onchange: () => viewer.guard(() => viewer.choose("address", this.choice.value)),
    });
    viewer.frame.controls.prepend(element("label.layer-choice", {}, "Layer", this.choice));
  }

  /** Python has sent this, and the viewer shows it. @param {Uint8Array} bytes */
  take(bytes) {
    this.header = headerOf(bytes).header;
    this.shown = this.header.request.parameters.layer;
    this.refused.clear();
    this.choice.replaceChildren(
      ...this.header.paths.map(({ path, title, refused }) => {
        const option = new Option(title, path);
        Object.assign(option, { disabled: Boolean(refused), title: refused });
        return option;
      }),
    );
    this.views.set(this.name(this.shown), bytes);
    this.follow();
  }

  /** Show the layer that is chosen; once it is shown, fetch those beside it. */
  follow() {
    const wanted = this.viewer.view.address ?? this.shown;
    this.choice.value = wanted;
    const view = this.views.get(this.name(wanted));
    const refused = this.refused.get(wanted);
    if (wanted === this.shown) this.rest();
    else if (view) this.show(wanted, view);
    else if (refused) this.complain(refused);
    else this.await(wanted);
    if (wanted !== this.shown || !this.views.hasRoom) return;
    const paths = this.header.paths.filter(({ refused: why }) => !why).map(({ path }) => path);
    const near = around(paths.length, paths.indexOf(wanted)).slice(0, AHEAD);
    const next = near
      .map((at) => paths[at])
      .find((path) => !this.views.has(this.name(path)) && !this.refused.has(path));
    if (next !== undefined) this.fetch(next);
  }

  /** @param {string} path @param {Uint8Array} view */
  show(path, view) {
    this.shown = path;
    this.rest();
    this.viewer.guard(() => this.viewer.receive(completed(view, this.header)));
  }

  /** Nothing is awaited, and nothing is wrong. */
  rest() {
    clearTimeout(this.slow);
    this.slow = undefined;
    this.complain("");
    this.viewer.root.classList.remove("awaits-epoch");
  }

  /** Fetch what is to be shown at once. @param {string} path */
  await(path) {
    this.slow ??= setTimeout(() => this.viewer.root.classList.add("awaits-epoch"), SLOW);
    this.fetch(path);
  }

  /** Fetch a layer, unless another one is on its way: it is looked at again once that is here. @param {string} path */
  fetch(path) {
    if (this.fetched !== null) return;
    this.fetched = path;
    this.live ??= new Live((state) => this.viewer.guard(() => this.connected(state)));
    const { derived, picture, checkpoint } = this.header.request;
    const asks = [{ checkpoint, wanted: { view: { derived, parameters: { layer: path } } } }];
    const name = this.name(path);
    this.live.ask({ pictures: [picture], asks }, (answer) => {
      this.fetched = null;
      if (answer.error) this.refused.set(path, answer.error);
      else this.views.set(name, answer.arrays.view);
      this.viewer.guard(() => this.follow());
    });
  }

  /** Say what is wrong, at the beginning of the viewer; or with "" that nothing is. @param {string} sentence */
  complain(sentence) {
    this.complaint.say(sentence);
    if (sentence) this.viewer.root.prepend(this.complaint.element);
    else this.complaint.element.remove();
  }

  /** How the connection fares; once it is back, what could not be had is asked for again. @param {string} state */
  connected(state) {
    if (state === "lost" && this.viewer.view.address !== this.shown) this.complain(LOST);
    if (state !== "ready" || !this.refused.size) return;
    this.refused.clear();
    this.follow();
  }

  /** By which a layer is kept. @param {string} path */
  name(path) {
    return JSON.stringify({ ...this.header.request, parameters: { layer: path } });
  }

  /** Unmounted. */
  leave() {
    clearTimeout(this.slow);
    this.live?.close();
    this.live = null;
    this.fetched = null;
  }
}
