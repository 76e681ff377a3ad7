// The shown gates and the requests to the live channel, derived from view and data. It does not access the page.

import { KINDS } from "../core/url_fields.js";
import { short } from "../core/numbers.js";

export const SETS = {
  own: "As computed",
  one: "All at 1",
  mean: "All at their mean",
  other: "Of another picture",
};

/**
 * The gates of a layer: Python's description, its weights, and the range of its gates over many pictures.
 * @typedef {object} Layer
 * @property {string} title
 * @property {string} path
 * @property {"gate"|"one plus"} form
 * @property {string} tap
 * @property {string|null} spaceTap
 * @property {string} space_is
 * @property {string} shift_is
 * @property {string[]} kinds
 * @property {number} channels
 * @property {number} units
 * @property {Float64Array} mean
 * @property {Float64Array} lowest
 * @property {Float64Array} highest
 * @property {Float64Array} excite
 * @property {Float64Array} shift
 * @property {{rows: number, columns: number}|null} places grid of its spatial gates
 * @property {Record<string, {values: Float32Array, shape: number[]}>} put values for its taps, by name
 * @property {Values} own the net's own values on this picture
 */

/**
 * The values of a layer: per channel, per unit of the narrow layer, and per position.
 * @typedef {object} Values
 * @property {ArrayLike<number>} squeezed
 * @property {ArrayLike<number>|null} squeezedMax
 * @property {ArrayLike<number>} reduced
 * @property {ArrayLike<number>} gate
 * @property {ArrayLike<number>|null} space
 */

const PUT = {
  put_mean: "tap.mean",
  put_other: "tap.other",
  put_space_mean: "space_tap.mean",
  put_space_other: "space_tap.other",
};

const turn = /** @param {any} value */ (value) =>
  Array.isArray(value) && value.length === 3 && value.every(Number.isInteger);

/** Gates set by hand: [layer, channel, percent], "1.5-25" in the URL. */
KINDS.turns = {
  holds: (value) => Array.isArray(value) && value.every(turn),
  word: (value) =>
    Array.isArray(value)
      ? value.map((one) => (turn(one) ? `${one[0] + 1}.${one[1] + 1}-${one[2]}` : String(one))).join(",")
      : String(value),
};

/** Which values of a view exist. @type {import("../core/url_fields.js").Rules} */
export const RULES = {
  exists({ name }, value, { layers, other }, asked) {
    const below = (number, end) => number >= 0 && number < end;
    if (name === "layer") return below(value, layers.length);
    if (name === "channel") return below(value, layers[asked.layer ?? 0]?.channels ?? 0);
    if (name === "gates") return value !== "other" || other !== null;
    const names = new Set(value.map(([layer, channel]) => `${layer}.${channel}`));
    return (
      names.size === value.length &&
      value.every(
        ([layer, channel, percent]) =>
          below(layer, layers.length) && below(channel, layers[layer].channels) && percent <= 100,
      )
    );
  },
  there({ name }, { layers }) {
    if (name === "layer") return `1 to ${layers.length}`;
    if (name === "channel") return "1 to the number of channels of the layer";
    return "layer.channel-percent, such as 1.5-25, from 0 to 100 percent, each gate once";
  },
};

/**
 * The layers in a payload.
 * @param {Pick<GatesView["header"], "layers">} header
 * @param {Record<string, any>} arrays as in `GatesView["arrays"]`
 * @param {Record<string, number[]>} shapes
 * @returns {Layer[]}
 */
export function layersOf(header, arrays, shapes) {
  return header.layers.map(({ tap, space_tap, ...said }, number) => {
    const of = (name) => arrays[`${number}.${name}`];
    const [channels, units] = shapes[`${number}.excite`];
    const places = shapes[`${number}.space`];
    return {
      ...said,
      tap: tap.address,
      spaceTap: space_tap?.address ?? null,
      channels,
      units,
      mean: of("mean"),
      lowest: of("lowest"),
      highest: of("highest"),
      excite: of("excite"),
      shift: of("shift"),
      places: places ? { rows: places[0], columns: places[1] } : null,
      put: Object.fromEntries(
        Object.entries(PUT)
          .filter(([, from]) => of(from))
          .map(([name, from]) => [name, { values: of(from), shape: shapes[`${number}.${from}`] }]),
      ),
      own: {
        squeezed: of("squeezed"),
        squeezedMax: of("squeezed_max") ?? null,
        reduced: of("reduced"),
        gate: of("gate"),
        space: of("space") ?? null,
      },
    };
  });
}

/**
 * One number per channel: the mean over positions.
 * @param {ArrayLike<number>} values
 * @param {number} channels
 * @returns {Float64Array}
 */
export function perChannel(values, channels) {
  const size = values.length / channels;
  return Float64Array.from({ length: channels }, (_, channel) => {
    let sum = 0;
    for (let at = channel * size; at < (channel + 1) * size; at++) sum += values[at];
    return sum / size;
  });
}

/**
 * The values of a layer in an answer of the live channel.
 * @param {Layer} layer
 * @param {number} number
 * @param {Record<string, any>} arrays
 * @returns {Values}
 */
export function valuesOf(layer, number, arrays) {
  const of = (name) => arrays[`${number}.${name}`] ?? null;
  const more = of("reduced_max");
  return {
    squeezed: of("squeezed"),
    squeezedMax: of("squeezed_max"),
    reduced: more ? Float64Array.from(of("reduced"), (value, unit) => value + more[unit]) : of("reduced"),
    gate: perChannel(of("gate"), layer.channels),
    space: of("space"),
  };
}

/** The arrays that `valuesOf` needs in an answer. @param {Layer[]} layers */
export function wantedOf(layers) {
  const wanted = {};
  layers.forEach(({ path, tap, own, spaceTap, space_is }, number) => {
    const want = (name, address) => (wanted[`${number}.${name}`] = { address });
    want("gate", tap);
    want("squeezed", `${path}.squeezed`);
    want("reduced", `${path}.reduced`);
    if (own.squeezedMax) {
      want("squeezed_max", `${path}.squeezed_max`);
      want("reduced_max", `${path}.reduced_max`);
    }
    if (space_is) want("space", spaceTap ?? `${path}.space_score`);
  });
  return wanted;
}

/** Whether any gate differs from the computed one. @param {any} view */
export function isSwitched({ gates, turned }) {
  return gates !== "own" || turned.length > 0;
}

/**
 * The edits of a request, and the arrays that they name.
 * @param {any} view
 * @param {Layer[]} layers
 */
export function editsOf(view, layers) {
  const edits = [];
  const arrays = {};
  layers.forEach(({ tap, spaceTap, put }, number) => {
    const all = (address, name) => {
      if (view.gates === "one") edits.push({ edit: "set", address, value: 1 });
      else if (put[name]) {
        arrays[`${number}.${name}`] = put[name];
        edits.push({ edit: "set", address, array: `${number}.${name}` });
      }
    };
    if (view.gates !== "own") {
      all(tap, `put_${view.gates}`);
      if (spaceTap) all(spaceTap, `put_space_${view.gates}`);
    }
    const byValue = new Map();
    for (const [layer, channel, percent] of view.turned)
      if (layer === number) byValue.set(percent, [...(byValue.get(percent) ?? []), channel]);
    for (const [percent, channel] of byValue)
      edits.push({ edit: "set", address: tap, index: { channel }, value: percent / 100 });
  });
  return { edits, arrays };
}

/**
 * The gates in use in a layer: those set by hand, then those replaced as a whole, otherwise the computed ones.
 * @param {any} view
 * @param {Layer} layer
 * @param {number} number
 * @param {Values} now
 */
export function shownGates(view, layer, number, now) {
  const put = layer.put[`put_${view.gates}`];
  const found =
    view.gates === "one"
      ? new Float64Array(layer.channels).fill(1)
      : put
        ? perChannel(put.values, layer.channels)
        : Float64Array.from(now.gate);
  const held = Array.from({ length: layer.channels }, () => false);
  for (const [at, channel, percent] of view.turned) {
    if (at !== number) continue;
    found[channel] = percent / 100;
    held[channel] = true;
  }
  return { values: found, held };
}

/**
 * The gates set by hand after another one is set, or released with null.
 * @param {number[][]} turned
 * @param {number} layer
 * @param {number} channel
 * @param {number|null} value 0..1
 */
export function turnedTo(turned, layer, channel, value) {
  const others = turned.filter(([at, which]) => at !== layer || which !== channel);
  if (value === null) return others;
  const made = [...others, [layer, channel, Math.round(100 * value)]];
  return made.sort((one, other) => one[0] - other[0] || one[1] - other[1]);
}

/**
 * The channel on show: the chosen one, or else the one whose gate is farthest from its mean.
 * @param {any} view
 * @param {Layer[]} layers
 * @returns {number}
 */
export function channelOf(view, layers) {
  if (view.channel !== null) return view.channel;
  const { own, mean } = layers[view.layer];
  const apart = Array.from(own.gate, (value, channel) => Math.abs(value - mean[channel]));
  return apart.indexOf(Math.max(...apart));
}

/**
 * The arithmetic of one gate, step by step.
 * @typedef {object} Steps
 * @property {number} squeezed the mean of the channel
 * @property {number|null} squeezedMax its maximum, if the gate uses it
 * @property {number[]} reduced the units of the narrow layer
 * @property {number} idle how many of them are 0
 * @property {{unit: number, weight: number, product: number}[]} terms of the score, one for each unit
 * @property {number} shift the bias added to their sum
 * @property {number} score
 * @property {number} computed the gate computed by the net, or its mean over positions if it varies
 * @property {number} gate the gate in use
 * @property {number} factor the number by which the channel is multiplied
 * @property {number} scaled the mean of the channel afterwards, before any spatial gate
 */

/** How many gates of a layer are constant or always open, in words. @param {Layer} layer */
export function kindsInWords({ kinds, channels }) {
  const count = (kind) => kinds.filter((one) => one === kind).length;
  const some = ["always open", "constant"].filter(count).map((kind) => `${count(kind)} ${kind}`);
  return `${channels} channels${some.length ? `, ${some.join(", ")}` : ""}`;
}

/** One gate in words. @param {Layer} layer @param {number} channel @param {number} value @param {boolean} held */
export function inWords(layer, channel, value, held) {
  const kind = layer.kinds[channel];
  return (
    `${layer.title}, channel ${channel + 1}: ${short(value, 3)}${held ? ", set by hand" : ""}; mean ` +
    `${short(layer.mean[channel], 3)}, from ${short(layer.lowest[channel], 2)} to ${short(layer.highest[channel], 2)}` +
    (kind === "varies" ? "" : `: ${kind}`)
  );
}

/**
 * The values for lessons, by name.
 * @param {any} view
 * @param {Layer[]} layers
 * @param {Values[]} now
 * @param {Partial<Steps>} [found] the arithmetic of the shown gate
 */
export function declaredOf(view, layers, now, found) {
  const [layer, channel] = [layers[view.layer], channelOf(view, layers)];
  return {
    block: view.layer + 1,
    blocks: layers.length,
    channel: channel + 1,
    channels: layer.channels,
    gate: shownGates(view, layer, view.layer, now[view.layer]).values[channel],
    mean: layer.mean[channel],
    squeezed: found?.squeezed,
    score: found?.score,
    turned: view.turned.length,
    gates: view.gates,
  };
}
