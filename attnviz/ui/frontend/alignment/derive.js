// The contents of a strip, its text and its weights, derived from state and data. It does not access the page.

import { KINDS } from "../core/url_fields.js";
import { best, counted, percent, short } from "../core/numbers.js";

/**
 * An attention layer, or the gradients in its place.
 * @typedef {{name: string, title: string, path: string, queries: string, keys: string, learnt: boolean, of: string}}
 *   Layer
 */

/**
 * Weights of all heads of a layer.
 * @typedef {{values: ArrayLike<number>, shape: number[]}} Weights shape: heads, queries, keys
 */

/** @typedef {number[][]} Moved pairs of a step and its shift, in columns to the right */

KINDS.moved_weights = {
  holds: (value) =>
    Array.isArray(value) && value.every((one) => Array.isArray(one) && one.length === 2 && one.every(Number.isInteger)),
  word: (value) =>
    Array.isArray(value) ? value.map((one) => (one.length ? `${one[0] + 1}.${one[1]}` : one)).join(",") : String(value),
};

/** Which values of a view exist; facts: {layers, heads, steps, columns, told, moves}. */
export const RULES = {
  exists({ name }, value, facts, asked) {
    if (name === "layer") return value === "" || facts.layers.includes(value);
    if (name === "head") return value === "mean" || (value >= 0 && value < facts.headsOf(asked.layer ?? ""));
    if (name === "at") return value >= 0 && value < facts.steps;
    if (name === "column") return value >= 0 && value < facts.columns;
    if (name === "told") return value === "own" || facts.told;
    if (name === "mask") return value || facts.masked;
    if (name === "moved")
      return !value.length || (facts.moves && value.every(([step, by]) => step >= 0 && step < 31 && by !== 0));
    return true;
  },
  there({ name }, facts) {
    if (name === "layer") return facts.layers.join(" or ");
    if (name === "head") return "mean, or 1 to the number of heads of the layer";
    if (name === "at") return `1 to ${facts.steps}`;
    if (name === "column") return `1 to ${facts.columns}`;
    if (name === "told") return facts.told ? "own or right" : "own, because the right text is unknown";
    if (name === "mask") return facts.masked ? "yes or no" : "yes, because there is no mask to remove";
    return facts.moves ? "steps with columns, such as 3.8,5.-4" : "none, because no weights can be moved here";
  },
};

/**
 * The edges of the columns of features on the strip, in pixels of the picture.
 * @param {number} columns number of columns
 * @param {number} pitch pixels from one column to the next
 * @param {number} width width of the strip
 * @returns {number[]} one edge more than columns
 */
export function edgesOf(columns, pitch, width) {
  return Array.from({ length: columns + 1 }, (_, i) => (i === 0 ? 0 : i === columns ? width : (i - 0.5) * pitch));
}

/** The index of the digit that contains the middle of a column. */
export function digitAt(column, pitch, side, digits) {
  return Math.min(digits - 1, Math.floor((column * pitch) / side));
}

/** The columns whose middle lies on a digit: the first, and one after the last. */
export function columnsOf(digit, pitch, side, columns) {
  const first = Math.ceil((digit * side) / pitch);
  return [first, Math.min(columns, Math.ceil(((digit + 1) * side) / pitch))];
}

/**
 * The weights of one query, of one head or as the mean over all heads.
 * @param {Weights} weights
 * @param {number|"mean"} head
 * @param {number} query
 * @returns {Float64Array}
 */
export function rowOf({ values, shape: [heads, queries, keys] }, head, query) {
  const row = new Float64Array(keys);
  if (query >= queries) return row;
  const chosen = head === "mean" ? Array.from({ length: heads }, (_, one) => one) : [Math.min(head, heads - 1)];
  for (const one of chosen) {
    const start = (one * queries + query) * keys;
    for (let key = 0; key < keys; key++) row[key] += values[start + key] / chosen.length;
  }
  return row;
}

/**
 * Weights moved along the strip: those that leave it are dropped, and the rest is renormalised to sum to one.
 * @param {ArrayLike<number>} row
 * @param {number} by columns to the right
 */
export function movedRow(row, by) {
  const found = new Float64Array(row.length);
  let sum = 0;
  for (let key = 0; key < row.length; key++) {
    const from = key - by;
    if (from >= 0 && from < row.length) found[key] = row[from];
    sum += found[key];
  }
  if (!(sum > 0)) return Float64Array.from(row);
  return found.map((value) => value / sum);
}

/** The smallest and the largest shift that keep the peak of the weights on the strip. */
export function reach(row) {
  const peak = best(row);
  return [-peak, row.length - 1 - peak];
}

/** @param {Moved} moved @param {number} step */
export function movedBy(moved, step) {
  return moved.find(([one]) => one === step)?.[1] ?? 0;
}

/**
 * Move the weights of a step; 0 releases them.
 * @param {Moved} moved
 * @param {number} step
 * @param {number} by
 * @returns {Moved} in the order of the steps
 */
export function withMoved(moved, step, by) {
  const others = moved.filter(([one]) => one !== step);
  return (by ? [...others, [step, by]] : others).sort(([one], [other]) => one - other);
}

/**
 * The most probable symbol of each step.
 * @param {ArrayLike<number>} probabilities (step, class)
 * @param {number} classes
 * @returns {number[]}
 */
export function symbolsOf(probabilities, classes) {
  const found = [];
  for (let start = 0; start < probabilities.length; start += classes)
    found.push(best(Array.prototype.slice.call(probabilities, start, start + classes)));
  return found;
}

/** The probabilities of one step. */
export function stepOf(probabilities, classes, step) {
  return Array.prototype.slice.call(probabilities, step * classes, (step + 1) * classes);
}

/**
 * The symbols of a text as letters; \u25a0 for the end.
 * @param {number[]} symbols
 * @param {string[]} classes
 */
export function letters(symbols, classes) {
  return symbols.map((symbol) => (symbol === classes.length - 1 ? "\u25a0" : (classes[symbol] ?? "\u25b8")));
}

/**
 * Compare a predicted text with the correct one.
 * @param {number[]} said
 * @param {number[]|null} right the correct text; both include the end symbol
 * @returns {{right: number, of: number, exact: boolean}|null} right: the number of digits in their correct positions
 */
export function compared(said, right) {
  if (!right) return null;
  const end = said.indexOf(right.at(-1) ?? -1);
  const kept = end < 0 ? said : said.slice(0, end);
  const digits = right.slice(0, -1);
  return {
    right: digits.filter((digit, place) => kept[place] === digit).length,
    of: digits.length,
    exact: end === digits.length && digits.every((digit, place) => kept[place] === digit),
  };
}

/** The share of a row's weight on the columns of a digit. */
export function shareOn(row, digit, { pitch, side }) {
  const [first, last] = columnsOf(digit, pitch, side, row.length);
  let sum = 0;
  for (let key = first; key < last; key++) sum += row[key];
  return sum;
}

/** The digit with the largest share of a row's weight, and that share. */
export function mostOn(row, geometry) {
  const shares = Array.from({ length: geometry.digits }, (_, digit) => shareOn(row, digit, geometry));
  const digit = best(shares);
  return { digit, share: shares[digit] };
}

/** The name of a symbol. @param {number} symbol @param {string[]} classes */
export function nameOf(symbol, classes) {
  if (symbol === undefined || symbol < 0) return "nothing";
  return symbol === classes.length - 1 ? "stop" : (classes[symbol] ?? "start");
}

/** An ordinal: 1st, 2nd, 3rd, 4th. @param {number} number from 1 */
export function ordinal(number) {
  const last = number % 100 > 10 && number % 100 < 14 ? 0 : number % 10;
  return `${number}${["th", "st", "nd", "rd"][last] ?? "th"}`;
}

/**
 * The digit to which a step attends most, in a sentence.
 * @param {ArrayLike<number>} row
 * @param {{pitch: number, side: number, digits: number}} geometry
 * @param {number|null} reads the index of the correct digit
 * @param {string} [of] the quantity in the row
 */
export function whereInWords(row, geometry, reads, of = "weight") {
  const { digit, share } = mostOn(row, geometry);
  const most = `${percent(share)} of the ${of} lies on the ${ordinal(digit + 1)} digit`;
  if (reads === null || reads === undefined) return `${most}.`;
  if (reads === digit) return `${most}, the right one.`;
  return `${most}; the right one, the ${ordinal(reads + 1)}, has ${percent(shareOn(row, reads, geometry))}.`;
}

/** One weight, with its multiple of an even share. @param {number} weight @param {number} keys */
export function weightInWords(weight, keys) {
  return `${short(weight, 3)}, ${short(weight * keys, 3)} \u00d7 an even share`;
}

/** The probability of reading `length` digits without an error, if errors are independent. */
export function independent(share, length) {
  return share ** length;
}

/**
 * Number curves in the order of their arrival, so that a model keeps its dash pattern while another is chosen.
 * @param {Map<string, number>} known numbers by key
 * @param {string[]} keys of all curves
 */
export function numbered(known, keys) {
  const found = new Map(known);
  for (const key of keys) if (!found.has(key)) found.set(key, found.size);
  return found;
}

/**
 * The tested lengths that apply to a length: that length alone if it was tested, otherwise its two neighbours.
 * @param {number[]} lengths the tested lengths, ascending
 * @param {number} length
 * @returns {number[]} indices in `lengths`: one, two, or none beyond the tested lengths
 */
export function testsAround(lengths, length) {
  const after = lengths.findIndex((one) => one >= length);
  if (after < 0 || length < lengths[0]) return [];
  return lengths[after] === length ? [after] : [after - 1, after];
}

/**
 * A model's results at a length, in words; if the length was not tested, the results at its two neighbours.
 * @param {Pick<import("./curves.js").Curve, "lengths"|"digits"|"exact"|"distance">} curve
 * @param {{measure: string, length: number}} facts
 */
export function hereInWords(curve, { measure, length }) {
  const tests = testsAround(curve.lengths, length);
  if (!tests.length) return `This model has not been tested on strips of ${counted(length, "digit")}.`;
  if (tests.length > 1) {
    const [values, does, of] =
      measure === "exact"
        ? [curve.exact, "reads", "of the strips without an error"]
        : [curve.digits, "gets", "of the digits right"];
    const [before, after] = tests.map((test) => [curve.lengths[test], percent(values[test])]);
    return (
      `This model has not been tested with ${length} digits. With ${before[0]} it ${does} ${before[1]} ${of}, ` +
      `and ${after[1]} with ${after[0]}.`
    );
  }
  const [test] = tests;
  const digits = curve.digits[test];
  const many = `With ${counted(length, "digit")}`;
  if (measure === "exact")
    return (
      `${many} this model reads ${percent(curve.exact[test])} of the strips without an error; ${percent(digits)} a ` +
      `digit would give ${percent(independent(digits, length))} if errors did not depend on each other (dotted).`
    );
  const mended = curve.distance.length
    ? ` ${short(curve.distance[test], 2)} changes per digit would mend its answers.`
    : "";
  return `${many} this model gets ${percent(digits)} of the digits right.${mended}`;
}

/**
 * Whether the weights of a layer can be moved along the strip.
 * @param {Pick<Layer, "queries"|"keys"|"learnt">} layer
 */
export function movable({ queries, keys, learnt }) {
  return queries === "steps" && keys === "columns" && learnt;
}

/**
 * The meaning of a layer's matrix and the possible actions, in words.
 * @param {Layer} layer
 * @param {boolean} moves whether its weights can be moved here
 */
export function hintOf({ of, queries, keys }, moves) {
  if (of === "gradient")
    return "Each row is a step: on which columns its logit depends, if they change a little. No attention is needed.";
  if (keys === "numbers") return "Each row is the vector that a step gets: all rows are the same.";
  if (queries === "columns") return "Each row is a column of the strip: tap the strip to choose one.";
  if (keys === "steps") return "Each row is a step, each column an earlier step and the symbol that it received.";
  return moves
    ? "Each row is a step of the answer. Drag the handle above the bars to another digit, and see the prediction."
    : "Each row is a step of the answer, each column a place on the strip.";
}

/**
 * The request to the live channel: the text and the weights with the changes made by hand.
 * @param {any} header
 * @param {any} view
 * @param {string} layer the shown layer
 */
export function requestOf(header, view, layer) {
  const moved = view.moved.map(([step, by]) => ({ step, by }));
  const parameters = {
    told: view.told === "right" ? header.right : null,
    layer: moved.length ? layer : "",
    head: view.head === "mean" || !moved.length ? null : view.head,
    moved,
    unmasked: !view.mask,
    shown: [layer],
  };
  const asks = [{ checkpoint: header.checkpoint, wanted: { read: { derived: "read", parameters } } }];
  return { pictures: [header.asked], asks };
}

/**
 * The data for the canvas.
 * @param {import("./shown.js").Shown} shown
 * @param {Uint8Array} picture
 * @param {any} view
 * @param {{row: number, column: number}|null} looked at
 */
export function sceneOf(shown, picture, view, looked) {
  const { layer, matrix, row, step, letters: said, right, sure, headings: heads, moves } = shown;
  const by = movedBy(view.moved, step);
  return { picture, layer, matrix, row, step, said, right, sure, heads, looked, hides: view.mask, moves, by };
}
