// Theta as a map of points: grids, sampling, and the decomposition into rotation, scale, shear and shift.
//
// Theta maps a point of the sampled picture to a point of the picture, both (x, y) in -1..1 from edge to edge, y
// downwards. A *place* below is such a pair. Angles of grids count clockwise as seen because y points down:
// attnviz/measures/spatial_transformer/decomposition.py.

/** @typedef {[number, number]} Place */

export const IDENTITY = [1, 0, 0, 0, 1, 0];

/** @param {number} value @param {number[]} range */
export const within = (value, [least, most]) => Math.min(most, Math.max(least, value));

/** Cosine and sine; exact for quarters of a turn. @param {number} degrees */
export function turn(degrees) {
  const quarters = { 0: [1, 0], 90: [0, 1], 180: [-1, 0], 270: [0, -1] }[((degrees % 360) + 360) % 360];
  return quarters ?? [Math.cos((degrees * Math.PI) / 180), Math.sin((degrees * Math.PI) / 180)];
}

/** The image of a place under theta. @param {ArrayLike<number>} theta @param {Place} place @returns {Place} */
export function at(theta, [x, y]) {
  return [theta[0] * x + theta[1] * y + theta[2], theta[3] * x + theta[4] * y + theta[5]];
}

/**
 * The place of every sampled pixel: x and y alternating, row by row.
 * @param {ArrayLike<number>} theta
 * @param {number[]} shape rows and columns
 */
export function gridOf(theta, [rows, columns]) {
  const grid = new Float64Array(2 * rows * columns);
  for (let pixel = 0; pixel < rows * columns; pixel++) grid.set(placeOf(theta, pixel, [rows, columns]), 2 * pixel);
  return grid;
}

/**
 * The place of a sampled pixel.
 * @param {ArrayLike<number>} theta
 * @param {number} pixel
 * @param {number[]} shape rows and columns
 */
export function placeOf(theta, pixel, [rows, columns]) {
  const [row, column] = [Math.floor(pixel / columns), pixel % columns];
  return at(theta, [(2 * column + 1) / columns - 1, (2 * row + 1) / rows - 1]);
}

/** A place in pixels, from the middle of the first one: [row, column]. @param {Place} place @param {number[]} shape */
export function inPixels([x, y], [rows, columns]) {
  return [((y + 1) * rows - 1) / 2, ((x + 1) * columns - 1) / 2];
}

/**
 * Sample a picture bilinearly at a grid; outside it, values are 0.
 * @param {ArrayLike<number>} picture (row, column, channel)
 * @param {number[]} shape
 * @param {ArrayLike<number>} theta
 * @returns {Float64Array} values of the same shape
 */
export function sampled(picture, shape, theta) {
  const [rows, columns, channels] = shape;
  const grid = gridOf(theta, shape);
  const found = new Float64Array(rows * columns * channels);
  for (let pixel = 0; pixel < rows * columns; pixel++) {
    const [down, across] = inPixels([grid[2 * pixel], grid[2 * pixel + 1]], shape);
    const [top, left] = [Math.floor(down), Math.floor(across)];
    for (let row = top; row <= top + 1; row++)
      for (let column = left; column <= left + 1; column++) {
        if (row < 0 || row >= rows || column < 0 || column >= columns) continue;
        const weight = (1 - Math.abs(down - row)) * (1 - Math.abs(across - column));
        for (let channel = 0; channel < channels; channel++)
          found[pixel * channels + channel] += weight * picture[(row * columns + column) * channels + channel];
      }
  }
  return found;
}

/** Values from 0 to 255 as bytes. @param {Float64Array} values */
export function toBytes(values) {
  return Uint8Array.from(values, (value) => Math.min(255, Math.floor(value + 0.5)));
}

/**
 * Rotation, scales, shear and shift of a theta: A = R S, in pixels, as in decomposition.py.
 * @param {ArrayLike<number>} theta
 * @param {number[]} shape rows and columns
 * @returns {{angle: number, scales: number[], shear: number, shift: number[], mirrored: boolean}}
 */
export function decomposed(theta, [rows, columns]) {
  const [a, b, c, d] = linearOf(theta, rows / columns);
  const mirrored = a * d - b * c < 0;
  const [p, r] = mirrored ? [-a, -c] : [a, c];
  const [sum, difference] = [Math.hypot(p + d, r - b) / 2, Math.hypot(p - d, r + b) / 2];
  const lengths = Math.hypot(a, c) * Math.hypot(b, d);
  const cosine = lengths > 0 ? (a * b + c * d) / lengths : 0;
  return {
    angle: degrees(Math.atan2(r - b, p + d)),
    scales: [sum + difference, Math.abs(sum - difference)],
    shear: degrees(Math.asin(within(cosine, [-1, 1]))),
    shift: [(theta[2] * columns) / 2, (theta[5] * rows) / 2],
    mirrored,
  };
}

/** The linear part of theta in pixels, row by row. @param {ArrayLike<number>} theta @param {number} ratio */
function linearOf(theta, ratio) {
  return [theta[0], theta[1] / ratio, theta[3] * ratio, theta[4]];
}

/** @param {number} radians */
export const degrees = (radians) => (radians * 180) / Math.PI;

/**
 * Theta with its grid rotated about its centre, clockwise as seen.
 * @param {ArrayLike<number>} theta
 * @param {number} angle
 * @param {number[]} shape
 */
export function rotated(theta, angle, [rows, columns]) {
  const [cosine, sine] = turn(angle);
  const ratio = rows / columns;
  const rotate = (x, y) => [cosine * x - sine * ratio * y, (sine / ratio) * x + cosine * y];
  const [first, second] = [rotate(theta[0], theta[3]), rotate(theta[1], theta[4])];
  return [first[0], second[0], theta[2], first[1], second[1], theta[5]];
}

/** Theta with its grid enlarged about its centre. @param {ArrayLike<number>} theta @param {number} factor */
export function enlarged(theta, factor) {
  return Array.from(theta, (value, place) => (place % 3 === 2 ? value : value * factor));
}
