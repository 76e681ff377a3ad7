// The text predicted by a net, symbol by symbol, with the correct text below it.

import { element } from "../core/dom.js";

export class AnswerLine {
  /** @param {(step: number) => void} choose called when a symbol is clicked */
  constructor(choose) {
    this.choose = choose;
    this.says = element("span.symbols.says");
    this.is = element("span.symbols.is");
    this.right = element("div.line", {}, element("b", {}, "Target"), this.is);
    this.element = element(
      "div.answer-line",
      {},
      element("div.line", {}, element("b", {}, "Output"), this.says),
      this.right,
    );
    this.shown = "";
  }

  /**
   * @param {string[]} said
   * @param {string[]|null} right
   * @param {number} step the chosen step
   * @param {string[]} before the text before any change
   */
  show(said, right, step, before) {
    const state = JSON.stringify([said, right, before]);
    if (state !== this.shown) {
      this.shown = state;
      const places = Math.max(said.length, right?.length ?? 0);
      this.says.replaceChildren(
        ...Array.from({ length: places }, (_, place) => this.symbol(said, right, before, place)),
      );
      this.is.replaceChildren(...(right ?? []).map((letter) => element("span", {}, letter)));
      this.right.hidden = !right;
    }
    [...this.says.children].forEach((one, place) => one.classList.toggle("now", place === step));
    [...this.is.children].forEach((one, place) => one.classList.toggle("now", place === step));
  }

  symbol(said, right, before, place) {
    const letter = said[place];
    const made = element("span", { onclick: () => this.choose(place) }, letter ?? "\u00b7");
    if (right && letter !== right[place]) made.classList.add("wrong");
    if (letter !== before[place]) made.classList.add("changed");
    return made;
  }
}
