// The model's answer beside the stage grid: as it was trained, and over the live channel with what is switched.

import { best } from "../live/answer_change.js";
import { element, say, set, text } from "../core/dom.js";
import { percent } from "../core/numbers.js";
import { Asker } from "../live/asker.js";
import { isSwitched } from "./view.js";

const LOST = "The live connection is lost: the stages follow your switches, but the answer is the previous one.";

/** What a request wants beside the logits, and the edits of the heads that are off. */
export function askOf({ view, header }) {
  const byLayer = new Map();
  for (const [layer, head] of view.off) byLayer.set(layer, [...(byLayer.get(layer) ?? []), head]);
  const edits = [...byLayer].map(([layer, head]) => ({
    edit: "off",
    address: `${header.layers[layer].path}.attended`,
    index: { head },
  }));
  const parameters = {
    ...(view.eps === null ? {} : { eps: view.eps }),
    ...(view.skip ? {} : { skip: false }),
    ...(view.relevance === "learnt" ? {} : { relevance: view.relevance }),
    ...(view.relevance === "other" ? { data: header.ask.data, other: header.other.number } : {}),
  };
  const wanted = Object.keys(parameters).length ? { stages: { derived: header.derived, parameters } } : {};
  return { checkpoint: header.checkpoint, edits, wanted };
}

/** Bars, a class each. */
export class LiveAnswer {
  /** @type {Answered} as it was trained; known with the first data */ before;
  /** @type {Answered} with what is switched */ now;
  // What `rows` makes, a class each
  /** @type {Text[]} */ cells;
  /** @type {{now: HTMLElement, before: HTMLElement}[]} */ bars;
  /** @type {HTMLElement[]} */ lines;

  /** @param {import("./stage_grid.js").StageGrid} grid */
  constructor(grid) {
    this.grid = grid;
    this.asker = new Asker({
      guard: (act) => grid.guard(act),
      complaint: grid.url.complaint,
      lost: LOST,
      dim: () => grid.root.classList.add("waiting"),
    });
  }

  /** Take the answer that came with the data. */
  take() {
    const { header, arrays } = this.grid;
    this.before = { logits: arrays.logits, probabilities: arrays.probabilities };
    const subject = JSON.stringify([header.origin, header.classes]);
    if (subject !== this.subject) this.rows(header);
    this.subject = subject;
    this.now = this.before;
    this.show();
    this.ask();
  }

  rows({ classes, label }) {
    this.cells = classes.map(() => text());
    this.bars = classes.map(() => ({ now: element("i.now"), before: element("i.before") }));
    this.lines = classes.map((name, which) =>
      element(
        "div.class",
        {},
        element(
          "span",
          { title: name },
          name,
          name === label ? element("b", { title: "what it shows" }, " \u2713") : "",
        ),
        element("span.bar", {}, this.bars[which].now, this.bars[which].before),
        element("span.percent", {}, this.cells[which]),
      ),
    );
    this.grid.frame.answer.replaceChildren(...this.lines);
  }

  /** Ask for the answer with what is switched. */
  ask() {
    const { grid } = this;
    if (!isSwitched(grid.view) || !grid.header.checkpoint) {
      this.rest();
      this.now = this.before;
      this.show();
      return;
    }
    const { off, eps, skip, relevance } = grid.view;
    const question = JSON.stringify([this.subject, off, eps, skip, relevance]);
    const request = { pictures: [grid.header.ask], asks: [askOf(grid)] };
    this.asker.ask(question, request, (answer) => this.heard(answer), grid.header.origin.digest);
    this.note();
  }

  heard({ error, arrays }) {
    this.rest();
    if (error) return;
    this.now = { logits: arrays.logits, probabilities: arrays.probabilities };
    this.show();
  }

  /** Nothing is awaited any more. */
  rest() {
    this.asker.rest();
    this.grid.root.classList.remove("waiting");
  }

  get pending() {
    return this.asker.pending;
  }

  show() {
    const { frame, header, root } = this.grid;
    const [was, is] = [best(this.before.probabilities), best(this.now.probabilities)];
    this.lines.forEach((line, which) => {
      say(this.cells[which], percent(this.now.probabilities[which]));
      this.bars[which].now.style.transform = `scaleX(${this.now.probabilities[which]})`;
      this.bars[which].before.style.left = `${100 * this.before.probabilities[which]}%`;
      line.classList.toggle("first", which === is);
    });
    const changed = this.now !== this.before;
    root.classList.toggle("switched", changed);
    say(frame.answerHow, changed ? (was === is ? "still the same" : `before: ${header.classes[was]}`) : "");
    set(frame.answer, "aria-label", this.summary());
    this.note();
  }

  /** Leave what is shown where a program can read it. */
  note() {
    const { logits, probabilities } = this.now;
    this.grid.root.dataset.answer = JSON.stringify({
      pending: this.pending,
      logits: [...logits],
      probabilities: [...probabilities],
    });
  }

  /** The answer, for what is saved: "8, 98.3 %"; with a word where it is not the one to what is switched. */
  get said() {
    const {
      header: { classes },
      view,
    } = this.grid;
    const is = best(this.now.probabilities);
    const before = this.pending || (this.now === this.before && isSwitched(view)) ? " (before the switches)" : "";
    return `${classes[is]}, ${percent(this.now.probabilities[is])}${before}`;
  }

  /** The answer in words. */
  summary() {
    const {
      header: { classes, label },
    } = this.grid;
    const [was, is] = [best(this.before.probabilities), best(this.now.probabilities)];
    const truth = label === null ? "" : label === classes[is] ? ", which is correct" : `; the picture shows ${label}`;
    const before =
      this.now === this.before ? "" : ` Before: ${classes[was]}, ${percent(this.before.probabilities[was])}.`;
    return `The model\u2019s answer: ${classes[is]}, ${percent(this.now.probabilities[is])}${truth}.${before}`;
  }

  leave() {
    this.asker.close();
  }
}
