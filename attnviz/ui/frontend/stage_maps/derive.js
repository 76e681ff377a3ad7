// The contents of the stage maps, derived from their view and their data. It does not access the page.

import { Boxes } from "../maps/boxes.js";
import { makeScale } from "../core/colours.js";
import { short } from "../core/numbers.js";
import { Cells } from "../maps/cells.js";

/**
 * A layer: its maps at each stage, the positions of their cells on the picture, the default channel (the one named by
 * Python, or the strongest after ReLU), and the fraction that ReLU sets to 0.
 * @typedef {object} Layer
 * @property {string} title
 * @property {Record<string, Float64Array>} maps
 * @property {Record<string, Boxes>} boxes
 * @property {Record<string, number>} channels of the maps at each stage
 * @property {number} strongest
 * @property {number} cut
 */

/**
 * The shown state; stages: their names, in the order of the forward pass.
 * @typedef {{layers: Layer[], stages: string[], view: any, looked: {tile: number, token: number}}} Shown
 */

/**
 * Which values of a view exist: a channel must belong to the requested layer.
 * @type {import("../core/url_fields.js").Rules}
 */
export const RULES = {
  exists({ name }, value, layers, asked) {
    if (name === "layer") return value >= 0 && value < layers.length;
    return name !== "channel" || (value >= 0 && value < most(layers[asked.layer ?? 0]));
  },
  there: ({ name }, layers) =>
    name === "layer" ? `1 to ${layers.length}` : "1 to the number of channels of the layer",
};

/**
 * The layers in the data from Python.
 * @param {any} header
 * @param {Record<string, any>} arrays
 * @param {Record<string, number[]>} shapes
 * @returns {Layer[]}
 */
export function layersOf(header, arrays, shapes) {
  const stages = Object.keys(header.stages);
  return header.layers.map(({ title, boxes, channel }, number) => {
    const layer = { title, maps: {}, boxes: {}, channels: {}, strongest: 0, cut: 0 };
    stages.forEach((stage, place) => {
      const before = stages[place - 1];
      const own = arrays[`${number}.${stage}`];
      const input = layer.maps[before];
      if (stage === "relu") layer.cut = input.reduce((count, value) => count + (value < 0 ? 1 : 0), 0) / input.length;
      if (own) {
        const [channels, rows, columns] = shapes[`${number}.${stage}`];
        layer.maps[stage] = own;
        layer.boxes[stage] = new Boxes(boxes[stage], new Cells(rows, columns), shapes.picture.slice(0, 2));
        layer.channels[stage] = channels;
      } else {
        layer.maps[stage] = stage === "relu" ? input.map((value) => Math.max(value, 0)) : input;
        layer.boxes[stage] = layer.boxes[before];
        layer.channels[stage] = layer.channels[before];
      }
    });
    layer.strongest = channel ?? largestMean(layer.maps.relu, layer.channels.relu);
    return layer;
  });
}

/** The maximum number of channels of a layer. @param {Layer|undefined} layer */
function most(layer) {
  return layer?.channels ? Math.max(...Object.values(layer.channels)) : 0;
}

/** The tile of the chosen stage. @param {Pick<Shown, "stages"|"view">} shown */
export function tileOf({ stages, view: { layer, stage } }) {
  return layer * stages.length + stages.indexOf(stage);
}

/**
 * Layer and stage of a tile.
 * @param {Pick<Shown, "stages">} shown
 * @param {number} tile
 * @returns {[number, string]}
 */
export function placeOf({ stages }, tile) {
  return [Math.floor(tile / stages.length), stages[tile % stages.length]];
}

/** @param {Shown} shown @param {number} tile */
export function boxesOf(shown, tile) {
  const [layer, stage] = placeOf(shown, tile);
  return shown.layers[layer].boxes[stage];
}

/**
 * The channel of a layer shown at a stage: the chosen one, if the stage has it.
 * @param {Shown} shown
 * @param {number} layer
 * @param {string} stage
 * @returns {number}
 */
export function channelOf(shown, layer, stage) {
  return Math.min(wantedOf(shown, layer), shown.layers[layer].channels[stage] - 1);
}

/** The chosen channel of a layer. */
function wantedOf({ layers, view }, layer) {
  return layer === view.layer && view.channel !== null ? view.channel : layers[layer].strongest;
}

/**
 * The channel that a tile shows if its stage lacks the chosen one; otherwise null.
 * @param {Shown} shown
 * @param {number} tile
 */
export function otherChannelOf(shown, tile) {
  const [layer, stage] = placeOf(shown, tile);
  const channel = channelOf(shown, layer, stage);
  return channel === wantedOf(shown, layer) ? null : channel;
}

/** The values of a tile. @param {Shown} shown @param {number} tile */
export function valuesOf(shown, tile) {
  const [layer, stage] = placeOf(shown, tile);
  const { tokens } = boxesOf(shown, tile).cells;
  const channel = channelOf(shown, layer, stage);
  return shown.layers[layer].maps[stage].subarray(channel * tokens, (channel + 1) * tokens);
}

/**
 * A tile's counterpart of the selected cell: the cell from which it is computed, or a cell computed from it.
 * @typedef {{token: number, pooled: number[]|null}} Read
 *   token: -1 if there is none; pooled: top, left, bottom and right of the cells of which it is the maximum
 */

/**
 * Follow the selected cell to a tile exactly, stage by stage: ReLU keeps its position, pooling takes the maximum of a
 * window, and a convolution uses the middle of its window, or the cell above and left of it if the window is even.
 * @param {Shown} shown
 * @param {number} tile
 * @returns {Read}
 */
export function readOf(shown, tile) {
  const { looked } = shown;
  /** @type {Read} */
  let read = { token: looked.token, pooled: null };
  const step = tile < looked.tile ? -1 : 1;
  for (let at = looked.tile; at !== tile && read.token >= 0; at += step)
    read = step < 0 ? before(shown, at, read) : after(shown, at, read);
  return read;
}

/** The cell of `readOf`. @param {Shown} shown @param {number} tile @returns {number} -1 if there is none */
export function tokenOf(shown, tile) {
  return readOf(shown, tile).token;
}

/**
 * The cell of the previous stage from which a cell is computed.
 * @param {Shown} shown
 * @param {number} tile
 * @param {Read} read
 * @returns {Read}
 */
function before(shown, tile, read) {
  const [own, from] = [boxesOf(shown, tile), boxesOf(shown, tile - 1)];
  if (own === from) return read;
  const windows = own.windowOn(from);
  const place = own.cells.place(read.token);
  const counts = [from.cells.rows, from.cells.columns];
  if (placeOf(shown, tile)[1] !== "pool") {
    const middle = windows.map(({ first, size, step }, axis) =>
      Math.min(counts[axis] - 1, Math.max(0, first + place[axis] * step + Math.floor((size - 1) / 2))),
    );
    return { token: from.cells.at(middle), pooled: null };
  }
  const ends = windows.map(({ first, size, step }, axis) => {
    const start = first + place[axis] * step;
    return [Math.max(0, start), Math.min(counts[axis], start + size)];
  });
  const [[top, bottom], [left, right]] = ends;
  const values = valuesOf(shown, tile - 1);
  let token = from.cells.at([top, left]);
  for (let row = top; row < bottom; row++) {
    for (let column = left; column < right; column++) {
      const here = from.cells.at([row, column]);
      if (values[here] > values[token]) token = here;
    }
  }
  return { token, pooled: [top, left, bottom, right] };
}

/**
 * The cell of the next stage that is computed from a cell.
 * @param {Shown} shown
 * @param {number} tile
 * @param {Read} read
 * @returns {Read}
 */
function after(shown, tile, read) {
  const [own, to] = [boxesOf(shown, tile), boxesOf(shown, tile + 1)];
  if (own === to) return read;
  const place = own.cells.place(read.token);
  const counts = [to.cells.rows, to.cells.columns];
  const found = to.windowOn(own).map((window, axis) => nearest(window, place[axis], counts[axis]));
  return { token: found.includes(-1) ? -1 : to.cells.at(found), pooled: null };
}

/** Among the windows that contain a cell, the one whose middle is closest to it; -1 if there is none. */
function nearest({ first, size, step }, cell, count) {
  let [found, least] = [-1, Infinity];
  const last = Math.min(count - 1, Math.floor((cell - first) / step));
  for (let at = Math.max(0, Math.ceil((cell - first - size + 1) / step)); at <= last; at++) {
    const away = Math.abs(first + at * step + Math.floor((size - 1) / 2) - cell);
    if (away < least) [found, least] = [at, away];
  }
  return found;
}

/** The value that a tile shows; NaN if it has none. @param {Shown} shown @param {number} tile */
export function valueOf(shown, tile) {
  return valuesOf(shown, tile)[tokenOf(shown, tile)] ?? NaN;
}

/** A scale for each layer. @param {Shown} shown @returns {Scale[]} */
export function scalesOf(shown) {
  const { layers, stages } = shown;
  return layers.map((_, layer) =>
    makeScale("signed", Math.max(...stages.map((_, at) => largest(valuesOf(shown, layer * stages.length + at))))),
  );
}

/** A tile in words. @param {Shown} shown @param {number} tile @param {Record<string, string>} titles of the stages */
export function inWords(shown, tile, titles) {
  const [layer, stage] = placeOf(shown, tile);
  const { columns } = boxesOf(shown, tile).cells;
  const token = tokenOf(shown, tile);
  const what = `${shown.layers[layer].title}, channel ${channelOf(shown, layer, stage) + 1}, ${titles[stage]}`;
  if (token < 0) return `${what}: no value is computed from this one.`;
  const place = `row ${Math.floor(token / columns) + 1}, column ${(token % columns) + 1}`;
  return `${what}: ${short(valueOf(shown, tile))} at ${place}.`;
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
