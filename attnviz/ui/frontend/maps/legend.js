// The legend of a scale: its colours, numbers, the position of the chosen value, and the marks of values off the scale.

import { css, position, TOP } from "../core/colours.js";
import { element, say, set, text } from "../core/dom.js";
import { short } from "../core/numbers.js";
import { term } from "../terms/terms.js";

const EXPLAINED = "even share"; // if a note contains these words, they explain themselves
const MARKS = [
  ["nan", "no number"],
  ["infinite", "infinite"],
  ["masked", "minus infinity: masked"],
];

/** A bar of colours with numbers under it. */
export class Legend {
  constructor() {
    this.at = NaN; // the position of the pointer, 0..1
    this.width = 0;
    this.bar = element("div.bar");
    this.pointer = element("div.pointer", { "aria-hidden": "true" });
    this.ticks = [0, 1, 2, 3, 4].map(() => text());
    this.note = text();
    this.rest = text(); // the rest of the note, after the term
    this.explained = term("even-share", EXPLAINED);
    this.marks = MARKS.map(([kind, words]) => element("span.mark", { hidden: true }, element(`i.${kind}`), words));
    this.element = element(
      "div.legend",
      {},
      element("div.scale", {}, this.bar, this.pointer),
      element("div.ticks", {}, ...this.ticks.map((tick) => element("span", {}, tick))),
      element("p.note", {}, this.note, this.explained, this.rest, ...this.marks),
    );
    // The bar gets its width from the style sheet, which may load after the first layout.
    new ResizeObserver(() => this.layout()).observe(this.bar);
  }

  /** Take the colours of a palette. */
  colour(palette) {
    if (palette === this.palette) return;
    this.palette = palette;
    const stops = Array.from({ length: 33 }, (_, i) => css(palette[Math.round((i * TOP) / 32)]));
    this.bar.style.background = `linear-gradient(to right, ${stops.join(", ")})`;
  }

  /**
   * Write the numbers of a scale.
   * @param {Scale} scale
   * @param {string} note the subject of the scale
   * @param {string[]|null} ends words instead of its numbers
   */
  say(scale, note, ends = null) {
    const middle = (scale.low + scale.high) / 2;
    const words =
      ends ??
      (scale.flat
        ? [short(scale.low, 3), "", "", "", ""]
        : scale.kind === "share"
          ? ["\u2264 1/16", "1/4", "1 \u00d7", "4 \u00d7", "\u2265 16 \u00d7"]
          : [short(scale.low, 3), "", short(middle, 3), "", short(scale.high, 3)]);
    words.forEach((word, i) => say(this.ticks[i], word));
    if (note !== this.noted) this.sayNote(note);
    set(this.element, "data-scale", scale.kind);
  }

  sayNote(note) {
    this.noted = note;
    const [before, ...after] = note.split(EXPLAINED);
    say(this.note, before);
    this.explained.hidden = after.length === 0;
    say(this.rest, after.join(EXPLAINED));
  }

  /** Record the bar's width: the pointer moves by a transform in pixels, which costs no layout. */
  layout() {
    this.width = this.bar.clientWidth;
    this.place();
  }

  /** Point at a value, if it is a finite number. */
  point(value, scale) {
    this.at = position(value, scale);
    this.place();
  }

  place() {
    const there = Number.isFinite(this.at);
    this.pointer.style.opacity = there ? "1" : "0";
    if (there) this.pointer.style.transform = `translateX(${(this.at * this.width).toFixed(1)}px)`;
  }

  /** Explain the marks that occur. @param {boolean[]} found NaN, infinity, minus infinity */
  explain(found) {
    found.forEach((is, i) => (this.marks[i].hidden = !is));
  }
}
