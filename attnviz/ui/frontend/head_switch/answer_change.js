// A model's answer before and now: probabilities as bars, and the log-odds of each class.

import { best, column, percent } from "../core/numbers.js";
import { element, say, set, text } from "../core/dom.js";
import { AnswerPanel } from "../live/answer.js";
import { rowsOf } from "./derive.js";

/** The panel: a table, with the most probable class above it. */
export class AnswerChange extends AnswerPanel {
  constructor() {
    super();
    this.headline = { digit: text(), sure: text(), was: text() };
    /** @type {Text[][]} further numbers of each class */
    this.numbers = [];
    this.holder = element("tbody");
    const head = (words, more = { scope: "col" }) => element("th", more, words);
    const both = { scope: "colgroup", colspan: 2 };
    this.element = element(
      "section.answer-part",
      {},
      element("h2", {}, "The answer"),
      element(
        "p.headline",
        {},
        element("b", {}, this.headline.digit),
        element("span.sure", {}, this.headline.sure),
        element("small", {}, this.headline.was),
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
        this.holder,
      ),
    );
  }

  name(classes, label) {
    this.numbers = classes.map(() => Array.from({ length: 3 }, () => text()));
    super.name(classes, label);
  }

  lineOf(name, which) {
    const [before, ...odds] = this.numbers[which];
    const cell = (words) => element("td", {}, words);
    return element(
      "tr",
      {},
      element("th", { scope: "row" }, name, name === this.label ? element("span.hidden", {}, ", which it shows") : ""),
      element("td.bar", { "aria-hidden": "true" }, element("i.now"), element("i.before")),
      cell(before),
      cell(this.cells[which]),
      ...odds.map(cell),
    );
  }

  /** Show two answers. @param {import("./derive.js").Answer} now @param {import("./derive.js").Answer} before */
  show(now, before) {
    this.fill(now, before);
    rowsOf(this.classes, now, before).forEach(([, probability, , oddsBefore, oddsNow], which) => {
      const texts = [percent(probability), column(oddsBefore), column(oddsNow)];
      this.numbers[which].forEach((cell, i) => say(cell, texts[i]));
    });
    const [was, is] = [best(before.probabilities), best(now.probabilities)];
    say(this.headline.digit, this.classes[is]);
    say(this.headline.sure, percent(now.probabilities[is]));
    say(this.headline.was, `before: ${this.words(before)}`);
    set(this.element, "data-changed", String(was !== is));
  }

  /** The change in words. */
  summary(now, before) {
    return `Now ${this.words(now, " with ")}; before ${this.words(before, " with ")}.`;
  }
}
