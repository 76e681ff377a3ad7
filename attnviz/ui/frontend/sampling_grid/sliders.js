// The sliders that move the picture, next to their numbers.

import { element } from "../core/dom.js";
import { HeldValue } from "../hands/held_value.js";
import { LIMITS, limitsOf, STILL } from "./derive.js";

/** @param {number} value */
const signed = (value) => String(value).replace("-", "\u2212");

const SLIDERS = {
  rotate: { label: "Rotate", says: "Rotate the picture", step: 1, words: (value) => `${signed(value)}\u00b0` },
  scale: { label: "Scale", says: "Scale the picture", step: 0.01, words: (value) => `${value}` },
  across: { label: "Across", says: "Shift across, the picture", step: 0.5, words: (value) => `${signed(value)} px` },
  down: { label: "Down", says: "Shift down, the picture", step: 0.5, words: (value) => `${signed(value)} px` },
};

/** A slider for each part of a move. */
export class Sliders {
  /** @param {(name: string, value: number|null) => void} slide null: that part is released */
  constructor(slide) {
    /** @type {Record<string, HeldValue>} */
    this.values = {};
    this.rows = Object.entries(SLIDERS).map(([name, { label, says, step }]) => {
      const range = LIMITS[name] ?? [-1, 1];
      const value = new HeldValue({ label: says, range, step, free: "reset", turn: (to) => slide(name, to) });
      this.values[name] = value;
      return element("div.row", {}, element("b", {}, label), element("span", {}, value.words), value.element);
    });
  }

  /** A picture can be shifted by its own size. @param {number[]} shape */
  fit(shape) {
    const limits = limitsOf(shape);
    for (const name of ["across", "down"]) {
      const [min, max] = limits[name];
      Object.assign(this.values[name].slider, { min: String(min), max: String(max) });
    }
  }

  /** @param {Record<string, any>} view */
  show(view) {
    for (const [name, { words }] of Object.entries(SLIDERS))
      this.values[name].show(view[name], words(view[name]), view[name] !== STILL[name]);
  }
}
