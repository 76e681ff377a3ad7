// Saving the pixel viewer as PNG, SVG and CSV. Rows, columns and heads count from 1 in text for people.

import { pictureCanvas } from "../maps/paint.js";
import { packed, TOP } from "../core/colours.js";
import { short } from "../core/numbers.js";
import { strangeCells } from "../export/sheet.js";
import { headName, placeName } from "./words.js";
import { endsOf, fileNameOf, filesOf, originLines, Sheet, toCsv } from "../export/export.js";

const MARGIN = 24;

/** The files to save, for `Savers`. */
export function files(viewer) {
  return filesOf(viewer, viewerSheet, fileName, csv);
}

function csv(viewer) {
  const {
    cells,
    attention: { heads, tokens },
    arrays,
    tiles: { maps },
  } = viewer;
  const head = ["row", "column", "intensity", ...viewer.columns];
  const shown = heads > 1 ? viewer.columns.length : 1;
  const rows = Array.from({ length: tokens }, (_, token) => {
    const [row, column] = cells.place(token);
    const place = row < 0 ? ["nowhere", column + 1, ""] : [row + 1, column + 1, arrays.picture[token - cells.prefix]];
    return [...place, ...Array.from({ length: shown }, (_, map) => maps[map * tokens + token])];
  });
  return toCsv(origin(viewer), head.slice(0, 3 + shown), rows);
}

/** The origin of a view: Python's description of the model and the picture, and the visitor's choices. */
export function origin(viewer) {
  const { header, reading, view, cells, scale } = viewer;
  return {
    ...header.origin,
    shows: {
      weights: "attention weights",
      scores: "scores before softmax",
      carried: reading.ends ? "change of the output by each key" : "weight times what the key carries",
    }[view.show],
    direction: {
      from: "what the query takes from each key",
      to: "what the key gives to each query",
      received: "mean over all queries",
    }[view.direction],
    ...(reading.query === null ? {} : { query: placeName(cells, reading.query) }),
    key: placeName(cells, reading.key),
    ...(view.layer === undefined ? {} : { layer: view.layer + 1 }),
    head: headName(view.head),
    scale:
      scale.kind === "share"
        ? "log2 of the multiple of an even share, -4 to 4"
        : `${scale.low} to ${scale.high} (${view.scale === "map" ? "this map" : "all maps"})`,
    counted: "rows, columns and heads from 1, from the top left",
    page: viewer.url.link({ ...view, map: "attention" }), // which is saved even next to a Jacobian
  };
}

function fileName({ header, view }) {
  const which = `${layerOf(view).replace(" ", "-").replace(" ", "-")}head-${headName(view.head)}`;
  return fileNameOf(header.origin.model, header.origin.image, view.show, view.direction, which);
}

/** The layer, if a view has several. */
function layerOf({ layer }) {
  return layer === undefined ? "" : `layer ${layer + 1} `;
}

function viewerSheet(viewer) {
  const { header, attention, cells, view, reading, scale, palette, palettes, boxes, arrays, shapes, wall } = viewer;
  const { heads, tokens, inside } = attention;
  const width = 1040;
  const side = 320;
  const sheet = new Sheet(viewer.theme, origin(viewer));
  const { shows, direction, scale: colours } = sheet.origin;
  const outlines = [
    ...(view.direction === "received" ? [] : [outlineOf(viewer, viewer.otherName, viewer.shownOther)]),
    outlineOf(viewer, viewer.heldName, viewer.held),
  ];
  /** @returns {number} its height */
  const map = (x, y, wide, start, indices, colours, edge, marks = outlines) => {
    const height = (wide * cells.height) / cells.columns;
    sheet.framed({
      ...{ kind: "map", x, y, width: wide, height, columns: cells.columns, rows: cells.height, edge, outlines: marks },
      strange: strangeCells(Array.from(cells.token, (token) => (token < 0 ? 0 : indices[start + token]))),
      colours: Array.from(cells.token, (token) => colours[token < 0 ? TOP + 3 : indices[start + token]]),
    });
    return height;
  };
  const query = reading.query === null ? "" : `query ${placeName(cells, reading.query)} \u00b7 `;
  const title = `${query}key ${placeName(cells, reading.key)} \u00b7 ${layerOf(view)}head ${headName(view.head)}`;
  sheet.write(MARGIN, 32, title, 17, { weight: 600 });
  sheet.write(MARGIN, 50, `${answerWords(viewer)}colours: ${colours}`, 13);
  const weight = `weight ${short(reading.weight)}, ${short(reading.share, 3)} \u00d7 an even share`;
  sheet.write(MARGIN, 68, `${shows}, ${direction}: ${weight}, score ${short(reading.score)}`, 13);
  const top = 88;
  const pixels = boxes?.pixels ?? cells;
  const { background } = arrays;
  const high = boxes
    ? (side * pixels.rows) / pixels.columns
    : map(MARGIN, top, side, 0, viewer.painter.picture, palettes.ink, [], background ? [] : outlines);
  if (background) {
    const place = { x: MARGIN, y: top, width: side };
    const canvas = pictureCanvas(background, shapes.background, viewer.inks);
    sheet.items.push({ kind: "picture", ...place, height: (side * pixels.rows) / pixels.columns, canvas });
    // Also on top of the picture; there a token may have its own box.
    const marks = outlines.map((one) => ({ ...one, box: boxes?.of(one.token) }));
    const grid = { columns: pixels.columns, rows: pixels.height, outlines: marks };
    sheet.items.push({ kind: "marks", ...place, height: high, ...grid });
  }
  map(MARGIN + side + 24, top, side, viewer.chosen * tokens, viewer.buffers.indices, palette, viewer.edge);
  sheet.scale(palette, MARGIN + 2 * (side + 24), top, endsOf(scale, `an even share, 1/${inside}`));
  let y = top + high + 24;
  if (heads > 1) {
    const tile = 72;
    const perRow = wall.table?.columns ?? 12;
    const row = (tile * cells.height) / cells.columns + 26;
    wall.tiles.forEach(({ name }, number) => {
      const x = MARGIN + (number % perRow) * (tile + 11);
      const above = y + Math.floor(number / perRow) * row;
      const below = above + map(x, above, tile, number * tokens, viewer.tiles.indices, palette, viewer.edge);
      const caption = viewer.captions?.[number] ?? name;
      sheet.write(x, below + 14, caption, 12, { weight: number === viewer.chosenTile ? 700 : 400 });
    });
    y += Math.ceil(wall.tiles.length / perRow) * row;
  }
  return sheet.sized(width, sheet.lines(originLines(header.origin, 150), y + 14) + MARGIN + 2);
}

function answerWords({ header, frame, arrays }) {
  return header.classes.length ? `${header.origin.model ?? "model"} answers ${frame.answer.words(arrays)}; ` : "";
}

function outlineOf({ cells, theme }, name, token) {
  return { token, cell: cells.cell[token], colour: packed(name === "query" ? theme.orange : theme.blue) };
}
