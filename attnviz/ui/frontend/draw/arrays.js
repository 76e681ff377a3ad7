// The arrays of an answer, each with its shape.

import { Raster } from "../hands/raster.js";
import { SIDE as CANVAS } from "../hands/strokes.js";

/** The shape of what belongs to one picture, without the batch. @param {number[]} shape @param {string[]} axes */
export function shapeOf(shape, axes) {
  return axes[0] === "batch" ? shape.slice(1) : shape;
}

/** What a derived value gave in several arrays, by name. */
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
 * @param {any} came over the live channel
 * @param {{heads: number}} model
 * @param {string} net the key of the net that gave it
 * @param {any[]} known pictures that models have seen
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

/** The very same picture where it is known already: what is made of a picture is then made once for all cards. */
export function once(known, picture) {
  const same = ({ values, shape }) =>
    shape.join() === picture.shape.join() && values.every((value, at) => value === picture.values[at]);
  const found = known.find(same);
  if (!found) known.push(picture);
  return found ?? picture;
}

/**
 * The largest size of a picture in a square that keeps its proportions.
 * @param {number} side of the square
 * @param {number[]} shape of the picture: rows, columns
 * @returns {[number, number]} width and height
 */
export function fitted(side, [rows, columns]) {
  const longer = Math.max(rows, columns);
  return [Math.max(1, Math.round((side * columns) / longer)), Math.max(1, Math.round((side * rows) / longer))];
}

/**
 * A small square picture, and the canvas of which the models see just that, each in its own shape.
 * @param {{values: Uint8Array, shape: number[]}} sample (row, column), or (row, column, channel)
 */
export function enlarged({ values, shape: [side, , channels = 1] }) {
  const size = side * Math.max(1, Math.floor(CANVAS / side));
  const raster = new Raster(size, channels);
  const own = values.slice();
  raster.lay({ name: "", side, values: own });
  return { values: own, shape: [side, side, channels], canvas: { values: raster.values, shape: raster.shape } };
}
