// Saving bars of values: the strip as PNG and SVG, and its numbers as CSV.

import { fileNameOf, filesOf, originLines, Sheet, toCsv } from "../export/export.js";
import { BarPlaces } from "../maps/bars.js";
import { summaryOf, tableOf } from "./derive.js";

const WIDTH = 860;
const MARGIN = 24;
const HIGH = 160;

/** The files to save, for `Savers`. @param {import("./value_bars.js").ValueBars} part */
export function files(part) {
  return filesOf(part, sheetOf, fileName, csv);
}

function origin({ header, page }) {
  return { ...header.origin, shows: header.title, page };
}

function fileName({ header: { origin } }) {
  return fileNameOf(origin.model, origin.recipe, origin.image, origin.address);
}

function csv(part) {
  const { head, rows } = tableOf(part);
  return toCsv(origin(part), head, rows);
}

function sheetOf(part) {
  const { header, arrays, span, theme } = part;
  const sheet = new Sheet(theme, origin(part));
  const places = new BarPlaces({ count: header.names.length, width: WIDTH - 2 * MARGIN, height: HIGH, ...span });
  sheet.write(MARGIN, MARGIN, header.title, 15, { weight: 600 });
  const top = MARGIN + 12;
  const zero = places.down(Math.max(span.low, 0));
  for (let bar = 0; bar < places.count; bar++) {
    const [left, width] = places.across(bar);
    const value = arrays.values[bar];
    const rect = (y, height, colour) => sheet.bar(MARGIN + left, top + y, [width, height], colour);
    rect(0, HIGH, theme.panel);
    const end = places.down(value);
    if (Number.isFinite(value))
      rect(Math.min(zero, end), Math.max(1, Math.abs(zero - end)), (value < 0 ? theme.yellow : theme.violet)[1]);
    if (arrays.marks) rect(Math.max(0, places.down(arrays.marks[bar]) - 1), 2, theme.text);
  }
  const below = top + HIGH + 20;
  sheet.write(MARGIN, below, summaryOf(part));
  return sheet.sized(WIDTH, sheet.lines(originLines(sheet.origin, 120), below + 16, 11) + MARGIN);
}
