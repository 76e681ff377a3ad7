// The arrays of an answer, each with its shape.

import { Raster } from "../hands/raster.js";
import { SIDE as CANVAS } from "../hands/strokes.js";

/** The shape for one picture, without the batch axis. @param {number[]} shape @param {string[]} axes */
export function shapeOf(shape, axes) {
  return axes[0] === "batch" ? shape.slice(1) : shape;
}

/** The arrays of a derived value with several of them, by name. */
export function partsOf(arrays, shapes, axes) {
  const names = Object.keys(arrays).filter((name) => name.startsWith("map."));
  return Object.fromEntries(
    names.map((name) => [
      name.slice("map.".length),
      { values: arrays[name], shape: shapeOf(shapes[name], axes[name]) },
    ]),
  );
}

/**
 * One model's answer.
 * @param {any} came the answer from the live channel
 * @param {{heads: number}} model
 * @param {string} net the key of the net that gave it
 * @param {any[]} known input pictures of models
 */
export function answerOf({ arrays, shapes, axes, parameters, milliseconds }, { heads }, net, known) {
  const { probabilities, logits, map = null } = arrays;
  return {
    ...{ probabilities, logits, map, milliseconds, net, parts: partsOf(arrays, shapes, axes) },
    shape: map && shapeOf(shapes.map, axes.map),
    seen: once(known, { values: arrays.seen, shape: shapes.seen }),
    head: heads ? parameters.map.head : null,
  };
}

/** The same object for a picture that is known already, so that work on a picture is done once for all cards. */
export function once(known, picture) {
  const same = ({ values, shape }) =>
    shape.join() === picture.shape.join() && values.every((value, at) => value === picture.values[at]);
  const found = known.find(same);
  if (!found) known.push(picture);
  return found ?? picture;
}

/**
 * The largest size of a picture that fits in a square, with its proportions.
 * @param {number} side of the square
 * @param {number[]} shape of the picture: rows, columns
 * @returns {[number, number]} width and height
 */
export function fitted(side, [rows, columns]) {
  const longer = Math.max(rows, columns);
  return [Math.max(1, Math.round((side * columns) / longer)), Math.max(1, Math.round((side * rows) / longer))];
}

/**
 * The canvas from which the models get exactly this small square picture, each in its own shape.
 * @param {{values: Uint8Array, shape: number[]}} sample (row, column), or (row, column, channel)
 */
export function enlarged({ values, shape: [side, , channels = 1] }) {
  const size = side * Math.max(1, Math.floor(CANVAS / side));
  const raster = new Raster(size, channels);
  const own = values.slice();
  raster.lay({ name: "", side, values: own });
  return { values: own, shape: [side, side, channels], canvas: { values: raster.values, shape: raster.shape } };
}
