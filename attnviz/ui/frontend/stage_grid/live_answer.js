// The answer next to the stage grid: of the trained model, and over the live channel with the switches applied.

import { best } from "../core/numbers.js";
import { say } from "../core/dom.js";
import { Asker } from "../live/asker.js";
import { isSwitched } from "./view.js";

const LOST = "The live connection is lost: the stages follow your switches, but the answer is the previous one.";

/** The outputs to request besides the logits, and the edits for the heads that are off. */
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
    ...(view.relevance === "other" ? { data: header.asked.data, other: header.other.number } : {}),
  };
  const wanted = Object.keys(parameters).length ? { stages: { derived: header.derived, parameters } } : {};
  return { checkpoint: header.checkpoint, edits, wanted };
}

/** The model's answer, with the switches and as trained. */
export class LiveAnswer {
  /** @type {Answered} as it was trained; known with the first data */ before;
  /** @type {Answered} with the switches applied */ now;
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

  /** Take the answer from the data. */
  take() {
    const { header, arrays } = this.grid;
    this.before = { logits: arrays.logits, probabilities: arrays.probabilities };
    const subject = JSON.stringify([header.origin, header.classes]);
    if (subject !== this.subject) this.grid.frame.answer.name(header.classes, header.label);
    this.subject = subject;
    this.now = this.before;
    this.show();
    this.ask();
  }

  /** Request the answer with the switches applied. */
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
    const request = { pictures: [grid.header.asked], asks: [askOf(grid)] };
    this.asker.ask(question, request, (answer) => this.heard(answer), grid.header.origin.digest);
  }

  heard({ error, arrays }) {
    this.rest();
    if (error) return;
    this.now = { logits: arrays.logits, probabilities: arrays.probabilities };
    this.show();
    this.grid.showReading();
  }

  /** Stop waiting for an answer. */
  rest() {
    this.asker.rest();
    this.grid.root.classList.remove("waiting");
  }

  get pending() {
    return this.asker.pending;
  }

  show() {
    const { frame, header, root } = this.grid;
    frame.answer.show(this.now, this.before);
    const [was, is] = [best(this.before.probabilities), best(this.now.probabilities)];
    const changed = this.now !== this.before;
    root.classList.toggle("switched", changed);
    say(frame.answerHow, changed ? (was === is ? "still the same" : `before: ${header.classes[was]}`) : "");
  }

  read() {
    const { logits, probabilities } = this.now;
    return { pending: this.pending, logits: [...logits], probabilities: [...probabilities] };
  }

  /** The answer for saved files: "8, 98.3 %"; with a note if it does not match the switches. */
  get text() {
    const { frame, view } = this.grid;
    const before = this.pending || (this.now === this.before && isSwitched(view)) ? " (before the switches)" : "";
    return frame.answer.words(this.now) + before;
  }

  /** The answer in words. */
  summary() {
    return this.grid.frame.answer.summary(this.now, this.before);
  }
}
