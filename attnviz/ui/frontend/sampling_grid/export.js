// Saving the picture with its grid and the sampled picture as PNG and SVG, and every point as CSV.

import { css, packed } from "../core/colours.js";
import { full } from "../core/numbers.js";
import { fileNameOf, filesOf, originLines, Sheet, toCsv } from "../export/export.js";
import { pictureCanvas } from "../maps/paint.js";
import { at, inPixels, placeOf, toBytes } from "./affine.js";
import { inWords, moveOf, isMoved } from "./derive.js";
import { handlesOf } from "./drag.js";

const MARGIN = 24;
const CELL = 8; // CSS pixels per pixel
const AROUND = 1.42;
const LINES = 8;

/** The files to save, for `Savers`. @param {import("./sampling_grid.js").SamplingGrid} part */
export function files(part) {
  return filesOf(part, sheetOf, fileName, csv);
}

function fileName({ header: { origin } }) {
  return fileNameOf(origin.model, origin.recipe, origin.image, "grid");
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

function sheetOf(part) {
  const { shapes, theme, palettes, header, picture, values, used, answer, answered } = part;
  const sheet = new Sheet(theme, origin(part));
  const [rows, columns] = shapes.picture;
  const blue = css(packed(theme.blue));
  const inks = header.ink ? palettes.ink : null;
  const [width, height] = [columns, rows].map((count) => count * CELL);
  const [room, tall] = [width * AROUND, height * AROUND];
  const top = MARGIN + 24;
  const middle = [MARGIN + room / 2, top + tall / 2];
  const onSheet = ([x, y]) => [middle[0] + (x * width) / 2, middle[1] + (y * height) / 2];
  // A grid may extend far beyond the picture: unless clipped, it would cover the words
  const box = [MARGIN, top, MARGIN + room, top + tall];
  const draw = (from, to, line) => {
    const points = clipped(onSheet(from), onSheet(to), box);
    if (points) sheet.items.push({ kind: "line", points, colour: blue, line });
  };
  const show = (x, bytes) => {
    const canvas = pictureCanvas(bytes, shapes.picture, inks);
    sheet.framed({ kind: "picture", x, y: middle[1] - height / 2, width, height, canvas });
  };

  sheet.write(MARGIN, MARGIN + 12, "The picture and its sampling grid", 15, { weight: 600 });
  show(middle[0] - width / 2, picture);
  for (let line = 0; line <= LINES; line++) {
    const along = (2 * line) / LINES - 1;
    const wide = line % LINES ? 0.5 : 2;
    draw(at(used, [-1, along]), at(used, [1, along]), wide);
    draw(at(used, [along, -1]), at(used, [along, 1]), wide);
  }
  draw(at(used, [0, -1]), handlesOf(used).knob, 2); // the stem: marks the top of the grid
  const left = MARGIN + room + MARGIN;
  sheet.write(left, MARGIN + 12, "What is classified", 15, { weight: 600 });
  show(left, toBytes(values));
  sheet.write(left, middle[1] + height / 2 + 20, answer.words(answered), 15, { weight: 600 });
  const whole = left + width + MARGIN;
  const lines = originLines(sheet.origin, Math.floor(whole / 5.6));
  return sheet.sized(whole, sheet.lines(lines, top + tall + 24, 11) + MARGIN);
}

/**
 * The part of a line inside a box, or null.
 * @param {number[]} from x and y
 * @param {number[]} to
 * @param {number[]} box left, top, right and bottom
 * @returns {number[][]|null} its ends
 */
export function clipped(from, to, [left, top, right, bottom]) {
  let [first, last] = [0, 1]; // fractions of the line
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
