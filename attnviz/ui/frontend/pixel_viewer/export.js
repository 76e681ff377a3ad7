// What leaves the pixel viewer: PNG, SVG and CSV of what is shown.
// Rows, columns and heads count from 1 in what a person reads.

import { pictureCanvas } from "../maps/paint.js";
import { css, packed, TOP } from "../core/colours.js";
import { short } from "../core/numbers.js";
import { strangeCells } from "../export/sheet.js";
import { headName, placeName } from "./words.js";
import { fileNameOf, originLines, filesOf, toCsv } from "../export/export.js";

const MARGIN = 24;

/** What can be saved, for `Savers`. */
export function files(viewer) {
  return filesOf(
    () => viewerSheet(viewer),
    () => fileName(viewer),
    () => csv(viewer),
  );
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

/** Where a view comes from: what Python says of the model and the picture, and what is shown of them. */
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
    page: viewer.url.link({ ...view, map: "attention" }), // which is what is saved, also beside a Jacobian
  };
}

function fileName({ header, view }) {
  const which = `${layerOf(view).replace(" ", "-").replace(" ", "-")}head-${headName(view.head)}`;
  return fileNameOf(header.origin.model, header.origin.image, view.show, view.direction, which);
}

/** The layer, where a view has several. */
function layerOf({ layer }) {
  return layer === undefined ? "" : `layer ${layer + 1} `;
}

function viewerSheet(viewer) {
  const {
    header,
    theme,
    attention: { heads, tokens, inside },
    cells,
    view,
    reading,
    scale,
    palette,
    palettes,
  } = viewer;
  const ink = css(packed(theme.text));
  const width = 1040;
  const side = 320;
  const items = [];
  const write = (x, y, text, size = 13, more = {}) =>
    items.push({ kind: "text", x, y, text, size, colour: ink, ...more });
  const outlines = [];
  if (view.direction !== "received") outlines.push(outlineOf(viewer, viewer.otherName, viewer.shownOther));
  outlines.push(outlineOf(viewer, viewer.heldName, viewer.held));
  const map = (x, y, wide, start, indices, colours, edge) => {
    const high = (wide * cells.height) / cells.columns;
    items.push({
      kind: "map",
      x,
      y,
      width: wide,
      height: high,
      columns: cells.columns,
      rows: cells.height,
      edge,
      outlines,
      strange: strangeCells(Array.from(cells.token, (token) => (token < 0 ? 0 : indices[start + token]))),
      colours: Array.from(cells.token, (token) => colours[token < 0 ? TOP + 3 : indices[start + token]]),
    });
    items.push({ kind: "frame", x, y, width: wide, height: high, colour: css(packed(theme.line)) });
    return high;
  };
  const chosen = view.head === "mean" ? heads : view.head;

  write(
    MARGIN,
    32,
    `${reading.direction === "received" ? "" : `query ${placeName(cells, reading.query)} \u00b7 `}key ` +
      `${placeName(cells, reading.key)} \u00b7 ${layerOf(view)}head ${headName(view.head)}`,
    17,
    { weight: 600 },
  );
  write(MARGIN, 50, `${answerWords(viewer)}colours: ${origin(viewer).scale}`);
  write(
    MARGIN,
    68,
    `${origin(viewer).shows}, ${origin(viewer).direction}: weight ${short(reading.weight)}, ` +
      `${short(reading.share, 3)} \u00d7 an even share, score ${short(reading.score)}`,
  );
  const top = 88;
  const shown = viewer.arrays.background ? outlines.splice(0) : [];
  const pixels = viewer.boxes?.pixels ?? cells;
  const high = viewer.boxes
    ? (side * pixels.rows) / pixels.columns
    : map(MARGIN, top, side, 0, viewer.painter.picture, palettes.ink, []);
  if (viewer.arrays.background) {
    outlines.push(...shown);
    const place = { x: MARGIN, y: top, width: side, height: high };
    items.push({
      kind: "picture",
      x: MARGIN,
      y: top,
      width: side,
      height: (side * pixels.rows) / pixels.columns,
      canvas: pictureCanvas(viewer.arrays.background, viewer.shapes.background, viewer.inks),
    });
    // On top of the picture, too; there a token may have a box of its own.
    items.push({
      kind: "marks",
      ...place,
      columns: pixels.columns,
      rows: pixels.height,
      outlines: outlines.map((one) => ({ ...one, box: viewer.boxes?.of(one.token) })),
    });
  }
  map(MARGIN + side + 24, top, side, chosen * tokens, viewer.buffers.indices, palette, viewer.edge);
  const left = MARGIN + 2 * (side + 24);
  items.push({
    kind: "bar",
    x: left,
    y: top,
    width: 280,
    height: 10,
    colours: Array.from({ length: 64 }, (_, i) => palette[Math.round((i * TOP) / 63)]),
  });
  const ends =
    scale.kind === "share"
      ? ["\u2264 1/16", `an even share, 1/${inside}`, "\u2265 16 \u00d7"]
      : [scale.low, (scale.low + scale.high) / 2, scale.high].map((end) => short(end, 3));
  ends.forEach((end, i) => write(left + 140 * i, top + 26, end, 12, { anchor: ["start", "middle", "end"][i] }));
  let y = top + high + 24;
  if (heads > 1) {
    const tile = 72;
    const perRow = viewer.wall.table?.columns ?? 12;
    viewer.wall.tiles.forEach(({ name }, number) => {
      const x = MARGIN + (number % perRow) * (tile + 11);
      const row = y + Math.floor(number / perRow) * ((tile * cells.height) / cells.columns + 26);
      const bottom = row + map(x, row, tile, number * tokens, viewer.tiles.indices, palette, viewer.edge);
      const caption = viewer.captions?.[number] ?? name;
      write(x, bottom + 14, caption, 12, { weight: number === viewer.chosenTile ? 700 : 400 });
    });
    y += Math.ceil(viewer.wall.tiles.length / perRow) * ((tile * cells.height) / cells.columns + 26);
  }
  const lines = originLines(header.origin, 150);
  lines.forEach((line, i) => write(MARGIN, y + 14 + 16 * i, line, 12));
  return {
    width,
    height: Math.round(y + 16 * lines.length + MARGIN),
    background: css(packed(theme.background)),
    ink,
    items,
    origin: origin(viewer),
  };
}

function answerWords({ header, frame, arrays }) {
  return header.classes.length ? `${header.origin.model ?? "model"} answers ${frame.answer.words(arrays)}; ` : "";
}

function outlineOf({ cells, theme }, name, token) {
  return { token, cell: cells.cell[token], colour: packed(name === "query" ? theme.orange : theme.blue) };
}
