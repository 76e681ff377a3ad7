// What leaves parallel coordinates: PNG and SVG of the lines, and the trials as CSV.

import { css, packed } from "../core/colours.js";
import { fileNameOf, filesOf, originLines, toCsv } from "../export/export.js";
import { strengths, summaryOf, tableOf } from "./derive.js";
import { colourOf, pointsOf, Room } from "./paint.js";

const WIDTH = 860;
const MARGIN = 24;
const HIGH = 340;

/** What can be saved, for `Savers`. @param {import("./parallel_coordinates.js").ParallelCoordinates} part */
export function files(part) {
  const { header, shown, inside } = part;
  const origin = { ...header.origin, shows: header.title, brush: part.view[part.names[0]], page: part.url.link() };
  const { head, rows } = tableOf(shown, inside);
  return filesOf(
    () => sheet(part, origin),
    () => fileNameOf("search", header.origin.search),
    () => toCsv(origin, head, rows),
  );
}

function sheet(part, origin) {
  const { shown, inside, theme, palettes, chosen } = part;
  const ink = css(packed(theme.text));
  const room = new Room({ width: WIDTH, height: HIGH, axes: shown.axes.length, px: 1 });
  const top = MARGIN + 10;
  const words = (x, y, text, more = {}) => ({ kind: "text", x, y, text, size: 12, colour: ink, ...more });
  /** @type {any[]} */
  const items = [words(MARGIN, MARGIN, shown.title, { size: 15, weight: 600 })];
  const strong = strengths(shown);
  for (const trial of part.front) {
    if (!inside[trial]) continue;
    const points = pointsOf(room, shown.places, trial, shown.axes.length).map(([x, y]) => [x, top + y]);
    const colour = trial === chosen ? ink : colourOf(palettes, strong[trial], theme);
    items.push({ kind: "line", points, colour, line: trial === chosen ? 3 : 1.5 });
  }
  const halo = css(packed(theme.background));
  shown.axes.forEach(({ title, ticks }, axis) => {
    const x = room.x(axis);
    const last = axis === shown.axes.length - 1;
    items.push({ kind: "line", points: [[x, top + room.top], [x, top + room.bottom]], colour: ink }); // prettier-ignore
    items.push(words(x, top + 30, title, { size: 13, weight: 600, anchor: "middle" }));
    for (const { place, words: said } of ticks)
      items.push(words(x + (last ? -6 : 6), top + room.y(place) + 4, said, { halo, anchor: last ? "end" : "start" }));
  });
  let y = top + HIGH + 20;
  items.push(words(MARGIN, y, summaryOf(shown, inside)));
  for (const line of originLines(origin, 120)) items.push(words(MARGIN, (y += 16), line, { size: 11 }));
  return { width: WIDTH, height: y + MARGIN, background: halo, ink, origin, items };
}
