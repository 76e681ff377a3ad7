// Saving the panels of the draw page as PNG, SVG and CSV. Rows, columns and heads count from 1.

import { fitted } from "./arrays.js";
import { filesOf, originLines, Sheet, toCsv } from "../export/export.js";
import { percent } from "../core/numbers.js";

const NAME = "attnviz-panels";
const MARGIN = 24;
const PER_ROW = 4;
const SIDE = 220;
const STEP = SIDE + 24;
const HIGH = SIDE + 128; // size of a panel with its words
const TOP_OF_PANELS = 96;

/** The files to save, for `Savers`. @param {() => any} panels their present contents, from `toSave` */
export function files(panels) {
  return filesOf(
    panels,
    (now) => sheetOf(now()),
    () => NAME,
    (now) => csv(now()),
  );
}

/** Every number of every panel, one per line; if a panel shows a change, those of the pinned answer too. */
function csv({ panels, origin }) {
  const rows = panels.flatMap(({ card: { current, pinned, model, jacobian }, shows }) => [
    ...numbersOf(current, model),
    ...Array.from(jacobian?.values ?? [], (value, at) => [
      ...[current.net, headOf(current), "Jacobian"],
      ...[placeIn(jacobian.shape, at), value],
    ]),
    ...(shows === "change" ? numbersOf(pinned, model, "pinned ") : []),
  ]);
  const change = panels.some(({ shows }) => shows === "change");
  const shows = change ? { shows: `${origin.shows}, of which both answers stand here` } : {};
  return toCsv({ ...origin, ...shows }, ["model", "head", "what", "class, column, or row and column", "value"], rows);
}

/** The head, from 1; "" if there are none. */
function headOf({ head }) {
  return head === null ? "" : head + 1;
}

/** The lines of one answer. @param {any} answer @param {any} model @param {string} before the name of each number */
function numbersOf(answer, model, before = "") {
  const line = (what, where, value) => [answer.net, headOf(answer), before + what, where, value];
  const named = Array.from(answer.probabilities, (value, which) => line("probability", model.classes[which], value));
  const logits = Array.from(answer.logits, (value, which) => line("logit", String(which + 1), value));
  const map = Array.from(answer.map ?? [], (value, at) => line("map", placeOf(answer.shape, model, at), value));
  const parts = Object.entries(answer.parts ?? {}).flatMap(([name, { values, shape }]) =>
    Array.from(values, (value, at) => line(name, placesIn(shape, at).join(", "), value)),
  );
  return [...named, ...logits, ...map, ...parts];
}

/** The position of a value of a map: in a row of values, or on the grid of the panel if it has one. */
function placeOf(shape, { prefix, columns }, at) {
  if (shape.length > 1) return placeIn(shape, at);
  if (!columns) return String(at + 1);
  return at < prefix ? `nowhere, ${at + 1}` : placeIn([Infinity, columns], at - prefix);
}

/** The position of a value in a shape that ends with rows and columns. */
function placeIn(shape, at) {
  const places = placesIn(shape, at);
  if (shape.length === 2) return places.join(", ");
  const maps = shape.length === 4 ? ["layer", "stage"] : shape.slice(2).map(() => "map"); // four: like panels/stages.js
  return [...maps, "row", "column"].map((name, i) => `${name} ${places[i]}`).join(", ");
}

/** The position of a value along each axis of a shape, from 1. @param {number[]} shape @param {number} at */
function placesIn(shape, at) {
  const below = (i) => shape.slice(i + 1).reduce((one, other) => one * other, 1);
  return shape.map((size, i) => (Math.floor(at / below(i)) % size) + 1);
}

function sheetOf({ panels, headline, look: { theme, palettes }, legend: { kind, ends, unit, note }, origin }) {
  const sheet = new Sheet(theme, origin);
  sheet.write(MARGIN, 36, headline, 17, { weight: 600 });
  const words = ends ? ends.filter(Boolean) : ["\u2264 1/16", `1 \u00d7 ${unit}`, "\u2265 16 \u00d7"];
  if (kind) sheet.scale(palettes[kind], MARGIN, 48, words);
  sheet.write(MARGIN + 304, 58, note, 11);
  panels.forEach(({ card }, i) => {
    const x = MARGIN + (i % PER_ROW) * STEP;
    const y = TOP_OF_PANELS + Math.floor(i / PER_ROW) * HIGH;
    const { model, current, words, best } = card;
    const canvas = card.jacobian?.values ? card.other : card.canvas;
    const [width, height] = fitted(SIDE, [canvas.height, canvas.width]);
    const place = { x: x + (SIDE - width) / 2, y: y + 38 + (SIDE - height) / 2, width, height };
    sheet.write(x, y + 14, model.title, 14, { weight: 600 });
    sheet.write(x, y + 30, card.kind.data, 11);
    sheet.framed({ kind: "picture", ...place, canvas });
    const below = y + 38 + SIDE;
    const sureness = [percent(Math.max(...current.probabilities)), ...(card.sure ? [] : ["unsure"])];
    const said = [best, ...sureness, ...(card.knowsAll ? [] : [words.knows.data])];
    sheet.write(x, below + 18, said.join(", "), 13, { weight: 600 });
    originLines({ "": [words.head.data, words.says.data].filter(Boolean).join(": ") }, 38).forEach((line, row) =>
      sheet.write(x, below + 36 + 14 * row, line.trim(), 11),
    );
  });
  const bottom = TOP_OF_PANELS + Math.ceil(panels.length / PER_ROW) * HIGH;
  const width = 2 * MARGIN + PER_ROW * STEP - 24;
  return sheet.sized(width, sheet.lines(originLines(origin, 150), bottom + 8, 11) + MARGIN + 8);
}
