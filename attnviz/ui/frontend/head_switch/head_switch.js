// Heads that can be switched off or made uniform, and the answer at once, over the live channel. Python's side is
// attnviz/ui/components/head_switch.py, which also describes the states in the URL.

import { AnswerChange } from "./answer_change.js";
import { editsOf, headsIn, linkTo, logOdds, noteOf, rowsOf, turned } from "./derive.js";
import { answers, best } from "../core/numbers.js";
import { element, set } from "../core/dom.js";
import { saversOf } from "../hands/controls.js";
import { HINTS } from "../hands/hints.js";
import { MapGrid } from "../map_grid/map_grid.js";
import { mountable, Part } from "../core/part.js";
import { Asker } from "../live/asker.js";
import { Complaint } from "../core/complaint.js";

const CSV = "CSV of the answer";
const LOST = "The live connection is lost. The new answer takes a moment longer.";

export class HeadSwitch extends Part {
  /** @type {Answered} with all heads on; known with the first data */ before;
  /** @type {Answered} with the present states of the heads */ now;
  /** @type {string} the head that was switched last, in words */ acted;

  constructor(parent) {
    super();
    this.states = [];
    this.history = [];
    this.answered = null; // the question of the shown answer
    this.source = "page";
    this.answer = new AnswerChange();
    this.tilesHolder = element("div.tiles-holder");
    this.tiles = new MapGrid(this.tilesHolder, {
      owner: this,
      hint: HINTS.switch,
      tiles: ({ labels }) => ({
        tiles: labels.map((label, head) => ({ name: String(head + 1), spoken: label })),
        ranges: true,
        atOnce: true,
      }),
      clicked: (head) => this.act(turned(this.states, head), head),
      written: () => this.sayStates(),
    });
    this.complaint = new Complaint();
    this.asker = new Asker({
      guard: (act) => this.guard(act),
      complaint: this.complaint,
      lost: LOST,
      dim: () => this.root.classList.add("waiting"),
    });
    this.undoer = this.button("Undo", () => this.undo());
    const all = (state) => () =>
      this.act(
        this.states.map(() => state),
        null,
      );
    this.mount(
      parent,
      "head-switch",
      "head_switch",
      this.complaint.element,
      this.answer.element,
      element(
        "section.heads-part",
        {},
        element(
          "div.all",
          { role: "group", "aria-label": "All heads" },
          this.button("All on", all("on")),
          this.button("All off", all("off")),
          this.button("All uniform", all("uniform")),
          this.undoer,
          saversOf(this, {}, [CSV]).element,
        ),
        this.tilesHolder,
      ),
    );
  }

  receive(bytes, added) {
    this.asker.open();
    this.takeNew(bytes, added);
    this.failure.hidden = true;
    this.tiles.refresh();
    this.draw();
  }

  takeData() {
    const { header, arrays, shapes } = this;
    const known = JSON.stringify(header.states);
    // The visitor may have switched heads since the page answered: only a new request changes the states here.
    const asked = this.asked("switched");
    if (asked || header.states.length !== this.states.length) {
      this.states = [...(asked?.value ?? header.states)];
      this.history = [];
      this.noteSettled();
    }
    const subject = JSON.stringify([header.origin, header.labels.length]);
    if (subject !== this.subject) {
      this.subject = subject;
      this.answer.name(header.classes, header.label);
      const heads = header.labels.length === 1 ? "The head" : `${header.labels.length} heads`;
      const title = `${heads}: the attention that each token receives`;
      this.tiles.hold(subject, {
        header: { ...header, role: "share", scale: "share", bounds: null, title },
        arrays: { maps: arrays.maps, picture: arrays.picture },
        shapes: { maps: shapes.maps, picture: shapes.picture },
      });
    }
    this.before = { logits: arrays.before_logits, probabilities: arrays.before_probabilities };
    if (!this.pending && this.answered === this.question) return; // the live channel has answered first
    if (JSON.stringify(this.states) === known)
      this.take({ logits: arrays.now_logits, probabilities: arrays.now_probabilities }, "page");
    else this.ask();
  }

  // Actions of the visitor

  /** Switch heads. @param {string[]} states of all @param {number|null} head that was clicked */
  act(states, head) {
    if (states.join() === this.states.join()) return;
    this.history.push(this.states);
    this.change(states, head);
  }

  undo() {
    if (this.history.length) this.change(this.history.pop(), null);
  }

  change(states, head) {
    this.states = states;
    this.acted = head === null ? "" : `Head ${head + 1} ${states[head]}. `;
    this.toAnnounce = true;
    this.ask();
    this.sayStates();
    this.draw();
    this.settle();
  }

  key(event) {
    if (event.key.toLowerCase() !== "z" || !(event.ctrlKey || event.metaKey) || event.shiftKey || event.altKey) return;
    this.undo();
    event.preventDefault();
  }

  settled() {
    return { switched: this.states };
  }

  /** State and entropy under each tile. */
  sayStates() {
    const { tiles, arrays } = this;
    this.states.forEach((state, head) => tiles.sayTile(head, noteOf(state, arrays.entropy[head], tiles.shown >= 0)));
  }

  // The answer

  /** The subject that an answer must match to be shown: picture, weights, and states of the heads. */
  get question() {
    return `${this.subject} ${this.states.join()}`;
  }

  ask() {
    const { header, question } = this;
    const asks = [{ checkpoint: header.checkpoint, edits: editsOf(this.states, header.address) }];
    const hear = ({ error, arrays }) => {
      if (error) return; // still pending from the page
      this.take({ logits: arrays.logits, probabilities: arrays.probabilities }, "live");
      this.draw();
    };
    this.asker.ask(question, { pictures: [header.picture], asks }, hear, header.origin.digest);
  }

  /** Whether an answer is pending. */
  get pending() {
    return this.asker.pending;
  }

  take(now, source) {
    Object.assign(this, { now, source, answered: this.question });
    this.asker.rest();
    this.root.classList.remove("waiting");
  }

  // Drawing

  layout() {}

  draw() {
    if (!this.pending) this.answer.show(this.now, this.before);
    this.saySoon();
  }

  read() {
    const { before, now, pending, states, header } = this;
    const numbers = (answer) => ({
      logits: [...answer.logits],
      probabilities: [...answer.probabilities],
      log_odds: logOdds(answer.logits),
    });
    return {
      states,
      pending,
      source: pending ? null : this.source,
      before: numbers(before),
      now: pending ? null : numbers(now),
      classes: header.classes,
    };
  }

  declared() {
    const { before, now, pending, states, header } = this;
    if (pending) return {};
    return {
      ...answers(header.classes, before.probabilities, now.probabilities),
      off: headsIn(states, "off").length,
      uniform: headsIn(states, "uniform").length,
      heads: states.length,
    };
  }

  sayAll() {
    set(this.undoer, "aria-disabled", String(!this.history.length));
    if (!this.pending) this.announceDone(() => this.acted + this.answer.summary(this.now, this.before));
  }

  async files() {
    const { fileNameOf, save, toCsv } = await import("../export/export.js");
    return { [CSV]: () => this.saveCsv(fileNameOf, save, toCsv) };
  }

  get page() {
    return linkTo(location.href, this.states);
  }

  saveCsv(fileNameOf, save, toCsv) {
    const { header, states, before, now } = this;
    const counted = (state) =>
      headsIn(states, state)
        .map((head) => head + 1)
        .join(" ") || "none";
    const origin = {
      ...header.origin,
      off: counted("off"),
      uniform: counted("uniform"),
      answer: header.classes[best(now.probabilities)],
      page: this.page,
    };
    const rows = rowsOf(header.classes, now, before);
    save(
      `${fileNameOf(header.origin.model, header.origin.image, "heads")}.csv`,
      toCsv(origin, ["class", "probability before", "probability now", "log-odds before", "log-odds now"], rows),
      "text/csv",
    );
  }

  leave() {
    super.leave();
    this.tiles.leave();
  }
}

export default mountable(HeadSwitch);
