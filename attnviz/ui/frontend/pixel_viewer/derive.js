// The contents of the pixel viewer, derived from its view and its data: the tokens, the maps of all heads with their
// scales, and the numbers of the pair. It does not access the page and writes only to the buffers of the maps.

import { MEAN } from "../maps/attention.js";
import { extent, half, strongest } from "../maps/extremes.js";
import { makeScale, toIndices } from "../core/colours.js";
import { best } from "../core/numbers.js";

const OF_TOKENS = ["query", "key", "value", "log_normaliser", "carried", "received"]; // attnviz/views/attention.py

/**
 * Give every token its numbers: equal tokens are sent once, and `place` maps each token to its entry.
 * @param {Payload} payload
 * @returns {Payload}
 */
export function spread({ header, arrays, shapes }) {
  const { place } = arrays;
  if (place.every((kind, token) => kind === token)) return { header, arrays, shapes }; // no two are equal
  for (const name of OF_TOKENS.filter((name) => arrays[name])) {
    const [heads, kinds, size = 1] = shapes[name];
    const found = new arrays[name].constructor(heads * place.length * size);
    for (let head = 0, to = 0; head < heads; head++) {
      for (const kind of place) {
        const from = (head * kinds + kind) * size;
        found.set(arrays[name].subarray(from, from + size), to);
        to += size;
      }
    }
    arrays[name] = found;
    shapes[name] = [heads, place.length, ...shapes[name].slice(2)];
  }
  return { header, arrays, shapes };
}

/**
 * The token on the ink that is nearest to the ink's centre; the middle of the grid if there is no ink.
 * @param {Float32Array} picture intensities, row by row
 * @param {import("../maps/cells.js").Cells} cells
 */
export function middleOfInk(picture, cells) {
  const most = picture.reduce((largest, value) => Math.max(largest, value), 0);
  let [row, column, sum] = [0, 0, 0];
  picture.forEach((value, i) => {
    row += value * Math.floor(i / cells.columns);
    column += value * (i % cells.columns);
    sum += value;
  });
  const centre = sum > 0 ? [row / sum, column / sum] : [(cells.rows - 1) / 2, (cells.columns - 1) / 2];
  let [best, nearest] = [0, Infinity];
  picture.forEach((value, i) => {
    const far = Math.hypot(Math.floor(i / cells.columns) - centre[0], (i % cells.columns) - centre[1]);
    if (value >= most / 2 && far < nearest) [best, nearest] = [i, far];
  });
  return cells.prefix + best;
}

/**
 * The index of the chosen map: a head's, or after those the mean's.
 * @param {any} view
 * @param {number} heads
 * @returns {number}
 */
export function chosenOf({ head }, heads) {
  return head === MEAN ? heads : head;
}

/**
 * Buffers for the maps of all heads and their mean, one value per token, and for their colours.
 * @param {import("../maps/attention.js").Attention} attention
 */
export function buffersOf({ heads, tokens }) {
  const size = (heads + 1) * tokens;
  return { maps: new Float64Array(size), logs: new Float64Array(size), indices: new Uint16Array(size) };
}

/**
 * A scale for each head and the mean.
 * @param {any} view
 * @param {{maps: Float64Array, heads: number, tokens: number, carriedSigned: boolean}} facts
 * @returns {Scale[]}
 */
export function scalesOf(view, { maps, heads, tokens, carriedSigned }) {
  const count = heads + 1;
  if (view.show === "weights" && view.scale === "share") return Array(count).fill(makeScale("share"));
  const signed = view.show === "scores" || (view.show === "carried" && carriedSigned);
  const kind = signed ? "signed" : "positive";
  if (view.scale !== "map") return Array(count).fill(makeScale(kind, extent(maps, 0, count * tokens).most));
  return Array.from({ length: count }, (_, head) => makeScale(kind, extent(maps, head * tokens, tokens).most));
}

/**
 * Fill the maps for the selection; runs at every move of the pointer.
 * @param {{attention: import("../maps/attention.js").Attention, view: any, held: number, other: number,
 *   buffers: ReturnType<typeof buffersOf>, carriedSigned: boolean}} state other: -1 for the strongest
 * @returns {{shownOther: number, scale: Scale}} the partner of the held token; the scale of the chosen map
 */
export function fillMaps({ attention, view, held, other, buffers: { maps, logs, indices }, carriedSigned }) {
  const { heads, tokens, inside } = attention;
  const chosen = chosenOf(view, heads);
  attention.fill(view.show, view.direction, held, maps, logs);
  const scales = scalesOf(view, { maps, heads, tokens, carriedSigned });
  scales.forEach((scale, head) => {
    if (scale.kind === "share") toIndices(logs, head * tokens, tokens, scale, indices, Math.log(inside));
    else toIndices(maps, head * tokens, tokens, scale, indices);
  });
  const shownOther = other >= 0 ? other : strongest(maps, chosen * tokens, tokens, view.show === "scores");
  return { shownOther, scale: scales[chosen] };
}

/**
 * The numbers of the selection, in full precision.
 * @param {{attention: import("../maps/attention.js").Attention, view: any, held: number, shownOther: number,
 *   arrays: Record<string, any>, carriedSigned: boolean}} state
 */
export function readingOf({ attention, view: { show, direction, head }, held, shownOther, arrays, carriedSigned }) {
  const { heads, tokens, inside, size } = attention;
  const received = direction === "received";
  const query = received ? null : direction === "from" ? held : shownOther;
  const key = direction === "to" || received ? held : shownOther;
  const pair = attention.pair(head, query, key, direction);
  const share = pair.weight * inside;
  const value = head === MEAN ? NaN : arrays.carried[head * tokens + key];
  const ends = attention.end !== null;
  return { ...pair, query, key, head, heads, tokens: inside, size, show, direction, share, value, carriedSigned, ends };
}

/** The values for lessons. @param {import("./pixel_viewer.js").Viewer} state */
export function declaredOf({ reading, header, arrays, cells, buffers, chosen, attention, worked }) {
  const { head, heads, score, weight, share, carried, value, terms } = reading;
  const { tokens } = attention;
  const which = best(arrays.probabilities);
  const counted = (token) => cells.place(token).map((part) => part + 1);
  const place = (token) => (token === null ? "all" : counted(token).join(","));
  const { added, ofQuery } = worked.work(reading);
  const vector = head === MEAN || reading.key === null ? [] : worked.valueOf(head, reading.key);
  const only = (values) => (values.length === 1 ? values[0] : undefined);
  return {
    answer: header.classes[which],
    probability: arrays.probabilities[which],
    logit: header.logit,
    query: place(reading.query),
    key: place(reading.key),
    head: head === MEAN ? "mean" : head + 1,
    query_number: only(terms)?.query,
    key_number: only(terms)?.key,
    value_number: only(vector),
    ...{ heads, tokens, score, weight, share, value, carried, added, added_by_all: ofQuery },
    half: half(buffers.maps, chosen * tokens, tokens).count,
  };
}
