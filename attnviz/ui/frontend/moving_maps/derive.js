// The computation of maps: one kind for each thing that a hand can move in `moving_maps.js`. It does not access the
// page. The method `compute(sent, at)` of each kind returns the maps of each pane and lines of words.

import { extent, half } from "../maps/extremes.js";
import { column, short } from "../core/numbers.js";

/** A component of a query, key or value, w x intensity + b, for the handle's w. */
const weight = {
  say: (at) => `w = ${column(at)}`,
  compute({ header, arrays }, at) {
    const maps = Float64Array.from(arrays.picture, (intensity) => at * intensity + header.bias);
    const { high, low } = extent(maps, 0, maps.length);
    const words =
      high === low
        ? `w = 0: every value is b = ${short(header.bias)}. On its own scale the tile is empty, because all values ` +
          "are equal."
        : `On its own scale the tile is ${at > 0 ? "the picture" : "its negative"}; its values span only ` +
          `${short(high - low)}.`;
    return { panes: [maps, maps], lines: [words] };
  },
};

/** The weights of a few queries, for scores divided by ten to the power of the handle. */
const temperature = {
  say: (at) => `scores \u00f7 ${divisor(at)}`,
  compute({ header, arrays, shapes }, at) {
    const [count, size] = shapes.query;
    const tokens = shapes.key[0];
    const maps = new Float64Array(count * tokens);
    const lines = [];
    const factor = 1 / Math.sqrt(size) / 10 ** at;
    for (let row = 0; row < count; row++) {
      const bits = fillRow(maps, row * tokens, arrays.query.subarray(row * size, (row + 1) * size), arrays.key, factor);
      const { count: needed } = half(maps, row * tokens, tokens);
      lines.push(
        `${header.names[row]}: ${bits.toFixed(2)} of ${Math.log2(tokens).toFixed(2)} bits, half of the weight on ` +
          `${needed} of ${tokens} pixels`,
      );
    }
    return { panes: [maps], lines };
  },
};

/** The similarity of one position's code to all others. */
const places = {
  compute({ header, arrays, shapes }, at) {
    const size = shapes.code[1];
    const { code } = arrays;
    const product = (one, other) => {
      let sum = 0;
      for (let i = 0; i < size; i++) sum += code[one * size + i] * code[other * size + i];
      return sum;
    };
    const length = (token) => (header.cosine ? Math.sqrt(product(token, token)) : 1);
    const maps = Float64Array.from(
      { length: shapes.code[0] },
      (_, token) => product(at, token) / length(at) / length(token),
    );
    return { panes: [null, maps, null], lines: [] };
  },
};

export const KINDS = { weight, temperature, places };

/**
 * The contents of each pane's grid.
 * @param {{header: any, arrays: Record<string, any>}} sent
 * @param {(Float64Array|null)[]} computed the maps of each pane; null for those in the payload
 */
export function panesOf({ header, arrays }, computed) {
  const size = [header.rows, header.columns];
  return header.panes.map((pane, i) => ({
    header: { ...pane, origin: header.origin },
    arrays: { maps: computed[i] ?? arrays[`maps_${i}`], ...(pane.edge ? { picture: arrays.picture } : {}) },
    shapes: { maps: [pane.labels.length, ...size], picture: size },
  }));
}

/** The divisor of the scores in words: 6,173 or 1/6,173. */
function divisor(at) {
  const text = (value) =>
    value >= 99.5 ? Math.round(value).toLocaleString("en") : String(Number(value.toPrecision(3)));
  return at < -1e-9 ? `1/${text(10 ** -at)}` : text(10 ** at);
}

/** Write the softmax of one row into `maps` from `start` on. @returns {number} its entropy in bits */
function fillRow(maps, start, query, key, factor) {
  const size = query.length;
  const tokens = key.length / size;
  let most = -Infinity;
  for (let token = 0; token < tokens; token++) {
    let score = 0;
    for (let i = 0; i < size; i++) score += query[i] * key[token * size + i];
    maps[start + token] = score * factor;
    most = Math.max(most, maps[start + token]);
  }
  let sum = 0;
  for (let at = start; at < start + tokens; at++) sum += Math.exp(maps[at] - most);
  const logarithm = most + Math.log(sum);
  let entropy = 0;
  for (let at = start; at < start + tokens; at++) {
    const logged = maps[at] - logarithm;
    maps[at] = Math.exp(logged);
    if (maps[at] > 0) entropy -= maps[at] * logged;
  }
  return entropy / Math.LN2;
}
