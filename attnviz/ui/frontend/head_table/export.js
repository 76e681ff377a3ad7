// What leaves the table of heads: PNG and SVG of scatter and board, and all figures as CSV.

import { css, packed } from "../core/colours.js";
import { fileNameOf, filesOf, originLines, toCsv } from "../export/export.js";
import { axesOf, colourScale, indexOf, pointsOf, sizeOf, summaryOf, tableOf, tickWords } from "./derive.js";
import { boardColour, Room } from "./paint.js";

const WIDE = 520;
const HIGH = 400;
const MARGIN = 24;
const CELL = 30;
const ROUND = 16; // corners of a dot

/** What can be saved, for `Savers`. @param {import("./head_table.js").HeadTable} part */
export function files(part) {
  const origin = { ...part.header.origin, brush: part.view.brush, page: part.url.link() };
  const { head, rows } = tableOf(part.shown);
  return filesOf(
    () => sheet(part, origin),
    () => fileNameOf("heads", origin.model, origin.data, `${origin.pictures}-pictures`),
    () => toCsv(origin, head, rows),
  );
}

/** @param {import("./head_table.js").HeadTable} part */
function sheet(part, origin) {
  const { shown, theme, palettes, view } = part;
  const { inside, brush } = part.scatter;
  const [ink, quiet, background] = [theme.text, theme.line, theme.background].map((one) => css(packed(one)));
  const room = new Room({ width: WIDE, height: HIGH, px: 1 });
  const { across, up } = axesOf(shown, view);
  const words = (x, y, said, more = {}) => ({ kind: "text", x, y, text: said, size: 12, colour: ink, ...more });
  const title = ({ at }) => shown.measures[at].title;
  /** @type {any[]} */
  const items = [words(MARGIN, MARGIN, `${title(up)} against ${title(across)}`, { size: 15, weight: 600 })];
  const [left, top] = [MARGIN, MARGIN + 12];
  const line = (points, colour, width = 1) =>
    items.push({ kind: "line", points: points.map(([x, y]) => [left + x, top + y]), colour, line: width });
  for (const [number, tick] of across.axis.ticks.entries()) {
    const x = room.x((tick - across.axis.low) / (across.axis.high - across.axis.low));
    line([[x, room.top], [x, room.bottom]], quiet); // prettier-ignore
    items.push(words(left + x, top + room.bottom + 16, tickWords(across.axis.ticks)[number], { anchor: "middle" }));
  }
  for (const [number, tick] of up.axis.ticks.entries()) {
    const y = room.y((tick - up.axis.low) / (up.axis.high - up.axis.low));
    line([[room.left, y], [room.right, y]], quiet); // prettier-ignore
    items.push(words(left + room.left - 6, top + y + 4, tickWords(up.axis.ticks)[number], { anchor: "end" }));
  }
  const drawn = (figures, colour, named) =>
    pointsOf(shown, figures, across, up).forEach((point, head) => {
      if (!Number.isFinite(point.x + point.y)) return;
      const [x, y] = [room.x(point.x), room.y(point.y)];
      line([[room.x(point.left), y], [room.x(point.right), y]], colour); // prettier-ignore
      line([[x, room.y(point.low)], [x, room.y(point.high)]], colour); // prettier-ignore
      const round = Array.from({ length: ROUND + 1 }, (_, at) => (2 * Math.PI * at) / ROUND);
      const circle = round.map((angle) => [x + 4 * Math.cos(angle), y + 4 * Math.sin(angle)]);
      line(circle, colour, head === view.head ? 3 : 2);
      if (named && inside[head])
        items.push(words(left + x + 6, top + y - 5, shown.heads[head].name, { size: 11, halo: background }));
    });
  if (view.random && shown.random) drawn(shown.random, quiet, false);
  drawn(shown.own, css(packed(theme.violet[1])), shown.heads.length <= 40 || brush !== null);
  const beside = left + WIDE + MARGIN;
  const measure = indexOf(shown, view.colour);
  const scale = colourScale(shown, measure);
  items.push(words(beside, MARGIN, `All heads: ${shown.measures[measure].title}`, { size: 15, weight: 600 }));
  const size = sizeOf(shown.heads);
  shown.heads.forEach(({ layer, number }, head) => {
    const [x, y] = [beside + 60 + number * CELL, top + 12 + layer * CELL];
    const colour = boardColour(palettes, scale, shown.own.means[measure * shown.heads.length + head], background);
    items.push({
      kind: "bar",
      x,
      y,
      width: CELL - 2,
      height: CELL - 2,
      colours: [Number.parseInt(`ff${swapped(colour)}`, 16) >>> 0],
    });
    const frame = head === view.head ? { colour: ink, line: 2 } : { colour: quiet, line: 1 };
    items.push({ kind: "frame", x, y, width: CELL - 2, height: CELL - 2, ...frame });
    if (number === 0) items.push(words(beside, y + 18, `layer ${layer + 1}`));
  });
  const high = top + Math.max(HIGH, 24 + size.layers * CELL);
  const width = beside + 60 + size.heads * CELL + MARGIN;
  const lines = [summaryOf(shown, inside), ...originLines(origin, Math.floor(width / 6))];
  items.push(...lines.map((said, at) => words(MARGIN, high + 20 + 15 * at, said, { size: 11 })));
  return { width, height: high + 30 + 15 * lines.length, background, ink, origin, items };
}

/** A colour as CSS writes it, its bytes in the order of a packed one. @param {string} colour */
function swapped(colour) {
  return `${colour.slice(5, 7)}${colour.slice(3, 5)}${colour.slice(1, 3)}`;
}
