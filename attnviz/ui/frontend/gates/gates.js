// The gates of every layer as bars with their means, the arithmetic of one of them, and the answer while gates are set
// by hand. Python's side is attnviz/ui/components/gates.py, which also describes the view in the URL.

import { answers } from "../core/numbers.js";
import { element, grown, say, set, text } from "../core/dom.js";
import { mountable } from "../core/part.js";
import { HINTS } from "../hands/hints.js";
import { saversOf, SegmentedControl } from "../hands/controls.js";
import { AnswerPanel } from "../live/answer.js";
import { LivePart } from "../live/live_part.js";
import { BarStrip } from "../maps/bar_strip.js";
import { Board, fitBoard } from "../maps/paint.js";
import { Cells } from "../maps/cells.js";
import * as derive from "./derive.js";
import { placesOf, stepsOf } from "./arithmetic.js";
import { PlacesPart } from "./places.js";
import { StepsPanel } from "./steps.js";

const LOST = "The live connection is lost: the bars follow your hand, but the answer is the previous one.";
const SIDE = 184; // pixels of the design: the column of the picture and the answer
const BOTH = 148; // the picture and the map of its positions, one below the other
const STEPS = 312; // the column of the arithmetic
const GAP = 24;
const TALL = 400; // height of all strips together; each is at least LOW high
const LOW = 26;
const HIGH = 56;
const HIGH_NARROW = 48; // for a finger that slides along them; gates are then set with a slider

export class Gates extends LivePart {
  exporting = () => import("./export.js");
  // Everything below arrives with the first data
  /** @type {import("./derive.js").Layer[]} */ layers = [];
  /** @type {import("./derive.js").Values[]} the values of each layer with the gates set by hand */ now = [];
  /** @type {Answered} with the computed gates */ before;
  /** @type {Answered} with the gates set by hand */ answered;
  /** @type {BarStrip[]} */ strips = [];
  /** @type {Text[]} */ kinds = [];
  /** @type {import("./derive.js").Steps} of the shown gate */ found;

  constructor(parent) {
    super(derive.RULES, LOST);
    this.looked = { layer: -1, channel: -1 };
    this.words = { how: text(), answer: text(), legend: text() };
    const canvas = element("canvas", { role: "img", "aria-label": "The picture" });
    this.picture = { canvas, board: new Board(canvas) };
    this.places = new PlacesPart((shown) => this.guard(() => this.swap(shown)));
    this.answer = new AnswerPanel();
    this.steps = new StepsPanel({
      turn: (value) => this.guard(() => this.turn(this.view.layer, derive.channelOf(this.view, this.layers), value)),
      step: (by) => this.guard(() => this.step(by)),
    });
    this.sets = new SegmentedControl("Gates", derive.SETS, (gates) =>
      this.guard(() => this.choose({ gates, turned: [] })),
    );
    this.undoer = this.button("Release all", () => this.release());
    this.savers = saversOf(this);
    this.rows = element("div.layers");
    this.mount(
      parent,
      "gates",
      "gates",
      element("div.controls", {}, this.sets.element, this.undoer, this.savers.element),
      element(
        "section.picture-part",
        {},
        element("h2", {}, "The picture"),
        element("div.board", {}, canvas),
        this.places.button,
        element(
          "section.answer-part",
          { "aria-label": "The answer" },
          element("h2", {}, "The answer", element("small", {}, this.words.answer)),
          this.answer.holder,
        ),
        this.places.element,
      ),
      element(
        "section.gates-part",
        {},
        element("h2", {}, "The gates", element("small", {}, this.words.how)),
        this.rows,
        element("p.legend-words", {}, this.words.legend),
      ),
      this.steps.element,
    );
  }

  takeData() {
    const { header, arrays, shapes } = this;
    this.layers = derive.layersOf(header, arrays, shapes);
    this.before = { logits: arrays.logits, probabilities: arrays.probabilities };
    if (this.takeSubject()) {
      this.looked = { layer: -1, channel: -1 };
      this.answer.name(header.classes, header.label);
      this.makeStrips();
      this.own();
    }
    this.takeView({ layers: this.layers, other: header.other });
    this.ask();
  }

  makeStrips() {
    const act = (layer, what) => (channel, value) => this.guard(() => what.call(this, layer, channel, value));
    this.strips = this.layers.map(
      ({ title }, layer) =>
        new BarStrip({
          label: `${title}: its gates`,
          look: act(layer, this.look),
          choose: act(layer, this.pick),
          turn: act(layer, this.turn),
        }),
    );
    this.kinds = this.layers.map(() => text());
    this.rows.replaceChildren(
      ...this.layers.map(({ title }, layer) =>
        element(
          "div.layer",
          {},
          element("p", {}, element("b", {}, title), " ", element("span", {}, this.kinds[layer])),
          this.strips[layer].element,
        ),
      ),
    );
  }

  // Actions of the visitor

  /** Note the bar under the pointer, if any. */
  look(layer, channel) {
    if (channel === this.looked.channel && layer === this.looked.layer) return;
    this.looked = { layer, channel };
    this.draw();
  }

  /** Choose the gate whose arithmetic is shown. */
  pick(layer, channel) {
    Object.assign(this.view, { layer, channel });
    this.changed();
  }

  /** Choose the gate before or after the chosen one, if there is one. */
  step(by) {
    const { layer } = this.view;
    const channel = derive.channelOf(this.view, this.layers) + by;
    if (channel >= 0 && channel < this.layers[layer].channels) this.pick(layer, channel);
  }

  /** Set a gate, or release it with null. */
  turn(layer, channel, value) {
    Object.assign(this.view, { layer, channel, turned: derive.turnedTo(this.view.turned, layer, channel, value) });
    this.ask();
    this.changed();
  }

  /** Replace all gates. */
  choose(changes) {
    Object.assign(this.view, changes);
    this.ask();
    this.changed();
  }

  key(event) {
    if (event.key !== "Escape" || !derive.isSwitched(this.view)) return;
    this.release();
    event.preventDefault();
  }

  /** Return all gates to their computed values. */
  release() {
    this.choose({ gates: "own", turned: [] });
  }

  /** If there is no room for both, show the spatial gates instead of the picture, or the picture again. */
  swap(shown) {
    set(this.places.button, "aria-pressed", String(shown));
    this.root.classList.toggle("places-shown", shown);
    this.layout(true);
  }

  // The answer

  ask() {
    const { view, layers, header } = this;
    if (!derive.isSwitched(view) || !header.checkpoint) {
      this.rest();
      this.own();
      return;
    }
    const { edits, arrays } = derive.editsOf(view, layers);
    const asks = [{ checkpoint: header.checkpoint, edits, wanted: derive.wantedOf(layers) }];
    const request = { pictures: [header.asked], asks, arrays };
    this.asker.ask(this.question, request, (answer) => this.hear(answer), header.origin.digest);
  }

  /** The subject that an answer must match to be shown. */
  get question() {
    return JSON.stringify([this.subject, this.view.gates, this.view.turned]);
  }

  hear({ error, arrays }) {
    this.rest();
    if (error) return;
    this.now = this.layers.map((layer, number) => derive.valuesOf(layer, number, arrays));
    this.answered = { logits: arrays.logits, probabilities: arrays.probabilities };
    this.draw();
  }

  /** Show the net's own values. */
  own() {
    this.now = this.layers.map(({ own }) => own);
    this.answered = this.before;
  }

  // Layout and drawing

  layout(force = false) {
    const width = this.widthToFit(force);
    if (!width || !this.view) return;
    const kind = this.nameWidth(width, 560, 980);
    const beside = { narrow: 0, middle: SIDE * grown() + GAP }[kind] ?? (SIDE + STEPS) * grown() + 2 * GAP;
    const { picture, places, layers } = this;
    const [rows, columns] = this.shapes.picture;
    const cells = new Cells(rows, columns);
    const shape = layers[this.view.layer].places;
    const board = kind === "narrow" ? width * 0.4 : (shape ? BOTH : SIDE) * grown();
    fitBoard(picture, cells, board);
    picture.board.paintPicture(0, this.arrays.picture, this.shapes.picture, this.inks);
    picture.board.flush();
    places.layout(shape, cells, board);
    this.placesOf = this.view.layer;
    const high = kind === "narrow" ? HIGH_NARROW : HIGH;
    const height = Math.max(LOW, Math.min(high, TALL / layers.length)) * grown();
    this.strips.forEach((strip, layer) =>
      strip.layout({ count: layers[layer].channels, width: width - beside, height }),
    );
    this.draw();
  }

  draw() {
    const { view, layers, strips, now, theme, looked } = this;
    if (!view || !theme) return;
    if (view.layer !== this.placesOf && Boolean(layers[view.layer].places)) return this.layout(true);
    const channel = derive.channelOf(view, layers);
    layers.forEach((layer, number) => {
      const { values, held } = derive.shownGates(view, layer, number, now[number]);
      strips[number].draw(
        {
          values,
          held,
          marks: layer.mean,
          pale: layer.kinds.map((kind) => kind !== "varies"),
          chosen: number === view.layer ? channel : null,
          looked: number === looked.layer ? looked.channel : null,
        },
        theme,
      );
    });
    const [layer, values] = [layers[view.layer], now[view.layer]];
    this.found = stepsOf(layer, values, channel, derive.shownGates(view, layer, view.layer, values).values[channel]);
    this.steps.paint(this.found, this.steps.element.clientWidth - 32, theme);
    const map = placesOf(view, layer, values, channel, this.found.score);
    this.places.paint(map, layer, layer.space_is === "score" ? channel : null, this);
    this.answer.show(this.answered, this.before);
    this.saySoon();
  }

  read() {
    const { view, layers, now, answered, before, found, asker, looked, places } = this;
    return {
      ...view,
      shown: derive.channelOf(view, layers),
      looked,
      pending: asker.pending,
      gates: layers.map((layer, number) => Array.from(derive.shownGates(view, layer, number, now[number]).values)),
      kinds: layers.map(({ kinds }) => kinds),
      means: layers.map(({ mean }) => [...mean]),
      steps: found,
      places: places.map && { ...places.map, values: [...places.map.values] },
      before: [...before.probabilities],
      now: [...answered.probabilities],
    };
  }

  declared() {
    if (this.asker.pending) return {};
    const { view, layers, now, answered, before, header, found } = this;
    return {
      ...answers(header.classes, before.probabilities, answered.probabilities),
      ...derive.declaredOf(view, layers, now, found),
    };
  }

  sayAll() {
    const { view, layers, words, looked, found, header, strips } = this;
    say(
      words.legend,
      `${HINTS.bar[0].toUpperCase()}${HINTS.bar.slice(1)}. Each bar is a gate, from 0 to 1, with a line at its mean ` +
        `over ${header.many}. A paler bar hardly varies over these.` +
        (view.gates === "other" ? ` These are the gates of ${header.other}.` : ""),
    );
    const channel = derive.channelOf(view, layers);
    const at = looked.channel >= 0 ? looked : { layer: view.layer, channel };
    let chosen = "";
    layers.forEach((layer, number) => {
      const { values, held } = derive.shownGates(view, layer, number, this.now[number]);
      const here = number === view.layer ? channel : 0;
      say(this.kinds[number], derive.kindsInWords(layer));
      strips[number].say(here, derive.inWords(layer, here, values[here], held[here]));
      if (number === at.layer) say(words.how, derive.inWords(layer, at.channel, values[at.channel], held[at.channel]));
      if (number !== view.layer) return;
      chosen = derive.inWords(layer, channel, values[channel], held[channel]);
      this.steps.show(layer, channel, found, held[channel], view.gates);
    });
    this.sets.show(view.gates, header.other === null ? ["other"] : []);
    set(this.undoer, "aria-disabled", String(!derive.isSwitched(view)));
    const switched = derive.isSwitched(view);
    this.root.classList.toggle("switched", switched);
    const isKnown = switched && !this.asker.refused && !(this.asker.pending && this.answered === this.before);
    say(words.answer, isKnown ? this.answer.change(this.answered, this.before) : "");
    this.places.say();
    if (!this.asker.pending) this.announceDone(() => `${chosen}. ${this.answer.summary(this.answered, this.before)}`);
  }
}

export default mountable(Gates);
