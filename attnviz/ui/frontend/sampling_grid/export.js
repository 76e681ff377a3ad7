// What leaves the page: PNG and SVG of the picture with its grid and of what is sampled, and every point as CSV.

import { css, packed } from "../core/colours.js";
import { full } from "../core/numbers.js";
import { fileNameOf, filesOf, originLines, toCsv } from "../export/export.js";
import { pictureCanvas } from "../maps/paint.js";
import { at, inPixels, placeOf, toBytes } from "./affine.js";
import { inWords, moveOf, isMoved } from "./derive.js";
import { handlesOf } from "./drag.js";

const MARGIN = 24;
const CELL = 8; // CSS pixels a pixel
const AROUND = 1.42;
const LINES = 8;

/** What can be saved, for `Savers`. @param {import("./sampling_grid.js").SamplingGrid} part */
export function files(part) {
  const { header } = part;
  return filesOf(
    () => sheet(part),
    () => fileNameOf(header.origin.model, header.origin.recipe, header.origin.image, "grid"),
    () => csv(part),
  );
}

function origin({ header, view, answer, answered, url, used, parts, kind }) {
  const move = moveOf(view);
  return {
    ...header.origin,
    ...(isMoved(move)
      ? {
          moved:
            `${move.rotate} degrees counter-clockwise, scale ${move.scale}, ` +
            `by ${move.across}, ${move.down} pixels`,
        }
      : {}),
    theta: `${Array.from(used).join(" ")}: ${kind}`,
    does: Object.entries(inWords(parts))
      .map(([name, words]) => `${name} ${words}`)
      .join("; "),
    answer: answer.words(answered),
    page: url.link(),
  };
}

function csv(part) {
  const { shapes, used, values } = part;
  const [rows, columns, channels] = shapes.picture;
  const lines = Array.from({ length: rows * columns }, (_, pixel) => {
    const place = placeOf(used, pixel, shapes.picture);
    const [row, column] = inPixels(place, shapes.picture);
    const own = Array.from(values.subarray(pixel * channels, (pixel + 1) * channels), (value) => value / 255);
    return [Math.floor(pixel / columns) + 1, (pixel % columns) + 1, ...place, row + 1, column + 1, ...own];
  });
  const names = channels === 1 ? ["value"] : ["red", "green", "blue"];
  const head = ["row", "column", "x", "y", "sampled at row", "sampled at column", ...names];
  const { classes } = part.header;
  const shares = Array.from(part.answered.probabilities, (share, which) => `${classes[which]} ${full(share)}`);
  return toCsv({ ...origin(part), probabilities: shares.join("; ") }, head, lines);
}

function sheet(part) {
  const { shapes, theme, palettes, header, picture, values, used, answer, answered } = part;
  const [rows, columns] = shapes.picture;
  const [text, blue] = [theme.text, theme.blue].map((one) => css(packed(one)));
  const inks = header.ink ? palettes.ink : null;
  const [wide, high] = [columns, rows].map((count) => count * CELL);
  const [room, tall] = [wide * AROUND, high * AROUND];
  const top = MARGIN + 24;
  const middle = [MARGIN + room / 2, top + tall / 2];
  const onSheet = ([x, y]) => [middle[0] + (x * wide) / 2, middle[1] + (y * high) / 2];
  const items = [];
  // A grid may reach far beyond the picture: over what is written, were it not cut off
  const box = [MARGIN, top, MARGIN + room, top + tall];
  const draw = (from, to, line) => {
    const points = clipped(onSheet(from), onSheet(to), box);
    if (points) items.push({ kind: "line", points, colour: blue, line });
  };
  const write = (x, y, words, size = 13, weight = 400) =>
    items.push({ kind: "text", x, y, text: words, size, colour: text, weight });
  const show = (x, y, bytes) => {
    const canvas = pictureCanvas(bytes, shapes.picture, inks);
    items.push({ kind: "picture", x, y, width: wide, height: high, canvas });
    items.push({ kind: "frame", x, y, width: wide, height: high, colour: css(packed(theme.line)) });
  };
  write(MARGIN, MARGIN + 12, "The picture and its sampling grid", 15, 600);
  show(middle[0] - wide / 2, middle[1] - high / 2, picture);
  for (let line = 0; line <= LINES; line++) {
    const along = (2 * line) / LINES - 1;
    /** @type {import("./affine.js").Place[][]} */
    const ends = [
      [[-1, along], [1, along]],
      [[along, -1], [along, 1]],
    ]; // prettier-ignore
    for (const [from, to] of ends) draw(at(used, from), at(used, to), line % LINES ? 0.5 : 2);
  }
  draw(at(used, [0, -1]), handlesOf(used).knob, 2); // the stem: which side of the grid is up
  const left = MARGIN + room + MARGIN;
  write(left, MARGIN + 12, "What is classified", 15, 600);
  show(left, middle[1] - high / 2, toBytes(values));
  write(left, middle[1] + high / 2 + 20, answer.words(answered), 15, 600);
  const width = left + wide + MARGIN;
  let below = top + tall + 8;
  for (const words of originLines(origin(part), Math.floor(width / 5.6))) write(MARGIN, (below += 16), words, 11);
  return {
    width,
    height: below + MARGIN,
    background: css(packed(theme.background)),
    ink: text,
    origin: origin(part),
    items,
  };
}

/**
 * The part of a line that lies in a box; null where none does.
 * @param {number[]} from x and y
 * @param {number[]} to
 * @param {number[]} box left, top, right and bottom
 * @returns {number[][]|null} its ends
 */
export function clipped(from, to, [left, top, right, bottom]) {
  let [first, last] = [0, 1]; // shares of the way
  for (const [axis, least, most] of [
    [0, left, right],
    [1, top, bottom],
  ]) {
    const way = to[axis] - from[axis];
    const [near, far] = [(least - from[axis]) / way, (most - from[axis]) / way].sort((one, other) => one - other);
    if (way === 0 && (from[axis] < least || from[axis] > most)) return null;
    if (way !== 0) [first, last] = [Math.max(first, near), Math.min(last, far)];
  }
  const on = (share) => [0, 1].map((axis) => from[axis] + share * (to[axis] - from[axis]));
  return first <= last ? [on(first), on(last)] : null;
}
