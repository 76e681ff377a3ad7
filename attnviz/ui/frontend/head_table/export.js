// Saving the table of heads: scatter and board as PNG and SVG, and all numbers as CSV.

import { css, packed } from "../core/colours.js";
import { fileNameOf, filesOf, originLines, Sheet, toCsv } from "../export/export.js";
import { axesOf, colourScale, indexOf, placeOn, pointsOf, sizeOf, summaryOf, tableOf, tickWords } from "./derive.js";
import { boardColour, Room } from "./paint.js";

const WIDE = 520;
const HIGH = 400;
const MARGIN = 24;
const CELL = 30;
const ROUND = 16; // corners of the polygon that draws a dot

/** The files to save, for `Savers`. @param {import("./head_table.js").HeadTable} part */
export function files(part) {
  return filesOf(part, sheetOf, fileName, csv);
}

function origin({ header, view, url }) {
  return { ...header.origin, brush: view.brush, page: url.link() };
}

function fileName({ header: { origin } }) {
  return fileNameOf("heads", origin.model, origin.data, `${origin.pictures}-pictures`);
}

function csv(part) {
  const { head, rows } = tableOf(part.shown);
  return toCsv(origin(part), head, rows);
}

/** @param {import("./head_table.js").HeadTable} part */
function sheetOf(part) {
  const { shown, theme, palettes, view } = part;
  const { inside, brush } = part.scatter;
  const sheet = new Sheet(theme, origin(part));
  const { ink, rule, background } = sheet;
  const room = new Room({ width: WIDE, height: HIGH, px: 1 });
  const { across, up } = axesOf(shown, view);
  const title = ({ at }) => shown.measures[at].title;
  sheet.write(MARGIN, MARGIN, `${title(up)} against ${title(across)}`, 15, { weight: 600 });
  const [left, top] = [MARGIN, MARGIN + 12];
  const line = (points, colour, width = 1) =>
    sheet.items.push({ kind: "line", points: points.map(([x, y]) => [left + x, top + y]), colour, line: width });
  const upright = (x, low, high, colour) => line([low, high].map((y) => [x, y]), colour); // prettier-ignore
  const level = (y, low, high, colour) => line([low, high].map((x) => [x, y]), colour); // prettier-ignore
  across.axis.ticks.forEach((tick, number) => {
    const x = room.x(placeOn(across.axis, tick));
    upright(x, room.top, room.bottom, rule);
    sheet.write(left + x, top + room.bottom + 16, tickWords(across.axis.ticks)[number], 12, { anchor: "middle" });
  });
  up.axis.ticks.forEach((tick, number) => {
    const y = room.y(placeOn(up.axis, tick));
    level(y, room.left, room.right, rule);
    sheet.write(left + room.left - 6, top + y + 4, tickWords(up.axis.ticks)[number], 12, { anchor: "end" });
  });
  const drawn = (figures, colour, named) =>
    pointsOf(shown, figures, across, up).forEach((point, head) => {
      if (!Number.isFinite(point.x + point.y)) return;
      const [x, y] = [room.x(point.x), room.y(point.y)];
      level(y, room.x(point.left), room.x(point.right), colour);
      upright(x, room.y(point.low), room.y(point.high), colour);
      const round = Array.from({ length: ROUND + 1 }, (_, at) => (2 * Math.PI * at) / ROUND);
      const circle = round.map((angle) => [x + 4 * Math.cos(angle), y + 4 * Math.sin(angle)]);
      line(circle, colour, head === view.head ? 3 : 2);
      if (named && inside[head])
        sheet.write(left + x + 6, top + y - 5, shown.heads[head].name, 11, { halo: background });
    });
  if (view.random && shown.random) drawn(shown.random, rule, false);
  drawn(shown.own, css(packed(theme.violet[1])), shown.heads.length <= 40 || brush !== null);

  const beside = left + WIDE + MARGIN;
  const measure = indexOf(shown, view.colour);
  const scale = colourScale(shown, measure);
  sheet.write(beside, MARGIN, `All heads: ${shown.measures[measure].title}`, 15, { weight: 600 });
  const size = sizeOf(shown.heads);
  shown.heads.forEach(({ layer, number }, head) => {
    const place = { x: beside + 60 + number * CELL, y: top + 12 + layer * CELL, width: CELL - 2, height: CELL - 2 };
    const colour = boardColour(palettes, scale, shown.own.means[measure * shown.heads.length + head], background);
    const colours = [Number.parseInt(`ff${swapped(colour)}`, 16) >>> 0];
    sheet.items.push({ kind: "bar", ...place, colours });
    const frame = head === view.head ? { colour: ink, line: 2 } : { colour: rule, line: 1 };
    sheet.items.push({ kind: "frame", ...place, ...frame });
    if (number === 0) sheet.write(beside, place.y + 18, `layer ${layer + 1}`);
  });
  const high = top + Math.max(HIGH, 24 + size.layers * CELL);
  const width = beside + 60 + size.heads * CELL + MARGIN;
  const lines = [summaryOf(shown, inside), ...originLines(sheet.origin, Math.floor(width / 6))];
  return sheet.sized(width, sheet.lines(lines, high + 20, 11) + MARGIN);
}

/** A CSS colour as a number with the byte order of packed colours. @param {string} colour */
function swapped(colour) {
  return `${colour.slice(5, 7)}${colour.slice(3, 5)}${colour.slice(1, 3)}`;
}
