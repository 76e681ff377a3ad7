// Saving a grid of maps as PNG, SVG and CSV. Rows and columns count from 1 in text for people.

import { css, packed } from "../core/colours.js";
import { colourAt, pictureCanvas } from "../maps/paint.js";
import { endsOf, fileNameOf, filesOf, originLines, Sheet, toCsv } from "../export/export.js";
import { short } from "../core/numbers.js";
import { strangeCells } from "../export/sheet.js";
import { placeOf } from "./words.js";

const MARGIN = 24;
const WIDTH = 1040; // at least: a table of many columns makes it wider
const GAP = 8;
const LEAST = 24; // CSS pixels of a map, as on the screen

/** The files to save, for `Savers`. */
export function files(grid) {
  return filesOf(grid, gridSheet, fileName, csv);
}

function csv(grid) {
  const { header, cells, arrays, count } = grid;
  // A picture in colour has three numbers per cell.
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
  const { table, names, labels } = header;
  const sheet = new Sheet(theme, origin(grid));
  const perRow = table ? table.columns : Math.min(wall.perRow, 24);
  const [aside, above, below] = table || names ? [44, 16, table ? 8 : 24] : [0, 0, 24];
  const before = grid.picture ? 160 + 24 : 0; // the picture is to the left of the maps
  const room = WIDTH - 2 * MARGIN - before - aside;
  const wide = Math.max(LEAST, Math.min(names ? 480 : 160, (room - GAP * (perRow - 1)) / perRow));
  const width = WIDTH + Math.max(0, perRow * (wide + GAP) - GAP - room);
  const high = Math.max(12, (wide * cells.rows) / cells.columns);
  const top = 88 + above;
  const outlines = (tile) => [
    ...(header.outlined ? [{ cell: header.outlined[tile], colour: packed(theme.orange) }] : []),
    ...(shown < 0 ? [] : [{ cell: shown, colour: packed(theme.text) }]),
  ];

  sheet.write(MARGIN, 32, header.title, 17, { weight: 600 });
  const scale = tileScales[grid.chosen ?? 0];
  const ends = endsOf(scale, `an even share, 1/${header.tokens}`);
  const each = scale.kind !== "share" && grid.scale === "map";
  sheet.scale(palette, MARGIN, 44, each ? ["lowest", "a scale for each map", "highest"] : ends);
  const { model, answer } = header.origin;
  if (model) sheet.write(MARGIN + 304, 54, answer ? `${model} answers ${answer}` : model);
  sheet.write(MARGIN + 304, 70, `colours: ${sheet.origin.scale}`);

  for (let tile = 0; tile < count; tile++) {
    const [row, place] = [Math.floor(tile / perRow), tile % perRow];
    const x = MARGIN + before + aside + place * (wide + GAP);
    const y = top + row * (high + below);
    const start = tile * cells.tokens;
    const colourOf = (token) =>
      grid.arrays.colours
        ? colourAt(grid.arrays.colours, 3 * (start + token), 3, null)
        : palette[indices[start + token]];
    sheet.framed({
      ...{ kind: "map", x, y, width: wide, height: high, columns: cells.columns, rows: cells.rows },
      edge: edges[tile],
      outlines: outlines(tile),
      strange: strangeCells(indices.subarray(start, start + cells.tokens)),
      colours: Array.from({ length: cells.tokens }, (_, token) => colourOf(token)),
    });
    const head = (name, at) => sheet.write(at, y - 5, name, 12, { anchor: "middle" });
    const side = (name, at) => sheet.write(x - 6, at + 4, name, 12, { anchor: "end" });
    if (!table) sheet.write(x, y + high + 14, labels[tile], 12, { weight: tile === grid.chosen ? 700 : 400 });
    if (table && !row) head(table.heads[place], x + wide / 2);
    if (table && !place) side(table.rows[row], y + high / 2);
    names?.columns.forEach((name, i) => head(name, x + ((i + 0.5) * wide) / cells.columns));
    names?.rows.forEach((name, i) => side(name, y + ((i + 0.5) * high) / cells.rows));
  }
  const picture = grid.picture ? drawPicture(grid, sheet.items, MARGIN, top) : 0;
  const bottom = Math.max(top + picture, top + Math.ceil(count / perRow) * (high + below));
  return sheet.sized(Math.ceil(width), sheet.lines(originLines(header.origin, 150), bottom + 14) + MARGIN + 2);
}

/** Put the picture on a sheet, with the framed cells. @returns {number} its height */
function drawPicture({ picture, arrays, shapes, theme }, items, x, y) {
  const [rows, columns] = shapes.background;
  const width = 160;
  const size = width / columns;
  const canvas = pictureCanvas(arrays.background, shapes.background, picture.inks);
  items.push({ kind: "picture", x, y, width, height: size * rows, canvas });
  for (const { box, colour } of picture.frames(theme)) {
    const [top, left, bottom, right] = box.map((edge) => edge * size);
    const place = { x: x + left, y: y + top, width: right - left, height: bottom - top };
    items.push({ kind: "frame", ...place, colour: css(colour), line: 2 });
  }
  return size * rows + 24;
}
