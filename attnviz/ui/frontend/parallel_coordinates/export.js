// Saving parallel coordinates: the lines as PNG and SVG, and the trials as CSV.

import { fileNameOf, filesOf, originLines, Sheet, toCsv } from "../export/export.js";
import { strengths, summaryOf, tableOf } from "./derive.js";
import { colourOf, pointsOf, Room } from "./paint.js";

const WIDTH = 860;
const MARGIN = 24;
const HIGH = 340;

/** The files to save, for `Savers`. @param {import("./parallel_coordinates.js").ParallelCoordinates} part */
export function files(part) {
  return filesOf(part, sheetOf, ({ header }) => fileNameOf("search", header.origin.search), csv);
}

function origin({ header, view, names, url }) {
  return { ...header.origin, shows: header.title, brush: view[names[0]], page: url.link() };
}

function csv(part) {
  const { head, rows } = tableOf(part.shown, part.inside);
  return toCsv(origin(part), head, rows);
}

function sheetOf(part) {
  const { shown, inside, theme, palettes, chosen } = part;
  const sheet = new Sheet(theme, origin(part));
  const { ink, background: halo } = sheet;
  const room = new Room({ width: WIDTH, height: HIGH, axes: shown.axes.length, px: 1 });
  const top = MARGIN + 10;
  sheet.write(MARGIN, MARGIN, shown.title, 15, { weight: 600 });
  const strong = strengths(shown);
  for (const trial of part.front) {
    if (!inside[trial]) continue;
    const points = pointsOf(room, shown.places, trial, shown.axes.length).map(([x, y]) => [x, top + y]);
    const colour = trial === chosen ? ink : colourOf(palettes, strong[trial], theme);
    sheet.items.push({ kind: "line", points, colour, line: trial === chosen ? 3 : 1.5 });
  }
  shown.axes.forEach(({ title, ticks }, axis) => {
    const x = room.x(axis);
    const last = axis === shown.axes.length - 1;
    const [aside, anchor] = last ? [-6, "end"] : [6, "start"];
    const points = [room.top, room.bottom].map((y) => [x, top + y]);
    sheet.items.push({ kind: "line", points, colour: ink });
    sheet.write(x, top + 30, title, 13, { weight: 600, anchor: "middle" });
    for (const { place, words } of ticks) sheet.write(x + aside, top + room.y(place) + 4, words, 12, { halo, anchor });
  });
  const below = top + HIGH + 20;
  sheet.write(MARGIN, below, summaryOf(shown, inside));
  return sheet.sized(WIDTH, sheet.lines(originLines(sheet.origin, 120), below + 16, 11) + MARGIN);
}
