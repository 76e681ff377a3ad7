// What leaves a grid of maps: PNG, SVG and CSV of what is shown. Rows and columns count from 1 in what a person reads.

import { css, packed, TOP } from "./colours.js";
import { originLines, save, saveSheetPng, saveSheetSvg, toCsv } from "./export.js";
import { short } from "./numbers.js";
import { strangeCells } from "./sheet.js";

const MARGIN = 24;
const WIDTH = 1040;

export function saveSvg(grid) {
  saveSheetSvg(gridSheet(grid), fileName(grid));
}

export function savePng(grid) {
  return saveSheetPng(gridSheet(grid), fileName(grid));
}

export function saveCsv(grid) {
  const { header, cells, arrays, count } = grid;
  const rows = Array.from({ length: cells.tokens }, (_, token) => {
    const [row, column] = cells.place(token);
    const place = header.names ? [header.names.rows[row], header.names.columns[column]] : [row + 1, column + 1];
    return [...place, ...Array.from({ length: count }, (_, tile) => arrays.maps[tile * cells.tokens + token])];
  });
  save(`${fileName(grid)}.csv`, toCsv(origin(grid), ["row", "column", ...header.labels], rows), "text/csv");
}

function origin(grid) {
  const { header, shown, scale, tileScales } = grid;
  const { kind, low, high } = tileScales[grid.chosen ?? 0];
  return {
    ...header.origin,
    shows: header.title,
    scale: kind === "share" ? "log2 of the multiple of an even share, -4 to 4" : `${scale === "map" ? "each map its own" : `${low} to ${high}`} (${kind})`,
    ...(shown < 0 ? {} : { cell: grid.where() }),
    ...(grid.chosen === null ? {} : { chosen: header.labels[grid.chosen] }),
    counted: "rows and columns from 1, from the top left",
    page: location.href,
  };
}

function fileName({ header }) {
  return ["attnviz", header.origin.model, header.origin.address, header.origin.image, header.title]
    .filter((part) => part !== undefined).join("-").replace(/[^\w.-]+/g, "_").slice(0, 120);
}

function gridSheet(grid) {
  const { header, theme, cells, count, palette, indices, tileScales, edges, shown, wall } = grid;
  const ink = css(packed(theme.text));
  const items = [];
  const write = (x, y, text, size = 12, more = {}) => items.push({ kind: "text", x, y, text, size, colour: ink, ...more });
  const perRow = Math.min(wall.perRow, 24);
  const { table, names } = header;
  const [aside, above, below] = table || names ? [44, 16, table ? 8 : 24] : [0, 0, 24];
  const wide = Math.min(names ? 480 : 160, (WIDTH - 2 * MARGIN - aside - 8 * (perRow - 1)) / perRow);
  const high = Math.max(12, (wide * cells.rows) / cells.columns);
  const outlines = (tile) => [
    ...(header.outlined ? [{ cell: header.outlined[tile], colour: packed(theme.orange) }] : []),
    ...(shown < 0 ? [] : [{ cell: shown, colour: packed(theme.text) }]),
  ];
  write(MARGIN, 32, header.title, 17, { weight: 600 });
  items.push({ kind: "bar", x: MARGIN, y: 44, width: 280, height: 10, colours: Array.from({ length: 64 }, (_, i) => palette[Math.round((i * TOP) / 63)]) });
  const scale = tileScales[grid.chosen ?? 0];
  const ends = scale.kind === "share" ? ["\u2264 1/16", `an even share, 1/${header.tokens}`, "\u2265 16 \u00d7"]
    : grid.scale === "map" ? ["lowest", "a scale for each map", "highest"] : [scale.low, (scale.low + scale.high) / 2, scale.high].map((end) => short(end, 3));
  ends.forEach((end, i) => write(MARGIN + 140 * i, 70, end, 12, { anchor: ["start", "middle", "end"][i] }));
  for (let tile = 0; tile < count; tile++) {
    const [row, place] = [Math.floor(tile / perRow), tile % perRow];
    const x = MARGIN + aside + place * (wide + 8);
    const y = 88 + above + row * (high + below);
    const start = tile * cells.tokens;
    items.push({
      kind: "map", x, y, width: wide, height: high, columns: cells.columns, rows: cells.rows, edge: edges[tile], outlines: outlines(tile),
      strange: strangeCells(indices.subarray(start, start + cells.tokens)),
      colours: Array.from({ length: cells.tokens }, (_, token) => palette[indices[start + token]]),
    });
    items.push({ kind: "frame", x, y, width: wide, height: high, colour: css(packed(theme.line)) });
    if (!table) write(x, y + high + 14, header.labels[tile], 12, { weight: tile === grid.chosen ? 700 : 400 });
    if (table && !row) write(x + wide / 2, y - 5, table.heads[place], 12, { anchor: "middle" });
    if (table && !place) write(x - 6, y + high / 2 + 4, table.rows[row], 12, { anchor: "end" });
    names?.columns.forEach((name, i) => write(x + ((i + 0.5) * wide) / cells.columns, y - 5, name, 12, { anchor: "middle" }));
    names?.rows.forEach((name, i) => write(x - 6, y + ((i + 0.5) * high) / cells.rows + 4, name, 12, { anchor: "end" }));
  }
  const bottom = 88 + above + Math.ceil(count / perRow) * (high + below);
  const lines = originLines(header.origin, 150);
  lines.forEach((line, i) => write(MARGIN, bottom + 14 + 16 * i, line));
  return { width: WIDTH, height: Math.round(bottom + 16 * lines.length + MARGIN), background: css(packed(theme.background)), ink, items, origin: origin(grid) };
}
