// The words, stored state and links of the draw page, and strokes by hand and by keys. It does not access the page.

import { CELLS, SIDE, UNITS } from "../hands/strokes.js";

export const CELL = SIDE / CELLS; // canvas pixels

const NEAR = 4 * UNITS; // the minimum distance between points of a stroke: a hand trembles below this
// the default without panels, and for a URL without fields for them
const PANELS = { models: "", heads: "", map: "attention", change: false, trained: "", pin_trained: "" };
const NO_CHOICE = { heads: {}, map: "attention", change: false, trained: null, pin_trained: null, pin: null };
const SAMPLE = /^\w+\.\d+$/; // of a data set, such as strokes.12: it can stand in a URL, as in drawn.py
const FILE = "file"; // the name of a picture that does not fit into a link
const NOTHING = { drawing: "", base: null, centred: true }; // of a URL without words
const CENTRED =
  "Your drawing is cut out, scaled to 20 \u00d7 20 pixels, and placed with its centre of mass in the middle of " +
  "28 \u00d7 28 pixels.";

const WHOLE = "The whole pad, scaled to the pixels that each model takes.";

/** @typedef {{drawing: string, base: string|null, centred: boolean}} Drawn a drawing, as encoded in a URL */

/** @param {Drawn} one @param {Drawn} other */
function same(one, other) {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** Whether a picture below the strokes can stand in a URL. @param {Base|null} base */
export function fitsLink(base) {
  return !base || SAMPLE.test(base.name);
}

/**
 * The reason why a drawing does not fit into a link, or null.
 * @param {{base: Base|null, strokes: Stroke[]}} drawing
 * @param {string} short its encoded strokes; "" if they are too long
 * @returns {"strokes"|"base"|null}
 */
export function obstacleOf({ base, strokes }, short) {
  if (strokes.length && !short) return "strokes";
  return fitsLink(base) ? null : "base";
}

/**
 * A drawing from a file, for the pad. The picture below its strokes gets the name of a sample only if it is that
 * sample: a link contains only the name, and would load the sample.
 * @param {{base: Base|null, strokes: Stroke[]}} drawing
 * @param {{base: Base}[]} samples
 */
export function fromFile({ base, strokes }, samples) {
  const is = (/** @type {Base} */ one) => one.name === base?.name && one.values.join() === base.values.join();
  return { base: base && { ...base, name: samples.some((one) => is(one.base)) ? base.name : FILE }, strokes };
}

/** The view of a link. @param {Drawn} drawn @param {any} panels as returned by `panelsInLink` */
export function linkedOf({ drawing, base, centred }, { pin = null, ...panels }) {
  const pinned = { pin: pin?.drawing ?? "", pin_start: pin?.base ?? null, pin_centred: pin?.centred ?? true };
  return { strokes: drawing, start: base, centred, ...PANELS, ...panels, ...pinned };
}

/**
 * The drawings to start from.
 * @param {{name: string, label: string}[]} samples
 * @param {Uint8Array} values values of all pictures
 * @param {number} side pixels along each side of a picture
 * @param {boolean} drawn whether they are drawings
 */
export function startsOf(samples, values, side, drawn = true) {
  const size = values.length / samples.length;
  return samples.map(({ name, label }, i) => ({
    base: { name, side, values: values.slice(size * i, size * (i + 1)) },
    strokes: [],
    words: `Start from a ${drawn ? "drawn " : "picture: "}${label}`,
  }));
}

/**
 * Whether the stored state of a tab is newer than the URL, which may be one or two strokes behind.
 * @param {{known: any, pending?: any[]}} kept
 * @param {Drawn} url
 */
export function isNewer({ known, pending }, url) {
  return [NOTHING, known, ...(pending ?? [])].some((one) => same(url, one));
}

/**
 * Whether the stored view of a tab's panels is newer than that of the URL.
 * @param {{now: any, known: any}} kept their view, and the words of the URL for it
 * @param {any} url
 */
export function panelsNewer({ now, known }, url) {
  return [NO_CHOICE, known, now].some((one) => written(one) === written(url));
}

/** Equal strings for equal values, in any order of their keys. */
function written(value) {
  return JSON.stringify(value, (_, one) =>
    one && typeof one === "object" && !Array.isArray(one)
      ? Object.fromEntries(Object.entries(one).sort(([a], [b]) => (a < b ? -1 : 1)))
      : one,
  );
}

/** The reported states that the URL may still take. @param {any[]} pending @param {Drawn} url */
export function pendingAfter(pending, url) {
  return pending.slice(pending.findIndex((one) => same(one, url)) + 1);
}

/** The effect of a key on the history. @param {KeyboardEvent} event @returns {"undo"|"redo"|null} */
export function stepOf({ key, ctrlKey, metaKey, altKey, shiftKey }) {
  const letter = key.toLowerCase();
  if (!(ctrlKey || metaKey) || altKey) return null;
  if (letter === "z" && !shiftKey) return "undo";
  return letter === "y" || letter === "z" ? "redo" : null;
}

/**
 * How the models' input was made from the drawing.
 * @param {string} words "" for the usual way
 * @param {boolean} centres whether drawings may be centred
 */
export function captionOf(words, centres = true) {
  const caption = words || (centres ? CENTRED : WHOLE);
  return caption.replaceAll(" \u00d7 ", "\u00a0\u00d7\u00a0"); // a size is not split between two lines
}

// A hand

/** Whether a position x, y is too close to the last point of a stroke to be the next one. */
export function isNear(points, place) {
  const [dx, dy] = [place[0] - points.at(-2), place[1] - points.at(-1)];
  return dx * dx + dy * dy < NEAR * NEAR;
}

/**
 * The part from the last point of a stroke to the hand.
 * @param {Stroke} stroke
 * @param {number[]} rest x, y, pressure
 */
export function tipOf({ points, pressures, ...stroke }, [x, y, pressure]) {
  return {
    ...stroke,
    points: [...points.slice(-2), x, y],
    pressures: pressures && [/** @type {number} */ (pressures.at(-1)), pressure],
  };
}

/** A stroke up to the end of the hand's movement. @param {Stroke} stroke @param {number[]|null} rest x, y, pressure */
export function endedAt(stroke, rest) {
  const { points, pressures } = stroke;
  if (!rest || (rest[0] === points.at(-2) && rest[1] === points.at(-1))) return stroke;
  return { ...stroke, points: [...points, rest[0], rest[1]], pressures: pressures && [...pressures, rest[2]] };
}

// A cursor on cells

/** The middle of a cell. @param {number[]} cell row and column @returns {number[]} x, y */
export function centreOf([row, column]) {
  return [(column + 0.5) * CELL * UNITS, (row + 0.5) * CELL * UNITS];
}

/**
 * The points of a line from one cell to another; null at the edge of the sheet, where both are the same.
 * @param {number[]} from
 * @param {number[]} to
 * @param {Stroke|null} line the line to extend
 */
export function lineTo(from, to, line) {
  const points = line ? line.points : centreOf(from);
  const [x, y] = centreOf(to);
  return points.at(-2) === x && points.at(-1) === y ? null : [...points, x, y];
}

/** A cell in words. @param {number} row @param {number} column */
export function placeOf(row, column) {
  return `row ${row + 1}, column ${column + 1}`;
}

/** The contents of a cell, in words. @param {number} share of ink, 0..1 */
export function contentOf(share) {
  return share > 0.5 ? "ink" : share > 0.02 ? "the edge of ink" : "background";
}
