// A drawing as data: strokes, how they are simplified, and their two formats. No page, no canvas.
//
// A stroke is {tool, width, points, pressures}:
//   tool        "ink" or "erase"
//   width       1 to 64, in pixels of the canvas (280 x 280, ten for each pixel of a model's input)
//   points      x, y, x, y, ... from the upper left corner, integers in quarters of a canvas pixel
//   pressures   one for each point, 0 to 31, if the pen reports it; null otherwise
//   colour      red, green, blue, 0 to 255; strokes of ink have no such field
//
// As a string (`encode`, for links and for the browser's memory), base64url without padding of:
//   1                                       the version of this format
//   for each stroke
//     width - 1, + 64 if it erases, + 128 if it has pressures        one byte
//     the number of points                                           a varint (7 bits a byte, lowest first)
//     x, y; then for each other point dx, dy                         varints, the sign in the lowest bit (zigzag)
//     the first pressure; then for each other point the difference   the same, if it has pressures
//   a checksum (Fletcher-16) of all that, two bytes: a truncated or mistyped link is rejected.
// If any stroke has a colour, the version is 2, and the first byte of each stroke is followed by 0, or by 1 and then
// red, green and blue, one byte each.
//
// As JSON (`toJson`, a file for people and programs):
//   {"format": "attnviz drawing", "version": 1, "size": 280,
//    "base": {"name": "strokes.12", "side": 28, "values": "base64 of side x side bytes, 0 paper, 255 ink"},   or null
//    "strokes": [{"tool": "ink", "width": 24, "points": [[x, y], ...] or [[x, y, pressure 0 to 1], ...]}, ...]}
// with x and y in canvas pixels. A stroke in colour has "colour": [red, green, blue], and a base in colour has three
// bytes per pixel.

import { fromBase64, toBase64, toBase64Url } from "../core/base64.js";

/** The side of the canvas, in pixels; below, that of a model's input. */
export const SIDE = 280;
export const CELLS = 28;
/** Units of `points` per canvas pixel. */
export const UNITS = 4;
export const WIDEST = 64;
export const PRESSURES = 31;

/** Whether a drawing has any colour. @param {{base: Base|null, strokes: Stroke[]}} drawing */
export function inColour({ base, strokes }) {
  return (base !== null && channelsOf(base) > 1) || strokes.some(({ colour }) => colour);
}

/** The number of bytes per pixel of a base: 1 or 3. @param {Base} base */
export function channelsOf({ side, values }) {
  return values.length / side ** 2;
}

/** The grey of a colour: its mean. @param {ArrayLike<number>} values @param {number} at index of its first value */
export function greyAt(values, at) {
  return Math.round((values[at] + values[at + 1] + values[at + 2]) / 3);
}

const VERSION = 1;
const COLOURED = 2; // the version of a string with colours
const FORMAT = "attnviz drawing";
const FAR = 2 * SIDE * UNITS; // a hand may leave the pad and come back; points further out are dropped
const [MOST_STROKES, MOST_POINTS] = [1000, 20_000];
const STRAIGHT = 0.25 * UNITS; // maximum distance of a dropped point from the line between its neighbours
const APART = 8 * UNITS; // and the maximum distance between these neighbours

/** The pad's message about a stroke that does not fit. */
export const FULL =
  `A drawing has at most ${MOST_STROKES.toLocaleString("en")} strokes and ${MOST_POINTS.toLocaleString("en")} ` +
  "points, so this stroke was not kept. Undo something, or clear the pad.";

/** Whether the encoded strokes are short enough to be decoded. @param {Stroke[]} strokes */
export function fits(strokes) {
  const total = strokes.reduce((sum, { points }) => sum + points.length / 2, 0);
  return strokes.length <= MOST_STROKES && total <= MOST_POINTS;
}

/** A drawing that cannot be read; its message is a sentence for the visitor. */
export class BadDrawing extends Error {}

/** The nearest representable coordinate, in units. @param {number} value in canvas pixels */
export function toUnit(value) {
  return Math.min(FAR, Math.max(-FAR, Math.round(value * UNITS)));
}

/**
 * Remove the points that a stroke does not need: on a straight line, keep one in every 8 pixels.
 * @param {Stroke} whole
 * @returns {Stroke} the simplified stroke, with the same first and last points
 */
export function simplify({ points, pressures, ...stroke }) {
  const count = points.length / 2;
  const kept = [0];
  for (let next = 1; next < count; next++) {
    const last = kept.at(-1);
    if (next < count - 1 && isNeedless(points, pressures, last, next + 1)) continue;
    kept.push(next);
  }
  return {
    ...stroke,
    points: kept.flatMap((i) => [points[2 * i], points[2 * i + 1]]),
    pressures: pressures && kept.map((i) => pressures[i]),
  };
}

/** Whether all points between two others are close enough to the line between these to be dropped. */
function isNeedless(points, pressures, from, to) {
  const [x, y] = [points[2 * from], points[2 * from + 1]];
  const [dx, dy] = [points[2 * to] - x, points[2 * to + 1] - y];
  const square = dx * dx + dy * dy;
  if (square > APART * APART) return false;
  for (let i = from + 1; i < to; i++) {
    const [px, py] = [points[2 * i] - x, points[2 * i + 1] - y];
    const along = square ? (px * dx + py * dy) / square : 0;
    if (along < 0 || along > 1) return false;
    const [awayX, awayY] = [px - along * dx, py - along * dy];
    if (awayX * awayX + awayY * awayY > STRAIGHT * STRAIGHT) return false;
    const between = pressures && pressures[from] + along * (pressures[to] - pressures[from]);
    if (pressures && Math.abs(pressures[i] - between) > 1) return false;
  }
  return true;
}

// As a string

/** Encode strokes as a short string for a URL; "" if there are none. */
export function encode(strokes) {
  if (!strokes.length) return "";
  const coloured = strokes.some(({ colour }) => colour);
  const bytes = [coloured ? COLOURED : VERSION];
  const varint = (value) => {
    for (; value > 127; value >>>= 7) bytes.push((value & 127) | 128);
    bytes.push(value);
  };
  const signed = (value) => varint(value < 0 ? -2 * value - 1 : 2 * value);
  for (const { tool, width, points, pressures, colour } of strokes) {
    bytes.push((width - 1) | (tool === "erase" ? 64 : 0) | (pressures ? 128 : 0));
    if (coloured) bytes.push(...(colour ? [1, ...colour] : [0]));
    varint(points.length / 2);
    points.forEach((value, i) => signed(value - (i > 1 ? points[i - 2] : 0)));
    pressures?.forEach((value, i) => signed(value - (i ? pressures[i - 1] : 0)));
  }
  bytes.push(...checksum(bytes));
  return toBase64Url(Uint8Array.from(bytes));
}

/**
 * Decode a string written by `encode`.
 * @param {string} written
 * @returns {Stroke[]}
 * @throws {BadDrawing} if it was cut, was changed, or is in another format
 */
export function decode(written) {
  if (!written) return [];
  const bytes = /^[\w-]+$/.test(written) ? fromBase64(written.replace(/-/g, "+").replace(/_/g, "/")) : null;
  const end = (bytes?.length ?? 0) - 2;
  if (!bytes || end < 1) throw new BadDrawing("it was not made by this app");
  const [low, high] = checksum(bytes.subarray(0, end));
  if (bytes[end] !== low || bytes[end + 1] !== high) throw new BadDrawing("part of it is missing or was changed");
  if (bytes[0] !== VERSION && bytes[0] !== COLOURED)
    throw new BadDrawing(`it is of version ${bytes[0]}, and this app reads versions ${VERSION} and ${COLOURED}`);
  return new Reader(bytes.subarray(1, end), bytes[0] === COLOURED).strokes();
}

class Reader {
  constructor(bytes, coloured) {
    this.bytes = bytes;
    this.coloured = coloured;
    this.at = 0;
    this.points = 0;
  }

  strokes() {
    const strokes = [];
    while (this.at < this.bytes.length) strokes.push(this.stroke());
    return strokes.map(checked);
  }

  stroke() {
    const head = this.byte();
    const colour = this.coloured && this.byte() ? { colour: [this.byte(), this.byte(), this.byte()] } : {};
    const count = this.varint();
    this.points += count;
    if (count < 1 || this.points > MOST_POINTS) throw new BadDrawing("it has too many points, or none");
    const points = [];
    for (let i = 0; i < 2 * count; i++) points.push(this.signed() + (i > 1 ? points[i - 2] : 0));
    /** @type {number[]|null} */
    const pressures = head & 128 ? [] : null;
    for (let i = 0; pressures && i < count; i++) pressures.push(this.signed() + (i ? pressures[i - 1] : 0));
    return { tool: head & 64 ? "erase" : "ink", width: (head & 63) + 1, points, pressures, ...colour };
  }

  byte() {
    if (this.at >= this.bytes.length) throw new BadDrawing("part of it is missing");
    return this.bytes[this.at++];
  }

  varint() {
    let value = 0;
    for (let shift = 0; shift <= 21; shift += 7) {
      const byte = this.byte();
      value |= (byte & 127) << shift;
      if (byte < 128) return value;
    }
    throw new BadDrawing("a number in it is too large");
  }

  signed() {
    const value = this.varint();
    return value & 1 ? -((value + 1) >> 1) : value >> 1;
  }
}

/** Return a stroke if all its numbers can be drawn; otherwise throw. */
function checked(stroke) {
  const { tool, width, points, pressures, colour } = stroke;
  const within = (value, low, high) => Number.isInteger(value) && value >= low && value <= high;
  if (tool !== "ink" && tool !== "erase") throw new BadDrawing("one of its strokes neither inks nor erases");
  if (!within(width, 1, WIDEST))
    throw new BadDrawing(`the width of one of its strokes is not a whole number from 1 to ${WIDEST}`);
  if (!points.length || !points.every((value) => within(value, -FAR, FAR)))
    throw new BadDrawing("one of its points is far outside the canvas");
  if (pressures && !pressures.every((value) => within(value, 0, PRESSURES)))
    throw new BadDrawing("one of its pressures is not between 0 and 1");
  if (colour && !(colour.length === 3 && colour.every((value) => within(value, 0, 255))))
    throw new BadDrawing("one of its colours is not red, green and blue from 0 to 255");
  return stroke;
}

function checksum(bytes) {
  let [one, two] = [0, 0];
  for (const byte of bytes) {
    one = (one + byte) % 255;
    two = (two + one) % 255;
  }
  return [one, two];
}

// As JSON

/** Write a drawing as JSON. @param {{base: Base|null, strokes: Stroke[]}} drawing */
export function toJson({ base, strokes }) {
  const plain = (/** @type {Stroke} */ { tool, width, points, pressures, colour }) => ({
    tool,
    width,
    points: Array.from({ length: points.length / 2 }, (_, i) => [
      points[2 * i] / UNITS,
      points[2 * i + 1] / UNITS,
      ...(pressures ? [Number((pressures[i] / PRESSURES).toFixed(3))] : []),
    ]),
    ...(colour ? { colour } : {}),
  });
  const drawing = { format: FORMAT, version: VERSION, size: SIDE, base: packBase(base), strokes: strokes.map(plain) };
  return `${JSON.stringify(drawing)}\n`;
}

/**
 * Read a drawing written by `toJson` or by another program in its format.
 * @param {string} written
 * @returns {{base: Base|null, strokes: Stroke[]}}
 * @throws {BadDrawing}
 */
export function fromJson(written) {
  let came;
  try {
    came = JSON.parse(written);
  } catch {
    throw new BadDrawing("it is not JSON");
  }
  if (came?.format !== FORMAT || !Array.isArray(came.strokes))
    throw new BadDrawing(`it has no "format": "${FORMAT}" with "strokes"`);
  if (came.version !== VERSION)
    throw new BadDrawing(
      `it is of version ${JSON.stringify(came.version)?.slice(0, 20)}, and this app reads version ${VERSION}`,
    );
  if (came.size !== SIDE) throw new BadDrawing(`its canvas is not ${SIDE} pixels wide`);
  if (came.strokes.length > MOST_STROKES) throw new BadDrawing(`it has more than ${MOST_STROKES} strokes`);
  const total = came.strokes.reduce((sum, stroke) => sum + (stroke?.points?.length ?? 0), 0);
  if (!(total <= MOST_POINTS)) throw new BadDrawing(`it has more than ${MOST_POINTS} points`);
  return { base: unpackBase(came.base), strokes: came.strokes.map(fromPlain) };
}

function fromPlain(stroke) {
  const points = Array.isArray(stroke?.points) ? stroke.points : [];
  const numbers = (point) =>
    Array.isArray(point) && (point.length === 2 || point.length === 3) && point.every(Number.isFinite);
  if (!points.length || !points.every(numbers))
    throw new BadDrawing("one of its strokes has points that are not [x, y] or [x, y, pressure]");
  const pressed = points.every((point) => point.length === 3);
  return checked({
    tool: stroke.tool,
    width: stroke.width,
    points: points.flatMap(([x, y]) => [toUnit(x), toUnit(y)]),
    pressures: pressed ? points.map((point) => Math.round(point[2] * PRESSURES)) : null,
    ...(Array.isArray(stroke.colour) ? { colour: stroke.colour } : {}),
  });
}

/** A base as plain data. @param {Base|null} base */
export function packBase(base) {
  return base && { name: base.name, side: base.side, values: toBase64(base.values) };
}

/** The inverse of `packBase`. @throws {BadDrawing} */
export function unpackBase(came) {
  if (came === null || came === undefined) return null;
  const values = typeof came.values === "string" ? fromBase64(came.values) : null;
  const whole = Number.isInteger(came.side) && came.side > 0 && came.side <= SIDE && typeof came.name === "string";
  if (!whole || !values || ![1, 3].includes(values.length / came.side ** 2))
    throw new BadDrawing("the picture under its strokes is damaged");
  return { name: came.name.slice(0, 100), side: came.side, values };
}
