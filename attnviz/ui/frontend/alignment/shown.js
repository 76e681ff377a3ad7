// The contents of the component, derived from its state and its data alone: no document.

import { best, column, percent } from "../core/numbers.js";
import * as derive from "./derive.js";

/** A text of the view -> the field of the data that contains it. @type {Record<string, "own"|"told">} */
const TEXTS = { own: "own", right: "told" };

/**
 * A predicted text and the attention of its steps.
 * @typedef {{probabilities: Float32Array, weights: import("./derive.js").Weights}} Read
 */

/**
 * The state of the component.
 * @typedef {object} State
 * @property {any} header
 * @property {Record<string, any>} arrays
 * @property {Record<string, number[]>} shapes
 * @property {any} view
 * @property {Read & {moved: import("./derive.js").Moved, layer: string}|null} answered the answer to the changes by
 *   hand, the changes at its time, and the layer of its weights; null without changes, or before the first answer
 * @property {Record<string, import("./derive.js").Weights>} gradients by the text that the steps are given, once known
 */

export class Shown {
  /** @param {State} state read on every access, never written */
  constructor(state) {
    this.state = state;
  }

  /** The number of columns of features in the strip. */
  get features() {
    const { shapes, header } = this.state;
    return Math.ceil(shapes.picture[1] / header.pitch);
  }

  get geometry() {
    const { shapes, header } = this.state;
    const { digits, pitch } = header;
    return { digits, pitch, side: shapes.picture[1] / digits };
  }

  /** The facts for the rules of the view. */
  get facts() {
    const { header, shapes } = this.state;
    const names = header.layers.map((one) => one.name);
    return {
      layers: names,
      headsOf: (name) => shapes[`${Math.max(0, names.indexOf(name))}.own`]?.[0] ?? 1,
      steps: Math.max(shapes["own.probabilities"][0], header.right?.length ?? 0),
      columns: this.features,
      told: header.right !== null,
      masked: this.masked,
      moves: header.layers.some(derive.movable),
    };
  }

  /** Whether the net has a mask. */
  get masked() {
    return this.state.header.layers.some((one) => one.keys === "steps");
  }

  /** The number of the shown layer. */
  get number() {
    const { header, view } = this.state;
    const there = header.layers.findIndex((one) => one.name === view.layer);
    return Math.max(0, there);
  }

  /** The shown layer. @returns {import("./derive.js").Layer} */
  get layer() {
    return this.state.header.layers[this.number];
  }

  /** Whether its weights can be moved, which also needs a net to ask. */
  get moves() {
    return derive.movable(this.layer) && Boolean(this.state.header.checkpoint);
  }

  /** Whether weights are moved, or the mask is off. */
  get changedByHand() {
    const { view } = this.state;
    return view.moved.length > 0 || !view.mask;
  }

  /** Whether the shown quantity is gradients that are not known yet. */
  get lacksGradients() {
    const { gradients, view } = this.state;
    return this.layer.of === "gradient" && !gradients[view.told];
  }

  /** The net's reading before any change, given the view's text. @returns {Read} */
  get before() {
    const { arrays, shapes, view, gradients } = this.state;
    const probabilities = arrays[`${TEXTS[view.told]}.probabilities`];
    if (this.layer.of === "gradient") return { probabilities, weights: gradients[view.told] ?? this.evenly };
    const told = `${this.number}.${view.told}`;
    const name = arrays[told] ? told : `${this.number}.own`;
    return { probabilities, weights: { values: arrays[name], shape: shapes[name] } };
  }

  /** The substitute for pending gradients. @returns {import("./derive.js").Weights} */
  get evenly() {
    const { features } = this;
    const { shapes, view } = this.state;
    const steps = shapes[`${TEXTS[view.told]}.probabilities`][0];
    return { values: new Float32Array(steps * features).fill(1 / features), shape: [1, steps, features] };
  }

  /** The shown reading: the answer to the changes, or the one before them. @returns {Read} */
  get now() {
    const { answered } = this.state;
    if (!answered) return this.before;
    // Another layer may have been chosen since: until its weights come, the earlier ones are shown.
    const { weights } = answered.layer === this.layer.name ? answered : this.before;
    return { probabilities: answered.probabilities, weights };
  }

  /** The shown text, as symbols. */
  get said() {
    return derive.symbolsOf(this.now.probabilities, this.state.header.classes.length);
  }

  /** The number of steps of the predicted or the correct text, whichever is longer. */
  get steps() {
    return Math.max(this.said.length, this.state.header.right?.length ?? 0);
  }

  /** The shown step: another text may have fewer. */
  get step() {
    return Math.min(this.state.view.at, this.said.length - 1);
  }

  /** The shown row of the matrix. */
  get row() {
    return this.layer.queries === "columns" ? this.state.view.column : this.step;
  }

  get rows() {
    return this.layer.queries === "columns" ? this.now.weights.shape[1] : this.said.length;
  }

  get columns() {
    return this.now.weights.shape[2];
  }

  /** The shown matrix, including the present drag: (query, key). */
  get matrix() {
    const { weights } = this.now;
    const { view, answered } = this.state;
    const keys = weights.shape[2];
    const queries = this.rows; // the text may have more steps than the substitutes for pending weights
    const found = new Float64Array(queries * keys);
    for (let query = 0; query < queries; query++) found.set(derive.rowOf(weights, view.head, query), query * keys);
    if (derive.movable(this.layer))
      for (const [step, by] of view.moved) {
        const ahead = by - derive.movedBy(answered?.moved ?? [], step);
        if (ahead && step < queries)
          found.set(derive.movedRow(found.subarray(step * keys, (step + 1) * keys), ahead), step * keys);
      }
    return found;
  }

  /** Whether a cell exists. @param {{row: number, column: number}} place row -1: the chosen row */
  has({ row, column }) {
    return row < this.rows && column < this.columns;
  }

  /** The weight of a cell. @param {{row: number, column: number}} place row -1: the chosen row */
  valueAt({ row, column }) {
    return this.matrix[(row >= 0 ? row : this.row) * this.columns + column];
  }

  /** The range by which the weights of a step can be moved. @param {number} step */
  reachOf(step) {
    const { weights } = this.before;
    return derive.reach(derive.rowOf(weights, this.state.view.head, Math.min(step, weights.shape[1] - 1)));
  }

  /** The shown text, as letters. */
  get letters() {
    return derive.letters(this.said, this.state.header.classes);
  }

  /** The correct text, as letters; null if unknown. */
  get right() {
    const { header } = this.state;
    return header.right ? derive.letters(header.right, header.classes) : null;
  }

  /** The text before any change, as letters. */
  get lettersBefore() {
    const { classes } = this.state.header;
    return derive.letters(derive.symbolsOf(this.before.probabilities, classes.length), classes);
  }

  /** The probability of the predicted symbol, by step. */
  get sure() {
    const { classes } = this.state.header;
    return this.said.map((symbol, one) => derive.stepOf(this.now.probabilities, classes.length, one)[symbol]);
  }

  /** The headings of the matrix's columns: the digits of the strip, or the input of each step. */
  get headings() {
    const { header, view, answered } = this.state;
    const { classes, right, reads, digits } = header;
    const { keys } = this.layer;
    if (keys === "numbers") return [];
    if (keys === "steps") {
      const own = answered && view.told === "own";
      const told = own ? [classes.length, ...this.said.slice(0, -1)] : header[TEXTS[view.told]].before;
      return derive.letters(told, classes);
    }
    if (!right || !reads) return Array.from({ length: digits }, (_, i) => `${i + 1}`);
    const found = new Array(digits).fill("");
    reads.forEach((place, step) => (found[place] = classes[right[step]]));
    return found;
  }

  /** The answer at the shown step, and the one before any change. */
  get answer() {
    const { classes } = this.state.header;
    const [now, before] = [this.now, this.before].map(({ probabilities }) =>
      derive.stepOf(probabilities, classes.length, this.step),
    );
    return { now, before: before.length ? before : null };
  }

  /** The values for lessons, by name; unknown ones are left out. @returns {Record<string, string|number>} */
  get declared() {
    const { view, header } = this.state;
    const { classes, right, reads, digits } = header;
    const { now, before } = this.answer;
    const { columns, geometry } = this;
    const named = (probabilities) => derive.nameOf(best(probabilities), classes);
    const row = this.matrix.subarray(this.row * columns, (this.row + 1) * columns);
    const most = this.layer.keys === "columns" ? derive.mostOn(row, geometry) : null;
    const read = this.layer.queries === "steps" ? reads?.[this.step] : undefined;
    const found = derive.compared(this.said, right);
    const words = (letters) => letters.filter((letter) => letter !== "\u25a0").join("");
    return {
      answer: named(now),
      probability: now[best(now)],
      ...(before ? { answer_before: named(before), probability_before: before[best(before)] } : {}),
      ...(right?.[this.step] === undefined ? {} : { right: derive.nameOf(right[this.step], classes) }),
      step: this.step + 1,
      steps: this.steps,
      ...(most ? { digit: most.digit + 1, weight_on_digit: most.share } : {}),
      ...(most && read !== undefined ? { weight_on_right: derive.shareOn(row, read, geometry) } : {}),
      moved: derive.movedBy(view.moved, this.step),
      told: view.told,
      mask: view.mask ? "on" : "off",
      layer: this.layer.name,
      text: words(this.letters),
      ...(right ? { right_text: words(this.right ?? []), digits_right: found?.right ?? 0 } : {}),
      digits,
    };
  }

  // In words

  /** The prediction at the shown step. */
  get says() {
    const { now } = this.answer;
    return `Step ${this.step + 1} predicts ${derive.nameOf(best(now), this.state.header.classes)}`;
  }

  /** Its confidence, and the earlier or the correct symbol. */
  get how() {
    const { header } = this.state;
    const { now, before } = this.answer;
    const [symbol, was] = [best(now), before ? best(before) : -1];
    if (before && this.changedByHand && was !== symbol)
      return `before: ${derive.nameOf(was, header.classes)}, ${percent(before[was])}`;
    const should = header.right?.[this.step];
    if (should === undefined) return percent(now[symbol]);
    if (should === symbol) return `${percent(now[symbol])}, right`;
    return `${percent(now[symbol])}; it is ${derive.nameOf(should, header.classes)}`;
  }

  /** A comparison of the text with the correct one, in a sentence. */
  get verdict() {
    const { header } = this.state;
    const found = derive.compared(this.said, header.right);
    if (!found) return `${this.said.filter((one) => one < header.classes.length - 1).length} digits were predicted.`;
    if (found.exact) return "All digits are right.";
    return `${found.right} of ${found.of} digits in the right place.`;
  }

  /** The position of a row's weights. @param {Float64Array} row */
  where(row) {
    const { layer } = this;
    if (layer.keys === "numbers")
      return "There are no weights: every step gets the same vector, made before the first digit is predicted.";
    if (!layer.learnt && layer.of === "weight")
      return "All columns get the same weight at every step: the mean of the strip, and no choice.";
    if (layer.keys === "steps") {
      const most = best(row);
      const heading = this.headings[most];
      const told = heading === "\u25b8" ? "the start" : heading;
      const step = derive.ordinal(most + 1);
      return `${percent(row[most])} of the weight lies on the ${step} step, which was told ${told}.`;
    }
    const reads = layer.queries === "steps" ? (this.state.header.reads?.[this.step] ?? null) : null;
    return derive.whereInWords(row, this.geometry, reads, layer.of);
  }

  /** The pointed cell, in words. @param {{row: number, column: number}|null} looked */
  reading(looked) {
    const { layer, geometry } = this;
    if (!looked || looked.column < 0) return "";
    const row = looked.row >= 0 ? looked.row : this.row;
    const value = this.valueAt(looked);
    const from = layer.queries === "columns" ? `Column ${row + 1}` : `Step ${row + 1}`;
    if (layer.keys === "numbers") return `${from}, number ${looked.column + 1} of the vector: ${column(value)}.`;
    const digit = derive.digitAt(looked.column, geometry.pitch, geometry.side, geometry.digits);
    const to =
      layer.keys === "steps"
        ? `step ${looked.column + 1}`
        : `column ${looked.column + 1}, in the ${derive.ordinal(digit + 1)} digit`;
    if (layer.keys === "steps" && this.state.view.mask && looked.column > row)
      return `${from} may not look at ${to}: the mask hides what comes later.`;
    const how = layer.of === "gradient" ? "depends on" : "looks at";
    return `${from} ${how} ${to}: ${layer.of} ${derive.weightInWords(value, this.columns)}.`;
  }

  /** The possible actions, while nothing is pointed at. */
  get hint() {
    return derive.hintOf(this.layer, this.moves);
  }
}
