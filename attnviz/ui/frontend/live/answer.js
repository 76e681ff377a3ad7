// A model's answer in words and as bars, one line per class. A component's style sheet places its parts.

import { best, percent } from "../core/numbers.js";
import { element, say, set, text } from "../core/dom.js";

/** @typedef {{probabilities: ArrayLike<number>}} Probable */

const LONG = 5; // characters of a name that is too long for the column under a bar

export class AnswerPanel {
  /** @param {{ticks?: boolean}} [how] ticks: the true class is always ticked, not only if the answer is wrong */
  constructor({ ticks = true } = {}) {
    this.ticks = ticks;
    /** @type {string[]} */
    this.classes = [];
    /** @type {string|null} */
    this.label = null;
    /** @type {Text[]} the percentage of each class */
    this.cells = [];
    /** @type {HTMLElement[]} */
    this.lines = [];
    /** @type {HTMLElement} the container of the lines */
    this.holder = element("div.answer", { role: "img", "aria-label": "The answer" });
  }

  /** Make one line per class. @param {string[]} classes @param {string|null} label the true class of the picture */
  name(classes, label) {
    if (label === this.label && classes.join("\n") === this.classes.join("\n")) return;
    this.classes = classes;
    this.label = label;
    this.cells = classes.map(() => text());
    this.lines = classes.map((name, which) => this.lineOf(name, which));
    this.holder.classList.toggle(
      "long",
      classes.some((name) => name.length > LONG),
    );
    this.holder.replaceChildren(...this.lines);
  }

  /** @param {string} name of a class @param {number} which it is @returns {HTMLElement} */
  lineOf(name, which) {
    const tick =
      name === this.label && element(`b.tick${this.ticks ? ".always" : ""}`, { title: "what it shows" }, " \u2713");
    return element(
      "div.class",
      {},
      element("span.name", { title: this.ticks && name }, name, tick || ""),
      element("span.bar", {}, element("i.now"), element("i.before")),
      element("span.percent", {}, this.cells[which]),
    );
  }

  /** Show an answer and mark the previous one. @param {Probable} now @param {Probable} before */
  show(now, before = now) {
    this.fill(now, before);
    set(this.holder, "aria-label", this.summary(now, before));
  }

  /** @param {Probable} now @param {Probable} before */
  fill(now, before) {
    const is = best(now.probabilities);
    this.lines.forEach((line, which) => {
      const missed = this.classes[which] === this.label && which !== is;
      line.classList.toggle("first", which === is);
      line.classList.toggle("truth", missed);
      line.style.setProperty("--now", String(now.probabilities[which]));
      line.style.setProperty("--before", String(before.probabilities[which]));
      say(this.cells[which], percent(now.probabilities[which]));
    });
  }

  /** A class and its probability: "8, 98.3 %". @param {Probable} answer @param {string} between */
  words({ probabilities }, between = ", ") {
    const is = best(probabilities);
    return `${this.classes[is]}${between}${percent(probabilities[is])}`;
  }

  /** How the answer has changed, in a few words. @param {Probable} now @param {Probable} before */
  change(now, before) {
    return best(now.probabilities) === best(before.probabilities) ? "still the same" : `before: ${this.words(before)}`;
  }

  /**
   * The answer in a sentence, with the previous one if it differs.
   * @param {Probable} now
   * @param {Probable} before
   */
  summary(now, before = now) {
    const { label } = this;
    const right = label === this.classes[best(now.probabilities)];
    const truth = label === null ? "" : right ? ", which is correct" : `; the picture shows ${label}`;
    const change = now === before ? "" : ` Before: ${this.words(before)}.`;
    return `The model\u2019s answer: ${this.words(now)}${truth}.${change}`;
  }
}
