// Saving the stage grid as PNG, SVG and CSV. Rows, columns, layers and heads count from 1 there.

import { packed, toIndices } from "../core/colours.js";
import { fileNameOf, filesOf, originLines, Sheet, toCsv } from "../export/export.js";
import { short } from "../core/numbers.js";
import { strangeCells } from "../export/sheet.js";
import { isInColour, mapOf, planeOf } from "./derive.js";
import { CHANNELS } from "./view.js";
import { colourWords, STAGE_NAMES } from "./words.js";

const MARGIN = 24;
const WIDTH = 1040;

/** The files to save, for `Savers`. */
export function files(grid) {
  return filesOf(grid, sheetOf, fileName, csv);
}

/** Every stage at every pixel of the shown channel; of all three for a picture shown in colour. */
function csv(grid) {
  const { cells, layers, columns, coloured, view } = grid;
  const planes = isInColour(grid) ? [0, 1, 2] : [planeOf(view)];
  const fields = layers.flatMap((_, layer) => columns.map((tap) => [layer, tap]));
  const rows = planes.flatMap((plane) => {
    const maps = fields.map(([layer, tap]) => mapOf(grid, layer, tap, plane));
    return Array.from({ length: cells.tokens }, (_, token) => {
      const [row, column] = cells.place(token);
      return [...(coloured ? [CHANNELS[plane]] : []), row + 1, column + 1, ...maps.map((values) => values[token])];
    });
  });
  const head = [
    ...(coloured ? ["channel"] : []),
    "row",
    "column",
    ...fields.map(([layer, tap]) => `layer ${layer + 1} ${STAGE_NAMES[tap]}`),
  ];
  return toCsv(origin(grid), head, rows);
}

function origin(grid) {
  const { header, view, at, answer } = grid;
  return {
    ...header.origin,
    answer: answer.text,
    shows: "the stages of each layer",
    head: view.head === "mean" ? "mean" : view.head + 1,
    ...switched(grid),
    pixel: `row ${at[0] + 1}, column ${at[1] + 1}`,
    counted: "rows, columns, layers and heads from 1, from the top left",
    page: grid.url.link(),
  };
}

/** The switches that differ from the trained model. */
function switched({ view: { off, eps, skip, relevance }, header }) {
  return {
    ...(off.length ? { off: off.map(([layer, head]) => `layer ${layer + 1} head ${head + 1}`).join("; ") } : {}),
    ...(eps === null ? {} : { eps }),
    ...(skip ? {} : { skip: "off" }),
    ...(relevance === "learnt"
      ? {}
      : { relevance: relevance === "other" ? `that of picture ${header.other.number}` : relevance }),
  };
}

function fileName({ header }) {
  return fileNameOf(header.origin.model, header.origin.recipe, header.origin.image, "stages");
}

function sheetOf(grid) {
  const { theme, cells, tiles, columns, layers, edge, header, palettes, view, answer } = grid;
  const sheet = new Sheet(theme, origin(grid));
  const wide = Math.min(180, (WIDTH - 2 * MARGIN - 8 * (columns.length - 1)) / columns.length);
  const high = (wide * cells.rows) / cells.columns;
  const outlines = [{ cell: cells.at(grid.at), colour: packed(theme.text) }];
  const title = `The stages of each layer \u00b7 head ${view.head === "mean" ? "mean" : view.head + 1}`;
  sheet.write(MARGIN, 32, title, 17, { weight: 600 });
  sheet.write(WIDTH - MARGIN, 32, `${header.origin.model ?? "model"} answers ${answer.text}`, 12, { anchor: "end" });
  columns.forEach((tap, column) =>
    sheet.write(MARGIN + column * (wide + 8) + wide / 2, 58, STAGE_NAMES[tap], 12, { anchor: "middle" }),
  );
  tiles.forEach(({ drawn: planes, scale, own, extent }, tile) => {
    const [layer, column] = [Math.floor(tile / columns.length), tile % columns.length];
    const [x, y] = [MARGIN + column * (wide + 8), 86 + layer * (high + 44)];
    if (!column) sheet.write(x, y - 6, `Layer ${layer + 1}`, 12, { weight: 600 });
    const map = { kind: "map", x, y, width: wide, height: high, columns: cells.columns, rows: cells.rows, outlines };
    if (planes.length === 1) {
      const indices = new Uint16Array(cells.tokens);
      toIndices(planes[0], 0, cells.tokens, scale, indices);
      const colours = Array.from(indices, (index) => palettes[scale.palette][index]);
      sheet.framed({ ...map, edge, strange: strangeCells(indices), colours });
    } else {
      const factor = own.high > own.low ? 255 / (own.high - own.low) : 0;
      const part = (plane, i) => Math.min(255, Math.max(0, (planes[plane][i] - own.low) * factor));
      const colours = Array.from({ length: cells.tokens }, (_, i) => packed([0, 1, 2].map((plane) => part(plane, i))));
      sheet.framed({ ...map, edge: [], strange: [], colours });
    }
    sheet.write(x, y + high + 14, `${short(extent.low, 3)} to ${short(extent.high, 3)}`, 11);
  });
  const bottom = 86 + layers.length * (high + 44);
  if (isInColour(grid)) sheet.write(MARGIN, bottom + 10, colourWords(view, view.scale === "all" ? tiles[0].own : null));
  else {
    sheet.scale(palettes.signed, MARGIN, bottom);
    scaleWords(grid).forEach((line, i) => sheet.write(MARGIN + 292, bottom + 10 + 16 * i, line));
  }
  const lines = originLines({ ...header.origin, ...switched(grid) }, 150);
  return sheet.sized(WIDTH, sheet.lines(lines, bottom + 50) + MARGIN + 16);
}

/** The meaning of those colours, line by line. */
function scaleWords({ view, tiles }) {
  return [
    view.scale === "all"
      ? `one scale for all maps: \u00b1 ${short(tiles[0].scale.high, 3)}`
      : "each map from minus to plus its largest value",
    "violet is above zero, ochre below; of the relevance, violet is more than an even share, grey less",
  ];
}
