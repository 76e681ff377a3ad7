// The contents of the table of heads, derived from its view and its data. It does not access the page.

import { short } from "../core/numbers.js";

/** @typedef {{name: string, title: string, unit: string, about: string, scale: string, none: string}} Measure */
/** @typedef {{name: string, path: string, layer: number, number: number}} Head */
/** @typedef {{means: Numbers, lows: Numbers, highs: Numbers}} Figures of (measure, head), one after the other */

/**
 * @typedef {{measures: Measure[], heads: Head[], nearest: number[], pictures: number, own: Figures,
 *   random: Figures|null}} Shown
 */

/** @typedef {[number, number, number, number]} Brush left, right, low, high: 0..1 of the axes */

const STEP = 0.05; // fraction of an axis per press of a key

/** @type {import("../core/url_fields.js").Rules} */
export const RULES = {
  exists({ kind }, value, shown) {
    if (kind === "number") return value >= 0 && value < shown.heads.length;
    if (kind === "text") return value === "" || readBrush(value) !== null;
    return true;
  },
  there: ({ kind }, { heads }) =>
    kind === "number" ? `1 to ${heads.length}` : "left,right,low,high from 0 to 1, such as 0,0.5,0.5,1",
};

/** The brush of a word in the URL; null if the word is invalid. @param {string} word @returns {Brush|null} */
export function readBrush(word) {
  const parts = word.split(",").map((part) => (/^\d(\.\d{1,3})?$/.test(part) ? Number(part) : NaN));
  const [left, right, low, high] = parts;
  return parts.length === 4 && left <= right && low <= high && right <= 1 && high <= 1
    ? /** @type {Brush} */ (parts)
    : null;
}

/** The word for a brush in the URL. @param {Brush|null} brush */
export function writeBrush(brush) {
  return brush ? brush.map((part) => Math.round(1000 * part) / 1000).join(",") : "";
}

/** The brush between two points of the scatter, each 0..1. @returns {Brush|null} */
export function brushOf([x, y], [otherX, otherY]) {
  const within = (value) => Math.min(1, Math.max(0, value));
  const [left, right] = [x, otherX].map(within).sort((one, other) => one - other);
  const [low, high] = [y, otherY].map(within).sort((one, other) => one - other);
  return right - left < 0.01 && high - low < 0.01 ? null : [left, right, low, high];
}

/**
 * The brush after a key: arrows move it, with Shift they resize it, Enter begins a brush, Delete removes it.
 * @param {Brush|null} brush
 * @param {string} key
 * @param {boolean} shift
 * @returns {{brush: Brush|null}|null} null for another key
 */
export function brushByKey(brush, key, shift) {
  if (key === "Delete" || key === "Backspace" || key === "Escape") return brush ? { brush: null } : null;
  if (key === "Enter" && !brush) return { brush: [0.25, 0.75, 0.25, 0.75] };
  const by = { ArrowLeft: [-STEP, 0], ArrowRight: [STEP, 0], ArrowDown: [0, -STEP], ArrowUp: [0, STEP] }[key];
  if (!by || !brush) return null;
  const [left, right, low, high] = brush;
  const moved = (start, end, step) => {
    if (shift) return [start, Math.min(1, Math.max(start + STEP, end + step))];
    const most = Math.min(1 - end, Math.max(-start, step));
    return [start + most, end + most];
  };
  return { brush: /** @type {Brush} */ ([...moved(left, right, by[0]), ...moved(low, high, by[1])]) };
}

/** The index of a measure. @param {Shown} shown @param {string} name */
export function indexOf({ measures }, name) {
  return measures.findIndex((one) => one.name === name);
}

/**
 * The axis of a measure, with round ends and ticks. It contains all intervals, and 0 if there are values of both
 * signs.
 * @param {Shown} shown
 * @param {number} measure
 * @param {boolean} withRandom
 * @returns {{low: number, high: number, ticks: number[]}|null} null if no head has a value of the measure
 */
export function axisOf(shown, measure, withRandom) {
  const { length } = shown.heads;
  const of = (/** @type {Numbers} */ all) => Array.from(all.slice(measure * length, (measure + 1) * length));
  const figures = withRandom && shown.random ? [shown.own, shown.random] : [shown.own];
  const values = figures.flatMap(({ means, lows, highs }) => [means, lows, highs].flatMap(of)).filter(Number.isFinite);
  if (!values.length) return null;
  let [least, most] = [Math.min(...values), Math.max(...values)];
  if (most - least < 1e-9) [least, most] = [least - 0.5, most + 0.5];
  const rough = (most - least) / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 5].find((factor) => factor * power >= rough) ?? 10);
  const [first, last] = [Math.floor(least / step + 1e-9), Math.ceil(most / step - 1e-9)];
  const ticks = Array.from({ length: last - first + 1 }, (_, at) => Number(((first + at) * step).toPrecision(12)));
  return { low: ticks[0], high: ticks[ticks.length - 1], ticks };
}

/** Ticks in words, with enough digits to distinguish them. @param {number[]} ticks @returns {string[]} */
export function tickWords(ticks) {
  const words = [3, 4, 5, 6, 7, 8].map((digits) => ticks.map((tick) => short(tick, digits)));
  return words.find((said) => new Set(said).size === said.length) ?? words[words.length - 1];
}

/** @typedef {{at: number, axis: {low: number, high: number, ticks: number[]}}} Along a measure, and its axis */

/** @typedef {{across: Along, up: Along}} Axes */

/**
 * The axes that a view requests; entropy if no head has a value of the requested measure.
 * @param {Shown} shown
 * @param {Record<string, any>} view
 * @returns {Axes}
 */
export function axesOf(shown, view) {
  const along = (name) => {
    for (const at of [indexOf(shown, name), indexOf(shown, "entropy")]) {
      const axis = axisOf(shown, at, view.random);
      if (axis) return { at, axis };
    }
    throw new Error("no head has an entropy");
  };
  return { across: along(view.across), up: along(view.up) };
}

/** The position of a value on an axis, 0..1. @param {{low: number, high: number}} axis @param {number} value */
export function placeOn({ low, high }, value) {
  return (value - low) / (high - low);
}

/** @typedef {{x: number, y: number, left: number, right: number, low: number, high: number}} Point 0..1 of the axes */

/**
 * The position of each head in the scatter: 0..1 across and up, NaN if it has no value.
 * @param {Shown} shown
 * @param {Figures} figures
 * @param {Along} across
 * @param {Along} up
 * @returns {Point[]}
 */
export function pointsOf({ heads }, { means, lows, highs }, across, up) {
  const on = ({ at, axis }, /** @type {Numbers} */ values, head) => placeOn(axis, values[at * heads.length + head]);
  return heads.map((_, head) => ({
    x: on(across, means, head),
    y: on(up, means, head),
    left: on(across, lows, head),
    right: on(across, highs, head),
    low: on(up, lows, head),
    high: on(up, highs, head),
  }));
}

/** Whether each point lies inside a brush; without a brush, all do. @returns {boolean[]} */
export function insideOf(points, brush) {
  if (!brush) return points.map(() => true);
  const [left, right, low, high] = brush;
  return points.map(({ x, y }) => x >= left - 1e-9 && x <= right + 1e-9 && y >= low - 1e-9 && y <= high + 1e-9);
}

/** The index of the point nearest to a position, at most `near` pixels away; -1 if there is none. */
export function nearest(points, [x, y], [width, height], near) {
  let [found, least] = [-1, near];
  points.forEach((point, head) => {
    const away = Math.hypot((point.x - x) * width, (point.y - y) * height);
    if (away <= least) [found, least] = [head, away];
  });
  return found;
}

/** The head to which a key moves on the board of layers and heads; null for another key. @param {Head[]} heads */
export function headByKey(heads, from, key) {
  const by = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] }[key];
  if (key === "Home") return 0;
  if (key === "End") return heads.length - 1;
  if (!by) return null;
  const { layer, number } = heads[from];
  const found = heads.findIndex((head) => head.layer === layer + by[0] && head.number === number + by[1]);
  return found < 0 ? from : found;
}

/** A value of a measure, in words. @param {Measure} measure @param {number} value */
export function valueWords(measure, value) {
  if (!Number.isFinite(value)) return "\u2013";
  return measure.scale === "unit" ? `${(100 * value).toFixed(1)} %` : short(value, 3);
}

/** The mean of a measure over a head, with its interval, in words. @param {Shown} shown */
export function meanWords(shown, figures, measure, head) {
  const at = measure * shown.heads.length + head;
  const one = shown.measures[measure];
  if (!Number.isFinite(figures.means[at])) return `${one.title}: ${one.none || "not known"}`;
  const said = (/** @type {Numbers} */ values) => valueWords(one, values[at]);
  const unit = one.scale === "unit" || one.unit === "correlation" ? "" : ` ${one.unit}`;
  const interval = Number.isFinite(figures.lows[at]) ? ` (${said(figures.lows)} to ${said(figures.highs)})` : "";
  return `${one.title} ${said(figures.means)}${interval}${unit}`;
}

/** Describe a head in words. @param {Shown} shown @param {number} head @param {string[]} names of measures */
export function inWords(shown, head, names) {
  const said = [...new Set(names)].map((name) => meanWords(shown, shown.own, indexOf(shown, name), head));
  const like = shown.nearest[head];
  const nearestWords = like < 0 ? "" : ` Most like it: head ${shown.heads[like].name}.`;
  return `Head ${shown.heads[head].name}: ${said.join("; ")}.${nearestWords}`;
}

/** The heads inside a brush, in words. @param {Shown} shown @param {boolean[]} inside */
export function summaryOf({ heads, pictures }, inside) {
  const left = heads.filter((_, head) => inside[head]).map(({ name }) => name);
  const among = `over ${pictures.toLocaleString("en")} pictures`;
  if (heads.length === 1) return `One head, ${among}.`;
  if (left.length === heads.length) return `All ${heads.length} heads, ${among}.`;
  const named = left.length && left.length <= 8 ? `: ${left.join(", ")}` : "";
  return `${left.length} of ${heads.length} heads${named}, ${among}.`;
}

/** The number of layers and heads on the board. @param {Head[]} heads */
export function sizeOf(heads) {
  return {
    layers: Math.max(...heads.map(({ layer }) => layer)) + 1,
    heads: Math.max(...heads.map(({ number }) => number)) + 1,
  };
}

/**
 * The scale of the board's colours: `place` maps a value to 0..1.
 * @param {Shown} shown
 * @param {number} measure
 * @returns {{place: (value: number) => number, signed: boolean, bound: number}}
 */
export function colourScale(shown, measure) {
  const { length } = shown.heads;
  const values = Array.from(shown.own.means.slice(measure * length, (measure + 1) * length)).filter(Number.isFinite);
  const { scale } = shown.measures[measure];
  const bound = Math.max(...values.map(Math.abs), 1e-12);
  const signed = scale === "signed";
  return { signed, bound, place: (value) => (signed ? (value / bound + 1) / 2 : Math.max(0, value / bound)) };
}

/** The numbers of all heads, for a CSV. @param {Shown} shown */
export function tableOf(shown) {
  const { measures, heads, own, random } = shown;
  const kinds = /** @type {[string, Figures][]} */ ([["", own], ...(random ? [[" (random weights)", random]] : [])]);
  const head = ["head", "attention"];
  for (const { name } of measures)
    for (const [kind] of kinds) head.push(`${name}${kind}`, `${name}${kind} low`, `${name}${kind} high`);
  const rows = heads.map(({ name, path }, at) => [
    name,
    path,
    ...measures.flatMap((_, measure) =>
      kinds.flatMap(([, { means, lows, highs }]) => [means, lows, highs].map((of) => of[measure * heads.length + at])),
    ),
  ]);
  return { head, rows };
}
