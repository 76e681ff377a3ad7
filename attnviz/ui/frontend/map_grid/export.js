// What leaves a grid of maps: PNG, SVG and CSV of what is shown. Rows and columns count from 1 in what a person reads.

import { css, packed, TOP } from "../core/colours.js";
import { colourAt, pictureCanvas } from "../maps/paint.js";
import { fileNameOf, originLines, filesOf, toCsv } from "../export/export.js";
import { short } from "../core/numbers.js";
import { strangeCells } from "../export/sheet.js";
import { placeOf } from "./words.js";

const MARGIN = 24;
const WIDTH = 1040; // at least: a table of many columns makes it wider
const GAP = 8;
const LEAST = 24; // CSS pixels of a map, as on the screen

/** What can be saved, for `Savers`. */
export function files(grid) {
  return filesOf(
    () => gridSheet(grid),
    () => fileName(grid),
    () => csv(grid),
  );
}

function csv(grid) {
  const { header, cells, arrays, count } = grid;
  // A picture in colour has three numbers at each place.
  const channels = arrays.colours ? ["red", "green", "blue"] : [];
  const labels = channels.length
    ? header.labels.flatMap((label) => channels.map((name) => `${label} ${name}`))
    : header.labels;
  const values = (token) =>
    channels.length
      ? Array.from(
          { length: 3 * count },
          (_, i) => arrays.colours[3 * (Math.floor(i / 3) * cells.tokens + token) + (i % 3)] / 255,
        )
      : Array.from({ length: count }, (_, tile) => arrays.maps[tile * cells.tokens + token]);
  const rows = Array.from({ length: cells.tokens }, (_, token) => {
    const [row, column] = cells.place(token);
    const place = header.names ? [header.names.rows[row], header.names.columns[column]] : [row + 1, column + 1];
    return [...place, ...values(token)];
  });
  return toCsv(origin(grid), ["row", "column", ...labels], rows);
}

function origin(grid) {
  const { header, shown, scale, tileScales } = grid;
  const { kind, low, high } = tileScales[grid.chosen ?? 0];
  return {
    ...header.origin,
    shows: header.title,
    scale:
      kind === "share"
        ? "log2 of the multiple of an even share, -4 to 4"
        : `${scale === "map" ? "each map its own" : `${short(low, 3)} to ${short(high, 3)}`} (${kind})`,
    ...(shown < 0 ? {} : { cell: placeOf(grid) }),
    ...(grid.chosen === null ? {} : { chosen: header.labels[grid.chosen] }),
    counted: "rows and columns from 1, from the top left",
    page: grid.page,
  };
}

function fileName({ header }) {
  return fileNameOf(header.origin.model, header.origin.address, header.origin.image, header.title);
}

function gridSheet(grid) {
  const { header, theme, cells, count, palette, indices, tileScales, edges, shown, wall } = grid;
  const ink = css(packed(theme.text));
  const items = [];
  const write = (x, y, text, size = 12, more = {}) =>
    items.push({ kind: "text", x, y, text, size, colour: ink, ...more });
  const { table, names } = header;
  const perRow = table ? table.columns : Math.min(wall.perRow, 24);
  const [aside, above, below] = table || names ? [44, 16, table ? 8 : 24] : [0, 0, 24];
  const before = grid.picture ? 160 + 24 : 0; // the picture stands at the left of the maps
  const room = WIDTH - 2 * MARGIN - before - aside;
  const wide = Math.max(LEAST, Math.min(names ? 480 : 160, (room - GAP * (perRow - 1)) / perRow));
  const width = WIDTH + Math.max(0, perRow * (wide + GAP) - GAP - room);
  const high = Math.max(12, (wide * cells.rows) / cells.columns);
  const outlines = (tile) => [
    ...(header.outlined ? [{ cell: header.outlined[tile], colour: packed(theme.orange) }] : []),
    ...(shown < 0 ? [] : [{ cell: shown, colour: packed(theme.text) }]),
  ];
  write(MARGIN, 32, header.title, 17, { weight: 600 });
  items.push({
    kind: "bar",
    x: MARGIN,
    y: 44,
    width: 280,
    height: 10,
    colours: Array.from({ length: 64 }, (_, i) => palette[Math.round((i * TOP) / 63)]),
  });
  const scale = tileScales[grid.chosen ?? 0];
  const ends =
    scale.kind === "share"
      ? ["\u2264 1/16", `an even share, 1/${header.tokens}`, "\u2265 16 \u00d7"]
      : grid.scale === "map"
        ? ["lowest", "a scale for each map", "highest"]
        : [scale.low, (scale.low + scale.high) / 2, scale.high].map((end) => short(end, 3));
  ends.forEach((end, i) => write(MARGIN + 140 * i, 70, end, 12, { anchor: ["start", "middle", "end"][i] }));
  const { model, answer } = header.origin;
  if (model) write(MARGIN + 304, 54, answer ? `${model} answers ${answer}` : model);
  write(MARGIN + 304, 70, `colours: ${origin(grid).scale}`);
  for (let tile = 0; tile < count; tile++) {
    const [row, place] = [Math.floor(tile / perRow), tile % perRow];
    const x = MARGIN + before + aside + place * (wide + GAP);
    const y = 88 + above + row * (high + below);
    const start = tile * cells.tokens;
    items.push({
      kind: "map",
      x,
      y,
      width: wide,
      height: high,
      columns: cells.columns,
      rows: cells.rows,
      edge: edges[tile],
      outlines: outlines(tile),
      strange: strangeCells(indices.subarray(start, start + cells.tokens)),
      colours: Array.from({ length: cells.tokens }, (_, token) =>
        grid.arrays.colours
          ? colourAt(grid.arrays.colours, 3 * (start + token), 3, null)
          : palette[indices[start + token]],
      ),
    });
    items.push({ kind: "frame", x, y, width: wide, height: high, colour: css(packed(theme.line)) });
    if (!table) write(x, y + high + 14, header.labels[tile], 12, { weight: tile === grid.chosen ? 700 : 400 });
    if (table && !row) write(x + wide / 2, y - 5, table.heads[place], 12, { anchor: "middle" });
    if (table && !place) write(x - 6, y + high / 2 + 4, table.rows[row], 12, { anchor: "end" });
    names?.columns.forEach((name, i) =>
      write(x + ((i + 0.5) * wide) / cells.columns, y - 5, name, 12, { anchor: "middle" }),
    );
    names?.rows.forEach((name, i) =>
      write(x - 6, y + ((i + 0.5) * high) / cells.rows + 4, name, 12, { anchor: "end" }),
    );
  }
  const side = grid.picture ? drawPicture(grid, items, MARGIN, 88 + above) : 0;
  const bottom = Math.max(88 + above + side, 88 + above + Math.ceil(count / perRow) * (high + below));
  const lines = originLines(header.origin, 150);
  lines.forEach((line, i) => write(MARGIN, bottom + 14 + 16 * i, line));
  return {
    width: Math.ceil(width),
    height: Math.round(bottom + 16 * lines.length + MARGIN),
    background: css(packed(theme.background)),
    ink,
    items,
    origin: origin(grid),
  };
}

/** Put the picture on a sheet, with the cells that are framed on it. @returns {number} its height */
function drawPicture({ picture, arrays, shapes, theme }, items, x, y) {
  const [rows, columns] = shapes.background;
  const width = 160;
  const size = width / columns;
  items.push({
    kind: "picture",
    x,
    y,
    width,
    height: size * rows,
    canvas: pictureCanvas(arrays.background, shapes.background, picture.inks),
  });
  for (const {
    box: [top, left, bottom, right],
    colour,
  } of picture.frames(theme)) {
    items.push({
      kind: "frame",
      x: x + left * size,
      y: y + top * size,
      width: (right - left) * size,
      height: (bottom - top) * size,
      colour: css(colour),
      line: 2,
    });
  }
  return size * rows + 24;
}
