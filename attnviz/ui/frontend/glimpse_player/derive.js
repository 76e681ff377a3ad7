// The contents of the glimpse player, without a page: the position of each glimpse on the picture, and its moves.
// Pixels are [row, column], counted from 0; locations are (row, column) in -1..1, as in attnviz/layers/glimpse.py.

import { best } from "../core/numbers.js";

/**
 * @typedef {object} Path a model's path, described in attnviz/ui/components/glimpse_player.py; arrays are flat
 * @property {Float32Array} location (glimpse, 2)
 * @property {Float32Array} mean (glimpse, 2)
 * @property {Float32Array} corner (glimpse, scale, 2)
 * @property {Float32Array} patches (glimpse, scale, row, column)
 * @property {Float32Array} belief (glimpse, class)
 * @property {Float32Array} baseline (glimpse,)
 *
 * @typedef {object} Facts the sizes of the data
 * @property {number} glimpses
 * @property {number} scales
 * @property {number} size of a patch, in values
 * @property {number} rows
 * @property {number} columns
 * @property {number} classes
 *
 * @typedef {object} Many several paths drawn at once; arrays are flat
 * @property {Float32Array} corner (path, glimpse, 2), of the sharp patches
 * @property {Float32Array} belief (path, class), after the last glimpse
 *
 * @typedef {number[][]} Moved [glimpse, row, column] of each glimpse that was moved, in their order
 */

/**
 * Find a path among arrays.
 * @param {Record<string, Float32Array>} arrays
 * @param {string} prefix prefix of their names: "" or "NAME." of a wanted output
 * @returns {Path}
 */
export function pathOf(arrays, prefix = "") {
  /** @param {string} name */
  const part = (name) => arrays[`${prefix}${name}`];
  return {
    location: part("location"),
    mean: part("location_mean"),
    corner: part("corner"),
    patches: part("patches"),
    belief: part("belief"),
    baseline: part("baseline"),
  };
}

/**
 * The pixel that a glimpse falls on: the one just below and to the right of the centre of its sharp patch.
 * @param {Path} path
 * @param {number} glimpse
 * @param {Facts} facts
 * @returns {number[]}
 */
export function pixelOf({ corner }, glimpse, { scales, size }) {
  const half = Math.floor(size / 2);
  return [corner[glimpse * scales * 2] + half, corner[glimpse * scales * 2 + 1] + half];
}

/**
 * The boxes of a glimpse, sharp first: top, left and side in pixels.
 * @param {Path} path
 * @param {number} glimpse
 * @param {Facts} facts
 */
export function boxesOf({ corner }, glimpse, { scales, size }) {
  return Array.from({ length: scales }, (_, scale) => {
    const at = (glimpse * scales + scale) * 2;
    return { top: corner[at], left: corner[at + 1], side: size * 2 ** scale };
  });
}

/**
 * One patch of the model's input, row by row.
 * @param {Path} path
 * @param {number} glimpse
 * @param {number} scale
 * @param {Facts} facts
 */
export function patchOf({ patches }, glimpse, scale, { scales, size }) {
  const start = (glimpse * scales + scale) * size * size;
  return patches.subarray(start, start + size * size);
}

/** The probabilities after a glimpse. @param {Path} path @param {number} glimpse @param {Facts} facts */
export function beliefOf({ belief }, glimpse, { classes }) {
  return belief.subarray(glimpse * classes, (glimpse + 1) * classes);
}

/**
 * A path with one glimpse put on another pixel, for as long as the model has not answered: only the boxes have moved.
 * @param {Path} path
 * @param {number} glimpse
 * @param {number[]} pixel
 * @param {Facts} facts
 * @returns {Path}
 */
export function shifted(path, glimpse, pixel, { rows, columns, scales, size }) {
  const [corner, location] = [path.corner.slice(), path.location.slice()];
  for (let scale = 0; scale < scales; scale++) {
    for (const axis of [0, 1])
      corner[(glimpse * scales + scale) * 2 + axis] = pixel[axis] - Math.floor((size * 2 ** scale) / 2);
  }
  [rows, columns].forEach((side, axis) => (location[glimpse * 2 + axis] = locationOf(pixel[axis], side)));
  return { ...path, corner, location };
}

/** The location of the middle of a pixel on one axis. @param {number} pixel @param {number} side @returns {number} */
export function locationOf(pixel, side) {
  return (2 * pixel + 1) / side - 1;
}

/** A location on one axis as pixels from the first edge. @param {number} location @param {number} side */
export function placeOf(location, side) {
  return ((location + 1) / 2) * side;
}

/**
 * The distribution of the draws of a glimpse, in pixels from the first edge: their centre on each axis, and the ends of
 * one standard deviation on either side. If a model squashes its draws, they are around the squashed mean.
 * @param {Path} path
 * @param {number} glimpse
 * @param {Facts} facts
 * @param {{std: number, squash?: string}} policy
 * @returns {{middle: number[], ends: number[][]}} each row, then column; ends: [first, last] of each axis
 */
export function drawsOf({ mean }, glimpse, { rows, columns }, { std, squash }) {
  const squashed = squash === "tanh" ? Math.tanh : (/** @type {number} */ location) => location;
  /** @param {number} axis @param {number} away */
  const place = (axis, away) => placeOf(squashed(mean[2 * glimpse + axis] + away), [rows, columns][axis]);
  return {
    middle: [0, 1].map((axis) => place(axis, 0)),
    ends: [0, 1].map((axis) => [place(axis, -std), place(axis, std)]),
  };
}

/**
 * Move a glimpse. Later moves are discarded: the model's path continues from here.
 * @param {Moved} moved
 * @param {number} glimpse
 * @param {number[]} pixel
 * @returns {Moved}
 */
export function moveTo(moved, glimpse, pixel) {
  return [...moved.filter(([which]) => which < glimpse), [glimpse, ...pixel]];
}

/** Whether a glimpse was moved. @param {Moved} moved @param {number} glimpse */
export function hasMoved(moved, glimpse) {
  return moved.some(([one]) => one === glimpse);
}

/** The sizes of the data, from the shapes of the arrays. @param {Record<string, number[]>} shapes @returns {Facts} */
export function factsOf({ patches: [glimpses, scales, size], picture: [rows, columns], belief: [, classes] }) {
  return { glimpses, scales, size, rows, columns, classes };
}

/**
 * The locations to request over the live channel, one for each moved glimpse.
 * @param {Moved} moved
 * @param {Facts} facts
 */
export function locationsOf(moved, { rows, columns }) {
  const last = moved.at(-1)?.[0] ?? -1;
  return Array.from({ length: last + 1 }, (_, glimpse) => {
    const found = moved.find(([which]) => which === glimpse);
    return found ? [locationOf(found[1], rows), locationOf(found[2], columns)] : null;
  });
}

/**
 * The number of pixels of the picture inside a sharp patch of the first glimpses.
 * @param {Path} path
 * @param {number} count
 * @param {Facts} facts
 */
export function sharplySeen(path, count, facts) {
  const seen = new Set();
  for (let glimpse = 0; glimpse < count; glimpse++) {
    const { top, left, side } = boxesOf(path, glimpse, facts)[0];
    for (let row = Math.max(0, top); row < Math.min(facts.rows, top + side); row++) {
      for (let column = Math.max(0, left); column < Math.min(facts.columns, left + side); column++)
        seen.add(row * facts.columns + column);
    }
  }
  return seen.size;
}

/**
 * For each pixel of the picture, the fraction of paths whose sharp patch covers it at a glimpse.
 * @param {Float32Array} corners (path, glimpse, 2), the top left pixel of the sharp patch
 * @param {number} glimpse
 * @param {Facts} facts
 * @returns {Float32Array} (row, column), 0..1
 */
export function coverage(corners, glimpse, { glimpses, rows, columns, size }) {
  const [share, paths] = [new Float32Array(rows * columns), corners.length / (2 * glimpses)];
  for (let one = 0; one < paths; one++) {
    const [top, left] = corners.subarray((one * glimpses + glimpse) * 2);
    for (let row = Math.max(0, top); row < Math.min(rows, top + size); row++) {
      for (let column = Math.max(0, left); column < Math.min(columns, left + size); column++)
        share[row * columns + column] += 1 / paths;
    }
  }
  return share;
}

/**
 * The number of paths that end in each answer.
 * @param {Float32Array} beliefs (path, class)
 * @param {number} classes
 * @returns {number[]} a count for each class
 */
export function answersOf(beliefs, classes) {
  const counts = new Array(classes).fill(0);
  for (let start = 0; start < beliefs.length; start += classes)
    counts[best(beliefs.subarray(start, start + classes))]++;
  return counts;
}

/**
 * The reward of a path: 1 if its last answer is correct, otherwise 0; null if unknown.
 * @param {Path} path
 * @param {number} right the true class
 * @param {Facts} facts
 */
export function rewardOf(path, right, facts) {
  return right < 0 ? null : Number(best(beliefOf(path, facts.glimpses - 1, facts)) === right);
}
