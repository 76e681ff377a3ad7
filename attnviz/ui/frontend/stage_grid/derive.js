// The contents of the stage grid, derived from its view and its data: the stages with the switches applied, the maps
// with their scales, and the steps of one pixel. It does not access the page and has no side effects.

import { extent } from "../maps/extremes.js";
import { makeScale, TOP } from "../core/colours.js";
import { cutShare, gain, netStages, PER_HEAD, pixelSteps } from "./stages.js";
import { CHANNELS } from "./view.js";

/**
 * The data from which the maps are made.
 * @typedef {object} Shown
 * @property {any} view
 * @property {any} header
 * @property {Record<string, any>} arrays
 * @property {import("./stages.js").Layer[]} layers
 * @property {import("./stages.js").Placement} placement
 * @property {string[]} columns the taps shown side by side
 * @property {boolean} coloured
 * @property {Record<string, Float64Array>[]} stages of each layer
 * @property {number[]} at the selected pixel
 */

/** @typedef {{low: number, high: number, most: number}} Extent */

/**
 * The maps of one stage, one per plane.
 * @typedef {{raw: Float64Array[], drawn: Float64Array[], kind: "excess"|"signed", extent: Extent, own: Extent, scale:
 *   Scale}} Tile drawn: less the even share; own: the extent of its colours
 */

/** The arrays inside a head: its parameters, and their products with the picture. */
export const INSIDE = ["x_weights", "x_relevance", "y_weights", "y_relevance", "relevance", "normed_relevance"];

/** The even share of a softmax; 0 for other taps. */
export function evenShare(tap, { rows, columns }) {
  return { x_relevance: 1 / columns, y_relevance: 1 / rows, relevance: 1 / (rows * columns) }[tap] ?? 0;
}

/**
 * The drawn stages: without a norm after the convolution, the stage after the norm equals the one before it.
 * @param {string[]} columns the wanted stages
 * @param {{output_eps: number|null}[]} layers those of the header
 */
export function columnsOf(columns, layers) {
  const normed = layers.some(({ output_eps }) => output_eps !== null);
  return columns.filter((tap) => normed || tap !== "after_norm");
}

/** A layer for stages.js, from the header and the arrays. */
export function layerOf(one, array) {
  const norm = (name, eps) =>
    eps === undefined
      ? null
      : {
          eps,
          mean: array(`${name}.mean`),
          variance: array(`${name}.variance`),
          scale: array(`${name}.scale`),
          shift: array(`${name}.shift`),
        };
  return {
    ...one,
    xWeights: array("x_weights"),
    yWeights: array("y_weights"),
    conv: array("convolution"),
    bias: array("bias"),
    norm: norm("norm", one.norm?.eps),
    outputNorm: norm("output_norm", one.output_norm?.eps),
    fixed: array("fixed"),
  };
}

/** The extent of all values. */
export function whole(values) {
  return extent(values, 0, values.length);
}

/** The extent of several together. */
export function join(extents) {
  return {
    low: Math.min(...extents.map(({ low }) => low)),
    high: Math.max(...extents.map(({ high }) => high)),
    most: Math.max(...extents.map(({ most }) => most)),
  };
}

/** Three planes as a picture in 8 bit, from the lowest to the highest of them. */
export function bytes(planes, { low, high }) {
  const found = new Uint8Array(3 * planes[0].length);
  const factor = high > low ? 255 / (high - low) : 0;
  planes.forEach((values, plane) =>
    values.forEach(
      (value, i) => (found[3 * i + plane] = Math.min(255, Math.max(0, Math.round((value - low) * factor)))),
    ),
  );
  return found;
}

/** The initial pixel: the brightest one closest to the centre of the ink. */
export function brightest(values, { rows, columns }) {
  const most = values.reduce((large, value) => Math.max(large, value), -Infinity);
  let [best, least] = [[rows >> 1, columns >> 1], Infinity];
  values.forEach((value, i) => {
    const [row, column] = [Math.floor(i / columns), i % columns];
    const away = Math.hypot(row - rows / 2, column - columns / 2);
    if (value > 0.5 * most && away < least) [best, least] = [[row, column], away];
  });
  return best;
}

/** The plane with detailed numbers: the red one for a picture shown in colour. */
export function planeOf({ channel }) {
  return Math.max(0, CHANNELS.indexOf(channel));
}

/** Whether three planes are shown as one picture. @param {Pick<Shown, "coloured"|"view">} shown */
export function isInColour({ coloured, view }) {
  return coloured && view.channel === "colour";
}

/**
 * The relevance that replaces the computed one, one array per layer; null for none.
 * @param {Pick<Shown, "view"|"layers"|"arrays">} shown
 * @param {() => Record<string, Float64Array>[]} other the stages of another picture
 */
export function replacedRelevance({ view: { relevance }, layers, arrays }, other) {
  if (relevance === "learnt") return null;
  if (relevance === "mean") return layers.map((_, number) => arrays[`${number}.mean`]);
  if (relevance === "other") return other().map((stages) => stages.normed_relevance);
  return layers.map(({ xWeights }) => new Float64Array(xWeights.length).fill(relevance === "one" ? 1 : 0));
}

/**
 * The stages of every layer with the switches applied, the fraction cut by ReLU, and the gain of attention.
 * @param {Pick<Shown, "view"|"layers"|"arrays">} shown
 * @param {ReturnType<typeof replacedRelevance>} relevance
 */
export function stagesOf({ view: { eps, skip, off }, layers, arrays }, relevance) {
  const stages = netStages(layers, arrays.input, { eps, skip, off, ...(relevance ? { relevance } : {}) });
  return { stages, cut: stages.map(cutShare), gain: stages.map(gain) };
}

/**
 * One map of a stage: one plane in the picture's layout.
 * @param {Shown} shown
 * @param {number} layer
 * @param {string} tap
 * @param {number} plane
 * @param {number|"mean"} head
 */
export function mapOf({ layers, placement, stages, view }, layer, tap, plane = planeOf(view), head = view.head) {
  const { heads, channels, rows, columns, xWeights, yWeights } = layers[layer];
  const values = { x_weights: xWeights, y_weights: yWeights }[tap] ?? stages[layer][tap];
  const one = channels * rows * columns;
  if (!PER_HEAD.includes(tap) && !tap.endsWith("_weights")) return placement.plane(values, plane);
  if (head !== "mean") return placement.plane(values, plane, head * one);
  const mean = new Float64Array(one);
  for (let i = 0; i < heads * one; i++) mean[i % one] += values[i] / heads;
  return placement.plane(mean, plane);
}

/** The maps of every stage of every layer, with their scales. @param {Shown} shown @returns {Tile[]} */
export function tilesOf(shown) {
  const { view, layers, columns } = shown;
  const planes = isInColour(shown) ? [0, 1, 2] : [planeOf(view)];
  const made = layers.flatMap((layer, number) =>
    columns.map((tap) => {
      const even = evenShare(tap, layer);
      const raw = planes.map((plane) => mapOf(shown, number, tap, plane));
      // A share is drawn by its difference from an even one because only that varies.
      const drawn = even ? raw.map((values) => values.map((value) => value - even)) : raw;
      return { raw, drawn, even, extent: join(raw.map(whole)), own: join(drawn.map(whole)) };
    }),
  );
  const all = join(made.map(({ own }) => own));
  return made.map(({ even, ...tile }) => {
    const own = view.scale === "all" ? all : tile.own;
    const kind = even ? "excess" : "signed";
    return { ...tile, kind, own, scale: makeScale(kind, own.most) };
  });
}

/** The maps inside one head of the selected layer. @param {Shown} shown @param {number} head */
export function insideOf(shown, head) {
  const { view, layers } = shown;
  return INSIDE.map((tap) => {
    const values = mapOf(shown, view.layer, tap, planeOf(view), head);
    const even = evenShare(tap, layers[view.layer]);
    const away = values.map((value) => value - even);
    return { values, away, scale: makeScale(even ? "excess" : "signed", whole(away).most) };
  });
}

/** The selected pixel, in its layer. @param {Shown} shown */
export function placeOf({ placement, view, at: [row, column] }) {
  return placement.of(planeOf(view), row, column);
}

/**
 * The tile of the selected stage; that of the first one if the view names a stage that is not drawn.
 * @param {Pick<Shown, "view"|"columns">} shown
 */
export function tileOf({ view, columns }) {
  return view.layer * columns.length + Math.max(0, columns.indexOf(view.stage));
}

/**
 * The head with detailed numbers: for the mean, the one with the largest effect on this pixel.
 * @param {Shown} shown
 * @returns {number}
 */
export function headOf(shown) {
  const { view, layers, stages } = shown;
  if (view.head !== "mean") return view.head;
  const layer = layers[view.layer];
  const place = placeOf(shown);
  const { attended } = stages[view.layer];
  const one = layer.channels * layer.rows * layer.columns;
  const here = (place.channel * layer.rows + place.row) * layer.columns + place.column;
  let most = 0;
  for (let head = 1; head < layer.heads; head++)
    if (Math.abs(attended[head * one + here]) > Math.abs(attended[most * one + here])) most = head;
  return most;
}

/** The steps of the selected pixel. @param {Shown} shown @param {number} head */
export function pixelStepsOf(shown, head) {
  const { layer, off, eps, skip, relevance } = shown.view;
  const silent = off.filter(([of]) => of === layer).map(([, which]) => which);
  return pixelSteps(shown.layers[layer], shown.stages[layer], placeOf(shown), head, {
    eps,
    skip,
    off: silent,
    relevance: relevance === "learnt" ? null : /** @type {any} */ (true), // the stages have it already
  });
}

/** The colour of a value between -1 and 1. @param {Uint32Array} palette @param {number} value */
export function colourOf(palette, value) {
  return palette[Math.round(((Math.max(-1, Math.min(1, value)) + 1) / 2) * TOP)];
}
