// The choices above the strip: the input text of each step, the layer, the head, and the mask.

import { element } from "../core/dom.js";
import { SegmentedControl } from "../hands/controls.js";
import { term } from "../terms/terms.js";

const TOLD = { own: "its own answer", right: "the right text" };
const MASKS = { yes: "on", no: "off" };

export class Choices {
  /**
   * @param {object} on callbacks for the choices
   * @param {(told: string) => void} on.told
   * @param {(layer: string) => void} on.layer
   * @param {(head: number|"mean") => void} on.head
   * @param {(mask: boolean) => void} on.mask
   */
  constructor(on) {
    this.tellings = new SegmentedControl(term("teacher-forcing", "Each step is told"), TOLD, on.told);
    this.layers = element("select", { "aria-label": "Layer", onchange: () => on.layer(this.layers.value) });
    const takeHead = () => on.head(this.heads.value === "mean" ? "mean" : Number(this.heads.value));
    this.heads = element("select", { "aria-label": "Head", onchange: takeHead });
    this.masks = new SegmentedControl(term("mask", "Mask"), MASKS, (mask) => on.mask(mask === "yes"));
    this.layerPart = element("label.choice", {}, element("span", {}, "Layer"), this.layers);
    this.headPart = element("label.choice", {}, element("span", {}, "Head"), this.heads);
    this.elements = [this.tellings.element, this.layerPart, this.headPart, this.masks.element];
    this.count = 0; // of the heads
  }

  /** Offer the layers of a net. @param {import("./derive.js").Layer[]} layers */
  fill(layers) {
    this.layers.replaceChildren(...layers.map(({ name, title }) => element("option", { value: name }, title)));
    this.layerPart.hidden = layers.length < 2;
  }

  /** @param {import("./shown.js").Shown} shown */
  show(shown) {
    const { view, header } = shown.state;
    this.tellings.show(view.told, [], header.right ? [] : ["right"]);
    this.layers.value = shown.layer.name;
    this.showHeads(shown.now.weights.shape[0], view.head);
    this.masks.element.hidden = !shown.masked;
    const known = view.told === "own" || shown.layer.of === "gradient"; // no step can attend to a later one
    this.masks.show(view.mask ? "yes" : "no", [], known ? ["no"] : []);
  }

  showHeads(count, chosen) {
    this.headPart.hidden = count < 2;
    if (count !== this.count) {
      this.count = count;
      this.heads.replaceChildren(
        element("option", { value: "mean" }, `mean of ${count}`),
        ...Array.from({ length: count }, (_, head) => element("option", { value: String(head) }, String(head + 1))),
      );
    }
    this.heads.value = String(chosen);
  }
}
