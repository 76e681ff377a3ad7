// A value set by dragging: a slider with its number in words, and a button that releases it. It is the browser's own
// slider, so that it supports arrow keys and screen readers.

import { element, say, set, text } from "../core/dom.js";

export class HeldValue {
  /**
   * @param {object} options
   * @param {string} options.label the name of the value for screen readers
   * @param {number[]} options.range the lowest and the highest value
   * @param {number} options.step
   * @param {string} options.free the label of the button that releases it
   * @param {(value: number|null) => void} options.turn called with a dragged value, or with null on release
   */
  constructor({ label, range: [min, max], step, free, turn }) {
    this.words = text();
    this.slider = element("input", { type: "range", min, max, step, "aria-label": label });
    this.slider.addEventListener("input", () => turn(Number(this.slider.value)));
    this.release = element("button.quiet", { type: "button", onclick: () => turn(null) }, free);
    this.element = element("div.held-value", {}, this.slider, this.release);
  }

  /** @param {number} value @param {string} words @param {boolean} held whether it is set by hand */
  show(value, words, held) {
    if (Number(this.slider.value) !== value) this.slider.value = String(value);
    say(this.words, words);
    set(this.slider, "aria-valuetext", `${words}${held ? ", set by hand" : ""}`);
    set(this.release, "aria-disabled", String(!held));
  }
}
