// Element-wise attention, stage by stage, in double precision and without a page: the stages of every layer, and the
// arithmetic of one pixel. The names are those of the taps of attnviz/layers/element_wise.py.
// (Bacochina and Thom de Souza, "Element-Wise Attention Layers: an option for optimization", 2023, arXiv 2302.05488)

/** The stages that exist once per head; those after them exist once per layer. */
export const PER_HEAD = [
  "x_product",
  "x_relevance",
  "y_product",
  "y_relevance",
  "relevance",
  "normed_relevance",
  "attended",
];

/**
 * @typedef {{eps: number, mean: ArrayLike<number>, variance: ArrayLike<number>, scale: ArrayLike<number>|null, shift:
 *   ArrayLike<number>|null}} Norm parameters of batch normalisation, one number per map of its input
 * @typedef {object} Layer
 * @property {number} heads
 * @property {number} channels of its input
 * @property {number} outputs channels of its output
 * @property {number} rows
 * @property {number} columns
 * @property {number} kernel side of the convolution's window, odd
 * @property {ArrayLike<number>} xWeights (head, channel, row, column)
 * @property {ArrayLike<number>} yWeights the same shape
 * @property {ArrayLike<number>} conv (output, head and channel, kernel row, kernel column)
 * @property {ArrayLike<number>|null} bias (output,)
 * @property {Norm|null} norm of the relevance, one number per head and channel
 * @property {number} factor multiplies the relevance; 1 if unused
 * @property {Norm|null} outputNorm
 * @property {boolean} skip whether the input is added to the output of the convolution
 * @property {ArrayLike<number>|null} fixed normed relevance (head, channel, row, column) that replaces the computed one
 */

/**
 * The switches for all layers at once.
 * @typedef {object} Switches
 * @property {number|null} [eps] replaces the eps of the relevance's norm
 * @property {boolean} [skip] false: nothing is added to the convolution's output
 * @property {number[][]} [off] [layer, head] of the heads whose `attended` is set to 0
 * @property {(ArrayLike<number>|null)[]|null} [relevance] replaces the normed relevance of each layer
 */

/**
 * Compute the stages of every layer.
 * @param {Layer[]} layers
 * @param {ArrayLike<number>} input of the first layer, (channel, row, column)
 * @param {Switches} switches
 * @returns {Object<string, Float64Array>[]} per layer `input` and all stages, flat
 */
export function netStages(layers, input, switches = {}) {
  const found = [];
  /** @type {Float64Array} */
  let flowing = Float64Array.from(input);
  layers.forEach((layer, number) => {
    const off = (switches.off ?? []).filter(([of]) => of === number).map(([, head]) => head);
    const stages = layerStages(layer, flowing, { ...switches, off, relevance: switches.relevance?.[number] ?? null });
    found.push(stages);
    flowing = stages.output;
  });
  return found;
}

/**
 * The stages of one layer.
 * @param {Layer} layer
 * @param {Float64Array} input
 * @param {{eps?: number|null, skip?: boolean, off?: number[], relevance?: ArrayLike<number>|null}} switches those of
 *   the layer: `off` lists its heads
 * @returns {Object<string, Float64Array>}
 */
export function layerStages(layer, input, { eps = null, skip = true, off = [], relevance = null } = {}) {
  const { heads, channels, rows, columns } = layer;
  const map = rows * columns;
  const one = channels * map;
  const stages = { input };
  for (const name of PER_HEAD) stages[name] = new Float64Array(heads * one);
  const fixed = relevance ?? layer.fixed;
  for (let head = 0; head < heads; head++) {
    for (let channel = 0; channel < channels; channel++) {
      const start = head * one + channel * map;
      for (let i = 0; i < map; i++) {
        const value = input[channel * map + i];
        stages.x_product[start + i] = value * layer.xWeights[start + i];
        stages.y_product[start + i] = value * layer.yWeights[start + i];
      }
      for (let row = 0; row < rows; row++)
        softmax(stages.x_product, stages.x_relevance, start + row * columns, 1, columns);
      for (let column = 0; column < columns; column++)
        softmax(stages.y_product, stages.y_relevance, start + column, columns, rows);
      const { from, by, add } = normOf(layer, head * channels + channel, eps);
      const silent = off.includes(head);
      for (let i = 0; i < map; i++) {
        const at = start + i;
        stages.relevance[at] = stages.x_relevance[at] * stages.y_relevance[at];
        stages.normed_relevance[at] = fixed ? fixed[at] : (stages.relevance[at] - from) * by + add;
        stages.attended[at] = silent ? 0 : input[channel * map + i] * stages.normed_relevance[at];
      }
    }
  }
  stages.after_conv = convolve(layer, stages.attended);
  const added = layer.skip && skip;
  stages.before_norm = added ? stages.after_conv.map((value, i) => value + input[i]) : stages.after_conv.slice();
  stages.after_norm = stages.before_norm.slice();
  if (layer.outputNorm) {
    for (let channel = 0; channel < layer.outputs; channel++) {
      const { from, by, add } = affine(layer.outputNorm, channel, layer.outputNorm.eps);
      for (let i = channel * map; i < (channel + 1) * map; i++)
        stages.after_norm[i] = (stages.before_norm[i] - from) * by + add;
    }
  }
  stages.output = stages.after_norm.map((value) => Math.max(value, 0));
  return stages;
}

/**
 * The normalisation of one map's relevance: minus `from`, times `by`, plus `add`.
 * @param {Layer} layer
 * @param {number} map
 * @param {number|null} eps replaces the norm's own
 */
export function normOf({ norm, factor }, map, eps = null) {
  return norm ? affine(norm, map, eps ?? norm.eps) : { from: 0, by: factor, add: 0 };
}

function affine({ mean, variance, scale, shift }, map, eps) {
  return {
    from: mean[map],
    by: (scale ? scale[map] : 1) / Math.sqrt(variance[map] + eps),
    add: shift ? shift[map] : 0,
  };
}

function softmax(from, to, start, step, count) {
  let most = -Infinity;
  for (let i = 0, at = start; i < count; i++, at += step) most = Math.max(most, from[at]);
  let sum = 0;
  for (let i = 0, at = start; i < count; i++, at += step) sum += to[at] = Math.exp(from[at] - most);
  for (let i = 0, at = start; i < count; i++, at += step) to[at] /= sum;
}

function convolve({ heads, channels, outputs, rows, columns, kernel, conv, bias }, attended) {
  const [map, inputs, half] = [rows * columns, heads * channels, (kernel - 1) / 2];
  const found = new Float64Array(outputs * map);
  for (let output = 0; output < outputs; output++) {
    const to = output * map;
    found.fill(bias ? bias[output] : 0, to, to + map);
    for (let input = 0; input < inputs; input++) {
      for (let window = 0; window < kernel * kernel; window++) {
        const weight = conv[(output * inputs + input) * kernel * kernel + window];
        const [down, right] = [Math.floor(window / kernel) - half, (window % kernel) - half];
        const [first, last] = [Math.max(0, -right), Math.min(columns, columns - right)];
        for (let row = Math.max(0, -down); row < Math.min(rows, rows - down); row++) {
          const [there, here] = [input * map + (row + down) * columns + right, to + row * columns];
          for (let column = first; column < last; column++) found[here + column] += weight * attended[there + column];
        }
      }
    }
  }
  return found;
}

/**
 * The computation of one value of a layer, step by step.
 * @param {Layer} layer
 * @param {Object<string, Float64Array>} stages of that layer, from `netStages`
 * @param {{channel: number, row: number, column: number}} place
 * @param {number} head the head with detailed attention
 * @param {any} switches those of the layer: `off` lists its heads
 */
export function pixelSteps(layer, stages, place, head, { eps = null, skip = true, off = [], relevance = null } = {}) {
  const { channels, rows, columns, norm } = layer;
  const { channel, row, column } = place;
  const map = rows * columns;
  const here = channel * map + row * columns + column;
  const at = head * channels * map + here;
  const line = head * channels * map + channel * map;
  const along = (product, start, step, count) => {
    let sum = 0;
    for (let i = 0; i < count; i++) sum += Math.exp(product[start + i * step]);
    return sum;
  };
  const which = head * channels + channel;
  return {
    input: stages.input[here],
    x: {
      weight: layer.xWeights[at],
      product: stages.x_product[at],
      share: stages.x_relevance[at],
      exp: Math.exp(stages.x_product[at]),
      sum: along(stages.x_product, line + row * columns, 1, columns),
    },
    y: {
      weight: layer.yWeights[at],
      product: stages.y_product[at],
      share: stages.y_relevance[at],
      exp: Math.exp(stages.y_product[at]),
      sum: along(stages.y_product, line + column, columns, rows),
    },
    relevance: stages.relevance[at],
    evenShare: stages.relevance[at] * map,
    norm: norm && {
      mean: norm.mean[which],
      variance: norm.variance[which],
      eps: eps ?? norm.eps,
      scale: norm.scale?.[which] ?? null,
      shift: norm.shift?.[which] ?? null,
    },
    factor: norm ? null : layer.factor,
    replaced: Boolean(relevance ?? layer.fixed),
    normed: stages.normed_relevance[at],
    off: off.includes(head),
    attended: stages.attended[at],
    conv: window(layer, stages.attended, place),
    afterConv: stages.after_conv[here],
    skip: layer.skip && skip,
    beforeNorm: stages.before_norm[here],
    outputNorm: layer.outputNorm && {
      mean: layer.outputNorm.mean[channel],
      variance: layer.outputNorm.variance[channel],
      eps: layer.outputNorm.eps,
      scale: layer.outputNorm.scale?.[channel] ?? null,
      shift: layer.outputNorm.shift?.[channel] ?? null,
    },
    afterNorm: stages.after_norm[here],
    output: stages.output[here],
  };
}

/**
 * The terms of the convolution for one value of its output.
 * @returns {{maps: number, heads: {cells: number[], sum: number}[], cells: number[], bias: number|null}} the number of
 *   input maps; per head, and over all heads, the contribution of each cell of the window, summed over the channels;
 *   NaN outside the picture
 */
function window({ heads, channels, rows, columns, kernel, conv, bias }, attended, { channel, row, column }) {
  const [map, half, size] = [rows * columns, (kernel - 1) / 2, kernel * kernel];
  const cells = Array(size).fill(0);
  const found = Array.from({ length: heads }, (_, head) => {
    const own = Array.from({ length: size }, (_, i) => {
      const [down, right] = [row + Math.floor(i / kernel) - half, column + (i % kernel) - half];
      if (down < 0 || right < 0 || down >= rows || right >= columns) return NaN;
      let sum = 0;
      for (let from = head * channels; from < (head + 1) * channels; from++) {
        sum += conv[(channel * heads * channels + from) * size + i] * attended[from * map + down * columns + right];
      }
      return sum;
    });
    own.forEach((value, i) => (cells[i] += value));
    return { cells: own, sum: own.reduce((sum, value) => sum + (Number.isNaN(value) ? 0 : value), 0) };
  });
  return { maps: heads * channels, heads: found, cells, bias: bias ? bias[channel] : null };
}

/**
 * The fraction of a layer's values that ReLU sets to 0 because they are negative.
 * @param {Record<string, Float64Array>} stages
 */
export function cutShare({ after_norm: values }) {
  let cut = 0;
  for (const value of values) cut += value < 0 ? 1 : 0;
  return cut / values.length;
}

/**
 * The strength of the convolution's input relative to the layer's input, both as root mean squares.
 * @param {Record<string, Float64Array>} stages
 */
export function gain({ input, attended }) {
  const strength = (values) => Math.sqrt(values.reduce((sum, value) => sum + value * value, 0) / values.length);
  return strength(attended) / strength(input);
}

/**
 * The sum of the shares in a drawn map: if blocks of pixels became channels, each drawn row interleaves a row of
 * several maps, pixel by pixel.
 * @param {number} block side of a block; 1 if there are none
 */
export function sharesSum(block) {
  const each = block === 1 ? "" : `, as ${block} maps share it`;
  return `x shares sum to ${block} along each row${each}, y shares to ${block} along each column`;
}

/** The positions of a layer's values on the picture: a layer may use blocks of pixels as channels (pixel-unshuffle). */
export class Placement {
  /**
   * @param {Layer} layer
   * @param {number} block side of the block of pixels that became channels; 1 if none did
   */
  constructor({ channels, rows, columns }, block) {
    this.block = block;
    this.depth = rows;
    this.width = columns;
    this.planes = channels / block ** 2;
    this.rows = rows * block;
    this.columns = columns * block;
  }

  /** The channel, row and column in the layer of a pixel of one of the picture's planes. */
  of(plane, row, column) {
    const { block } = this;
    return {
      channel: plane * block ** 2 + (row % block) * block + (column % block),
      row: Math.floor(row / block),
      column: Math.floor(column / block),
    };
  }

  /** Arrange one plane of a stage as a picture, row by row. @param {ArrayLike<number>} values @param {number} start */
  plane(values, plane, start = 0) {
    const { rows, columns, depth, width } = this;
    const found = new Float64Array(rows * columns);
    for (let row = 0, to = 0; row < rows; row++) {
      for (let column = 0; column < columns; column++, to++) {
        const place = this.of(plane, row, column);
        found[to] = values[start + (place.channel * depth + place.row) * width + place.column];
      }
    }
    return found;
  }
}
