// What leaves the gates: PNG and SVG of the bars and of the map of places, and every gate as CSV. Channels count from 1
// there.

import { css, packed, TOP } from "../core/colours.js";
import { short } from "../core/numbers.js";
import { fileNameOf, filesOf, originLines, toCsv } from "../export/export.js";
import { BarPlaces } from "../maps/bars.js";
import { SETS, shownGates } from "./derive.js";
import { stepsOf } from "./arithmetic.js";
import { indicesOf, rangeOf } from "./places.js";

const WIDTH = 860;
const MARGIN = 24;
const HIGH = 48;
const MAP = 160; // the longer side of the map of places
const LEGEND = 10;

/** What can be saved, for `Savers`. @param {import("./gates.js").Gates} part */
export function files(part) {
  return filesOf(
    () => sheet(part),
    () => fileNameOf(part.header.origin.model, part.header.origin.recipe, part.header.origin.image, "gates"),
    () => csv(part),
  );
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
 * What a gate is computed from, what the network computes, and what is used.
 * @param {import("./derive.js").Steps} steps
 */
function numbersOf({ squeezed, squeezedMax, score, computed, gate }) {
  return [squeezed, squeezedMax ?? "", score, computed, gate];
}

function sheet(part) {
  const { layers, view, now, theme } = part;
  const ink = css(packed(theme.text));
  const items = [];
  const write = (x, y, words, size = 13, weight = 400) =>
    items.push({ kind: "text", x, y, text: words, size, colour: ink, weight });
  let top = MARGIN;
  layers.forEach((layer, number) => {
    const { values, held } = shownGates(view, layer, number, now[number]);
    const places = new BarPlaces({ count: layer.channels, width: WIDTH - 2 * MARGIN, height: HIGH });
    write(
      MARGIN,
      top + 12,
      `${layer.title}: ${layer.channels} gates, ${short(Math.min(...values), 2)} to ${short(Math.max(...values), 2)}`,
      13,
      600,
    );
    top += 18;
    for (let bar = 0; bar < places.count; bar++) {
      const [left, width] = places.across(bar);
      const [end, mark] = [places.down(values[bar]), places.down(layer.mean[bar])];
      const rect = (y, height, colour) =>
        items.push({ kind: "bar", x: MARGIN + left, y: top + y, width, height, colours: [packed(colour)] });
      rect(0, HIGH, theme.panel);
      rect(end, HIGH - end, held[bar] ? theme.text : theme.violet[layer.kinds[bar] === "varies" ? 1 : 0]);
      rect(Math.max(0, mark - 2), 4, theme.background); // seen on a dark bar, too
      rect(Math.max(0, mark - 1), 2, theme.text);
    }
    top += HIGH + 12;
  });
  write(
    MARGIN,
    top + 12,
    `From 0 to 1. A line: the mean over ${part.header.many}. Weaker violet: constant, or always open. ` +
      "Dark: set by hand.",
    12,
  );
  top += 20;
  if (part.places.map) top = places(part, top, items, write);
  for (const line of originLines(origin(part), 120)) write(MARGIN, (top += 16), line, 11);
  return {
    width: WIDTH,
    height: top + MARGIN,
    background: css(packed(theme.background)),
    ink,
    origin: origin(part),
    items,
  };
}

/**
 * Add the gates of the places in the layer that is looked at.
 * @returns {number} where they end
 */
function places({ places: { map, whose }, palettes, theme }, top, items, write) {
  const cell = MAP / Math.max(map.rows, map.columns);
  const size = { width: cell * map.columns, height: cell * map.rows };
  write(MARGIN, (top += 24), `By place, ${whose}: ${rangeOf(map)}`, 13, 600);
  top += 8;
  items.push({
    kind: "map",
    x: MARGIN,
    y: top,
    ...size,
    ...{ columns: map.columns, rows: map.rows, edge: [], outlines: [], strange: [] },
    colours: Array.from(indicesOf(map), (index) => palettes.positive[index]),
  });
  items.push({ kind: "frame", x: MARGIN, y: top, ...size, colour: css(packed(theme.line)) });
  top += size.height + 8;
  const colours = Array.from({ length: 64 }, (_, step) => palettes.positive[Math.round((step * TOP) / 63)]);
  items.push({ kind: "bar", x: MARGIN, y: top, width: size.width, height: LEGEND, colours });
  top += LEGEND + 14;
  const ink = css(packed(theme.text));
  ["0", "1"].forEach((number, end) =>
    items.push({
      ...{ kind: "text", x: MARGIN + end * size.width, y: top, text: number, size: 12, colour: ink, weight: 400 },
      anchor: end ? "end" : "start",
    }),
  );
  return top + 4;
}
