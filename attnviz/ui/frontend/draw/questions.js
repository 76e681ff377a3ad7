// What the models are asked over the live channel while a hand draws: one question at a time, about the newest drawing.
// What is pinned is asked about first, where the panels lack its answers.

import { Asker } from "../live/asker.js";

const LOST = "The live connection is lost. The panels continue as soon as it is back.";

export class Questions {
  /**
   * @param {object} owner
   * @param {(act: () => void) => void} owner.guard runs what must not fail
   * @param {import("../core/complaint.js").Complaint} owner.complaint
   * @param {import("./pin.js").Pin} owner.pin
   * @param {() => import("./card.js").Card[]} owner.cards those whose models are asked
   * @param {() => void} owner.renewed something else is asked from now on
   * @param {(answer: any, asked: any) => void} owner.hear an answer of one model, and what was asked
   */
  constructor({ guard, complaint, pin, cards, renewed, hear }) {
    this.pin = pin;
    this.cards = cards;
    this.renewed = renewed;
    this.hear = hear;
    this.turn = 0;
    /** @type {any} */
    this.showing = null; // the drawing that the panels follow, as `show` makes it
    /** @type {any} */
    this.asking = null; // the question whose answers are awaited
    this.answered = /** @type {number|null} */ (null); // the last turn of which all answers came
    this.failed = false; // the last question came to nothing
    const dim = () => this.dim();
    this.asker = new Asker({ guard, complaint, lost: LOST, dim, changed: (state) => this.become(state), each: true });
  }

  /** Connect, unless it is connected. */
  open() {
    this.asker.open();
    this.next();
  }

  become(state) {
    if (state === "ready" && this.failed) this.again();
    this.failed = false;
  }

  /** Close the connection. */
  close() {
    this.asker.close();
    this.asking = null;
  }

  /**
   * Ask about a drawing. The newest wins: what is heard is never of an older one than what was heard before.
   * @param {{pictures: any, prepare: any, [name: string]: any}} showing
   * @returns {number} the turn
   */
  show(showing) {
    this.showing = { ...showing, turn: ++this.turn };
    this.renewed();
    this.next();
    return this.turn;
  }

  /**
   * Ask once more about the same drawing: another head is wanted, or another model.
   * @param {boolean} pinned of what is pinned, too
   */
  again(pinned = true) {
    if (!this.showing) return;
    if (pinned) this.pin.stale = this.pin.showing !== null;
    this.show(this.showing);
  }

  /** Whether an answer is awaited: to what is drawn, or to what is pinned. */
  get awaited() {
    if (!this.showing || !this.cards().length) return false;
    return this.asking !== null || this.pin.stale || this.answered !== this.turn;
  }

  /** Whether there is no connection over which an answer could come. */
  get lost() {
    return this.asker.live === null || this.asker.live.state === "lost";
  }

  next() {
    const cards = this.cards();
    if (!this.asker.isOpen || this.asking || !cards.length) return;
    const what = this.pin.stale ? { ...this.pin.showing, pinned: true } : this.showing;
    if (!what || (!what.pinned && what.turn === this.answered)) return;
    if (what.pinned) this.pin.stale = false;
    const asks = cards.map((card) => (what.pinned ? card.askedAt(what.trained) : card.asked));
    const asked = { ...what, cards, asks, first: true, seen: [] };
    this.asking = asked;
    const request = { pictures: asked.pictures, prepare: asked.prepare, asks };
    this.asker.ask(asked, request, (answer) => this.take(answer, asked));
  }

  /** Make what still awaits its answer pale. */
  dim() {
    const { asking } = this;
    for (const card of this.cards())
      card.element.classList.toggle("waiting", asking !== null && !asking.pinned && card.turn !== asking.turn);
  }

  /** Take one model's answer; where that was the last, ask about what has been drawn since. */
  take(answer, asked) {
    if (answer.done) {
      this.asking = null;
      this.asker.rest();
      if (!asked.pinned) this.answered = asked.turn;
      this.next(); // before anything is painted: the server computes meanwhile
    }
    this.failed = answer.ask === undefined;
    this.hear(answer, asked);
  }
}
