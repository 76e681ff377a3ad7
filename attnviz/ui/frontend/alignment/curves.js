// Accuracy by the length of the strip: a line for each model, a band over its seeds, and a dot at the length of the
// strip, if that was tested.

import { element, say, set, svg, text } from "../core/dom.js";
import { SegmentedControl } from "../hands/controls.js";
import { hereInWords, independent, numbered } from "./derive.js";

const WIDTH = 340;
const HEIGHT = 160;
const ROOM = { left: 34, right: 8, top: 6, bottom: 30 };
const LONGEST = 30;
export const MEASURES = { digits: "Digits right", exact: "Whole strips right" };

/** @typedef {{key: string, title: string, control: boolean, lengths: number[], digits: number[], exact: number[],
 *   digits_range: number[][], exact_range: number[][], distance: number[]}} Curve */

const x = (length) => ROOM.left + ((length - 1) / (LONGEST - 1)) * (WIDTH - ROOM.left - ROOM.right);
const y = (share) => HEIGHT - ROOM.bottom - share * (HEIGHT - ROOM.top - ROOM.bottom);

const path = (lengths, values) => lengths.map((length, i) => `${i ? "L" : "M"}${x(length)} ${y(values[i])}`).join("");

export class Curves {
  /** @param {(measure: string) => void} choose */
  constructor(choose) {
    this.words = { here: text(), note: text() };
    this.measures = new SegmentedControl("Show", MEASURES, choose);
    this.chart = svg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img" });
    this.key = element("ul.key");
    this.element = element(
      "section.curves-part",
      { "aria-label": "Accuracy by length" },
      element("div.chart", {}, element("h2", {}, "Accuracy by length"), this.chart),
      element(
        "div.beside",
        {},
        this.measures.element,
        this.key,
        element("p.quiet", {}, this.words.here),
        element("p.quiet", {}, this.words.note),
      ),
    );
    this.shown = "";
    /** @type {Map<string, number>} the dash pattern of each curve, by key */
    this.numbers = new Map();
  }

  /**
   * @param {Curve[]} curves
   * @param {object} facts
   * @param {string} facts.measure
   * @param {number} facts.length length of the strip
   * @param {number|null} facts.trained digits of the longest strip in training
   * @param {string} facts.own key of the shown net
   */
  show(curves, facts) {
    this.element.hidden = !curves.length;
    const state = JSON.stringify([curves, facts]);
    if (!curves.length || state === this.shown) return;
    this.shown = state;
    this.numbers = numbered(
      this.numbers,
      curves.map(({ key }) => key),
    );
    this.measures.show(facts.measure);
    this.chart.replaceChildren(...this.axes(facts), ...curves.toReversed().flatMap((curve) => this.line(curve, facts)));
    const mine = curves.find((curve) => curve.key === facts.own);
    const test = mine ? mine.lengths.indexOf(facts.length) : -1;
    if (mine && test >= 0) {
      const middle = { cx: x(facts.length), cy: y(mine[facts.measure][test]) };
      this.chart.append(svg("circle", { class: "here", ...middle, r: 5 }));
    }
    say(this.words.here, mine ? hereInWords(mine, facts) : "This model has not been tested by length.");
    say(this.words.note, facts.trained ? `Trained on strips of up to ${facts.trained} digits: the vertical line.` : "");
    set(this.chart, "aria-label", `${MEASURES[facts.measure]}, by the number of digits. ${this.words.here.data}`);
    this.key.replaceChildren(
      ...curves.map((curve) =>
        element(
          "li",
          curve.key === facts.own ? { class: "own" } : {},
          svg(
            "svg",
            { viewBox: "0 0 26 8", class: "sample", "aria-hidden": "true" },
            svg("path", { class: this.kindOf(curve, facts), d: "M0 4L26 4" }),
          ),
          curve.title,
        ),
      ),
    );
  }

  /** @param {Curve} curve @param {any} facts */
  kindOf(curve, facts) {
    const number = this.numbers.get(curve.key) ?? 0;
    return curve.key === facts.own ? "curve own" : `curve other dash-${number % 4}${curve.control ? " control" : ""}`;
  }

  axes({ trained }) {
    const found = [];
    for (const share of [0, 0.25, 0.5, 0.75, 1]) {
      found.push(svg("line", { class: "grid", x1: ROOM.left, x2: WIDTH - ROOM.right, y1: y(share), y2: y(share) }));
      found.push(svg("text", { x: ROOM.left - 5, y: y(share) + 4, "text-anchor": "end" }, `${100 * share} %`));
    }
    for (const length of [1, 5, 10, 15, 20, 25, 30])
      found.push(svg("text", { x: x(length), y: HEIGHT - ROOM.bottom + 13, "text-anchor": "middle" }, String(length)));
    found.push(
      svg(
        "text",
        { x: (ROOM.left + WIDTH - ROOM.right) / 2, y: HEIGHT - 3, "text-anchor": "middle" },
        "digits of the strip",
      ),
    );
    if (trained) found.push(svg("line", { class: "trained", x1: x(trained), x2: x(trained), y1: y(0), y2: y(1) }));
    return found;
  }

  /** @param {Curve} curve @param {any} facts */
  line(curve, facts) {
    const { measure } = facts;
    const own = curve.key === facts.own;
    const ends = curve[`${measure}_range`];
    const band =
      path(
        curve.lengths,
        ends.map(([, high]) => high),
      ) +
      path(
        curve.lengths.toReversed(),
        ends.toReversed().map(([low]) => low),
      ).replace("M", "L");
    const parts = [
      svg("path", { class: own ? "band own" : "band", d: `${band}Z` }),
      svg("path", { class: this.kindOf(curve, facts), d: path(curve.lengths, curve[measure]) }),
    ];
    if (measure === "exact") {
      const powers = curve.lengths.map((length, i) => independent(curve.digits[i], length));
      parts.push(svg("path", { class: own ? "curve powers own" : "curve powers", d: path(curve.lengths, powers) }));
    }
    return parts;
  }
}
