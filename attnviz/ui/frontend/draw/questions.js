// Questions to the models over the live channel while a hand draws: one at a time, about the newest drawing. The pin
// comes first, if the panels lack its answers.

import { Asker } from "../live/asker.js";

const LOST = "The live connection is lost. The panels continue as soon as it is back.";

export class Questions {
  /**
   * @param {object} owner
   * @param {(act: () => void) => void} owner.guard runs a function and reports its failure
   * @param {import("../core/complaint.js").Complaint} owner.complaint
   * @param {import("./pin.js").Pin} owner.pin
   * @param {() => import("./card.js").Card[]} owner.cards the cards whose models are asked
   * @param {() => void} owner.renewed called when the question changes
   * @param {(answer: any, asked: any) => void} owner.hear called with the answer of one model, and the question
   */
  constructor({ guard, complaint, pin, cards, renewed, hear }) {
    this.pin = pin;
    this.cards = cards;
    this.renewed = renewed;
    this.hear = hear;
    this.turn = 0;
    /** @type {any} */
    this.showing = null; // the drawing that the panels follow, made by `show`
    /** @type {any} */
    this.asking = null; // the question whose answers are pending
    this.answered = /** @type {number|null} */ (null); // the last turn with all its answers
    this.failed = false; // whether the last question failed
    const dim = () => this.dim();
    this.asker = new Asker({ guard, complaint, lost: LOST, dim, changed: (state) => this.become(state), each: true });
  }

  /** Connect, unless connected. */
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
   * Ask about a drawing. The newest wins: an answer never belongs to an older drawing than the answer before it.
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
   * Ask again about the same drawing, for another head or another model.
   * @param {boolean} pinned also about the pin
   */
  again(pinned = true) {
    if (!this.showing) return;
    if (pinned) this.pin.stale = this.pin.showing !== null;
    this.show(this.showing);
  }

  /** Whether an answer is pending, for the drawing or for the pin. */
  get awaited() {
    if (!this.showing || !this.cards().length) return false;
    return this.asking !== null || this.pin.stale || this.answered !== this.turn;
  }

  /** Whether the connection is lost. */
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

  /** Turn panels that wait for an answer pale. */
  dim() {
    const { asking } = this;
    for (const card of this.cards())
      card.element.classList.toggle("waiting", asking !== null && !asking.pinned && card.turn !== asking.turn);
  }

  /** Take one model's answer; after the last one, ask about what has been drawn since. */
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
