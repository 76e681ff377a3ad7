// The energy of one stage as a map, and a button for each stage.

import { element, say, text } from "../attnviz.arrive/core/dom.js";
import { mountable, Part } from "../attnviz.arrive/core/part.js";
import { UrlView } from "../attnviz.arrive/core/url_view.js";
import { shadesOf } from "./derive.js";
import { paint } from "./paint.js";

const RULES = {
  exists: (field, value, stages) => value >= 0 && value < stages,
  there: (field, stages) => `1 to ${stages}`,
};

class Energies extends Part {
  constructor(parent) {
    super();
    this.url = new UrlView({}, RULES);
    this.canvas = element("canvas", { role: "img", "aria-label": "The energy of a stage" });
    this.words = text();
    this.buttons = element("p");
    const beside = element("div", {}, this.buttons, element("p", {}, this.words));
    this.root = element("div.attnviz.energies", {}, this.failure, this.url.complaint.element, this.canvas, beside);
    parent.append(this.root);
  }

  takeData() {
    const [stages] = this.shapes.energies;
    this.takeView(stages);
    this.buttons.replaceChildren(
      ...Array.from({ length: stages }, (_, stage) =>
        element("button", { type: "button", onclick: () => this.choose(stage) }, `Stage ${stage + 1}`),
      ),
    );
  }

  choose(stage) {
    this.view.stage = stage;
    this.changed();
  }

  layout() {
    this.draw();
  }

  draw() {
    const { most, shades } = shadesOf(this.arrays.energies, this.shapes.energies, this.view.stage);
    paint(this.canvas, shades, this.shapes.energies);
    say(this.words, `Stage ${this.view.stage + 1} of ${this.header.title}: at most ${most.toFixed(3)}.`);
    this.showReading();
  }
}

export default mountable(Energies);
