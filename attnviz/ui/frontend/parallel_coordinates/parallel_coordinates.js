// Trials of a search as lines across parallel axes. They can be read under the pointer, chosen, and brushed with
// pointer, finger and keys. Python's side is attnviz/ui/components/parallel_coordinates.py.

import { element, grown, say, svg, text } from "../core/dom.js";
import { mountable, Part } from "../core/part.js";
import { UrlView } from "../core/url_view.js";
import { saversOf } from "../hands/controls.js";
import { placeIn } from "../hands/place.js";
import { AxisBrush } from "./axis_brush.js";
import * as derive from "./derive.js";
import { colourOf, markLines, paintLines, Room } from "./paint.js";

const HIGH = 300; // pixels of the design
const WIDE = 40; // width of an axis for a finger, CSS pixels
const BESIDE = 12; // CSS pixels between an axis and its tick labels, for the ends of a brush
const NEAR = 0.06; // maximum distance from the pointer to the line that it selects, as a fraction of an axis

const HOW =
  "Each line is a trial; the stronger its colour, the better it was. Choose one to read it; drag along an axis to " +
  "keep the trials that pass there.";

export class ParallelCoordinates extends Part {
  exporting = () => import("./export.js");
  url = new UrlView({}, derive.RULES);
  // Everything below arrives with the first data
  /** @type {import("./derive.js").Shown} */ shown;
  /** @type {import("./derive.js").Brushes} */ brushes = [];
  /** @type {boolean[]} */ inside = [];
  /** @type {AxisBrush[]} */ axes = [];
  /** @type {SVGElement[]} by trial */ lines = [];
  /** @type {Room} */ room;

  constructor(parent) {
    super();
    this.looked = -1; // the trial under the pointer
    /** @type {number[]} trials in the order of painting */
    this.front = [];
    this.frame = svg("g");
    this.words = { title: text(), summary: text(), reading: text() };
    this.drawing = svg("svg", { "aria-hidden": "true" });
    this.overlay = element("div.axes");
    this.chart = element("div.chart", { onclick: (event) => this.guard(() => this.take(event)) });
    this.chart.append(this.drawing, this.overlay);
    this.chart.addEventListener("pointermove", (event) => this.guard(() => this.look(this.trialAt(event))));
    this.chart.addEventListener("pointerleave", () => this.guard(() => this.look(-1)));
    this.clear = this.button("show all", () => this.brush(this.brushes.map(() => null)));
    this.savers = saversOf(this, {});
    this.mount(
      parent,
      "parallel-coordinates",
      "parallel_coordinates",
      element("h2", {}, this.words.title, this.savers.element),
      this.chart,
      element(
        "div.reading",
        {},
        element("span.summary", {}, this.words.summary, " ", this.clear),
        element(
          "span.step",
          {},
          this.button("\u2039 worse", () => this.step(-1)),
          this.button("better \u203a", () => this.step(1)),
        ),
      ),
      element("p.trial", {}, this.words.reading),
    );
  }

  takeData() {
    const { header, arrays } = this;
    this.shown = { ...header, places: arrays.places, values: arrays.values };
    this.takeView(this.shown);
    const [brush] = this.names;
    this.brushes = derive.readBrushes(this.view[brush], header.axes) ?? header.axes.map(() => null);
    this.looked = -1;
    this.makeAxes();
    this.makeDrawing();
  }

  /** The names of the view's fields for the brushes and for the trial. @returns {[string, string]} */
  get names() {
    const [brush, trial] = this.header.fields;
    return [brush.name, trial.name];
  }

  /** The chosen trial's index among the shown ones; -1 for none. */
  get chosen() {
    const number = this.view[this.names[1]];
    return this.shown.trials.findIndex((trial) => trial.number === number);
  }

  makeAxes() {
    this.axes = this.shown.axes.map(({ title }, axis) => {
      const place = (height) => this.room.place(height);
      return new AxisBrush(title, {
        drag: (from, to, done) => this.guard(() => this.brushAxis(axis, place(from), place(to), done)),
        pull: (end, to, done) =>
          this.guard(() => this.brushAxis(axis, (this.brushes[axis] ?? [0, 1])[1 - end], place(to), done)),
        key: (end, key) => {
          const found = derive.moved(this.shown.axes[axis], this.brushes[axis], end, key);
          if (found) this.guard(() => this.brush(this.brushes.with(axis, found.range)));
          return found !== null;
        },
      });
    });
    this.overlay.replaceChildren(...this.axes.map(({ element }) => element));
  }

  makeDrawing() {
    const lines = this.shown.trials.map(({ why }) => svg("polyline", why ? { "stroke-dasharray": "4 3" } : {}));
    this.lines = lines;
    this.front = derive.ordered(this.shown);
    this.drawing.replaceChildren(svg("g", {}, ...this.front.map((trial) => lines[trial])), this.frame);
  }

  // Actions of the visitor

  /** The trial under a pointer; -1 if none is near. @param {MouseEvent} event */
  trialAt(event) {
    if (!this.room) return -1;
    const { x, y } = placeIn(this.chart, event);
    return derive.nearest(this.shown, this.inside, this.room.along(x), this.room.place(y), NEAR);
  }

  look(trial) {
    if (trial === this.looked) return;
    this.looked = trial;
    this.draw();
  }

  /** Choose the clicked trial, or release it if it is chosen already. @param {MouseEvent} event */
  take(event) {
    const trial = this.trialAt(event);
    if (trial >= 0) this.choose(trial === this.chosen ? -1 : trial);
  }

  choose(trial) {
    this.view[this.names[1]] = trial < 0 ? null : this.shown.trials[trial].number;
    this.changed();
  }

  /** Choose the next better or worse trial inside the brushes. @param {number} by */
  step(by) {
    const among = this.front.filter((trial) => this.inside[trial]);
    if (!among.length) return;
    const at = among.indexOf(this.chosen);
    this.choose(among[at < 0 ? (by > 0 ? 0 : among.length - 1) : Math.min(among.length - 1, Math.max(0, at + by))]);
  }

  brushAxis(axis, from, to, done) {
    this.brushes = this.brushes.with(axis, derive.brushOf(this.shown.axes[axis], from, to));
    if (done) this.brush(this.brushes);
    else this.draw();
  }

  brush(brushes) {
    this.brushes = brushes;
    this.view[this.names[0]] = derive.writeBrushes(brushes, this.shown.axes);
    this.changed();
  }

  // Layout and drawing

  takeColours() {
    const others = super.takeColours();
    if (others && this.room) this.draw();
    return others;
  }

  layout(force = false) {
    const width = this.widthToFit(force);
    if (!width || !this.shown) return;
    const height = Math.round(HIGH * grown());
    this.room = new Room({ width, height, axes: this.shown.axes.length, px: grown() });
    this.chart.style.height = `${height}px`;
    for (const [name, value] of Object.entries({ width, height, viewBox: `0 0 ${width} ${height}` }))
      this.drawing.setAttribute(name, String(value));
    this.layFrame();
    this.draw();
  }

  /** Lay out the axes with their titles and ticks. */
  layFrame() {
    const { room, shown } = this;
    const last = room.narrow ? -1 : shown.axes.length - 1; // the axis with its words on the left
    const parts = shown.axes.flatMap(({ title, ticks }, axis) => {
      const x = room.x(axis);
      const lines = title.split(" ");
      return [
        svg("line", { class: "rule", x1: x, x2: x, y1: room.top, y2: room.bottom }),
        ...lines.map((word, line) =>
          svg("text", { class: "title", x, y: 14 * room.px * (line + (lines.length > 1 ? 1 : 1.6)) }, word),
        ),
        ...ticks.flatMap(({ place, words }) => [
          svg("line", { class: "rule", x1: x - 3, x2: x + 3, y1: room.y(place), y2: room.y(place) }),
          svg(
            "text",
            {
              class: axis === last ? "tick last" : "tick",
              x: x + (axis === last ? -BESIDE : BESIDE),
              y: room.y(place) + 4,
            },
            words,
          ),
        ]),
      ];
    });
    this.frame.replaceChildren(...parts);
  }

  draw() {
    const { shown, room, theme, palettes } = this;
    if (!room) return;
    this.inside = derive.insideOf(shown, this.brushes);
    const colours = derive.strengths(shown).map((part) => colourOf(palettes, part, theme));
    paintLines(this.lines, shown, room, colours);
    markLines(this.lines, this.inside, this.looked, this.chosen);
    const wide = Math.min(WIDE, (room.width - 2 * room.side) / Math.max(1, shown.axes.length - 1));
    this.axes.forEach((brush, axis) => {
      const range = this.brushes[axis];
      const places = /** @type {[number, number]} */ (range ?? [0, 1]);
      const heights = /** @type {[number, number]} */ (places.map((place) => room.y(place)));
      const words = /** @type {[string, string]} */ (places.map((place) => derive.placeWords(shown.axes[axis], place)));
      brush.show({ x: room.x(axis), height: room.height, wide }, heights, range !== null, places, words);
    });
    this.saySoon();
  }

  read() {
    const { shown, inside, looked, chosen, brushes } = this;
    const at = (trial, axis) => [this.room.x(axis), this.room.y(shown.places[trial * shown.axes.length + axis])];
    return { trials: shown.trials.length, inside: [...inside], looked, chosen, brushes, at };
  }

  sayAll() {
    const { words, shown, inside, looked, chosen } = this;
    say(words.title, shown.title);
    const summary = derive.summaryOf(shown, inside);
    say(words.summary, summary);
    // Its space stays: nothing moves when it appears.
    this.clear.style.visibility = this.brushes.every((range) => range === null) ? "hidden" : "";
    const reading = derive.inWords(shown, looked < 0 ? chosen : looked);
    say(words.reading, reading || HOW);
    this.announceDone(() => (chosen < 0 ? summary : `${summary} ${derive.inWords(shown, chosen)}`));
  }
}

export default mountable(ParallelCoordinates);
