// The cards of the draw page: every model looks at what is drawn while it is being drawn, over the live channel.
// attnviz/ui/draw_cards.py says which models there are and what each card shows; draw_card.js draws one of them.

import { makeScale, palettes } from "./colours.js";
import { Segments } from "./controls.js";
import { element, say, set, text } from "./dom.js";
import { Card } from "./draw_card.js";
import { wordOf } from "./draw_links.js";
import { Legend } from "./legend.js";
import { Live } from "./live.js";
import { colourAt } from "./paint.js";

const SIDE = 28;
const WIDEST = 320; // CSS pixels of a picture
const PATIENCE = 50; // milliseconds that the answers of one turn may wait for one another
const READABLE = 250; // milliseconds that the time of a model is shown at least
const SLOW = 200; // milliseconds after which an answer that is still awaited makes the old one pale
const LOST = "The live connection is lost. The cards go on as soon as it is back.";
const NOTE = "Multiples of an even share; the thin line is the edge of the ink. What a pixel adds: blue for the answer, brown against it.";
const CHANGE = "How many times the pinned share. Of what a pixel adds, and of the digit: blue is more than before, brown less.";

// What outlives the page: which head each model shows, once the visitor has chosen, and what was pinned.
const heads = new Map();
let pinned = null;

/** A grid of cards. */
export class Cards {
  /**
   * @param {HTMLElement} node that it is put into
   * @param {object} options
   * @param {function({picture: Uint8Array|null, words: string})} options.heard what the models saw, and how it was made
   * @param {function(string)} [options.settled] the word of the picture that the answers on the screen belong to
   * @param {function(string)} [options.announce] says something to those who cannot see
   * @param {function(function())} [options.guard] runs what must not fail
   */
  constructor(node, { heard, settled = () => {}, announce = () => {}, guard = (act) => act() }) {
    Object.assign(this, { heard, settledAs: settled, announce, guard, cards: [], turn: 0, showing: null, asking: null, pin: null, change: false, timed: 0 });
    this.words = { begin: text(), complaint: text() };
    this.begin = element("p.begin", {}, this.words.begin);
    this.complaint = element("p.complaint", { hidden: true, role: "status" }, this.words.complaint);
    this.pinner = element("button.quiet.pin", { type: "button", "aria-disabled": "true", onclick: () => this.guard(() => this.togglePin()) }, "Pin");
    this.pinnedPicture = element("canvas", { width: SIDE, height: SIDE, role: "img", "aria-label": "The pinned drawing", hidden: true });
    this.maps = new Segments("Maps", { now: "now", change: "change since pinned" }, (which) => this.guard(() => this.compare(which === "change")));
    this.maps.element.hidden = true;
    this.grid = element("div.card-grid");
    this.legend = new Legend();
    this.element = element("div.draw-cards", {},
      element("div.bar-of-cards", {}, this.begin, element("span.pinned", {}, this.maps.element, this.pinnedPicture, this.pinner)),
      this.complaint, this.grid, this.legend.element);
    this.element.readCards = () => this.readings();
    node.append(this.element);
    if (pinned) this.pin = { showing: pinned, stale: true };
    this.sayPin();
    this.sayLegend();
  }

  /**
   * Take the models that have cards; those that were there already keep their answers.
   * @param {{models: object[]}} header
   * @param {Uint8Array} sample of 28 x 28: what they look at before the first stroke
   */
  take({ models }, sample) {
    const known = new Map(this.cards.map((card) => [card.model.checkpoint, card]));
    const written = JSON.stringify(models);
    if (!this.sample || this.sample.join() !== sample.join()) this.sample = sample.slice();
    if (written === this.written) return;
    this.written = written;
    this.cards = models.map((model) => known.get(model.checkpoint) ?? this.made(model));
    this.grid.replaceChildren(...this.cards.map((card) => card.element));
    this.relayout = true;
    this.layout();
    if (this.showing) this.again();
  }

  made(model) {
    const card = new Card(model, (head) => this.guard(() => {
      heads.set(model.checkpoint, head);
      this.again();
    }));
    card.head = heads.get(model.checkpoint) ?? null;
    return card;
  }

  /** Connect, unless it is connected. */
  open() {
    this.channel ??= new Live((state) => this.guard(() => this.become(state)));
    this.next();
  }

  become(state) {
    this.complain(state === "lost" ? LOST : "");
    if (state === "ready" && this.failed) this.again();
    this.failed = false;
  }

  /** Close the connection; what is on the screen stays. */
  close() {
    cancelAnimationFrame(this.painted);
    clearTimeout(this.slow);
    clearTimeout(this.early);
    this.channel?.close();
    Object.assign(this, { channel: null, painted: null, asking: null, slow: null, early: null });
  }

  // Asking

  /**
   * Let the models look at a drawing. The newest wins: what is shown is never of an older one than what was shown before.
   * @param {import("./live.js").Values} raster of 280 x 280
   * @param {{centred: boolean, settled: boolean, empty: boolean}} how settled: the stroke has ended; empty: nothing is
   *   drawn, and the cards look at the sample
   * @returns {number} the turn, which `data-answered` has once all of it is on the screen
   */
  show(raster, { centred, settled, empty }) {
    const [values, shape] = [this.sample, [SIDE, SIDE, 1]];
    this.showing = { turn: ++this.turn, empty, settled, ...(empty ? { pictures: { values, shape } } : { pictures: raster, prepare: { centred } }) };
    this.next();
    return this.turn;
  }

  /** Ask once more about the same drawing: another head is wanted, or another model. */
  again() {
    if (!this.showing) return;
    if (this.pin) this.pin.stale = true;
    this.showing = { ...this.showing, turn: ++this.turn };
    this.next();
  }

  next() {
    if (!this.channel || this.asking || !this.cards.length) return;
    const what = this.pin?.stale ? { ...this.pin.showing, pinned: true } : this.showing;
    if (!what || (!what.pinned && what.turn === this.answered)) return;
    if (what.pinned) this.pin.stale = false;
    this.asking = { ...what, cards: this.cards, heads: this.cards.map((card) => card.head), first: true };
    const { pictures, prepare, cards } = this.asking;
    const asked = this.asking;
    this.wait();
    this.channel.ask({ pictures, prepare, asks: cards.map((card) => card.asked) }, (answer) => this.guard(() => this.hear(answer, asked)));
  }

  wait() {
    if (this.slow) return;
    this.slow = setTimeout(() => this.guard(() => this.dim()), SLOW);
  }

  dim() {
    this.slow = null;
    for (const card of this.cards) card.element.classList.toggle("waiting", this.asking !== null && !this.asking.pinned && card.turn !== this.asking.turn);
  }

  /** Take one model's answer; where that was the last, ask about what has been drawn since. */
  hear(answer, asked) {
    if (asked !== this.asking) return;
    if (answer.done) {
      this.asking = null;
      clearTimeout(this.slow);
      this.slow = null;
      if (!asked.pinned) this.answered = asked.turn;
      this.next(); // before anything is painted: the server computes meanwhile
    }
    this.failed = answer.ask === undefined;
    if (this.failed) this.complain(answer.error);
    else this.place(answer, asked.cards[answer.ask], asked);
    if (answer.done && !asked.pinned && !this.failed) this.done = asked;
    if (answer.done && asked.pinned) this.sayPin();
    // One frame for all cards costs a fraction of one for each; only where a model is slow the others do not wait for it.
    if (answer.done) this.paintNow();
    else this.early ??= setTimeout(() => this.paintSoon(), PATIENCE);
  }

  place({ ask, error, arrays, heads: which, milliseconds, prepared }, card, asked) {
    card.turn = asked.turn;
    card.element.classList.remove("waiting");
    if (error) {
      card.refused = error;
      card.dirty = true;
      return;
    }
    asked.seen ??= asked.empty ? asked.pictures.values : arrays.seen;
    const { probabilities, logits, map = null } = arrays;
    const head = card.model.heads ? which.map ?? asked.heads[ask] : null;
    const answer = { probabilities, logits, map, seen: asked.seen, head, milliseconds };
    card.dirty = true;
    if (asked.pinned) {
      card.pin(answer);
      return;
    }
    card.take(answer);
    if (!asked.first) return;
    asked.first = false;
    this.complain("");
    this.toHear = asked.empty ? { picture: null, words: "" } : { picture: asked.seen, words: prepared.words };
  }

  // Pinning

  togglePin() {
    if (this.pin) this.unpin();
    else this.pinNow();
    this.paintAll();
  }

  /** Keep the answers on the screen, to compare those to come with them. */
  pinNow() {
    if (!this.shown) return;
    pinned = this.shown;
    this.pin = { showing: pinned, stale: false };
    for (const card of this.cards) card.pin(card.answer);
    this.sayPin();
    this.announce("Pinned. The cards now say how answers change.");
  }

  unpin() {
    this.pin = pinned = null;
    for (const card of this.cards) card.pin(null);
    this.compare(false);
    this.sayPin();
    this.announce("Unpinned.");
  }

  sayPin() {
    const { pin } = this;
    say(this.pinner.firstChild, pin ? "Unpin" : "Pin");
    set(this.pinner, "aria-pressed", String(pin !== null));
    this.maps.element.hidden = this.pinnedPicture.hidden = !pin;
    this.element.classList.toggle("has-pin", pin !== null);
    this.maps.show(this.change ? "change" : "now");
    this.paintPin();
  }

  paintPin() {
    const seen = this.cards.find((card) => card.pinned)?.pinned.seen;
    if (!seen || !this.look) return;
    const pixels = new Uint32Array(SIDE * SIDE).map((_, at) => colourAt(seen, at, 1, this.look.palettes.ink));
    this.pinnedPicture.getContext("2d").putImageData(new ImageData(new Uint8ClampedArray(pixels.buffer), SIDE), 0, 0);
  }

  /** @param {boolean} change show how the maps differ from the pinned ones */
  compare(change) {
    this.change = change;
    this.sayLegend();
    this.paintAll();
  }

  // Drawing

  /** Take the colours of a theme. */
  colour(theme) {
    if (JSON.stringify(theme) === JSON.stringify(this.look?.theme)) return;
    this.look = { theme, palettes: palettes(theme) };
    this.legend.colour(this.look.palettes.diverging);
    this.paintPin();
    this.paintAll();
  }

  /** Follow the width: all pictures have one size. */
  layout() {
    this.legend.layout();
    const width = this.cards[0]?.element.querySelector(".says").clientWidth ?? 0;
    const size = `${width} ${devicePixelRatio}`;
    if (!width || (size === this.size && !this.relayout)) return;
    Object.assign(this, { size, relayout: false });
    for (const card of this.cards) card.layout(Math.min(width, WIDEST)); // before the style sheet is there, it is as wide as the page
    this.paintAll();
  }

  paintAll() {
    for (const card of this.cards) card.dirty = true;
    this.paintSoon();
  }

  paintSoon() {
    clearTimeout(this.early);
    this.early = null;
    this.painted ??= requestAnimationFrame(() => {
      this.painted = null;
      this.guard(() => this.paint());
    });
  }

  /** Paint while the browser waits for its next frame: that then has less to do. */
  paintNow() {
    clearTimeout(this.early);
    cancelAnimationFrame(this.painted);
    this.early = this.painted = null;
    this.guard(() => this.paint());
  }

  paint() {
    if (!this.look) return;
    const { done } = this;
    this.done = null;
    this.claim();
    // Nobody reads a number that changes at every frame, and it makes the browser lay out the card anew.
    const now = performance.now();
    const times = !done || done.settled || now - this.timed > READABLE;
    if (times) this.timed = now;
    for (const card of this.cards) {
      if (!card.dirty) continue;
      card.dirty = false;
      card.draw(this.look, { change: this.change, sample: this.sample, times });
    }
    if (this.toHear) this.heard(this.toHear);
    this.toHear = null;
    say(this.words.begin, this.showing?.empty ? "This is a sample: draw to begin." : this.headline());
    if (!done) return;
    this.shown = done;
    set(this.element, "data-answered", String(done.turn));
    set(this.pinner, "aria-disabled", "false");
    if (done.settled && done.seen && done.turn === this.turn) this.settle(done);
  }

  /** What the best of the models that know ten digits answers, if it is sure: those that know only two may not know it. */
  claim() {
    const knowing = this.cards.filter(({ model, answer }) => model.classes.length > 2 && answer);
    const best = knowing.reduce((one, other) => (!one || other.model.accuracy > one.model.accuracy ? other : one), null);
    const claim = best?.sure ? best.best : "";
    for (const card of this.cards) {
      if (card.claim !== claim && card.model.classes.length === 2) card.dirty = true;
      card.claim = claim;
    }
  }

  /** The hand rests: say the answers, and let the cards lead to this very picture. */
  async settle({ turn, seen, empty }) {
    if (!empty) this.announce(this.summary());
    let word = "";
    try {
      word = await wordOf(seen);
    } catch (error) {
      console.warn("attnviz:", error); // an old browser: the cards lead nowhere
    }
    if (turn !== this.turn) return;
    this.guard(() => {
      for (const card of this.cards) card.settle(word);
      set(this.element, "data-settled", String(turn));
      this.settledAs(empty ? "" : word);
    });
  }

  /** Who answers what: [digit, cards], the most frequent answer first. */
  votes() {
    const votes = new Map();
    for (const card of this.cards) {
      if (card.answer) votes.set(card.best, [...(votes.get(card.best) ?? []), card]);
    }
    return [...votes].sort(([, one], [, other]) => other.length - one.length);
  }

  headline() {
    const [first] = this.votes();
    return first ? `${first[1].length} of ${this.cards.length} models answer ${first[0]}.` : "";
  }

  /** The answers in words. */
  summary() {
    const others = this.votes().slice(1).map(([digit, cards]) => `${digit}: ${cards.map(({ model }) => `${model.title}, ${model.kind}`).join("; ")}.`);
    return [this.headline(), ...others].join(" ");
  }

  sayLegend() {
    this.legend.say(makeScale("share"), this.change ? CHANGE : NOTE);
  }

  complain(sentence) {
    say(this.words.complaint, sentence);
    this.complaint.hidden = !sentence;
  }

  readings() {
    return { turn: this.turn, answered: this.answered ?? null, sample: Boolean(this.showing?.empty), cards: this.cards.map((card) => card.reading) };
  }
}
