// The card of one model: its answer, what it looks at, and how sure it is.

import { element, say, set, text } from "./dom.js";
import { Face } from "./draw_face.js";
import { linkTo } from "./draw_links.js";
import { percent, short } from "./numbers.js";

const LEAST = 0.02; // the probability below which a mark would lie on the line below the bars
const UNSURE = 0.6; // the probability below which an answer is one of two
const BAR = { width: 24, gap: 2, height: 17 }; // CSS pixels; as draw_cards.css has them, where there is room

/** @typedef {{probabilities: Float32Array, logits: Float32Array, map: Float32Array|null, seen: Uint8Array, head: number|null, milliseconds: number}} Answer */

/** The classes of an answer, the most probable first. @param {ArrayLike<number>} probabilities */
export function ranked(probabilities) {
  return Array.from(probabilities, (_, which) => which).sort((one, other) => probabilities[other] - probabilities[one]);
}

/** A number of parameters as a person reads it: 20, 790, 38 k, 1.1 M. */
function counted(parameters) {
  if (parameters < 1000) return `${parameters} parameters`;
  const [size, unit] = parameters < 1e6 ? [parameters / 1e3, "k"] : [parameters / 1e6, "M"];
  return `${size < 10 ? size.toFixed(1) : size.toFixed(0)} ${unit} parameters`;
}

export class Card {
  /**
   * @param {object} model what draw_cards.py describes
   * @param {function(number|null)} stepped another head is wanted
   */
  constructor(model, stepped) {
    Object.assign(this, { model, stepped, head: null, answer: null, pinned: null, refused: "", claim: "" });
    const words = ["first", "second", "head", "says", "verdict", "was", "time"];
    this.words = Object.fromEntries(words.map((name) => [name, text()]));
    const step = (words, by, sign) => element("button.step", { type: "button", "aria-label": words, onclick: () => this.step(by) }, sign);
    this.canvas = element("canvas", { "aria-hidden": "true" });
    this.face = new Face(this.canvas, model);
    this.link = element("a", {}, model.title);
    this.bars = model.classes.map((name) => element("span", {}, element("em", { hidden: true }), name));
    this.order = [...model.classes.keys()].sort((one, other) => model.classes[one].localeCompare(model.classes[other]));
    this.chart = element("canvas.chart", { "aria-hidden": "true" }); // one, as a change of many elements at every movement takes the browser longer
    this.barRoom = element("div.bars", { role: "img" }, this.chart, ...this.order.map((which) => this.bars[which]));
    this.steps = element("span.steps-of-heads", { role: "group", "aria-label": `Head of ${model.title}, ${model.kind}` },
      step("Previous head", -1, "\u2039"), step("Next head", 1, "\u203a"));
    this.element = element("article.card", { "data-checkpoint": model.checkpoint },
      element("div.top", {},
        element("p.digits", {}, element("b", {}, this.words.first), element("b.second", {}, this.words.second)),
        element("div.names", {}, element("h2", {}, this.link, element("span.arrow", { "aria-hidden": "true" }, " \u2192")), element("p.kind", {}, model.kind))),
      this.canvas,
      element("div.says", {},
        model.heads > 1 ? element("p.head", {}, element("span", {}, this.words.head), this.steps) : "",
        element("p", {}, this.words.says)),
      element("p.verdict", {}, element("span", {}, this.words.verdict), element("span.was", {}, this.words.was)),
      this.barRoom,
      element("p.foot", {}, element("span", {}, counted(model.parameters)), element("span", {}, this.words.time)));
  }

  /** What the channel is asked for. */
  get asked() {
    const { checkpoint, wanted, heads } = this.model;
    if (!heads || this.head === null) return { checkpoint, wanted };
    return { checkpoint, wanted: { map: { ...wanted.map, index: { head: this.head } } } };
  }

  step(by) {
    const { heads } = this.model;
    const now = this.head ?? this.answer?.head;
    if (now === undefined || now === null) return;
    this.head = (now + by + heads) % heads;
    this.stepped(this.head);
  }

  /** @param {Answer} answer */
  take(answer) {
    Object.assign(this, { answer, refused: "" });
  }

  /** Keep an answer to compare later ones with; null: forget it. @param {Answer|null} answer */
  pin(answer) {
    this.pinned = answer;
    this.bars.forEach((bar, which) => {
      const mark = bar.querySelector("em");
      mark.hidden = answer === null || answer.probabilities[which] < LEAST;
      if (answer) mark.style.setProperty("--part", answer.probabilities[which]);
    });
  }

  /** The most probable class, by name; null before the first answer. */
  get best() {
    return this.answer && this.model.classes[ranked(this.answer.probabilities)[0]];
  }

  get sure() {
    return this.answer !== null && Math.max(...this.answer.probabilities) >= UNSURE;
  }

  // Drawing

  /** @param {number} width of the picture, CSS pixels @returns {boolean} whether it has to be painted again */
  layout(width) {
    const size = Math.round(width * devicePixelRatio);
    this.canvas.style.width = this.canvas.style.height = `${size / devicePixelRatio}px`;
    this.chart.width = size;
    this.chart.height = Math.round(BAR.height * devicePixelRatio);
    this.chart.style.width = this.canvas.style.width;
    return this.face.resize(size);
  }

  /**
   * Paint what there is.
   * @param {object} look theme and palettes
   * @param {{change: boolean, sample: Uint8Array, times: boolean}} how change: the map shows how it differs from the
   *   pinned one; sample: what is shown before the first answer; times: say how long the model took, too
   */
  draw(look, { change, sample, times }) {
    const { answer, words } = this;
    set(this.element, "data-state", this.refused ? "refused" : answer ? "answered" : "waiting");
    if (!answer) {
      say(words.says, this.refused || "The model is being loaded.");
      if (this.face.size && sample) this.face.digit(sample, null, look);
      return;
    }
    const before = change && this.comparable ? this.pinned : null;
    const deepest = this.paint(answer, before, look);
    this.sayAnswer(answer);
    this.sayMap(answer, before, deepest);
    this.drawBars(answer, look);
    if (times) say(words.time, `${answer.milliseconds < 9.95 ? answer.milliseconds.toFixed(1) : answer.milliseconds.toFixed(0)} ms`);
  }

  /** Whether the pinned map is of the same head. */
  get comparable() {
    return this.pinned !== null && this.pinned.head === this.answer.head;
  }

  paint({ map, seen }, before, { theme, palettes }) {
    const look = { seen, theme, palettes };
    if (!this.face.size) return 0;
    if (this.model.picture === "ink") this.face.digit(seen, before && before.seen, look);
    else if (this.model.picture === "share") this.face.shares(map, before && before.map, look);
    else return this.face.signed(map, before && before.map, look);
    return 0;
  }

  sayAnswer({ probabilities }) {
    const { words, model } = this;
    const [first, second] = ranked(probabilities);
    const outside = this.claim && !model.classes.includes(this.claim);
    say(words.first, model.classes[first]);
    say(words.second, this.sure ? "" : model.classes[second]);
    set(this.element, "data-sure", String(this.sure && !outside));
    const sureness = percent(probabilities[first]);
    if (outside) say(words.verdict, `knows only ${[...model.classes].sort().join(" and ")}`);
    else say(words.verdict, this.sure ? sureness : `unsure: ${sureness}`);
    if (!this.pinned) {
      say(words.was, "");
      return;
    }
    const [then] = ranked(this.pinned.probabilities);
    say(words.was, then === first
      ? `was ${percent(this.pinned.probabilities[then])}`
      : `was ${model.classes[then]}, ${percent(this.pinned.probabilities[then])}`);
  }

  sayMap({ head }, before, deepest) {
    const { words, model } = this;
    if (model.heads > 1) say(words.head, `head ${head + 1} of ${model.heads}`);
    const said = model.says.replace("{answer}", this.best).replace("{most}", short(deepest, 2));
    say(words.says, this.refused || (before ? `change since pinned: ${said}` : said));
  }

  drawBars({ probabilities }, { theme }) {
    const { width, height } = this.chart;
    const [all, count] = [width / devicePixelRatio, this.order.length];
    const wide = Math.min(BAR.width, (all - BAR.gap * (count - 1)) / count);
    const context = this.chart.getContext("2d");
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

  /** The words that only matter once the hand rests: probabilities for those who cannot see bars, and the link. */
  settle(word) {
    const { answer, model } = this;
    if (!answer) return;
    const all = ranked(answer.probabilities).map((which) => `${model.classes[which]}: ${percent(answer.probabilities[which])}`);
    set(this.barRoom, "aria-label", `Probabilities: ${all.join(", ")}`);
    set(this.barRoom, "title", all.slice(0, 3).join("\n"));
    if (model.page && word) set(this.link, "href", linkTo(model.page, model.checkpoint, word, model.heads > 1 ? answer.head : null));
  }

  /** What the card shows, in full precision, for exports and tests. */
  get reading() {
    const { answer, model, sure, best } = this;
    if (!answer) return { checkpoint: model.checkpoint, answer: null };
    const { probabilities, logits, map, seen, head, milliseconds } = answer;
    return {
      checkpoint: model.checkpoint, answer: best, sure, probabilities: [...probabilities], logits: [...logits],
      map: map && [...map], painted: [...this.face.values], seen: [...seen], head, milliseconds,
    };
  }
}
