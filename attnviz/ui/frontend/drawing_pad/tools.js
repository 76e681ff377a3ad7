// The tools of the pad, on one line below it.

import { element, set } from "../core/dom.js";
import { CELLS, SIDE } from "../hands/strokes.js";

// Canvas pixels. A digit that fills the pad then has strokes of 1.7 pixels in the models' input, and one of a third of
// that size has 5: MNIST's are between these. Wider pens blot small digits, thinner ones fade large ones.
const WIDTH = 20;
const [THIN, THICK] = [8, 48];

export class PadTools {
  /** @param {import("./pad.js").Pad} pad */
  constructor(pad) {
    this.pad = pad;
    this.tool = "ink";
    const button = (words, title, act) => element("button.tool", { type: "button", title, onclick: act }, words);
    this.kinds = {
      ink: button("Ink", "Draw", () => this.take("ink")),
      erase: button("Erase", "Remove ink; the other end of a pen does this too", () => this.take("erase")),
    };
    this.slider = element("input", {
      type: "range",
      min: THIN,
      max: THICK,
      step: 2,
      value: WIDTH,
      oninput: () => this.refresh(),
    });
    this.colour = element("input", { type: "color", value: "#ffffff", title: "The colour of the ink" });
    this.colours = element("label.colour", { hidden: true }, "Colour", this.colour);
    this.undo = button("Undo", "Ctrl Z", () => pad.undo());
    this.redo = button("Redo", "Ctrl Y, or Ctrl Shift Z", () => pad.redo());
    this.clear = button("Clear", "Start again; this can be undone", () => pad.clear());
    this.element = element(
      "div.tools",
      { role: "group", "aria-label": "Tools" },
      element(
        "span.kinds",
        { role: "group", "aria-label": "Brush" },
        this.kinds.ink,
        this.kinds.erase,
        element("label.width", {}, "Width", this.slider),
        this.colours,
      ),
      element("span.history", {}, this.undo, this.redo, this.clear),
    );
  }

  /** The width of strokes, in canvas pixels. */
  get width() {
    return Number(this.slider.value);
  }

  /** The colour of a stroke; none on a sheet of ink. @returns {{colour?: number[]}} */
  get paint() {
    if (!this.pad.coloured || this.tool === "erase") return {};
    const { value } = this.colour;
    return { colour: [1, 3, 5].map((at) => parseInt(value.slice(at, at + 2), 16)) };
  }

  take(tool) {
    this.tool = tool;
    this.refresh();
  }

  /** Show the chosen tool and the possible actions. */
  refresh() {
    const { past, now, future, coloured } = this.pad;
    this.colours.hidden = !coloured;
    for (const [tool, button] of Object.entries(this.kinds)) set(button, "aria-pressed", String(tool === this.tool));
    set(this.slider, "aria-valuetext", `${((this.width * CELLS) / SIDE).toFixed(1)} of ${CELLS} pixels`);
    set(this.undo, "aria-disabled", String(!past.length));
    set(this.redo, "aria-disabled", String(!future.length));
    set(this.clear, "aria-disabled", String(!now.base && !now.strokes.length));
  }
}
