// The arithmetic of one gate in words and numbers: squeeze, reduce, excite, scale; and the slider that turns it.

import { context2d, element, say, set, text, texts } from "../core/dom.js";
import { column, short } from "../core/numbers.js";
import { HeldValue } from "../hands/held_value.js";
import { BarPlaces, paintBars, spanOf } from "../maps/bars.js";
import { term } from "../terms/terms.js";

const TERMS = 4; // how many products of the score are written out: the largest ones

export class StepsPanel {
  /** @param {{turn: (value: number|null) => void, step: (by: number) => void}} hands */
  constructor({ turn, step: stepBy }) {
    const ofChannel = texts("where", "gate", "kind", "squeezed", "scaled");
    this.words = { ...ofChannel, ...texts("reduced", "rest", "shift", "score", "computed") };
    const { words } = this;
    this.value = new HeldValue({
      label: "This gate, in percent",
      range: [0, 100],
      step: 1,
      free: "release",
      turn: (percent) => turn(percent === null ? null : percent / 100),
    });
    this.before = element(
      "button.quiet",
      { type: "button", "aria-label": "Previous gate", onclick: () => stepBy(-1) },
      "\u2039",
    );
    this.after = element(
      "button.quiet",
      { type: "button", "aria-label": "Next gate", onclick: () => stepBy(1) },
      "\u203a",
    );
    this.units = element("canvas", { "aria-hidden": "true" });
    this.terms = Array.from({ length: TERMS }, () => ({ name: text(), product: text() }));
    const line = (name, value, kind = "tr") =>
      element(kind, {}, element("th", { scope: "row" }, name), element("td", {}, value));
    const step = (name, ...content) => element("li", {}, element("b", {}, name), ...content);
    this.lines = this.terms.map(({ name, product }) => line(name, product));
    this.element = element(
      "section.steps-part",
      { "aria-label": "The arithmetic of one gate" },
      element(
        "div.which",
        {},
        element("h2", {}, "This gate", element("small", {}, words.where)),
        element("div.neighbours", {}, this.before, this.after),
      ),
      element("p.big", {}, words.gate, element("small", {}, words.kind)),
      this.value.element,
      element(
        "ol.steps",
        {},
        step(term("squeeze-and-excitation", "Squeeze"), element("p", {}, words.squeezed)),
        step("Reduce", element("p", {}, words.reduced), this.units),
        step(
          "Excite",
          element(
            "table",
            {},
            element("tbody", {}, ...this.lines, line(words.rest, words.shift), line("score", words.score)),
          ),
          element("p", {}, words.computed),
        ),
        step("Scale", element("p", {}, words.scaled)),
      ),
    );
  }

  /**
   * @param {import("./derive.js").Layer} layer
   * @param {number} channel
   * @param {import("./derive.js").Steps} steps
   * @param {boolean} held whether the gate is set by hand
   * @param {string} all the setting of all gates
   */
  show(layer, channel, steps, held, all) {
    const { words } = this;
    const kind = layer.kinds[channel] === "varies" ? "" : `, ${layer.kinds[channel]}`;
    say(words.where, `${layer.title}, channel ${channel + 1} of ${layer.channels}`);
    set(this.before, "aria-disabled", String(channel === 0));
    set(this.after, "aria-disabled", String(channel === layer.channels - 1));
    say(words.gate, short(steps.gate, 3));
    say(words.kind, `mean over many pictures ${short(layer.mean[channel], 3)}${kind}`);
    const percent = Math.round(100 * steps.gate);
    this.value.show(percent, `${percent} %`, held);
    const most = steps.squeezedMax === null ? "" : `, and its largest value ${short(steps.squeezedMax, 3)}`;
    say(words.squeezed, `The mean of the channel is ${short(steps.squeezed, 3)}${most}.`);
    say(
      words.reduced,
      `The ${layer.channels} ${most ? "means, and likewise the largest values," : "means"} become ${layer.units} ` +
        `${layer.units === 1 ? "unit" : "units"}; ` +
        `${steps.idle ? `ReLU leaves ${steps.idle} of them at 0` : "none of them is 0"}.`,
    );
    const sorted = [...steps.terms].sort((one, other) => Math.abs(other.product) - Math.abs(one.product));
    this.terms.forEach(({ name, product }, place) => {
      const one = sorted[place];
      this.lines[place].hidden = !one;
      if (!one) return;
      say(name, `unit ${one.unit + 1}: ${column(steps.reduced[one.unit])} × ${column(one.weight)}`);
      say(product, column(one.product));
    });
    const others = sorted.slice(TERMS);
    say(words.rest, others.length ? `${others.length} other units, and ${layer.shift_is}` : layer.shift_is);
    say(words.shift, column(others.reduce((sum, { product }) => sum + product, steps.shift)));
    say(words.score, column(steps.score));
    say(words.computed, computedInWords(layer, steps) + instead(held, all, steps));
    say(words.scaled, scaledInWords(layer, steps));
  }

  /**
   * Paint the units of the narrow layer.
   * @param {import("./derive.js").Steps} steps
   * @param {number} width
   * @param {Theme} theme
   */
  paint(steps, width, theme) {
    const places = new BarPlaces({
      count: steps.reduced.length,
      width,
      height: 26,
      widest: 18,
      ...spanOf("positive", steps.reduced),
    });
    this.units.width = Math.max(1, Math.round(places.width * devicePixelRatio));
    this.units.height = Math.round(places.height * devicePixelRatio);
    Object.assign(this.units.style, { width: `${places.width}px`, height: `${places.height}px` });
    const context = context2d(this.units);
    context.setTransform(devicePixelRatio, 0, 0, devicePixelRatio, 0, 0);
    paintBars(context, places, { values: steps.reduced }, theme);
  }
}

function computedInWords({ space_is }, { computed }) {
  if (space_is === "score")
    return `With the score of each place, the sigmoid gives ${short(computed, 3)} on average over all places`;
  return `The sigmoid of the score is ${short(computed, 3)}`;
}

function instead(held, all, { gate }) {
  if (held) return `; you have set ${short(gate, 3)} instead.`;
  return all === "own" ? "." : `; ${short(gate, 3)} stands in its place.`;
}

function scaledInWords({ form, space_is }, { squeezed, factor, scaled, gate }) {
  if (space_is === "score")
    return (
      "Each value of the channel is multiplied by 1 + the gate of its place: " + `by ${short(1 + gate, 3)} on average.`
    );
  const by = form === "one plus" ? `1 + ${short(gate, 3)} = ${short(factor, 3)}` : short(factor, 3);
  return (
    `Each value of the channel is multiplied by ${by}: its mean becomes ${short(squeezed, 3)} × ` +
    `${short(factor, 3)} = ${short(scaled, 3)}.`
  );
}
