// A model's answer before and now: probabilities as bars, and the log-odds of each class.

import { element, say, set, text } from "../core/dom.js";
import { column, percent } from "../core/numbers.js";

/**
 * The log-odds of each class.
 * @param {ArrayLike<number>} logits one number (the log-odds of the last of two classes), or one per class
 * @returns {number[]} log(p / (1 - p)) of each class
 */
export function logOdds(logits) {
  if (logits.length === 1) return [-logits[0], logits[0]];
  return Array.from(logits, (own, which) => {
    const others = Array.from(logits).filter((_, other) => other !== which);
    const most = Math.max(...others);
    return own - most - Math.log(others.reduce((sum, other) => sum + Math.exp(other - most), 0));
  });
}

/** The class with the largest probability. */
export function best(probabilities) {
  return Array.from(probabilities).reduce((chosen, value, which, all) => (value > all[chosen] ? which : chosen), 0);
}

/** The panel. */
export class AnswerChange {
  constructor() {
    this.words = { digit: text(), sure: text(), was: text() };
    /** @type {string[]} */
    this.classes = [];
    /** @type {Text[][]} the numbers of each class */
    this.cells = [];
    /** @type {{now: HTMLElement, before: HTMLElement}[]} */
    this.bars = [];
    this.rows = element("tbody");
    const head = (words, more = { scope: "col" }) => element("th", more, words);
    const both = { scope: "colgroup", colspan: 2 };
    this.element = element(
      "section.answer-part",
      {},
      element("h2", {}, "The answer"),
      element(
        "p.headline",
        {},
        element("b", {}, this.words.digit),
        element("span.sure", {}, this.words.sure),
        element("small", {}, this.words.was),
      ),
      element(
        "table",
        {},
        element(
          "thead",
          {},
          element("tr", {}, element("td", { colspan: 2 }), head("probability", both), head("log-odds", both)),
          element("tr", {}, head("class"), element("td"), head("before"), head("now"), head("before"), head("now")),
        ),
        this.rows,
      ),
    );
  }

  /** Make a row a class. @param {string[]} classes @param {string|null} label what the picture shows */
  name(classes, label) {
    this.classes = classes;
    this.cells = classes.map(() => Array.from({ length: 4 }, () => text()));
    this.bars = classes.map(() => ({ now: element("i.now"), before: element("i.before") }));
    this.rows.replaceChildren(
      ...classes.map((name, which) =>
        element(
          "tr",
          {},
          element("th", { scope: "row" }, name, name === label ? element("span.hidden", {}, ", which it shows") : ""),
          element("td.bar", { "aria-hidden": "true" }, this.bars[which].now, this.bars[which].before),
          ...this.cells[which].map((cell) => element("td", {}, cell)),
        ),
      ),
    );
  }

  /**
   * Show two answers.
   * @param {{logits: ArrayLike<number>, probabilities: ArrayLike<number>}} before
   * @param {{logits: ArrayLike<number>, probabilities: ArrayLike<number>}} now
   */
  show(before, now) {
    const [oddsBefore, oddsNow] = [logOdds(before.logits), logOdds(now.logits)];
    this.classes.forEach((_, which) => {
      const said = [
        percent(before.probabilities[which]),
        percent(now.probabilities[which]),
        column(oddsBefore[which]),
        column(oddsNow[which]),
      ];
      this.cells[which].forEach((cell, i) => say(cell, said[i]));
      this.bars[which].now.style.width = `${100 * now.probabilities[which]}%`;
      this.bars[which].before.style.left = `${100 * before.probabilities[which]}%`;
    });
    const [was, is] = [best(before.probabilities), best(now.probabilities)];
    say(this.words.digit, this.classes[is]);
    say(this.words.sure, percent(now.probabilities[is]));
    say(this.words.was, `before: ${this.classes[was]}, ${percent(before.probabilities[was])}`);
    set(this.element, "data-changed", String(was !== is));
  }

  /** The change in words. */
  summary(before, now) {
    const [was, is] = [best(before.probabilities), best(now.probabilities)];
    return `Now ${this.classes[is]} with ${percent(now.probabilities[is])}; before ${this.classes[was]} with ${percent(before.probabilities[was])}.`;
  }
}
