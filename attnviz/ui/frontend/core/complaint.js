// A sentence about a problem, shown above the part that it concerns.

import { element, say, text } from "./dom.js";

export class Complaint {
  /** @param {{role?: "status"|"alert", closes?: boolean}} [how] closes: whether the visitor can close it */
  constructor({ role = "status", closes = false } = {}) {
    this.words = text();
    this.element = element("p.complaint", { hidden: true, role }, this.words);
    const close = () => (this.element.hidden = true);
    if (closes) this.element.append(element("button.quiet", { type: "button", onclick: close }, "close"));
  }

  /** @param {string} sentence the problem, or "" if there is none */
  say(sentence) {
    say(this.words, sentence);
    this.element.hidden = !sentence;
  }
}
