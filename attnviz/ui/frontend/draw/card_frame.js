// The elements of the panel of one model, made once; card.js fills them.

import { element, text, texts } from "../core/dom.js";

export const BAR = { width: 24, gap: 2, height: 17 }; // CSS pixels; as in draw_cards.css, if they fit
const SHORT = 2; // characters of a class's name that fit under its bar

/** A rounded number of parameters: 20, 790, 38 k, 1.1 M. */
function counted(parameters) {
  if (parameters < 1000) return `${parameters} parameters`;
  const [size, unit] = parameters < 1e6 ? [parameters / 1e3, "k"] : [parameters / 1e6, "M"];
  return `${size < 10 ? size.toFixed(1) : size.toFixed(0)} ${unit} parameters`;
}

export class CardFrame {
  /** @param {any} model the description from panels.py @param {(by: number) => void} step goes to another head */
  constructor(model, step) {
    const words = texts("first", "second", "head", "says", "verdict", "was", "knows", "time");
    this.words = words;
    this.headWord = element("span", { hidden: true }, "head"); // until the first answer names it
    this.canvas = element("canvas", { "aria-hidden": "true" });
    // for the Jacobian: its grid is that of the picture
    this.other = element("canvas.other", { "aria-hidden": "true", hidden: true });
    this.kind = text(model.kind);
    this.link = element("a", {}, model.title);
    const long = model.classes.some((name) => name.length > SHORT);
    this.bars = model.classes.map((name) =>
      element("span", {}, element("em", { hidden: true }), long ? "\u00a0" : name),
    );
    // Digits in numerical order, whatever the model's order is; names in the model's order.
    this.order = [...model.classes.keys()];
    if (!long) this.order.sort((one, other) => model.classes[one].localeCompare(model.classes[other]));
    // only one: changing many elements at every movement takes the browser longer
    this.chart = element("canvas.chart", { "aria-hidden": "true" });
    const unknown = { role: "img", "aria-label": "Probabilities: no answer yet" };
    this.barRoom = element("div.bars", unknown, this.chart, ...this.order.map((which) => this.bars[which]));
    this.limit = element("p.knows", { hidden: true }, words.knows);
    this.element = element(
      "article.card",
      { "data-checkpoint": model.checkpoint, "data-long": long },
      element(
        "div.top",
        {},
        element("p.digits", {}, element("b", {}, words.first), element("b.second", {}, words.second)),
        element("div.names", {}, element("h2", {}, this.link), element("p.kind", {}, this.kind)),
        element("span.arrow", { "aria-hidden": "true" }, "\u2192"),
      ),
      this.canvas,
      this.other,
      element("div.says", {}, ...this.headOf(model, step), element("p", {}, words.says)),
      element("p.verdict", {}, element("span", {}, words.verdict), element("span.was", {}, words.was)),
      element("div.chances", {}, this.barRoom, this.limit),
      element("p.foot", {}, element("span", {}, counted(model.parameters)), element("span", {}, words.time)),
    );
  }

  /** The shown head and the buttons to the others; nothing for a single head. */
  headOf({ heads, title, kind }, step) {
    if (!(heads > 1)) return [];
    const button = (words, by, sign) =>
      element("button.step", { type: "button", "aria-label": words, onclick: () => step(by) }, sign);
    const steps = [button("Previous head", -1, "\u2039"), button("Next head", 1, "\u203a")];
    const group = { role: "group", "aria-label": `Head of ${title}, ${kind}` };
    const which = element("span", {}, this.headWord, this.words.head);
    return [element("p.head", {}, which, element("span.steps-of-heads", group, ...steps))];
  }
}
