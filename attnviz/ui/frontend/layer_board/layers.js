// All layers of a picture: their attention, and the maps of all heads of all layers. It does not access the page.

import { Attention } from "../maps/attention.js";
import { strongest } from "../maps/extremes.js";
import { toIndices } from "../core/colours.js";
import { chosenOf, scalesOf } from "../pixel_viewer/derive.js";
import { Worked } from "../pixel_viewer/worked.js";

const OF_TOKENS = ["query", "key", "value", "log_normaliser", "carried", "received", "output"]; // as in layer_board.py

/**
 * The part of a payload that belongs to each layer: the same arrays, without copies.
 * @param {Payload} payload
 * @returns {{arrays: Record<string, any>, shapes: Record<string, number[]>}[]}
 */
export function partsOf({ header, arrays, shapes }) {
  return Array.from({ length: header.layers }, (_, layer) => {
    const [own, sizes] = [{ ...arrays }, { ...shapes }];
    for (const name of OF_TOKENS) {
      sizes[name] = shapes[name].slice(1);
      const size = sizes[name].reduce((product, length) => product * length, 1);
      own[name] = arrays[name].subarray(layer * size, (layer + 1) * size);
    }
    return { arrays: own, shapes: sizes };
  });
}

/**
 * A layer: `filled` and `coloured` describe the contents of its maps and their colours.
 * @typedef {ReturnType<typeof layerOf>} Layer
 */

/** @type {WeakMap<object, {attention: Attention, worked: Worked}>} by a layer's arrays: some of it is computed once */
const attentions = new WeakMap();

/**
 * The attention of a layer, which fills its maps into the buffers.
 * @param {ReturnType<typeof partsOf>[0]} part
 * @param {{maps: Float64Array, logs: Float64Array, indices: Uint16Array}} buffers
 */
export function layerOf({ arrays, shapes }, buffers) {
  let found = attentions.get(arrays);
  if (!found) {
    const attention = new Attention(/** @type {any} */ (arrays), shapes.query ?? [...shapes.log_normaliser, 0]);
    found = { attention, worked: new Worked(attention, arrays, shapes) };
    attentions.set(arrays, found);
  }
  return { arrays, shapes, ...found, buffers, filled: "", coloured: "" };
}

/**
 * The attention of each layer, with its maps as a part of the buffers of all.
 * @param {(ReturnType<typeof partsOf>[0]|null)[]} parts null for a layer that has not arrived
 * @param {{all: any, layers: Layer[]}|null} before the previous result: unchanged layers keep their maps
 */
export function layersOf(parts, before = null) {
  const [heads, tokens] = /** @type {any} */ (parts.find((part) => part !== null)).shapes.log_normaliser;
  const size = (heads + 1) * tokens;
  const total = parts.length * size;
  const room = before?.layers?.length === parts.length && before.all.maps.length === total;
  const all = room
    ? before.all
    : { maps: new Float64Array(total), logs: new Float64Array(total), indices: new Uint16Array(total) };
  const layers = parts.map((part, number) => {
    const old = room ? before.layers[number] : null;
    if (old && old.arrays === part?.arrays) return old;
    const [from, to] = [number * size, (number + 1) * size];
    const buffers = {
      maps: all.maps.subarray(from, to),
      logs: all.logs.subarray(from, to),
      indices: all.indices.subarray(from, to),
    };
    if (!part) for (const values of Object.values(buffers)) values.fill(0); // they may show earlier data
    return part ? layerOf(part, buffers) : /** @type {Layer} */ (/** @type {any} */ ({ buffers }));
  });
  return { all, layers };
}

/** The contents of maps, in a word. @param {any} view @param {number} held */
function askedOf({ show, direction }, held) {
  return `${show} ${direction} ${held}`;
}

/** Whether the maps of a layer show the selection. @param {Layer} layer @param {{view: any, held: number}} state */
export function isFilled({ filled }, { view, held }) {
  return filled === askedOf(view, held);
}

/**
 * Fill the maps of all layers for the selection; runs at every move of the pointer.
 * @param {{layers: ReturnType<typeof layersOf>["layers"], all: ReturnType<typeof layersOf>["all"], view: any,
 *   held: number, other: number, carriedSigned: boolean}} state other: -1 for the strongest
 * @param {(layer: number) => boolean} [wanted] which layers are filled; the others are unchanged
 * @returns {{shownOther: number, scale: Scale}} the partner of the held token; the scale of the chosen map
 */
export function fillLayers({ layers, all, view, held, other, carriedSigned }, wanted = () => true) {
  const { heads, tokens, inside } = layers[view.layer].attention;
  const asked = askedOf(view, held);
  layers.forEach((layer, number) => {
    const { attention, buffers, filled } = layer;
    if (!attention || filled === asked || !wanted(number)) return;
    attention.fill(view.show, view.direction, held, buffers.maps, buffers.logs);
    layer.filled = asked;
  });
  const { maps, logs, indices } = all;
  const scales = scalesOf(view, { maps, heads: layers.length * (heads + 1) - 1, tokens, carriedSigned });
  const colours = `${asked} ${view.scale} ${view.scale === "map" ? "" : scales[0].high}`;
  const stale = layers.map((layer, number) => {
    if (!wanted(number) || layer.coloured === colours) return false;
    layer.coloured = colours;
    return true;
  });
  scales.forEach((scale, tile) => {
    if (!stale[Math.floor(tile / (heads + 1))]) return;
    if (scale.kind === "share") toIndices(logs, tile * tokens, tokens, scale, indices, Math.log(inside));
    else toIndices(maps, tile * tokens, tokens, scale, indices);
  });
  const tile = view.layer * (heads + 1) + chosenOf(view, heads);
  const shownOther = other >= 0 ? other : strongest(maps, tile * tokens, tokens, view.show === "scores");
  return { shownOther, scale: scales[tile] };
}
