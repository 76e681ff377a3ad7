// Saving the strip with the matrix below it as PNG and SVG, and every weight as CSV.

import { counted } from "../core/numbers.js";
import { fileNameOf, filesOf, originLines, Sheet, toCsv } from "../export/export.js";
import { pictureCanvas } from "../maps/paint.js";
import { movedBy } from "./derive.js";

const MARGIN = 24;
const GUTTER = 96;
const ROW = 18;

/** The files to save, for `Savers`. @param {import("./alignment.js").Alignment} part */
export function files(part) {
  return filesOf(part, sheetOf, fileName, csv);
}

function fileName({ header: { origin }, shown }) {
  return fileNameOf(origin.model, origin.recipe, origin.image, shown.layer.name);
}

function origin(part) {
  const { header, view, shown, url } = part;
  const { layer } = shown;
  return {
    ...header.origin,
    layer: layer.of === "gradient" ? layer.title : `${layer.path}${layer.keys === "numbers" ? ".context" : ".weights"}`,
    head: view.head === "mean" ? "mean of all heads" : view.head + 1,
    told: view.told === "right" ? "the right text" : "its own answer",
    output: shown.letters.join(""),
    ...(shown.right ? { target: shown.right.join("") } : {}),
    ...(view.moved.length
      ? { moved: view.moved.map(([step, by]) => `weights of step ${step + 1} by ${counted(by, "column")}`).join("; ") }
      : {}),
    ...(view.mask ? {} : { mask: "off" }),
    page: url.link(),
  };
}

function csv(part) {
  const { layer, columns, matrix, letters: names } = part.shown;
  const ofSteps = layer.queries === "steps";
  const right = part.shown.right ?? [];
  const rows = [];
  for (let place = 0; place < matrix.length; place++) {
    const [query, key] = [Math.floor(place / columns), place % columns];
    rows.push([
      query + 1,
      ...(ofSteps ? [right[query] ?? "", names[query] ?? "", movedBy(part.view.moved, query)] : []),
      key + 1,
      matrix[place],
    ]);
  }
  const head = ofSteps ? ["step", "target", "output", "moved by"] : ["column"];
  const keys = { columns: "looks at column", steps: "looks at step", numbers: "number" }[layer.keys];
  return toCsv(origin(part), [...head, keys, layer.keys === "numbers" ? "value" : layer.of], rows);
}

function sheetOf(part) {
  const { header, shapes, arrays, theme, palettes, scene } = part;
  const { layer, matrix, step, rows, columns, letters: names, right } = part.shown;
  const sheet = new Sheet(theme, origin(part));
  const width = Math.min(1000, 80 * header.digits);
  const x = MARGIN + GUTTER;
  sheet.write(MARGIN, MARGIN + 12, layer.title, 15, { weight: 600 });
  const height = (width * shapes.picture[0]) / shapes.picture[1];
  const canvas = pictureCanvas(arrays.picture, shapes.picture, palettes.ink);
  sheet.framed({ kind: "picture", x, y: MARGIN + 24, width, height, canvas });
  const y = MARGIN + 24 + height + 8;
  const high = layer.queries === "columns" ? Math.min(ROW, width / columns) : ROW;
  const map = scene.mapOf(matrix, part.view.mask, palettes);
  sheet.framed({ kind: "picture", x, y, width, height: rows * high, canvas: map });
  if (layer.queries === "steps") {
    names.forEach((letter, one) => {
      const at = y + (one + 0.72) * high;
      sheet.write(MARGIN + 20, at, String(one + 1), 12, { anchor: "end" });
      if (right) sheet.write(MARGIN + 44, at, right[one] ?? "", 12, { anchor: "middle" });
      sheet.write(MARGIN + 72, at, letter, 13, { weight: one === step ? 700 : 400, anchor: "middle" });
    });
  }
  const whole = x + width + MARGIN;
  const lines = originLines(sheet.origin, Math.floor(whole / 5.6));
  return sheet.sized(whole, sheet.lines(lines, y + rows * high + 24, 11) + MARGIN);
}
