// The panel of one model: its answer, its attention, and its confidence.

import { context2d, say, set } from "../core/dom.js";
import { fitted } from "./arrays.js";
import { BAR, CardFrame } from "./card_frame.js";
import { linkTo } from "./links.js";
import { MapDrawer } from "./map_drawer.js";
import { percent, short } from "../core/numbers.js";
import { rendererOf } from "../panels/renderers.js";
import { placeOf, wordsOf } from "./training.js";
import { term } from "../terms/terms.js";

const LEAST = 0.02; // the probability below which a mark would overlap the baseline of the bars
const NAMED = 3; // maximum number of classes listed by name if a model knows no others
const UNSURE = 0.6; // the probability below which an answer is one of two

const ANSWER = "{answer}"; // in a panel's description: its map is towards the answer

/**
 * @typedef {{probabilities: Float32Array, logits: Float32Array, map: Float32Array|null, shape: number[]|null, parts:
 *   Object<string, {values: Float32Array, shape: number[]}>, seen: {values: Uint8Array, shape: number[]}, head:
 *   number|null, milliseconds: number, net: string}} Answer see panels/face.js; net: the key of the net that gave it
 */

/** The classes of an answer, the most probable first. @param {ArrayLike<number>} probabilities */
export function ranked(probabilities) {
  return Array.from(probabilities, (_, which) => which).sort((one, other) => probabilities[other] - probabilities[one]);
}

/** Let the first card that has heads explain the term, unless another card already does. @param {Card[]} cards */
export function explainHeads(cards) {
  if (cards.some(({ headWord }) => headWord.matches(".explained"))) return;
  const word = cards.find(({ model }) => model.heads > 1)?.headWord;
  word?.classList.add("explained");
  word?.replaceChildren(term("attention-head", "head"));
}

export class Card extends CardFrame {
  /**
   * @param {any} model the description from panels.py
   * @param {(head: number|null) => void} stepped called if another head is chosen
   * @param {() => void} [ready] called once it can draw
   */
  constructor(model, stepped, ready = () => {}) {
    super(model, (by) => this.step(by));
    this.model = model;
    this.stepped = stepped;
    /** @type {number|null} */
    this.head = null;
    /** @type {Answer|null} the last one, which stays on the screen if the next is refused */
    this.answer = null;
    /** @type {Answer|null} */
    this.pinned = null;
    this.refused = "";
    this.claim = "";
    this.everything = [];
    this.dirty = false; // there is something to paint
    this.turn = -1; // number of the request whose answer is shown
    /** @type {any} {values, shape} for the shown answer, or {why} there is none */
    this.jacobian = null;
    this.drawn = {};
    this.drawer = new MapDrawer(model, ready);
    /** @type {number|null} percent of its epochs; null for the fully trained model */
    this.trained = null;
  }

  /** Why its own renderer cannot draw it; "" if it can. */
  get unable() {
    return this.drawer.unable;
  }

  /** The request for the channel. */
  get asked() {
    return this.askedAt(this.trained);
  }

  /** The request for the model at a stage of its training. @param {number|null} trained as for `train` */
  askedAt(trained) {
    const { wanted, heads } = this.model;
    const checkpoint = this.netAt(trained);
    if (!heads || this.head === null) return { checkpoint, wanted };
    return {
      checkpoint,
      wanted: { map: { ...wanted.map, parameters: { ...wanted.map.parameters, head: this.head } } },
    };
  }

  /** The key of the requested net: the model, or its state after an epoch. */
  get net() {
    return this.netAt(this.trained);
  }

  netAt(trained) {
    const { epochs, checkpoint } = this.model;
    return epochs.length ? epochs[placeOf(epochs, trained)][1] : checkpoint;
  }

  /** @param {number|null} trained percent of its epochs; null for the fully trained model */
  train(trained) {
    this.trained = trained;
    say(this.kind, [this.model.kind, wordsOf(this.model.epochs, trained)].filter(Boolean).join(", "));
  }

  step(by) {
    const { heads } = this.model;
    const now = this.head ?? this.answer?.head;
    if (now === undefined || now === null) return;
    this.head = (now + by + heads) % heads;
    this.stepped(this.head);
  }

  /** Show that the answer is unavailable. */
  refuse(error) {
    console.warn("attnviz:", error);
    Object.assign(this, { refused: "The answer for this panel cannot be read.", dirty: true });
  }

  /** @param {Answer} answer */
  take(answer) {
    Object.assign(this, { answer, refused: "" });
  }

  /**
   * @param {{values: Float32Array, shape: number[]}|{why: string}|null} jacobian that of the shown answer, or why there
   *   is none
   */
  takeJacobian(jacobian) {
    this.dirty ||= this.jacobian !== null || jacobian !== null;
    this.jacobian = jacobian;
  }

  /** Keep an answer for comparison with later ones; null removes it. @param {Answer|null} answer */
  pin(answer) {
    this.pinned = answer;
    this.bars.forEach((bar, which) => {
      const mark = bar.querySelector("em");
      mark.hidden = answer === null || answer.probabilities[which] < LEAST;
      if (answer) mark.style.setProperty("--part", answer.probabilities[which]);
    });
  }

  /** Its answer; null before the first and after a refusal, when the screen still shows an older one. */
  get current() {
    return this.refused ? null : this.answer;
  }

  /** The name of the most probable class; null before the first answer. */
  get best() {
    return this.answer && this.model.classes[ranked(this.answer.probabilities)[0]];
  }

  /** Whether it knows every class that can be drawn. */
  get knowsAll() {
    return this.everything.every((name) => this.model.classes.includes(name));
  }

  get sure() {
    return this.answer !== null && Math.max(...this.answer.probabilities) >= UNSURE;
  }

  /** Take the names of all classes that can be drawn, and their collective name. */
  learn({ classes, kind }) {
    this.everything = classes;
    this.limit.hidden = this.knowsAll;
    const known = classes.filter((name) => this.model.classes.includes(name));
    if (!known.length) say(this.words.knows, `knows no ${kind}`);
    else if (known.length <= NAMED) say(this.words.knows, `knows only ${known.join(" and ")}`);
    else say(this.words.knows, `knows only ${known.length} ${kind}`);
  }

  // Drawing

  /** @param {number} width of the picture, CSS pixels */
  layout(width) {
    const size = Math.round(width * devicePixelRatio);
    const [wide, high] = fitted(size, this.model.shape);
    if (wide !== this.canvas.width || high !== this.canvas.height)
      [this.canvas.width, this.canvas.height] = [wide, high];
    Object.assign(this.other, { width: wide, height: high });
    // The picture always gets a square, so that the lines of all cards are aligned.
    const [aside, above] = [size - wide, size - high].map((rest) => `${rest / 2 / devicePixelRatio}px`);
    for (const { style } of [this.canvas, this.other]) {
      Object.assign(style, { width: `${wide / devicePixelRatio}px`, height: `${high / devicePixelRatio}px` });
      style.margin = `calc(4px + ${above}) ${aside} calc(6px + ${above})`;
    }
    this.chart.width = size;
    this.chart.height = Math.round(BAR.height * devicePixelRatio);
    this.chart.style.width = `${size / devicePixelRatio}px`;
    this.sized = size > 0;
  }

  /**
   * Paint the card.
   * @param {any} look theme and palettes
   * @param {{change: boolean, sample: Answer["seen"], times: boolean}} how change: the map shows its difference from
   *   the pinned one; sample: the picture before the first answer; times: also show how long the model took
   */
  draw(look, { change, sample, times }) {
    const { answer, words } = this;
    set(this.element, "data-state", this.refused ? "refused" : answer ? "answered" : "waiting");
    if (!answer) {
      say(words.says, this.refused || "The model is being loaded.");
      if (this.sized && sample)
        rendererOf("ink").draw(this.canvas, this.model, { seen: sample }, { ...look, before: null });
      return;
    }
    const before = change && this.comparable ? this.pinned : null;
    if (this.sized) this.drawn = this.drawer.draw(this.canvas, answer, { ...look, before }) ?? this.drawn;
    this.sayAnswer(answer);
    this.sayMap(answer, { change, before }, this.drawn.most ?? 0);
    this.drawJacobian(answer, look);
    this.drawBars(answer, look);
    if (times)
      say(
        words.time,
        `${answer.milliseconds < 9.95 ? answer.milliseconds.toFixed(1) : answer.milliseconds.toFixed(0)} ms`,
      );
  }

  /** Draw the Jacobian, if there is one, in place of the map, with its own words. */
  drawJacobian(answer, look) {
    const { jacobian, words } = this;
    const there = Boolean(jacobian?.values);
    this.canvas.hidden = there;
    this.other.hidden = !there;
    if (jacobian?.why) say(words.says, jacobian.why);
    if (!there || !this.sized) return;
    const [rows, columns] = jacobian.shape;
    const { most } = rendererOf("signed").draw(
      this.other,
      { rows, columns, prefix: 0 },
      { ...answer, map: jacobian.values },
      { ...look, before: null },
    );
    say(words.says, `the ${this.best}\u2019s logit per unit of intensity, up to ${short(most, 2)}`);
  }

  /** Whether the map can be compared with the pinned one: of the same head, not towards another answer. */
  get comparable() {
    return this.pinned !== null && this.pinned.head === this.answer?.head && this.otherAnswer === "";
  }

  /** The pinned answer, if maps are towards the answer and it differs; otherwise "". */
  get otherAnswer() {
    if (!this.pinned || !this.answer || !this.model.says.includes(ANSWER)) return "";
    const [now, then] = [this.answer, this.pinned].map(({ probabilities }) => ranked(probabilities)[0]);
    return now === then ? "" : this.model.classes[then];
  }

  sayAnswer({ probabilities }) {
    const { words, model } = this;
    const [first, second] = ranked(probabilities);
    const outside = this.claim && !model.classes.includes(this.claim);
    say(words.first, model.classes[first]);
    say(words.second, this.sure ? "" : model.classes[second]);
    set(this.element, "data-sure", String(this.sure && !outside));
    const sureness = percent(probabilities[first]);
    say(words.verdict, this.sure ? sureness : `unsure: ${sureness}`);
    if (!this.pinned) {
      say(words.was, "");
      return;
    }
    const [then] = ranked(this.pinned.probabilities);
    say(
      words.was,
      then === first
        ? `was ${percent(this.pinned.probabilities[then])}`
        : `was ${model.classes[then]}, ${percent(this.pinned.probabilities[then])}`,
    );
  }

  sayMap({ head }, { change, before }, deepest) {
    const { words, model } = this;
    if (model.heads > 1) say(words.head, ` ${head + 1} of ${model.heads}`);
    if (this.headWord.hidden) this.headWord.hidden = false;
    const caption = model.says.replace(ANSWER, this.best).replace("{most}", short(deepest, 2));
    const shown = before ? `change since pinned: ${caption}` : caption;
    const other = change && this.otherAnswer;
    const why = other ? `; the pinned map is towards the ${other}, so no change is shown` : "";
    say(words.says, this.refused || this.unable || shown + why);
  }

  drawBars({ probabilities }, { theme }) {
    const { width, height } = this.chart;
    const [all, count] = [width / devicePixelRatio, this.order.length];
    const wide = Math.min(BAR.width, (all - BAR.gap * (count - 1)) / count);
    const context = context2d(this.chart);
    context.setTransform(width / all, 0, 0, height / BAR.height, 0, 0);
    context.clearRect(0, 0, all, BAR.height);
    context.fillStyle = `rgb(${theme.green})`;
    this.order.forEach((which, place) => {
      const high = BAR.height * probabilities[which];
      context.fillRect(place * (wide + BAR.gap), BAR.height - high, wide, high);
    });
    const [first] = ranked(probabilities);
    if (first !== this.first) this.bars.forEach((bar, which) => bar.classList.toggle("first", which === first));
    this.first = first;
  }

  /** Write the words that only matter once the hand rests: probabilities for screen readers, and the link. */
  settle(word) {
    const { current, model } = this;
    const all = current
      ? ranked(current.probabilities).map(
          (which) => `${model.classes[which]}: ${percent(current.probabilities[which])}`,
        )
      : ["no answer"];
    set(this.barRoom, "aria-label", `Probabilities: ${all.join(", ")}`);
    set(this.barRoom, "title", current ? all.slice(0, 3).join("\n") : "");
    if (model.page && word && current)
      set(this.link, "href", linkTo(model.page, current.net, word, model.heads > 1 ? current.head : null));
    else this.link.removeAttribute("href");
  }

  /** The contents of the card, in full precision, for exports and tests. */
  get reading() {
    const { current, model, sure, best } = this;
    if (!current) return { checkpoint: model.checkpoint, answer: null };
    const { probabilities, logits, map, seen, head, milliseconds, net } = current;
    return {
      checkpoint: model.checkpoint,
      net,
      answer: best,
      sure,
      probabilities: [...probabilities],
      logits: [...logits],
      jacobian: this.jacobian?.values ? { values: [...this.jacobian.values], shape: this.jacobian.shape } : null,
      map: map && [...map],
      painted: [...(this.drawn.values ?? [])],
      seen: [...seen.values],
      shape: seen.shape,
      head,
      milliseconds,
    };
  }
}
