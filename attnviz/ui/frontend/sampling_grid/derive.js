// The view of a picture and its grid, and their words; drag.js has the effects of drags and keys. It does not access
// the page. Angles of pictures count counter-clockwise as seen, as in attnviz/data/moved.py; those of grids clockwise
// (affine.js).

import { short } from "../core/numbers.js";
import { KINDS } from "../core/url_fields.js";
import { IDENTITY, inPixels, placeOf, sampled, toBytes, turn, within } from "./affine.js";

/** @typedef {import("./affine.js").Place} Place */
/** @typedef {{rotate: number, scale: number, across: number, down: number}} Move */
/** @typedef {"middle"|"knob"|"nw"|"ne"|"se"|"sw"} Handle */

export const STILL = Object.freeze({ rotate: 0, scale: 1, across: 0, down: 0 });
/** The changes of a view when everything is released. */
export const FREE = Object.freeze({ ...STILL, grid: "own", theta: null });
export const GRIDS = { own: "As computed", identity: "Identity", mean: "Mean" };
export const DRAGS = { picture: "The picture", grid: "The grid" };
/** The range of each kind of movement; for across and down in pixels, see `limitsOf`. */
export const LIMITS = { rotate: [-180, 180], scale: [0.5, 2] };
export const MOST = 4; // largest value of a number of theta set by hand

KINDS.signed = { holds: Number.isFinite, word: String };
KINDS.theta = {
  holds: (value) => Array.isArray(value) && value.length === 6 && value.every(Number.isFinite),
  word: String,
};

/** Which values of a view exist. @type {import("../core/url_fields.js").Rules} */
export const RULES = {
  exists({ name }, value, { shape }) {
    if (name === "theta") return value.every((number) => Math.abs(number) <= MOST);
    const [least, most] = limitsOf(shape)[name] ?? [];
    return least === undefined || (value >= least && value <= most);
  },
  there({ name }, { shape }) {
    if (name === "theta") return `six numbers from -${MOST} to ${MOST}, such as 1,0,0,0,1,0`;
    const [least, most] = limitsOf(shape)[name];
    return `${least} to ${most}`;
  },
};

/** The ranges of a picture's movement, by field of the view. @param {number[]} shape */
export function limitsOf([rows, columns]) {
  return { ...LIMITS, across: [-columns, columns], down: [-rows, rows] };
}

// Rounded, so that a link contains exactly the shown value; never -0, which would be another word
const rounded = (value, digits) => Math.round(value * 10 ** digits) / 10 ** digits + 0;

/** A move in the format of a view. @param {Move} move @param {number[]} shape @returns {Move} */
export function asMove({ rotate, scale, across, down }, shape) {
  const limits = limitsOf(shape);
  // Half a turn keeps its sign, so that a slider stays at its end
  const turned = Math.abs(rotate) <= 180 ? rotate : rotate - 360 * Math.round(rotate / 360);
  return {
    rotate: within(rounded(turned, 0), limits.rotate),
    scale: within(rounded(scale, 2), limits.scale),
    across: within(rounded(across, 1), limits.across),
    down: within(rounded(down, 1), limits.down),
  };
}

/** A theta in the format of a view. @param {ArrayLike<number>} theta @returns {number[]} */
export function asTheta(theta) {
  return Array.from(theta, (value) => within(rounded(value, 3), [-MOST, MOST]));
}

/** The move of a view. @param {any} view @returns {Move} */
export function moveOf({ rotate, scale, across, down }) {
  return { rotate, scale, across, down };
}

/** @param {Move} move */
export function isMoved({ rotate, scale, across, down }) {
  return rotate !== 0 || scale !== 1 || across !== 0 || down !== 0;
}

/** Whether changes would alter a view. @param {any} view @param {Record<string, any>} changes */
export function differs(view, changes) {
  return Object.entries(changes).some(([name, value]) => JSON.stringify(view[name]) !== JSON.stringify(value));
}

/** Whether theta differs from the net's. @param {any} view */
export function isHeld({ grid, theta }) {
  return grid !== "own" || theta !== null;
}

/**
 * The theta that a view sets in place of the net's, or null.
 * @param {any} view
 * @param {ArrayLike<number>} mean
 * @returns {ArrayLike<number>|null}
 */
export function heldTheta({ grid, theta }, mean) {
  if (theta) return theta;
  return grid === "identity" ? IDENTITY : grid === "mean" ? mean : null;
}

/**
 * The request for the live channel: theta and the answer.
 * @param {any} header the header of the data
 * @param {any} pictures by name or as arrays, as in a request
 * @param {ArrayLike<number>|null} theta replaces the net's; null: the net's own
 * @returns {any}
 */
export function requestOf({ checkpoint, tap }, pictures, theta) {
  const edits = theta ? [{ edit: "set", address: tap, array: "theta" }] : [];
  return {
    pictures,
    asks: [{ checkpoint, edits, wanted: { theta: { address: tap } } }],
    arrays: theta ? { theta: { values: Float32Array.from(theta), shape: [2, 3] } } : {},
  };
}

/**
 * A picture that is scaled and rotated about its middle, then shifted; pixels from outside are 0.
 * @param {Uint8Array} picture (row, column, channel)
 * @param {number[]} shape
 * @param {Move} move
 * @returns {Uint8Array}
 */
export function moved(picture, shape, move) {
  if (!isMoved(move)) return picture;
  return toBytes(sampled(picture, shape, undoing(move, shape)));
}

/** The theta whose sampling moves a picture. @param {Move} move @param {number[]} shape */
function undoing({ rotate, scale, across, down }, [rows, columns]) {
  const [cosine, sine] = turn(rotate).map((part) => part / scale);
  const [x, y] = [(2 * across) / columns, (2 * down) / rows];
  const ratio = rows / columns;
  // (x, y) is looked up where it was before: shifted back, then rotated clockwise as seen
  const linear = [cosine, -sine * ratio, sine / ratio, cosine];
  return [
    linear[0],
    linear[1],
    -(linear[0] * x + linear[1] * y),
    linear[2],
    linear[3],
    -(linear[2] * x + linear[3] * y),
  ];
}

/**
 * The source of a sampled pixel, in words.
 * @param {number} pixel -1 for none
 * @param {ArrayLike<number>} theta
 * @param {Float64Array} values the sampled values
 * @param {number[]} shape
 */
export function reading(pixel, theta, values, [rows, columns, channels]) {
  if (pixel < 0) return "Point at a pixel to see where it is sampled.";
  const [row, column] = [Math.floor(pixel / columns), pixel % columns];
  const [down, across] = inPixels(placeOf(theta, pixel, [rows, columns]), [rows, columns]);
  const own = Array.from(values.subarray(pixel * channels, (pixel + 1) * channels), (value) => short(value / 255, 3));
  return (
    `Row ${row + 1}, column ${column + 1} is sampled at row ${(down + 1).toFixed(2)}, column ` +
    `${(across + 1).toFixed(2)}: ${own.join(", ")}`
  );
}

/** A counter-clockwise angle in words. @param {number} angle */
export function angleInWords(angle) {
  const size = Math.abs(angle);
  if (size < 0.05) return "0\u00b0";
  return `${size.toFixed(1)}\u00b0 ${angle > 0 ? "counter-clockwise" : "clockwise"}`;
}

/** The effect of theta, one line per part. @param {ReturnType<typeof import("./affine.js").decomposed>} parts */
export function inWords({ angle, scales, shear, shift, mirrored }) {
  const far = (pixels, forward, back) =>
    `${Math.abs(pixels).toFixed(1)} ${Math.abs(pixels) === 1 ? "pixel" : "pixels"} ${pixels < 0 ? back : forward}`;
  const size = Math.sqrt(scales[0] * scales[1]);
  const factor = (1 / size).toFixed(2);
  const isSaid = size >= 0.005 && Math.abs(size - 1) >= 0.005; // a factor of 1.00 is none
  const seen = !isSaid ? "" : size < 1 ? `enlarges ${factor} times` : `shrinks to ${factor} of its size`;
  return {
    rotation: `${angleInWords(-angle)}${mirrored ? ", and mirrored" : ""}`,
    scale: `${scales[0].toFixed(2)} and ${scales[1].toFixed(2)}${seen ? `: ${seen}` : ""}`,
    shear: `${Math.abs(shear).toFixed(1)}\u00b0 from a right angle`,
    shift: `${far(shift[0], "right", "left")}, ${far(shift[1], "down", "up")}`,
  };
}

/**
 * The range of the plot of angles to either side that includes all of them: in whole steps, up to half a circle.
 * @param {Record<string, ArrayLike<number>>} angles of many pictures and their grids
 * @param {{picture: number, grid: number}|null} dot the angles of this picture
 * @param {number} step degrees
 */
export function reachOf(angles, dot, step) {
  let most = step;
  for (const some of [...Object.values(angles), Object.values(dot ?? {})])
    for (let one = 0; one < some.length; one++) most = Math.max(most, Math.abs(some[one]));
  return Math.min(180, step * Math.ceil(most / step));
}

/**
 * The total rotation of the picture and that of its grid, counter-clockwise; null if the original rotation is unknown.
 * @param {number|null} here the original rotation
 * @param {Move} move
 * @param {{angle: number}} parts of the grid
 * @returns {{picture: number, grid: number}|null}
 */
export function dotOf(here, { rotate }, { angle }) {
  if (here === null) return null;
  const whole = here + rotate;
  return { picture: whole - 360 * Math.round(whole / 360), grid: -angle };
}
