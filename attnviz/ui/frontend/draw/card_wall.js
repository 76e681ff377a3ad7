// The cards of the draw page on the screen: when they are painted, their size, and the sentence above them.

import { palettes } from "../core/colours.js";
import { say, set } from "../core/dom.js";
import { Frames } from "./frames.js";
import { sayLegend } from "./maps_note.js";
import { claimOf, headline, NONE } from "./verdict.js";

const WIDEST = 320; // CSS pixels of a picture
const READABLE = 250; // minimum number of milliseconds for which a model's time is shown

/** A grid of cards; cards.js makes its elements, asks the models, and implements `settle`. */
export class CardWall {
  /** @type {ReturnType<typeof import("./frame.js").makeFrame>} */ frame;
  /** @type {HTMLElement} */ element;
  /** @type {import("./pin.js").Pin} */ pin;
  /** @type {import("./questions.js").Questions} */ questions;
  /** @type {import("./card.js").Card[]} */ cards = [];
  /** @type {ReturnType<typeof import("./arrays.js").enlarged>} taken before anything is shown */ sample;
  /** @type {any} the question with all its answers, which are not painted yet */ done = null;
  /** @type {any} the question whose answers are on the screen */ shown;
  /** @type {any} data about the first answer, to be reported */ toHear = null;
  /** @type {string[]} all that can be drawn */ classes = [];
  kind = ""; // their name
  /** @type {"attention"|"jacobian"} the contents of the cards */ map = "attention";
  ink = true; // whether drawings are ink on paper
  size = ""; // the width of the present layout
  relayout = false; // whether the cards have changed
  timed = 0; // when times were shown last

  /** @param {{heard: (seen: any) => void, guard: (act: () => void) => void}} owner */
  constructor({ heard, guard }) {
    this.heard = heard;
    this.guard = guard;
    this.frames = new Frames(() => this.guard(() => this.paint()));
  }

  /** Called when all answers to a question are on the screen and the hand rests. @param {any} _done */
  settle(_done) {}

  /** Take the colours of a theme. */
  colour(theme) {
    if (JSON.stringify(theme) === JSON.stringify(this.look?.theme)) return;
    this.look = { theme, palettes: palettes(theme) };
    sayLegend(this);
    this.pin.paint(this.cards, this.look);
    this.paintAll();
  }

  /** Follow the width: all pictures have one size. */
  layout() {
    this.frame.legend.layout();
    const width = this.cards[0]?.element.querySelector(".says")?.clientWidth ?? 0;
    const size = `${width} ${devicePixelRatio}`;
    if (!width || (size === this.size && !this.relayout)) return;
    Object.assign(this, { size, relayout: false });
    // before the style sheet loads, it is as wide as the page
    for (const card of this.cards) card.layout(Math.min(width, WIDEST));
    this.paintAll();
  }

  paintAll() {
    for (const card of this.cards) card.dirty = true;
    this.frames.soon();
  }

  paint() {
    if (!this.look) return;
    const { done } = this;
    this.done = null;
    this.claim();
    // Nobody can read a number that changes at every frame, and it makes the browser lay out the card again.
    const now = performance.now();
    const times = !done || done.settled || now - this.timed > READABLE;
    if (times) this.timed = now;
    for (const card of this.cards) {
      if (!card.dirty) continue;
      card.dirty = false;
      card.draw({ ...this.look, ink: this.ink }, { change: this.pin.change, sample: this.sample, times });
    }
    if (this.toHear) this.heard(this.toHear);
    this.toHear = null;
    const { sentence, doubt } = this.questions.showing?.empty
      ? { sentence: "This is a sample: draw to begin.", doubt: false }
      : headline(this);
    const { words } = this.frame;
    say(words.begin, sentence);
    say(words.none, doubt ? ` ${NONE}` : "");
    if (!done) return;
    this.shown = done;
    set(this.element, "data-answered", String(done.turn));
    this.pin.allow();
    if (done.settled && done.seen.length && done.turn === this.questions.turn) this.settle(done);
  }

  /** The answer of the best model that knows ten digits, if it is confident: models of two may not know the digit. */
  claim() {
    const claim = claimOf(this.cards);
    for (const card of this.cards) {
      if (card.claim !== claim && !card.knowsAll) card.dirty = true;
      card.claim = claim;
    }
  }
}
