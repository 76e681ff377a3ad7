// A strip, what a net reads of it step by step, and where each step looks; the weights of a step can be moved by hand.
// Python's side is attnviz/ui/components/alignment.py, which also says how the view stands in the URL.

import { element, grown, say, set, text } from "../core/dom.js";
import { best, percent } from "../core/numbers.js";
import { mountable, Part } from "../core/part.js";
import { UrlView } from "../core/url_view.js";
import { Savers, SegmentedControl, whenWanted } from "../hands/controls.js";
import { HeldValue } from "../hands/held_value.js";
import { AnswerPanel } from "../live/answer.js";
import { Asker } from "../live/asker.js";
import { Legend } from "../maps/legend.js";
import { makeScale } from "../core/colours.js";
import { AnswerLine } from "./answer_line.js";
import { Curves } from "./curves.js";
import {
  compared,
  digitAt,
  letters,
  movable,
  movedBy,
  movedRow,
  nameOf,
  ordinal,
  reach,
  rowOf,
  RULES,
  stepOf,
  symbolsOf,
  weightInWords,
  whereInWords,
  withMoved,
} from "./derive.js";
import { Hands, pressed } from "./hands.js";
import { Scene } from "./scene.js";

const LOST = "The live connection is lost: the weights follow your hand, but the answer is the previous one.";
const BEAT = 650; // milliseconds a step while it plays
const SIDE = 330; // of the column at the right
const GAP = 24;
const TOLD = { own: "its own answer", right: "the right text" };
const MASKS = { yes: "on", no: "off" };

/**
 * What was said, and where it looked.
 * @typedef {{probabilities: Float32Array, weights: import("./derive.js").Weights}} Read
 */

/** The component. */
export class Alignment extends Part {
  url = new UrlView({}, RULES);

  constructor(parent) {
    super();
    this.subject = "";
    /** @type {{row: number, column: number}|null} */
    this.looked = null;
    /** @type {Read|null} the answer to what was changed; null while nothing is, or none has come */
    this.answered = null;
    /** @type {Record<string, import("./derive.js").Weights>} by which text the steps are told, once they are known */
    this.gradients = {};
    this.playing = false;
    this.questions = 0; // that were asked
    this.narrow = false;
    /** @type {any} what there is, for the rules of the view */
    this.facts = null;
    this.held = false; // whether a hand holds the weights
    this.words = { step: text(), answer: text(), says: text(), where: text(), note: text(), how: text() };
    this.scene = new Scene();
    this.stage = element(
      "div.stage",
      { tabindex: 0, role: "application", "aria-roledescription": "strip with weights" },
      this.scene.canvas,
    );
    this.line = new AnswerLine((step) => this.guard(() => this.choose(step)));
    this.panel = new AnswerPanel();
    this.legend = new Legend();
    this.curves = new Curves((measure) => this.guard(() => this.set({ measure })));
    this.layers = element("select", { "aria-label": "Layer", onchange: () => this.guard(() => this.takeLayer()) });
    this.heads = element("select", { "aria-label": "Head", onchange: () => this.guard(() => this.takeHead()) });
    this.tellings = new SegmentedControl("Each step is told", TOLD, (told) => this.guard(() => this.set({ told })));
    this.masks = new SegmentedControl("Mask", MASKS, (mask) => this.guard(() => this.set({ mask: mask === "yes" })));
    const button = (words, label, act) =>
      element("button.act", { type: "button", "aria-label": label, onclick: () => this.guard(act) }, words);
    this.buttons = {
      back: button("\u2039", "Previous step", () => this.choose(this.view.step - 1)),
      play: button("Play", "Play", () => this.togglePlay()),
      on: button("\u203a", "Next step", () => this.choose(this.view.step + 1)),
    };
    this.slider = element("input", { type: "range", min: 1, max: 1, step: 1, "aria-label": "Step of the answer" });
    this.slider.addEventListener("input", () => this.guard(() => this.choose(Number(this.slider.value) - 1)));
    this.mover = new HeldValue({
      label: "Move the weights of this step",
      range: [-1, 1],
      step: 1,
      free: "let go",
      turn: (by) => this.guard(() => this.move(this.view.step, by ?? 0, true)),
    });
    this.freer = element(
      "button.quiet",
      { type: "button", onclick: () => this.guard(() => this.set({ moved: [], mask: true })) },
      "Let all go",
    );
    this.savers = new Savers(
      whenWanted(() => this.files()),
      { link: () => this.url.link() },
      (happened) => this.announce(happened),
    );
    this.asker = new Asker({
      guard: (act) => this.guard(act),
      complaint: this.url.complaint,
      lost: LOST,
      dim: () => this.root.classList.add("waiting"),
    });
    this.layerPart = element("label.choice", {}, element("span", {}, "Layer"), this.layers);
    this.headPart = element("label.choice", {}, element("span", {}, "Head"), this.heads);
    this.moverPart = element(
      "div.mover",
      {},
      element("b", {}, "Weights moved by"),
      element("span", {}, this.mover.words),
      this.mover.element,
    );
    this.root = element(
      "div.attnviz.alignment",
      { "data-component": "alignment" },
      this.failure,
      this.url.complaint.element,
      element(
        "div.controls",
        {},
        this.tellings.element,
        this.layerPart,
        this.headPart,
        this.masks.element,
        this.savers.element,
      ),
      element(
        "div.left",
        {},
        element("div.top", {}, this.line.element, element("div.verdict", {}, this.words.answer)),
        this.stage,
        element("p.reading", {}, this.words.note),
        this.curves.element,
      ),
      element(
        "div.right",
        {},
        element(
          "section.step-part",
          { "aria-label": "This step" },
          element(
            "div.player",
            {},
            this.buttons.back,
            this.buttons.play,
            this.buttons.on,
            this.slider,
            element("output", {}, this.words.step),
          ),
          element("h2", {}, this.words.says, element("small", {}, this.words.how)),
          this.panel.holder,
          element("p.where", {}, this.words.where),
          this.moverPart,
          this.freer,
        ),
        this.legend.element,
      ),
      this.liveRegion,
    );
    this.hands = new Hands(this);
    this.root.addEventListener("keydown", (event) => this.guard(() => pressed(this, event) && event.preventDefault()));
    parent.append(this.root);
  }

  async files() {
    return (await import("./export.js")).files(this);
  }

  takeData() {
    const { header, shapes } = this;
    const subject = JSON.stringify([header.origin, header.classes]);
    const changed = subject !== this.subject;
    const first = this.subject === "";
    this.subject = subject;
    if (changed) {
      this.rest();
      this.answered = null;
      this.pause();
      this.looked = null;
      this.gradients = {};
      this.fillChoices();
    }
    const { layers } = header;
    const names = layers.map((one) => one.name);
    const facts = {
      layers: names,
      headsOf: (name) => shapes[`own.${Math.max(0, names.indexOf(name))}`]?.[0] ?? 1,
      steps: Math.max(shapes.own[0], header.right?.length ?? 0),
      columns: this.features,
      told: header.right !== null,
      masked: layers.some((one) => one.keys === "steps"),
      moves: layers.some(movable),
    };
    this.facts = facts;
    this.takeView(facts, (asked) => {
      if (changed && !asked && !first) this.view.moved = []; // it says nothing about another strip
      // What comes later is not known yet; and gradients are those of the net as it is.
      if (this.view.told === "own" || this.layer.of === "gradient") this.view.mask = true;
      if (this.view.moved.length && !movable(this.layer)) this.view.moved = [];
    });
    this.panel.name([...header.classes], null);
    this.follow();
  }

  fillChoices() {
    const { header } = this;
    const names = header.layers.map(({ name, title }) => element("option", { value: name }, title));
    this.layers.replaceChildren(...names);
    this.layerPart.hidden = names.length < 2;
  }

  // What there is

  /** How many columns of features the strip has. */
  get features() {
    return Math.ceil(this.shapes.picture[1] / this.header.pitch);
  }

  get geometry() {
    const { digits, pitch } = this.header;
    return { digits, pitch, side: this.shapes.picture[1] / digits };
  }

  /** The layer that is shown, and its number. */
  get number() {
    return Math.max(
      0,
      this.header.layers.findIndex((one) => one.name === this.view.layer),
    );
  }

  /** @returns {import("./derive.js").Layer} */
  get layer() {
    return this.header.layers[this.number];
  }

  /** What the net says before anything is changed, told what the view says. @returns {Read} */
  get before() {
    const { arrays, shapes, view, number } = this;
    if (this.layer.of === "gradient")
      return { probabilities: arrays[view.told], weights: this.gradients[view.told] ?? this.evenly };
    const name = arrays[`${view.told}.${number}`] ? `${view.told}.${number}` : `own.${number}`;
    return { probabilities: arrays[view.told], weights: { values: arrays[name], shape: shapes[name] } };
  }

  /** What stands in for gradients that are awaited. @returns {import("./derive.js").Weights} */
  get evenly() {
    const { shapes, view, features } = this;
    const steps = shapes[view.told][0];
    return { values: new Float32Array(steps * features).fill(1 / features), shape: [1, steps, features] };
  }

  /** What is shown: the answer to what is changed, or what it was before. @returns {Read} */
  get now() {
    return this.answered ?? this.before;
  }

  /** Whether weights are moved, or the mask is off. */
  get changedByHand() {
    return this.view.moved.length > 0 || !this.view.mask;
  }

  /** The text that is shown, as symbols. */
  get said() {
    return symbolsOf(this.now.probabilities, this.header.classes.length);
  }

  /** The step that is shown: another text may have fewer. */
  get step() {
    return Math.min(this.view.step, this.said.length - 1);
  }

  /** The row of the matrix that is shown. */
  get row() {
    return this.layer.queries === "columns" ? this.view.column : this.step;
  }

  /** The matrix that is shown, with what the hand has just moved: (query, key). */
  get matrix() {
    const { weights } = this.now;
    const { view, layer } = this;
    const [, queries, keys] = weights.shape;
    const found = new Float64Array(queries * keys);
    for (let query = 0; query < queries; query++) found.set(rowOf(weights, view.head, query), query * keys);
    if (movable(layer))
      for (const [step, by] of view.moved) {
        const ahead = by - movedBy(this.movedAnswered, step);
        if (ahead && step < queries)
          found.set(movedRow(found.subarray(step * keys, (step + 1) * keys), ahead), step * keys);
      }
    return found;
  }

  /** What was moved when the answer that is shown was given. @returns {import("./derive.js").Moved} */
  get movedAnswered() {
    return this.answered ? this.answeredTo : [];
  }

  // What the visitor does

  /** Look at a step. @param {number} step @param {boolean} [playing] */
  choose(step, playing = false) {
    if (!playing) this.pause();
    const last = Math.max(this.said.length, this.header.right?.length ?? 0) - 1;
    this.view.step = Math.min(last, Math.max(0, step));
    this.changed();
  }

  /** Change the view on purpose. @param {Record<string, any>} changes */
  set(changes) {
    this.pause();
    Object.assign(this.view, changes);
    if (changes.told) Object.assign(this.view, { moved: [], mask: true });
    this.follow();
    this.changed();
  }

  takeLayer() {
    const name = this.layers.value;
    const layer = name === this.header.layers[0].name ? "" : name;
    const { mask } = this.view;
    this.set({ layer, head: "mean", moved: [], mask: mask || name === "gradient" });
    this.layout(true);
  }

  takeHead() {
    const { value } = this.heads;
    this.set({ head: value === "mean" ? value : Number(value), moved: [] });
  }

  /**
   * Move the weights of a step.
   * @param {number} step
   * @param {number} by columns to the right, from where they were; 0 lets them go
   * @param {boolean} [done] whether the hand has let go
   */
  move(step, by, done = false) {
    if (!movable(this.layer)) return;
    const [least, most] = this.reachOf(step);
    const there = Math.min(most, Math.max(least, Math.round(by)));
    if (there !== movedBy(this.view.moved, step)) {
      this.pause();
      this.view.moved = withMoved(this.view.moved, step, there);
      this.follow(); // first: the server computes meanwhile
      this.draw();
    }
    if (done) this.changed();
  }

  /** By how much the weights of a step can be moved. @param {number} step */
  reachOf(step) {
    const { weights } = this.before;
    return reach(rowOf(weights, this.view.head, Math.min(step, weights.shape[1] - 1)));
  }

  /** Look at a place of the matrix or the strip. @param {{row: number, column: number}|null} place */
  look(place) {
    if (JSON.stringify(place) === JSON.stringify(this.looked)) return;
    this.looked = place;
    this.draw();
  }

  togglePlay() {
    if (this.playing) {
      this.pause();
      this.draw();
      return;
    }
    this.playing = true;
    this.looked = null;
    if (this.view.step >= this.said.length - 1) this.choose(0, true);
    const on = () =>
      this.guard(() => {
        this.choose(this.view.step + 1, true);
        if (this.view.step < this.said.length - 1) this.next = setTimeout(on, BEAT);
        else {
          this.pause();
          this.draw();
        }
      });
    this.next = setTimeout(on, BEAT);
    this.draw();
  }

  pause() {
    this.playing = false;
    clearTimeout(this.next);
  }

  /** Tell Python, but not while a hand holds the weights: the page that follows would compete with the answer. */
  settle() {
    if (this.held || this.playing) clearTimeout(this.settling);
    else super.settle();
  }

  // The answer

  /** Ask what the net says with what is changed. */
  follow() {
    const { view, header, layer } = this;
    const wanted = layer.of === "gradient" && !this.gradients[view.told];
    if ((!this.changedByHand && !wanted) || !header.checkpoint) {
      this.rest();
      this.answered = null;
      return;
    }
    const moves = view.moved.map(([step, by]) => ({ step, by }));
    const parameters = {
      told: view.told === "right" ? header.right : null,
      layer: moves.length ? layer.name : "",
      head: view.head === "mean" || !moves.length ? null : view.head,
      moved: moves,
      unmasked: !view.mask,
      shown: [layer.name],
    };
    const request = {
      pictures: [header.picture],
      asks: [{ checkpoint: header.checkpoint, wanted: { read: { derived: "read", parameters } } }],
    };
    const { moved, told } = view;
    const question = ++this.questions;
    const hear = (answer) => {
      if (question === this.questions) this.rest(); // an answer to an earlier place of the hand is shown, too
      if (wanted) this.hearGradients(answer, told);
      else this.hear(answer, layer.name, moved);
    };
    this.asker.ask(this.subject, request, hear, header.origin.digest);
  }

  hearGradients({ error, arrays, shapes }, told) {
    if (error) return;
    this.gradients[told] = { values: arrays["read.gradient"], shape: shapes["read.gradient"].slice(1) };
    this.draw();
  }

  hear({ error, arrays, shapes }, name, moved) {
    if (error || name !== this.layer.name || !this.changedByHand) return;
    const weights = { values: arrays[`read.${name}`], shape: shapes[`read.${name}`].slice(1) };
    this.answered = { probabilities: arrays.probabilities, weights };
    this.answeredTo = moved;
    this.refit();
    this.draw();
  }

  rest() {
    this.asker.rest();
    this.root.classList.remove("waiting");
  }

  // Layout and drawing

  layout(force = false) {
    const width = this.widthToFit(force);
    if (!width || !this.view) return;
    const kind = this.nameWidth(width, 560, 980);
    this.room = kind === "broad" ? width - SIDE * grown() - GAP : width;
    this.narrow = kind === "narrow";
    this.refit();
    this.draw();
  }

  /** Lay the canvas out for what it shows. */
  refit() {
    if (!this.room) return;
    const { layer, header, shapes } = this;
    const [, queries, keys] = this.now.weights.shape;
    const rows = layer.queries === "columns" ? queries : this.said.length;
    this.scene.layout({
      width: Math.floor(this.room),
      grown: grown(),
      narrow: this.narrow,
      picture: shapes.picture,
      digits: header.digits,
      pitch: header.pitch,
      features: this.features,
      layer,
      rows,
      columns: keys,
    });
  }

  draw() {
    const { view, theme, palettes, header, arrays } = this;
    if (!view || !theme || !this.room) return;
    const { layer, scene, said, step } = this;
    const { columns, rows } = scene.at;
    const [, queries, keys] = this.now.weights.shape;
    const fits = rows === (layer.queries === "columns" ? queries : said.length) && columns === keys;
    if (!fits || scene.facts.layer !== layer) this.refit();
    const { classes } = header;
    const names = letters(said, classes);
    const right = header.right ? letters(header.right, classes) : null;
    scene.paint(
      {
        picture: arrays.picture,
        layer,
        matrix: this.matrix,
        row: this.row,
        step,
        said: names,
        right,
        sure: said.map((symbol, one) => stepOf(this.now.probabilities, classes.length, one)[symbol]),
        heads: this.headings,
        looked: this.looked,
        hides: view.mask,
        moves: movable(layer) && Boolean(header.checkpoint),
        by: movedBy(view.moved, step),
      },
      theme,
      palettes,
    );
    this.saySoon();
  }

  /** What the columns of the matrix mean: the digits of the strip, or what each step was told. */
  get headings() {
    const { header, layer, view } = this;
    const { classes } = header;
    if (layer.keys === "numbers") return [];
    if (layer.keys === "steps") {
      const own = this.answered && view.told === "own";
      const before = own ? [classes.length, ...this.said.slice(0, -1)] : header.before[view.told];
      return letters(before, classes);
    }
    const { right, reads, digits } = header;
    if (!right || !reads) return Array.from({ length: digits }, (_, i) => `${i + 1}`);
    const found = new Array(digits).fill("");
    reads.forEach((place, step) => (found[place] = classes[right[step]]));
    return found;
  }

  /** What tests read. */
  read() {
    const { view, header, scene, asker } = this;
    return {
      ...view,
      pending: asker.pending,
      playing: this.playing,
      said: this.said,
      right: header.right,
      shown: this.step,
      probabilities: Array.from(this.now.probabilities),
      matrix: Array.from(this.matrix),
      row: this.row,
      looked: this.looked,
      answered: this.answered !== null,
      layout: scene.at,
      layers: header.layers.map((one) => one.name),
    };
  }

  sayAll() {
    const { view, header, words, layer, step, said } = this;
    const { classes } = header;
    const names = letters(said, classes);
    const right = header.right ? letters(header.right, classes) : null;
    const before = letters(symbolsOf(this.before.probabilities, classes.length), classes);
    this.line.show(names, right, view.step, before);
    this.tellings.show(view.told, [], header.right ? [] : ["right"]);
    this.layers.value = layer.name;
    this.sayHeads();
    this.masks.element.hidden = !this.facts.masked;
    this.masks.show(view.mask ? "yes" : "no", [], view.told === "own" || layer.of === "gradient" ? ["no"] : []);
    this.sayPlayer();
    const probabilities = stepOf(this.now.probabilities, classes.length, step);
    const earlier = stepOf(this.before.probabilities, classes.length, step);
    this.panel.show({ probabilities }, earlier.length ? { probabilities: earlier } : { probabilities });
    const symbol = best(probabilities);
    say(words.says, `Step ${step + 1} says ${nameOf(symbol, classes)}`);
    const was = earlier.length ? best(earlier) : -1;
    const should = header.right?.[step];
    say(
      words.how,
      this.changedByHand && was >= 0 && was !== symbol
        ? `before: ${nameOf(was, classes)}, ${percent(earlier[was])}`
        : should === undefined
          ? percent(probabilities[symbol])
          : should === symbol
            ? `${percent(probabilities[symbol])}, right`
            : `${percent(probabilities[symbol])}; it is ${nameOf(should, classes)}`,
    );
    say(words.answer, this.verdict);
    const row = rowAt(this.matrix, this.row, this.scene.at.columns);
    say(words.where, this.whereWords(row));
    say(words.note, this.looked ? this.reading() : this.hint);
    this.moverPart.hidden = !movable(layer) || !header.checkpoint;
    if (!this.moverPart.hidden) {
      const by = movedBy(view.moved, step);
      const [least, most] = this.reachOf(step);
      Object.assign(this.mover.slider, { min: String(least), max: String(most) });
      const digits = Math.abs((by * header.pitch) / this.geometry.side).toFixed(1);
      const way = `${Math.abs(by)} columns to the ${by > 0 ? "right" : "left"}, ${digits} digits`;
      this.mover.show(by, by ? way : "nothing", by !== 0);
    }
    set(this.freer, "aria-disabled", String(!this.changedByHand));
    this.root.classList.toggle("switched", this.changedByHand);
    this.freer.hidden = this.moverPart.hidden && !this.facts.masked;
    if (layer.keys !== "numbers") {
      this.legend.colour(this.palettes.share);
      const even = layer.keys === "columns" ? this.features : this.scene.at.columns;
      const what = layer.of === "gradient" ? "Share of the gradient" : "Weight";
      this.legend.say(makeScale("share"), `${what}, as a multiple of an even share, 1/${even}`);
      const there = this.looked?.column ?? -1;
      this.legend.point(there >= 0 ? row[there] * row.length : NaN, makeScale("share"));
    }
    this.legend.element.hidden = layer.keys === "numbers";
    this.curves.show(header.curves, {
      measure: view.measure,
      length: header.digits,
      trained: header.trained,
      own: header.checkpoint,
    });
    set(
      this.stage,
      "aria-label",
      `${layer.title}. ${this.verdict} ${words.says.data}, ${words.how.data}. ${words.where.data} ` +
        "Up and down choose a step, left and right read a column" +
        `${this.moverPart.hidden ? "" : ", with Shift they move the weights, Delete lets them go"}; Space plays.`,
    );
    if (!this.asker.pending && !this.playing)
      this.announceDone(() => `${words.says.data}, ${words.how.data}. ${words.where.data}`);
  }

  sayHeads() {
    const heads = this.now.weights.shape[0];
    this.headPart.hidden = heads < 2;
    if (this.headsShown !== heads) {
      this.headsShown = heads;
      this.heads.replaceChildren(
        element("option", { value: "mean" }, `mean of ${heads}`),
        ...Array.from({ length: heads }, (_, head) => element("option", { value: String(head) }, String(head + 1))),
      );
    }
    this.heads.value = String(this.view.head);
  }

  sayPlayer() {
    const { buttons, slider, words, view } = this;
    const steps = Math.max(this.said.length, this.header.right?.length ?? 0);
    set(slider, "max", String(steps));
    if (Number(slider.value) !== view.step + 1) slider.value = String(view.step + 1);
    say(words.step, `step ${view.step + 1} of ${steps}`);
    set(buttons.play, "aria-label", this.playing ? "Pause" : "Play");
    say(buttons.play.firstChild, this.playing ? "Pause" : "Play");
    buttons.back.disabled = view.step === 0;
    buttons.on.disabled = view.step >= steps - 1;
  }

  /** How the text compares with the right one, in a sentence. */
  get verdict() {
    const found = compared(this.said, this.header.right);
    if (!found) return `${this.said.filter((one) => one < this.header.classes.length - 1).length} digits were said.`;
    if (found.exact) return "All right.";
    return `${found.right} of ${found.of} digits at their place.`;
  }

  /** @param {Float64Array} row */
  whereWords(row) {
    const { layer, header, step } = this;
    if (layer.keys === "numbers")
      return "There are no weights: every step gets the same vector, made before the first digit is said.";
    if (!layer.learnt && layer.of === "weight")
      return "All columns get the same weight at every step: the mean of the strip, and no choice.";
    if (layer.keys === "steps") {
      const most = best(row);
      const told = this.headings[most] === "\u25b8" ? "the start" : this.headings[most];
      return `${percent(row[most])} of the weight lies on the ${ordinal(most + 1)} step, which was told ${told}.`;
    }
    const reads = layer.queries === "steps" ? (header.reads?.[step] ?? null) : null;
    return whereInWords(row, this.geometry, reads, layer.of);
  }

  /** What is pointed at, in words. */
  reading() {
    const { looked, layer, geometry } = this;
    if (!looked || looked.column < 0) return "";
    const row = looked.row >= 0 ? looked.row : this.row;
    const value = this.matrix[row * this.scene.at.columns + looked.column];
    const from = layer.queries === "columns" ? `Column ${row + 1}` : `Step ${row + 1}`;
    if (layer.keys === "numbers") return `${from}, number ${looked.column + 1} of the vector: ${value.toFixed(3)}.`;
    const digit = digitAt(looked.column, geometry.pitch, geometry.side, geometry.digits);
    const to =
      layer.keys === "steps"
        ? `step ${looked.column + 1}`
        : `column ${looked.column + 1}, in the ${ordinal(digit + 1)} digit`;
    if (layer.keys === "steps" && this.view.mask && looked.column > row)
      return `${from} may not look at ${to}: the mask hides what comes later.`;
    const how = layer.of === "gradient" ? "depends on" : "looks at";
    return `${from} ${how} ${to}: ${layer.of} ${weightInWords(value, this.scene.at.columns)}.`;
  }

  /** What can be done, while nothing is pointed at. */
  get hint() {
    const { layer, header } = this;
    if (layer.of === "gradient")
      return "Each row is a step: on which columns its logit depends, if they change a little. No attention is needed.";
    if (layer.keys === "numbers") return "Each row is the vector that a step gets: all rows are alike.";
    if (layer.queries === "columns") return "Each row is a column of the strip: tap the strip to choose one.";
    if (layer.keys === "steps") return "Each row is a step, each column a step before it and what that one was told.";
    return movable(layer) && header.checkpoint
      ? "Each row is a step of the answer. Drag the handle above the bars to another digit, and see what is said then."
      : "Each row is a step of the answer, each column a place on the strip.";
  }

  leave() {
    super.leave();
    this.pause();
    this.asker.close();
  }
}

/** @param {Float64Array} matrix @param {number} row @param {number} columns */
function rowAt(matrix, row, columns) {
  return matrix.subarray(row * columns, (row + 1) * columns);
}

export default mountable(Alignment);
