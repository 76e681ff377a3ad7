// What the stage maps show, from their view and their data. Nothing here knows the page.

import { Boxes } from "../maps/boxes.js";
import { makeScale } from "../core/colours.js";
import { short } from "../core/numbers.js";
import { Cells } from "../maps/paint.js";

export const STAGES = { conv: "after conv", relu: "after ReLU", pool: "after pooling" };
export const TAPS = Object.keys(STAGES);

/**
 * A convolution: its maps at each stage, where their cells lie on the picture, and which part ReLU sets to 0.
 * @typedef {{maps: Record<string, Float64Array>, boxes: Record<string, Boxes>, channels: number, strongest: number,
 *   cut: number}} Layer
 */

/** What is shown of them. @typedef {{layers: Layer[], view: any, looked: {tile: number, token: number}}} Shown */

/**
 * What of a view exists: a channel must be one of the layer that is asked for.
 * @type {import("../core/url_fields.js").Rules}
 */
export const RULES = {
  exists({ name }, value, layers, asked) {
    if (name === "layer") return value >= 0 && value < layers.length;
    return name !== "channel" || (value >= 0 && value < (layers[asked.layer ?? 0]?.channels ?? 0));
  },
  there: ({ name }, layers) =>
    name === "layer" ? `1 to ${layers.length}` : "1 to the number of channels of the layer",
};

/**
 * What Python sent.
 * @param {any} header
 * @param {Record<string, any>} arrays
 * @param {Record<string, number[]>} shapes
 * @returns {Layer[]}
 */
export function layersOf(header, arrays, shapes) {
  return header.layers.map(({ boxes }, number) => {
    const conv = arrays[`${number}.conv`];
    const relu = conv.map((value) => Math.max(value, 0));
    const [channels, rows, columns] = shapes[`${number}.conv`];
    const boxesOn = (where, high, wide) => new Boxes(where, new Cells(high, wide), shapes.picture.slice(0, 2));
    const own = boxesOn(boxes.conv, rows, columns);
    const [, high, wide] = shapes[`${number}.pool`] ?? shapes[`${number}.conv`];
    return {
      maps: { conv, relu, pool: arrays[`${number}.pool`] ?? relu },
      boxes: { conv: own, relu: own, pool: boxes.pool ? boxesOn(boxes.pool, high, wide) : own },
      channels,
      strongest: largestMean(relu, channels),
      cut: conv.reduce((count, value) => count + (value < 0 ? 1 : 0), 0) / conv.length,
    };
  });
}

/** The tile of the stage that is chosen. */
export function tileOf({ layer, stage }) {
  return layer * TAPS.length + TAPS.indexOf(stage);
}

/** @param {Shown} shown @param {number} tile */
export function boxesOf({ layers }, tile) {
  return layers[Math.floor(tile / TAPS.length)].boxes[TAPS[tile % TAPS.length]];
}

/** Which channel of a layer is shown. @param {Shown} shown @param {number} layer @returns {number} */
export function channelOf({ layers, view }, layer) {
  return layer === view.layer && view.channel !== null ? view.channel : layers[layer].strongest;
}

/** The values of a tile. @param {Shown} shown @param {number} tile */
export function valuesOf(shown, tile) {
  const layer = Math.floor(tile / TAPS.length);
  const { tokens } = boxesOf(shown, tile).cells;
  const channel = channelOf(shown, layer);
  return shown.layers[layer].maps[TAPS[tile % TAPS.length]].subarray(channel * tokens, (channel + 1) * tokens);
}

/** The cell of a tile that lies where the one that is looked at lies. @param {Shown} shown @param {number} tile */
export function tokenOf(shown, tile) {
  const { looked } = shown;
  if (tile === looked.tile) return looked.token;
  const [top, left, bottom, right] = boxesOf(shown, looked.tile).of(looked.token) ?? [0, 0, 0, 0];
  const boxes = boxesOf(shown, tile);
  const at = (from, to, end) => Math.min(end - 1, Math.floor((from + to) / 2));
  return boxes.tokenAt(
    at(top, bottom, boxes.pixels.rows) * boxes.pixels.columns + at(left, right, boxes.pixels.columns),
  );
}

/** A scale for each layer. @param {Shown} shown @returns {Scale[]} */
export function scalesOf(shown) {
  return shown.layers.map((_, layer) => makeScale("signed", largest(valuesOf(shown, layer * TAPS.length))));
}

/** A tile in words. @param {Shown} shown @param {number} tile */
export function inWords(shown, tile) {
  const layer = Math.floor(tile / TAPS.length);
  const { columns } = boxesOf(shown, tile).cells;
  const token = tokenOf(shown, tile);
  return (
    `Convolution ${layer + 1}, channel ${channelOf(shown, layer) + 1}, ${STAGES[TAPS[tile % TAPS.length]]}: ` +
    `${short(valuesOf(shown, tile)[token])} at row ${Math.floor(token / columns) + 1}, column ${(token % columns) + 1}.`
  );
}

/** The cell in the middle. @param {Boxes} boxes */
export function middle({ cells }) {
  return Math.floor(cells.rows / 2) * cells.columns + Math.floor(cells.columns / 2);
}

/** The largest absolute value. @param {Float64Array} values */
function largest(values) {
  return values.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
}

/** The channel with the largest mean. @param {Float64Array} maps @param {number} channels */
export function largestMean(maps, channels) {
  const size = maps.length / channels;
  const sums = Array.from({ length: channels }, (_, channel) =>
    maps.subarray(channel * size, (channel + 1) * size).reduce((sum, value) => sum + value, 0),
  );
  return sums.indexOf(Math.max(...sums));
}
