// Saving the gates: the bars and the map of positions as PNG and SVG, and every gate as CSV, in which channels count
// from 1.

import { short } from "../core/numbers.js";
import { fileNameOf, filesOf, originLines, Sheet, toCsv } from "../export/export.js";
import { BarPlaces } from "../maps/bars.js";
import { SETS, shownGates } from "./derive.js";
import { stepsOf } from "./arithmetic.js";
import { indicesOf, rangeOf } from "./places.js";

const WIDTH = 860;
const MARGIN = 24;
const HIGH = 48;
const MAP = 160; // the longer side of the map of positions

/** The files to save, for `Savers`. @param {import("./gates.js").Gates} part */
export function files(part) {
  return filesOf(part, sheetOf, fileName, csv);
}

function fileName({ header: { origin } }) {
  return fileNameOf(origin.model, origin.recipe, origin.image, "gates");
}

function origin({ header, view, answer, answered, url }) {
  return {
    ...header.origin,
    shows: `gates: ${SETS[view.gates].toLowerCase()}${view.gates === "other" ? ` (${header.other})` : ""}`,
    ...(view.turned.length ? { turned: view.turned.map(([l, c, p]) => `${l + 1}.${c + 1} to ${p} %`).join("; ") } : {}),
    means: `over ${header.many}`,
    answer: answer.words(answered),
    page: url.link(),
  };
}

function csv(part) {
  const { layers, view, now } = part;
  const rows = layers.flatMap((layer, number) => {
    const { values, held } = shownGates(view, layer, number, now[number]);
    return Array.from({ length: layer.channels }, (_, channel) => [
      layer.path,
      channel + 1,
      ...numbersOf(stepsOf(layer, now[number], channel, values[channel])),
      held[channel] ? "yes" : "no",
      layer.mean[channel],
      layer.lowest[channel],
      layer.highest[channel],
      layer.kinds[channel],
    ]);
  });
  const numbers = ["squeezed", "squeezed_max", "score", "computed", "gate"];
  const head = ["layer", "channel", ...numbers, "set by hand", "mean", "lowest", "highest", "kind"];
  return toCsv(origin(part), head, rows);
}

/**
 * The inputs of a gate, the computed gate and the gate in use, as lines of text.
 * @param {import("./derive.js").Steps} steps
 */
function numbersOf({ squeezed, squeezedMax, score, computed, gate }) {
  return [squeezed, squeezedMax ?? "", score, computed, gate];
}

function sheetOf(part) {
  const { layers, view, now, theme } = part;
  const sheet = new Sheet(theme, origin(part));
  let top = MARGIN;
  layers.forEach((layer, number) => {
    const { values, held } = shownGates(view, layer, number, now[number]);
    const places = new BarPlaces({ count: layer.channels, width: WIDTH - 2 * MARGIN, height: HIGH });
    const range = `${short(Math.min(...values), 2)} to ${short(Math.max(...values), 2)}`;
    sheet.write(MARGIN, top + 12, `${layer.title}: ${layer.channels} gates, ${range}`, 13, { weight: 600 });
    top += 18;
    for (let bar = 0; bar < places.count; bar++) {
      const [left, width] = places.across(bar);
      const [end, mark] = [places.down(values[bar]), places.down(layer.mean[bar])];
      const rect = (y, height, colour) => sheet.bar(MARGIN + left, top + y, [width, height], colour);
      rect(0, HIGH, theme.panel);
      rect(end, HIGH - end, held[bar] ? theme.text : theme.violet[layer.kinds[bar] === "varies" ? 1 : 0]);
      rect(Math.max(0, mark - 2), 4, theme.background); // visible on a dark bar, too
      rect(Math.max(0, mark - 1), 2, theme.text);
    }
    top += HIGH + 12;
  });
  const means = `A line: the mean over ${part.header.many}.`;
  const says = `From 0 to 1. ${means} Weaker violet: constant, or always open. Dark: set by hand.`;
  sheet.write(MARGIN, top + 12, says);
  top += 20;
  if (part.places.map) top = placesOn(sheet, part, top + 24);
  return sheet.sized(WIDTH, sheet.lines(originLines(sheet.origin, 120), top + 16, 11) + MARGIN);
}

/** Add the spatial gates of the shown layer. @returns {number} their lower edge */
function placesOn(sheet, { places: { map, whose }, palettes }, top) {
  const { rows, columns } = map;
  const cell = MAP / Math.max(rows, columns);
  const place = { x: MARGIN, y: top + 8, width: cell * columns, height: cell * rows };
  sheet.write(MARGIN, top, `By place, ${whose}: ${rangeOf(map)}`, 13, { weight: 600 });
  const colours = Array.from(indicesOf(map), (index) => palettes.positive[index]);
  sheet.framed({ kind: "map", ...place, columns, rows, colours, edge: [], outlines: [], strange: [] });
  const below = place.y + place.height + 8;
  sheet.scale(palettes.positive, MARGIN, below, [], place.width);
  const end = below + 24;
  sheet.write(MARGIN, end, "0");
  sheet.write(MARGIN + place.width, end, "1", 12, { anchor: "end" });
  return end + 4;
}
