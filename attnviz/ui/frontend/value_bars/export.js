// What leaves bars of values: PNG and SVG of the strip, and its numbers as CSV.

import { css, packed } from "../core/colours.js";
import { fileNameOf, filesOf, originLines, toCsv } from "../export/export.js";
import { BarPlaces } from "../maps/bars.js";
import { summaryOf, tableOf } from "./derive.js";

const WIDTH = 860;
const MARGIN = 24;
const HIGH = 160;

/** What can be saved, for `Savers`. @param {import("./value_bars.js").ValueBars} part */
export function files(part) {
  const { header } = part;
  const origin = { ...header.origin, shows: header.title, page: part.page };
  const { head, rows } = tableOf(part);
  return filesOf(
    () => sheet(part, origin),
    () => fileNameOf(header.origin.model, header.origin.recipe, header.origin.image, header.origin.address),
    () => toCsv(origin, head, rows),
  );
}

function sheet(part, origin) {
  const { header, arrays, span, theme } = part;
  const ink = css(packed(theme.text));
  const places = new BarPlaces({ count: header.names.length, width: WIDTH - 2 * MARGIN, height: HIGH, ...span });
  /** @type {any[]} */
  const items = [{ kind: "text", x: MARGIN, y: MARGIN, text: header.title, size: 15, colour: ink, weight: 600 }];
  const top = MARGIN + 12;
  const zero = places.down(Math.max(span.low, 0));
  for (let bar = 0; bar < places.count; bar++) {
    const [left, width] = places.across(bar);
    const value = arrays.values[bar];
    const rect = (y, height, colour) =>
      items.push({ kind: "bar", x: MARGIN + left, y: top + y, width, height, colours: [packed(colour)] });
    rect(0, HIGH, theme.panel);
    const end = places.down(value);
    if (Number.isFinite(value))
      rect(Math.min(zero, end), Math.max(1, Math.abs(zero - end)), (value < 0 ? theme.yellow : theme.violet)[1]);
    if (arrays.marks) rect(Math.max(0, places.down(arrays.marks[bar]) - 1), 2, theme.text);
  }
  let y = top + HIGH + 20;
  items.push({ kind: "text", x: MARGIN, y, text: summaryOf(part), size: 12, colour: ink });
  for (const line of originLines(origin, 120))
    items.push({ kind: "text", x: MARGIN, y: (y += 16), text: line, size: 11, colour: ink });
  return { width: WIDTH, height: y + MARGIN, background: css(packed(theme.background)), ink, origin, items };
}
