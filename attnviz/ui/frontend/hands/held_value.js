// A value that one drags: a slider with its number in words, and a button that lets it go. Arrow keys and screen
// readers know it, as it is the browser's own.

import { element, say, set, text } from "../core/dom.js";

export class HeldValue {
  /**
   * @param {object} options
   * @param {string} options.label what the value is, for those who cannot see it
   * @param {number[]} options.range the lowest and the highest
   * @param {number} options.step
   * @param {string} options.free what the button says that lets it go
   * @param {(value: number|null) => void} options.turn it was dragged; null: it was let go
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
