// What the draw page says of a drawing, keeps and links, and the strokes of a hand and of keys. Nothing here knows the
// page.

import { CELLS, SIDE, UNITS } from "../hands/strokes.js";

export const CELL = SIDE / CELLS; // canvas pixels

const NEAR = 4 * UNITS; // a hand trembles below this: the next point of a stroke lies at least so far away
// what a link says where there are no panels, and a URL that says nothing of them
const PANELS = { models: "", heads: "", map: "attention", change: false, trained: "", pin_trained: "" };
const NO_CHOICE = { heads: {}, map: "attention", change: false, trained: null, pin_trained: null, pin: null };
const SAMPLE = /^\w+\.\d+$/; // of a data set, such as strokes.12: it may stand in a URL, as in drawn.py
const FILE = "file"; // the name of a picture that a link cannot bring
const NOTHING = { drawing: "", base: null, centred: true }; // of a URL without words
const CENTRED =
  "Your drawing is cut out, scaled to 20 \u00d7 20 pixels, and placed with its centre of mass in the middle of " +
  "28 \u00d7 28 pixels.";

const WHOLE = "The whole pad, scaled to the pixels that each model takes.";

/** @typedef {{drawing: string, base: string|null, centred: boolean}} Drawn a drawing, as a URL says it */

/** @param {Drawn} one @param {Drawn} other */
function same(one, other) {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** Whether a picture under the strokes may stand in a URL. @param {Base|null} base */
export function fitsLink(base) {
  return !base || SAMPLE.test(base.name);
}

/**
 * What keeps a drawing out of a link; null for nothing.
 * @param {{base: Base|null, strokes: Stroke[]}} drawing
 * @param {string} short its strokes as a URL says them; "" if they are too long
 * @returns {"strokes"|"base"|null}
 */
export function obstacleOf({ base, strokes }, short) {
  if (strokes.length && !short) return "strokes";
  return fitsLink(base) ? null : "base";
}

/**
 * A drawing out of a file, as the pad takes it. The picture under its strokes is called by the name of a sample only if
 * it is that sample: a link says the name alone, and would bring that one.
 * @param {{base: Base|null, strokes: Stroke[]}} drawing
 * @param {{base: Base}[]} samples
 */
export function fromFile({ base, strokes }, samples) {
  const is = (/** @type {Base} */ one) => one.name === base?.name && one.values.join() === base.values.join();
  return { base: base && { ...base, name: samples.some((one) => is(one.base)) ? base.name : FILE }, strokes };
}

/** The view that a link says. @param {Drawn} drawn @param {any} panels as `panelsInLink` gives them */
export function linkedOf({ drawing, base, centred }, { pin = null, ...panels }) {
  const pinned = { pin: pin?.drawing ?? "", pin_start: pin?.base ?? null, pin_centred: pin?.centred ?? true };
  return { strokes: drawing, start: base, centred, ...PANELS, ...panels, ...pinned };
}

/**
 * The drawings to start from.
 * @param {{name: string, label: string}[]} samples
 * @param {Uint8Array} values of all
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
 * Whether what a tab kept is newer than what the URL says, which may be one or two strokes behind.
 * @param {{known: any, pending?: any[]}} kept
 * @param {Drawn} url
 */
export function isNewer({ known, pending }, url) {
  return [NOTHING, known, ...(pending ?? [])].some((one) => same(url, one));
}

/**
 * Whether what a tab kept of its panels is newer than what the URL says.
 * @param {{now: any, known: any}} kept their view, and the words of the URL for it
 * @param {any} url
 */
export function panelsNewer({ now, known }, url) {
  return [NO_CHOICE, known, now].some((one) => written(one) === written(url));
}

/** The same for the same values, in whichever order they are listed. */
function written(value) {
  return JSON.stringify(value, (_, one) =>
    one && typeof one === "object" && !Array.isArray(one)
      ? Object.fromEntries(Object.entries(one).sort(([a], [b]) => (a < b ? -1 : 1)))
      : one,
  );
}

/** What the URL may still come to say, of what was told before. @param {any[]} pending @param {Drawn} url */
export function pendingAfter(pending, url) {
  return pending.slice(pending.findIndex((one) => same(one, url)) + 1);
}

/** What a key does to the history. @param {KeyboardEvent} event @returns {"undo"|"redo"|null} */
export function stepOf({ key, ctrlKey, metaKey, altKey, shiftKey }) {
  const letter = key.toLowerCase();
  if (!(ctrlKey || metaKey) || altKey) return null;
  if (letter === "z" && !shiftKey) return "undo";
  return letter === "y" || letter === "z" ? "redo" : null;
}

/**
 * How the picture that the models see was made from the drawing.
 * @param {string} words "": as it usually does
 * @param {boolean} centres whether what is drawn may be centred
 */
export function captionOf(words, centres = true) {
  const caption = words || (centres ? CENTRED : WHOLE);
  return caption.replaceAll(" \u00d7 ", "\u00a0\u00d7\u00a0"); // a size is not parted between two lines
}

// A hand

/** Whether a place, x, y, is too near to the last point of a stroke to be its next. */
export function isNear(points, place) {
  const [dx, dy] = [place[0] - points.at(-2), place[1] - points.at(-1)];
  return dx * dx + dy * dy < NEAR * NEAR;
}

/**
 * From the last point of a stroke to where the hand is.
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

/** A stroke up to where the hand stopped. @param {Stroke} stroke @param {number[]|null} rest x, y, pressure */
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
 * The points of a line from one cell to another; null at the edge of the sheet, where both are one.
 * @param {number[]} from
 * @param {number[]} to
 * @param {Stroke|null} line that leads on
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

/** What lies in a cell, in words. @param {number} share of ink, 0..1 */
export function contentOf(share) {
  return share > 0.5 ? "ink" : share > 0.02 ? "the edge of ink" : "background";
}
