// What leaves the page: PNG and SVG of the strip with the matrix below it, and every weight as CSV.

import { css, packed } from "../core/colours.js";
import { counted } from "../core/numbers.js";
import { fileNameOf, filesOf, originLines, toCsv } from "../export/export.js";
import { pictureCanvas } from "../maps/paint.js";
import { movedBy } from "./derive.js";

const MARGIN = 24;
const GUTTER = 96;
const ROW = 18;

/** What can be saved, for `Savers`. @param {import("./alignment.js").Alignment} part */
export function files(part) {
  const { header } = part;
  return filesOf(
    () => sheet(part),
    () => fileNameOf(header.origin.model, header.origin.recipe, header.origin.image, part.shown.layer.name),
    () => csv(part),
  );
}

function origin(part) {
  const { header, view, shown, url } = part;
  const { layer } = shown;
  return {
    ...header.origin,
    layer: layer.of === "gradient" ? layer.title : `${layer.path}${layer.keys === "numbers" ? ".context" : ".weights"}`,
    head: view.head === "mean" ? "mean of all heads" : view.head + 1,
    told: view.told === "right" ? "the right text" : "its own answer",
    says: shown.letters.join(""),
    ...(shown.right ? { is: shown.right.join("") } : {}),
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
  const head = ofSteps ? ["step", "is", "says", "moved by"] : ["column"];
  const keys = { columns: "looks at column", steps: "looks at step", numbers: "number" }[layer.keys];
  return toCsv(origin(part), [...head, keys, layer.keys === "numbers" ? "value" : layer.of], rows);
}

function sheet(part) {
  const { header, shapes, arrays, theme, palettes, scene } = part;
  const { layer, matrix, step, rows, columns, letters: names, right } = part.shown;
  const ink = css(packed(theme.text));
  const wide = Math.min(1000, 80 * header.digits);
  const left = MARGIN + GUTTER;
  const items = [];
  const write = (x, y, text, size = 13, weight = 400, anchor = "start") =>
    items.push({ kind: "text", x, y, text, size, weight, anchor, colour: ink });
  const { title } = layer;
  write(MARGIN, MARGIN + 12, title, 15, 600);
  const high = (wide * shapes.picture[0]) / shapes.picture[1];
  let top = MARGIN + 24;
  const picture = pictureCanvas(arrays.picture, shapes.picture, palettes.ink);
  items.push({ kind: "picture", x: left, y: top, width: wide, height: high, canvas: picture });
  items.push({ kind: "frame", x: left, y: top, width: wide, height: high, colour: css(packed(theme.line)) });
  top += high + 8;
  const rowHeight = layer.queries === "columns" ? Math.min(ROW, wide / columns) : ROW;
  const map = scene.mapOf(matrix, part.view.mask, palettes);
  items.push({ kind: "picture", x: left, y: top, width: wide, height: rows * rowHeight, canvas: map });
  items.push({
    kind: "frame",
    x: left,
    y: top,
    width: wide,
    height: rows * rowHeight,
    colour: css(packed(theme.line)),
  });
  if (layer.queries === "steps") {
    names.forEach((letter, one) => {
      const y = top + (one + 0.72) * rowHeight;
      write(MARGIN + 20, y, String(one + 1), 12, 400, "end");
      if (right) write(MARGIN + 44, y, right[one] ?? "", 12, 400, "middle");
      write(MARGIN + 72, y, letter, 13, one === step ? 700 : 400, "middle");
    });
  }
  const width = left + wide + MARGIN;
  let below = top + rows * rowHeight + 8;
  for (const words of originLines(origin(part), Math.floor(width / 5.6))) write(MARGIN, (below += 16), words, 11);
  return {
    width,
    height: below + MARGIN,
    background: css(packed(theme.background)),
    ink,
    origin: origin(part),
    items,
  };
}
