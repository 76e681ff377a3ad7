// Helpers of the stage grid: what Python sent as layers, extents, colours in 8 bit, and where to look first.

import { extent } from "../maps/attention.js";

/** A layer as stages.js takes it, of what the header and the arrays say. */
export function layerOf(one, array) {
  const norm = (name, eps) =>
    eps === null
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
    conv: array("conv"),
    bias: array("bias"),
    norm: norm("norm", one.eps),
    outputNorm: norm("output_norm", one.output_eps),
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

/** Where to look first: the brightest pixel that is nearest to the middle of the ink. */
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
