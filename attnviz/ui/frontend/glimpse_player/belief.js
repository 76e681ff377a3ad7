// The belief: a bar per class after each glimpse, as a table.

import { element, say, set, text } from "../core/dom.js";
import { best, percent, wholePercent } from "../core/numbers.js";
import { beliefOf, rewardOf } from "./derive.js";

export class BeliefPanel {
  /** @param {(glimpse: number) => void} choose called with the glimpse of a clicked column */
  constructor(choose) {
    this.choose = choose;
    this.how = text();
    this.table = element("table", {});
    this.element = element(
      "section.belief-part",
      {},
      element("h2", {}, "The belief", element("small", {}, this.how)),
      this.table,
    );
    /** @type {{cell: HTMLElement, now: HTMLElement, before: HTMLElement, words: Text}[][]} by class, then glimpse */
    this.cells = [];
    /** @type {{cell: HTMLElement, button: HTMLElement}[]} */
    this.heads = [];
    /** @type {{cell: HTMLElement, words: Text}[]} the reward of each glimpse */
    this.rewards = [];
    /** @type {{cell: HTMLElement, words: Text}[]} the model's expected reward after each glimpse */
    this.baselines = [];
    this.right = -1; // the true class
  }

  /**
   * Make the rows.
   * @param {string[]} classes
   * @param {string|null} label the true class of the picture
   * @param {number} glimpses
   */
  build(classes, label, glimpses) {
    this.heads = Array.from({ length: glimpses }, (_, glimpse) => {
      const button = element(
        "button",
        { type: "button", onclick: () => this.choose(glimpse) },
        element("span.hidden", {}, "After glimpse "),
        String(glimpse + 1),
      );
      return { button, cell: element("th", { scope: "col" }, button) };
    });
    this.cells = classes.map(() =>
      this.heads.map(() => {
        const [now, before, words] = [element("i.now"), element("i.before"), text()];
        return {
          now,
          before,
          words,
          cell: element(
            "td",
            {},
            element("span.bar", { "aria-hidden": "true" }, now, before),
            element("span.percent", {}, words),
          ),
        };
      }),
    );
    const figures = () =>
      this.heads.map(() => {
        const words = text();
        return { words, cell: element("td", {}, words) };
      });
    [this.rewards, this.baselines, this.right] = [figures(), figures(), label === null ? -1 : classes.indexOf(label)];
    const reward =
      label === null
        ? "unknown: this picture has no label"
        : "the same for every glimpse: 1 if the last answer is correct, else 0";
    const name = (/** @type {string} */ title) =>
      element(
        "th",
        { scope: "row", title },
        title,
        title === label ? element("b", { title: "what the picture shows" }, " \u2713") : "",
      );
    const row = (head, cells) => element("tr", {}, head, ...cells.map(({ cell }) => cell));
    const named = (words, title) => element("th", { scope: "row", title }, words);
    const baseline = "the baseline: the reward that the model expects after each glimpse";
    this.table.replaceChildren(
      element("thead", {}, row(element("th", { scope: "col" }, "glimpse"), this.heads)),
      element("tbody", {}, ...classes.map((title, which) => row(name(title), this.cells[which]))),
      element(
        "tfoot",
        {},
        row(named("reward", reward), this.rewards),
        row(named("expected", baseline), this.baselines),
      ),
    );
  }

  /**
   * Show a path.
   * @param {import("./derive.js").Path} path
   * @param {import("./derive.js").Path|null} before the model's own path
   * @param {number} glimpse the selected one
   * @param {import("./derive.js").Facts} facts
   */
  show(path, before, glimpse, facts) {
    this.table.classList.toggle("compared", before !== null);
    const reward = rewardOf(path, this.right, facts);
    this.heads.forEach(({ cell, button }, number) => {
      const values = beliefOf(path, number, facts);
      const then = before && beliefOf(before, number, facts);
      const first = best(values);
      const state = number === glimpse ? "now" : number > glimpse ? "later" : "";
      set(cell, "class", state);
      set(button, "aria-pressed", String(number === glimpse));
      this.cells.forEach((row, which) => {
        const { cell: own, now, before: tick, words } = row[number];
        set(own, "class", `${state}${which === first ? " first" : ""}`);
        now.style.transform = `scaleX(${values[which]})`;
        if (then) tick.style.left = `${100 * then[which]}%`;
        say(words, wholePercent(values[which]));
        set(own, "title", percent(values[which]));
      });
      for (const { cell: own } of [this.rewards[number], this.baselines[number]]) set(own, "class", state);
      say(this.rewards[number].words, reward === null ? "?" : String(reward));
      say(this.baselines[number].words, path.baseline[number].toFixed(2));
    });
  }

  /** @param {string} words */
  say(words) {
    say(this.how, words);
  }
}
