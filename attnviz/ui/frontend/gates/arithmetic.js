// The arithmetic of one gate, by step and by position. It does not access the page.

/**
 * @param {import("./derive.js").Layer} layer
 * @param {import("./derive.js").Values} now
 * @param {number} channel
 * @param {number} gate the gate in use
 * @returns {import("./derive.js").Steps}
 */
export function stepsOf(layer, now, channel, gate) {
  const { units, excite, shift, form } = layer;
  const terms = Array.from({ length: units }, (_, unit) => {
    const weight = excite[channel * units + unit];
    return { unit, weight, product: weight * now.reduced[unit] };
  });
  const score = terms.reduce((sum, { product }) => sum + product, shift[channel]);
  const computed = layer.space_is === "score" ? meanGate(score, now.space ?? [0]) : sigmoid(score);
  const factor = form === "one plus" ? 1 + gate : gate;
  return {
    squeezed: now.squeezed[channel],
    squeezedMax: now.squeezedMax ? now.squeezedMax[channel] : null,
    reduced: Array.from(now.reduced),
    idle: Array.from(now.reduced).filter((value) => value === 0).length,
    terms,
    shift: shift[channel],
    score,
    computed,
    gate,
    factor,
    scaled: now.squeezed[channel] * factor,
  };
}

/**
 * The gate of one channel of the chosen layer at each position of the picture; null if gates do not depend on the
 * position.
 * @param {any} view
 * @param {import("./derive.js").Layer} layer
 * @param {import("./derive.js").Values} now
 * @param {number} channel
 * @param {number} score of the channel
 * @returns {{values: Float64Array, rows: number, columns: number}|null}
 */
export function placesOf(view, layer, now, channel, score) {
  if (!layer.places || !now.space) return null;
  return { values: gatesOfPlaces(view, layer, now.space, channel, score), ...layer.places };
}

function gatesOfPlaces(view, layer, space, channel, score) {
  if (layer.space_is !== "score") return Float64Array.from(space);
  const size = space.length;
  const turned = view.turned.find(([at, which]) => at === view.layer && which === channel);
  if (turned) return new Float64Array(size).fill(turned[2] / 100);
  if (view.gates === "one") return new Float64Array(size).fill(1);
  const put = layer.put[`put_${view.gates}`];
  if (put) return Float64Array.from(put.values.subarray(channel * size, (channel + 1) * size));
  return Float64Array.from(space, (one) => sigmoid(score + one));
}

export function sigmoid(score) {
  return 1 / (1 + Math.exp(-score));
}

function meanGate(score, space) {
  return Array.from(space, (one) => sigmoid(score + one)).reduce((sum, one) => sum + one, 0) / space.length;
}
