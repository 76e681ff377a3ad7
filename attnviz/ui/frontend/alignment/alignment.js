// A strip, a net's reading of it step by step, and the attention of each step; the weights of a step can be moved by
// hand. Python's side is attnviz/ui/components/alignment.py, which also describes the view in the URL.

import { makeScale } from "../core/colours.js";
import { element, grown, say, set, text } from "../core/dom.js";
import { mountable } from "../core/part.js";
import { saversOf } from "../hands/controls.js";
import { Playing } from "../hands/playing.js";
import { LivePart } from "../live/live_part.js";
import { Legend } from "../maps/legend.js";
import { AnswerLine } from "./answer_line.js";
import { Choices } from "./choices.js";
import { Curves } from "./curves.js";
import { movable, movedBy, requestOf, RULES, sceneOf, withMoved } from "./derive.js";
import { Hands, pressed } from "./hands.js";
import { Scene } from "./scene.js";
import { Shown } from "./shown.js";
import { StepPanel } from "./step_panel.js";

const LOST = "The live connection is lost: the weights follow your hand, but the answer is the previous one.";
const BEAT = 650; // milliseconds per step while playing
const SIDE = 330; // width of the right column
const GAP = 24;
const FREE = { moved: [], mask: true }; // nothing is changed by hand

export class Alignment extends LivePart {
  exporting = () => import("./export.js");
  constructor(parent) {
    super(RULES, LOST);
    /** @type {{row: number, column: number}|null} */
    this.looked = null;
    /** @type {import("./shown.js").State["answered"]} */
    this.answered = null;
    /** @type {import("./shown.js").State["gradients"]} */
    this.gradients = {};
    this.shown = new Shown(this);
    this.player = new Playing({
      beat: BEAT,
      guard: (act) => this.guard(act),
      next: () => this.choose(this.view.at + 1, true),
      isLast: () => this.isLast,
      ended: () => this.draw(),
    });
    this.questions = 0; // the changes in the last request
    this.narrow = false;
    const guarded = (act) => (value) => this.guard(() => act(value));
    this.words = { answer: text(), note: text() };
    this.scene = new Scene();
    this.stage = element(
      "div.stage",
      { tabindex: 0, role: "application", "aria-roledescription": "strip with weights" },
      this.scene.canvas,
    );
    this.line = new AnswerLine(guarded((step) => this.choose(step)));
    this.savers = saversOf(this);
    this.legend = new Legend();
    this.curves = new Curves(guarded((measure) => this.set({ measure })));
    this.choices = new Choices({
      told: guarded((told) => this.set({ told })),
      layer: guarded((name) => this.takeLayer(name)),
      head: guarded((head) => this.set({ head, moved: [] })),
      mask: guarded((mask) => this.set({ mask })),
    });
    this.panel = new StepPanel({
      choose: guarded((step) => this.choose(step)),
      play: guarded(() => this.togglePlay()),
      move: guarded((by) => this.move(this.view.at, by, true)),
      free: guarded(() => this.set(FREE)),
    });
    this.mount(
      parent,
      "alignment",
      "alignment",
      element("div.controls", {}, ...this.choices.elements, this.savers.element),
      element(
        "div.left",
        {},
        element("div.top", {}, this.line.element, element("div.verdict", {}, this.words.answer)),
        this.stage,
        element("p.reading", {}, this.words.note),
        this.curves.element,
      ),
      element("div.right", {}, this.panel.element, this.legend.element),
    );
    this.hands = new Hands(this);
  }

  takeData() {
    const { header, shown } = this;
    const first = this.subject === "";
    const changed = this.takeSubject();
    if (changed) {
      this.answered = null;
      this.pause();
      this.looked = null;
      this.gradients = {};
      this.choices.fill(header.layers);
    }
    this.takeView(shown.facts, (asked) => {
      if (changed && !asked && !first) this.view.moved = []; // it says nothing about another strip
      // Later weights are not known yet, and gradients belong to the unchanged net.
      if (this.view.told === "own" || shown.layer.of === "gradient") this.view.mask = true;
      if (this.view.moved.length && !movable(shown.layer)) this.view.moved = [];
    });
    this.panel.name(header.classes);
    this.follow();
  }

  // Actions of the visitor

  key(event) {
    if (pressed(this, event)) event.preventDefault();
  }

  /** Look at a step. @param {number} step @param {boolean} [playing] */
  choose(step, playing = false) {
    if (!playing) this.pause();
    this.view.at = Math.min(this.shown.steps - 1, Math.max(0, step));
    this.changed();
  }

  /** Change the view deliberately. @param {Record<string, any>} changes */
  set(changes) {
    this.pause();
    if ("told" in changes || "layer" in changes) this.looked = null; // its row and column have another meaning there
    Object.assign(this.view, changes);
    if (changes.told) Object.assign(this.view, FREE);
    this.follow();
    this.changed();
  }

  takeLayer(name) {
    const layer = name === this.header.layers[0].name ? "" : name;
    this.set({ layer, head: "mean", moved: [], mask: this.view.mask || name === "gradient" });
    this.layout(true);
  }

  /**
   * Move the weights of a step.
   * @param {number} step
   * @param {number} by columns to the right of their original position; 0 releases them
   * @param {boolean} [done] whether the drag has ended
   */
  move(step, by, done = false) {
    const { shown } = this;
    if (!movable(shown.layer)) return;
    const [least, most] = shown.reachOf(step);
    const there = Math.min(most, Math.max(least, Math.round(by)));
    if (there !== movedBy(this.view.moved, step)) {
      this.pause();
      this.view.moved = withMoved(this.view.moved, step, there);
      this.follow(); // first: the server computes meanwhile
      this.draw();
    }
    if (done) this.changed();
  }

  /** Look at a cell of the matrix or the strip. @param {{row: number, column: number}|null} place */
  look(place) {
    if (JSON.stringify(place) === JSON.stringify(this.looked)) return;
    this.looked = place;
    this.draw();
  }

  togglePlay() {
    if (this.playing) this.pause();
    else {
      this.player.begin();
      this.looked = null;
      if (this.isLast) this.choose(0, true);
    }
    this.draw();
  }

  get playing() {
    return this.player.on;
  }

  /** Whether the last step is chosen. */
  get isLast() {
    return this.view.at >= this.shown.said.length - 1;
  }

  pause() {
    this.player.stop();
  }

  /** Report to Python, but not while playing: the run of the page would compete with the next step. */
  settle() {
    if (this.playing) clearTimeout(this.settling);
    else super.settle();
  }

  // The answer

  /** Request the net's answer to the changes. */
  follow() {
    const { view, header, shown } = this;
    const { layer, lacksGradients } = shown;
    if (!shown.changedByHand) this.answered = null;
    if ((!shown.changedByHand && !lacksGradients) || !header.checkpoint) {
      this.rest();
      return;
    }
    const request = requestOf(header, view, layer.name);
    const { moved, told } = view;
    const question = ++this.questions;
    const hear = (answer) => {
      if (question === this.questions) this.rest(); // an answer to an earlier position of the hand is shown, too
      if (lacksGradients) this.hearGradients(answer, told);
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
    if (error || name !== this.shown.layer.name || !this.shown.changedByHand) return;
    const weights = { values: arrays[`read.${name}`], shape: shapes[`read.${name}`].slice(1) };
    this.answered = { probabilities: arrays.probabilities, weights, moved, layer: name };
    this.refit();
    this.draw();
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

  /** Lay out the canvas for its contents. */
  refit() {
    if (!this.room) return;
    const { shown, header, shapes } = this;
    this.scene.layout({
      width: Math.floor(this.room),
      grown: grown(),
      narrow: this.narrow,
      picture: shapes.picture,
      digits: header.digits,
      pitch: header.pitch,
      features: shown.features,
      layer: shown.layer,
      rows: shown.rows,
      columns: shown.columns,
    });
  }

  draw() {
    const { view, theme, palettes, arrays, scene, shown } = this;
    if (!view || !theme || !this.room) return;
    if (this.looked && !shown.has(this.looked)) this.looked = null;
    const { columns, rows } = scene.at;
    if (rows !== shown.rows || columns !== shown.columns || scene.facts.layer !== shown.layer) this.refit();
    scene.paint(sceneOf(shown, arrays.picture, view, this.looked), theme, palettes);
    this.saySoon();
  }

  read() {
    const { view, header, scene, asker, shown } = this;
    return {
      ...view,
      subject: this.subject,
      pending: asker.pending,
      playing: this.playing,
      said: shown.said,
      right: header.right,
      shown: shown.step,
      probabilities: Array.from(shown.now.probabilities),
      matrix: Array.from(shown.matrix),
      row: shown.row,
      looked: this.looked,
      answered: this.answered !== null,
      layout: scene.at,
      layers: header.layers.map((one) => one.name),
    };
  }

  declared() {
    return this.asker.pending ? {} : this.shown.declared;
  }

  sayAll() {
    const { view, header, words, shown, panel } = this;
    const { layer } = shown;
    const { columns } = this.scene.at;
    const row = shown.matrix.subarray(shown.row * columns, (shown.row + 1) * columns);
    this.line.show(shown.letters, shown.right, view.at, shown.lettersBefore);
    this.choices.show(shown);
    panel.show(shown, row, this.playing);
    say(words.answer, shown.verdict);
    say(words.note, this.looked ? shown.reading(this.looked) : shown.hint);
    this.root.classList.toggle("switched", shown.changedByHand);
    this.sayLegend(row);
    this.curves.show(header.curves, {
      measure: view.measure,
      length: header.digits,
      trained: header.trained,
      own: header.checkpoint,
    });
    set(
      this.stage,
      "aria-label",
      `${layer.title}. ${shown.verdict} ${panel.spoken} ` +
        "Up and down choose a step, left and right read a column" +
        `${shown.moves ? ", with Shift they move the weights, Delete releases them" : ""}; Space plays.`,
    );
    if (!this.asker.pending && !this.playing) this.announceDone(() => panel.spoken);
  }

  /** @param {Float64Array} row the shown row of the matrix */
  sayLegend(row) {
    const { legend, shown, looked } = this;
    const { layer } = shown;
    legend.element.hidden = layer.keys === "numbers";
    if (legend.element.hidden) return;
    legend.colour(this.palettes.share);
    const even = layer.keys === "columns" ? shown.features : row.length;
    const what = layer.of === "gradient" ? "Share of the gradient" : "Weight";
    legend.say(makeScale("share"), `${what}, as a multiple of an even share, 1/${even}`);
    legend.point(looked && looked.column >= 0 ? shown.valueAt(looked) * row.length : NaN, makeScale("share"));
  }

  leave() {
    super.leave();
    this.pause();
  }
}

export default mountable(Alignment);
