// The panels of the draw page: every model answers over the live channel while the visitor draws.
// attnviz/ui/draw/panels.py lists the models and the contents of each panel; card.js draws one panel.

import { Complaint } from "../core/complaint.js";
import { set } from "../core/dom.js";
import { answerOf, enlarged } from "./arrays.js";
import { Card, explainHeads } from "./card.js";
import { CardWall } from "./card_wall.js";
import { makeFrame } from "./frame.js";
import { Jacobians } from "./jacobian.js";
import { wordOfAll, wordsOf } from "./links.js";
import { sayLegend } from "./maps_note.js";
import { Pin } from "./pin.js";
import { Questions } from "./questions.js";
import { Training } from "./training.js";
import { declaredOf, summary } from "./verdict.js";

/** The cards and their questions. */
export class Cards extends CardWall {
  written = ""; // the models with cards

  /**
   * @param {HTMLElement} node the container
   * @param {object} options
   * @param {(seen: {seen: any, words: string}) => void} options.heard gets the first model's input and its making
   * @param {(word: string) => void} [options.settled] called with the word of the picture whose answers are shown
   * @param {() => void} [options.chosen] called after a choice, which `shownBy` in links.js returns
   * @param {(words: string) => void} [options.announce] makes an announcement to screen readers
   * @param {(act: () => void) => void} [options.guard] runs a function and reports its failure
   * @param {() => string|null} [options.url] returns a link to this view, if possible
   */
  constructor(
    node,
    { heard, settled = () => {}, chosen = () => {}, announce = () => {}, guard = (act) => act(), url = () => null },
  ) {
    super({ heard, guard });
    this.settledAs = settled;
    this.chosen = chosen;
    this.announce = announce;
    this.url = url;
    /** @type {Record<string, number>} the chosen heads, by model */
    this.heads = {};
    this.jacobians = new Jacobians({
      guard,
      cards: () => this.cards,
      came: (turn) => {
        if (turn === null) return this.frames.soon();
        set(this.element, "data-jacobian", String(turn));
        return this.paintAll();
      },
    });
    /** @type {number|null} the models' stage of training, percent of their epochs; null for fully trained */
    this.trained = null;
    this.pin = new Pin({
      toggle: () => this.guard(() => this.togglePin()),
      compare: (change) =>
        this.guard(() => {
          this.compare(change);
          this.chosen();
        }),
    });
    this.training = new Training({
      moved: (trained) => this.guard(() => this.train(trained)),
      settled: () => this.guard(() => this.chosen()),
    });
    this.complaint = new Complaint();
    this.questions = new Questions({
      guard,
      complaint: this.complaint,
      pin: this.pin,
      cards: () => this.cards,
      renewed: () => this.forgetJacobians(),
      hear: (answer, asked) => this.hear(answer, asked),
    });
    this.frame = makeFrame(this);
    this.frame.kinds.show(this.map);
    this.element = this.frame.root;
    Object.assign(this.element, { readCards: () => this.readings() }); // for tests
    node.append(this.element);
    this.sayPin();
    sayLegend(this);
  }

  /**
   * Take the models with cards; unchanged models keep their cards and answers.
   * @param {{models: any[], classes: string[], kind: string, ink: boolean}} header classes: all that can be drawn;
   *   kind: their name; ink: whether drawings are ink on paper
   * @param {{values: Uint8Array, shape: number[]}} sample a square picture: the models' input before the first stroke
   */
  take({ models, classes, kind, ink }, sample) {
    Object.assign(this, { classes, kind, ink });
    const known = new Map(this.cards.map((card) => [JSON.stringify(card.model), card]));
    const written = JSON.stringify(models);
    if (this.sample?.values.join() !== sample.values.join()) Object.assign(this, { sample: enlarged(sample) });
    if (written === this.written) return;
    const cards = models.map((model) => known.get(JSON.stringify(model)) ?? this.made(model));
    Object.assign(this, { written, cards, relayout: true });
    for (const card of this.cards) card.learn({ classes, kind });
    explainHeads(this.cards);
    sayLegend(this);
    this.showTraining();
    this.frame.grid.replaceChildren(...this.cards.map((card) => card.element));
    this.layout();
    this.questions.again();
  }

  /**
   * Show a requested view.
   * @param {{heads: Record<string, number>, map: any, change: boolean, trained?: number|null}} shown
   * @param {any} pinned made by `pinnedAgain`; null for no pin
   */
  follow({ heads, map, change, trained = null }, pinned) {
    this.heads = { ...heads };
    this.trained = trained;
    this.showTraining();
    for (const card of this.cards) card.head = heads[card.model.checkpoint] ?? null;
    this.pin.take(pinned, pinned !== null);
    for (const card of this.cards) card.pin(null);
    this.pin.change = change && pinned !== null;
    this.sayPin();
    this.questions.again();
    this.showMaps(map);
  }

  made(model) {
    const card = new Card(
      model,
      (head) =>
        this.guard(() => {
          if (head !== null) this.heads[model.checkpoint] = head;
          this.questions.again();
          this.chosen();
        }),
      () => this.guard(() => this.paintAll()),
    );
    card.head = this.heads[model.checkpoint] ?? null;
    return card;
  }

  /**
   * Ask the models at a stage of their training. The pin keeps its old answers.
   * @param {number|null} trained as in `Card`
   */
  train(trained) {
    if (trained === this.trained) return;
    this.trained = trained;
    this.showTraining();
    this.questions.again(false);
  }

  showTraining() {
    for (const card of this.cards) card.train(this.trained);
    this.training.show(
      this.cards.map(({ model }) => model.epochs),
      this.trained,
    );
  }

  open() {
    this.questions.open();
  }

  /** Close the connection; the screen stays as it is. */
  close() {
    this.jacobians.cancel();
    this.frames.stop();
    this.questions.close();
  }

  // Asking

  /**
   * Ask the models about a drawing. The newest wins: the panels never go back to an older drawing.
   * @param {import("../live/live.js").Values} raster of 280 x 280
   * @param {{centred: boolean, settled: boolean, empty: boolean, now: any, drawn: any}} how settled: the stroke has
   *   ended; empty: nothing is drawn, and the cards use the sample; now: the drawing; drawn: its encoding in a link, if
   *   it fits
   * @returns {number} the turn, which `data-answered` contains once all answers are on the screen
   */
  show(raster, { centred, settled, empty, now, drawn }) {
    const { values, shape, canvas } = this.sample;
    const base = { name: "sample", side: shape[0], values }; // as for a drawing, so that its pin outlives a reload
    const asked = empty
      ? { pictures: canvas, prepare: { centred: false }, now: { base, strokes: [] } }
      : { pictures: raster, prepare: { centred }, now };
    return this.questions.show({ empty, settled, drawn, ...asked });
  }

  /** Take one model's answer. */
  hear(answer, asked) {
    const card = asked.cards[answer.ask];
    if (card) {
      try {
        this.place(answer, { card, net: asked.asks[answer.ask].checkpoint }, asked);
      } catch (error) {
        card.refuse(error); // the output of a faulty mechanism concerns only its own panel
      }
    }
    if (answer.done && !asked.pinned && card) this.done = asked;
    if (answer.done && asked.pinned) this.sayPin();
    // One frame for all cards costs a fraction of one frame each; but the others do not wait for a slow model.
    if (answer.done) this.frames.now();
    else this.frames.patiently();
  }

  place({ error, arrays, shapes, axes, parameters, milliseconds, prepared }, { card, net }, asked) {
    card.turn = asked.turn;
    card.element.classList.remove("waiting");
    if (error) {
      if (!asked.pinned) card.refused = error; // otherwise it is only not pinned, and the screen shows an answer
      card.dirty = true;
      return;
    }
    const answer = answerOf({ arrays, shapes, axes, parameters, milliseconds }, card.model, net, asked.seen);
    const { seen } = answer;
    card.dirty = true;
    if (asked.pinned) {
      if (asked.turn === this.pin.showing?.turn) card.pin(answer); // otherwise it was unpinned meanwhile
      return;
    }
    card.take(answer);
    if (!asked.first) return;
    asked.first = false;
    this.toHear = asked.empty ? { seen: null, words: "" } : { seen, words: prepared.words };
  }

  /** Show maps, or Jacobians in their place while the hand rests. @param {"attention"|"jacobian"} map */
  showMaps(map) {
    this.map = map;
    this.frame.kinds.show(map);
    sayLegend(this);
    this.forgetJacobians();
    this.askJacobians();
    this.paintAll();
  }

  forgetJacobians() {
    this.jacobians.forget(this.questions.turn);
    this.element.removeAttribute("data-jacobian");
  }

  askJacobians() {
    if (this.map === "jacobian") this.jacobians.askAll();
  }

  /** The turn with all its Jacobians. */
  get slopesOf() {
    return this.jacobians.turn;
  }

  // Pinning

  togglePin() {
    if (this.pin.showing) this.unpin();
    else this.pinNow();
    this.paintAll();
    this.chosen();
  }

  /** Keep the answers to the drawing for comparison with later ones; if some are pending, ask for all. */
  pinNow() {
    const { showing } = this.questions;
    if (!this.shown) return;
    this.pin.take({ ...showing, trained: this.trained }, showing.turn !== this.shown.turn);
    for (const card of this.cards) card.pin(card.turn === showing.turn && !card.refused ? card.answer : null);
    this.sayPin();
    this.questions.next();
    this.announce("Pinned. The panels now show how the answers change.");
  }

  unpin() {
    this.pin.take(null, false);
    for (const card of this.cards) card.pin(null);
    this.compare(false);
    this.sayPin();
    this.announce("Unpinned.");
  }

  sayPin() {
    this.pin.say();
    this.element.classList.toggle("has-pin", this.pin.showing !== null);
    this.pin.paint(this.cards, this.look);
  }

  /** @param {boolean} change whether the maps show their difference from the pinned ones */
  compare(change) {
    this.pin.change = change;
    sayLegend(this);
    this.paintAll();
  }

  /** When the hand rests, announce the answers and link the cards to this exact picture. */
  async settle(done) {
    const { turn, seen, empty } = done;
    this.jacobians.rested = done;
    if (!empty) this.announce(summary(this));
    const words = await wordsOf(seen);
    if (turn !== this.questions.turn) return;
    this.guard(() => {
      for (const card of this.cards) card.settle(words.get(card.current?.seen) ?? "");
      sayLegend(this); // which maps can be compared with the pinned ones depends on the answers
      set(this.element, "data-settled", String(turn));
      this.settledAs(empty ? "" : wordOfAll(words, this.sample.shape));
      this.askJacobians();
    });
  }

  /** The values for lessons about the drawing on the screen; none for a sample. */
  declared() {
    return !this.shown || this.shown.empty || this.shown.turn !== this.questions.turn ? {} : declaredOf(this);
  }

  readings() {
    return {
      turn: this.questions.turn,
      answered: this.questions.answered,
      sample: Boolean(this.questions.showing?.empty),
      cards: this.cards.map((card) => card.reading),
    };
  }
}
