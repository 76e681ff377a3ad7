// The texts of the pixel viewer: captions, the pair, the answer, and a sentence about the view for screen readers.

import { MEAN } from "../maps/attention.js";
import { extent, half } from "../maps/extremes.js";
import { TOP } from "../core/colours.js";
import { say } from "../core/dom.js";
import { NOTHING, several } from "./pair_words.js";
import { best, column, full, oneLine, plain, short, times } from "../core/numbers.js";

const NOTES = {
  share: "one scale for all maps, set by the largest value",
  all: "one scale for all maps, set by the largest value",
  map: "this map\u2019s own scale: do not compare maps",
};

/** The numbers of the selection, in words. @param {import("./pixel_viewer.js").Viewer} viewer */
export function tellingOf(viewer) {
  const { view, cells, reading, chosen, buffers, worked } = viewer;
  const { tokens } = viewer.attention;
  const locked = ["query", "key"].filter((name) => view[name]);
  const auto = viewer.other < 0 && view.direction !== "received";
  return {
    ...reading,
    ...half(buffers.maps, chosen * tokens, tokens),
    unit: cells.prefix ? "tokens" : several(viewer.header.unit),
    locked,
    jacobian: viewer.showsJacobian,
    how: locked.length ? `${locked.join(" and ")} locked` : auto ? `the strongest ${viewer.otherName}` : "",
    queryWords: reading.query === null ? "" : queryWords(viewer, reading.query),
    keyWords: placeWords(viewer, reading.key),
    worked: worked.work(reading),
    vector: reading.head === MEAN ? [] : worked.valueOf(reading.head, reading.key),
    place: (token) => placeInShort(viewer, token),
    ...answerWords(viewer),
  };
}

/**
 * Write all texts next to the maps.
 * @param {import("./pixel_viewer.js").Viewer} viewer
 * @param {ReturnType<typeof tellingOf>} telling
 */
export function sayAll(viewer, telling) {
  const { view, frame, scale, reading } = viewer;
  frame.pair.say(telling);
  sayTitles(viewer, telling.locked);
  frame.sayControls(view);
  const weight = scale.kind === "share" ? reading.share : reading.weight;
  frame.legend.point({ weights: weight, scores: reading.score, carried: reading.carried }[view.show], scale);
  viewer.qkvMaps.say(reading);
}

/** The query in words; a lock on an empty pixel is mentioned because it is easily made by mistake. */
function queryWords(viewer, token) {
  const { view, cells, header, arrays } = viewer;
  const nothing = view.query && header.ink && token >= cells.prefix && arrays.picture[token - cells.prefix] === 0;
  return nothing
    ? placeWords(viewer, token).replace(/\u00b7.*/, "\u00b7 background: nothing is drawn here")
    : placeWords(viewer, token);
}

/** The answer, as a number to which pairs contribute. */
function answerWords({ header: { classes, logit }, arrays }) {
  const answer = classes[best(arrays.probabilities)] ?? "";
  return {
    logit,
    answer,
    logitWords: classes.length === 2 ? `log-odds of ${answer}` : `logit of ${answer}, less the mean`,
  };
}

function sayTitles(viewer, locked) {
  const {
    view,
    cells,
    scale,
    palette,
    edge,
    frame,
    frame: { words, legend },
    attention: { heads, inside },
  } = viewer;
  const next = locked[0] === "query" ? "key" : "query";
  say(
    words.pictureHow,
    !locked.length ? viewer.lockHint : locked.length === 1 && view.direction !== "received" ? `choose a ${next}` : "",
  );
  frame.release.hidden = !locked.length;
  const other = viewer.showsJacobian;
  say(words.headTitle, other ? "Jacobian" : heads === 1 ? "The attention" : "");
  frame.headTerm.hidden = other || heads === 1;
  say(words.headHow, other ? "" : how(viewer));
  viewer.wall?.mark(viewer.chosenTile);
  const share = scale.kind === "share";
  const whose = share
    ? "one scale for all maps: violet is more than an even share, grey is less"
    : view.scale === "map"
      ? "a scale for each map"
      : "one scale for all maps";
  say(words.wallTitle, heads > 1 ? viewer.wallTitle : "Save or share this view");
  say(words.wallHow, heads === 1 ? "" : whose + (edge.length ? " \u00b7 the line is the outline of the ink" : ""));
  const below =
    cells.prefix === 0
      ? ""
      : cells.prefix === 1 && (viewer.header.names?.[0] ?? "class token") === "class token"
        ? " \u00b7 below: the class token"
        : " \u00b7 below: tokens without a position";
  legend.colour(palette);
  legend.say(
    scale,
    (share ? `\u00d7 an even share, 1/${inside} = ${short(1 / inside, 3)}` : NOTES[view.scale]) + below,
  );
}

/**
 * Texts that can wait until the pointer rests: values below the tiles, marks in the legend, texts for screen readers.
 */
export function sayAtRest(viewer, telling) {
  const {
    view,
    cells,
    chosen,
    buffers: { indices },
    tiles: { maps },
    wall,
    frame,
    attention: { tokens, inside },
  } = viewer;
  const pointed = viewer.other >= 0;
  for (let tile = 0; wall && tile < wall.tiles.length; tile++) {
    const value = pointed ? maps[tile * tokens + viewer.other] : extent(maps, tile * tokens, tokens).high;
    const text = view.show === "weights" ? `${times(value * inside)}\u00d7` : column(value);
    wall.say(tile, pointed ? text : `max ${text}`);
  }
  const shown = indices.subarray(chosen * tokens, (chosen + 1) * tokens);
  frame.legend.explain([1, 2, 3].map((mark) => shown.includes(TOP + mark)));
  const summary = summarise(viewer, telling);
  const grid = { rows: cells.height, columns: cells.columns };
  const map = `The map of ${headWords(view.head)}. ${summary}`;
  const picture = `The picture, ${cells.rows} rows, ${cells.columns} columns. ${summary}`;
  for (const [board, words] of /** @type {const} */ ([
    [frame.picture, picture],
    [frame.large, map],
  ])) {
    // prettier-ignore
    const token = viewer.cursor(board === frame.picture);
    board.say(words, grid, cells.cell[token], placeWords(viewer, token) + boxWords(viewer, token));
  }
  frame.pair.sayAtRest();
  viewer.announceDone(() => summary);
}

/** The numbers of the pair, in full precision, as lines of "name<tab>value". */
export function copyText(viewer) {
  const { cells } = viewer;
  const reading = tellingOf(viewer);
  const lines = [
    ["direction", reading.direction],
    ["head", headName(reading.head)],
  ];
  for (const name of ["query", "key"]) if (reading[name] !== null) lines.push([name, placeName(cells, reading[name])]);
  for (const name of ["score", "weight", "share", "carried"]) lines.push([name, full(reading[name])]);
  const {
    vector,
    worked: { added, ofQuery, part },
  } = reading;
  vector.forEach((number, i) => lines.push([`value ${i + 1}`, full(number)]));
  if (added === null) lines.push(["share of the output", full(part)]);
  else lines.push([`added to the ${reading.logitWords}`, full(added)], ["added by all keys", full(ofQuery)]);
  reading.terms.forEach(({ query, key, product }, i) =>
    lines.push([`term ${i + 1}`, [query, key, product].map(full).join("\t")]),
  );
  for (const [name, value] of Object.entries(viewer.header.origin)) lines.push([name, oneLine(value)]);
  return lines.map((line) => line.join("\t")).join("\n");
}

/** The name of a head in saved files. */
export function headName(head) {
  return head === "mean" ? "mean" : String(head + 1);
}

/** The name of a token in saved files. */
export function placeName(cells, token) {
  const [row, column] = cells.place(token);
  return row < 0 ? `nowhere, ${column + 1}` : `row ${row + 1}, column ${column + 1}`;
}

/** A token in a column: "5, 8"; one without a position by its number. */
function placeInShort({ cells, header }, token) {
  const [row, place] = cells.place(token);
  return row < 0 ? (header.names?.[place].split(" ")[0] ?? `token ${place + 1}`) : `${row + 1}, ${place + 1}`;
}

/** A token in words: "row 5, column 8 · ink 0.08". */
export function placeWords({ cells, header, arrays }, token) {
  const [row, place] = cells.place(token);
  if (row < 0 && header.names) return header.names[place];
  if (row < 0) return cells.prefix === 1 ? "class token" : `token ${place + 1}, which has no position`;
  const intensity = short(arrays.picture[token - cells.prefix], 2);
  const mean = header.boxes ? "mean " : "";
  return `row ${row + 1}, column ${place + 1} \u00b7 ${mean}${header.ink ? "ink" : "intensity"} ${intensity}`;
}

function how({ view }) {
  return { from: "what it takes from", to: "what it gives to", received: "attention received" }[view.direction];
}

/** The position of a token's box on the picture, if it is not a single pixel; pixels count from 1. */
function boxWords({ boxes }, token) {
  const box = boxes?.of(token);
  return box ? `, which sees the pixels of rows ${box[0] + 1} to ${box[2]} and columns ${box[1] + 1} to ${box[3]}` : "";
}

function headWords(head) {
  return head === MEAN ? "the mean of the heads" : `head ${head + 1}`;
}

function summarise(viewer, reading) {
  const { view } = viewer;
  const shown = viewer.showsJacobian ? "The large map is the Jacobian of the shown answer, for no query or head. " : "";
  const role = (name, words) => `${name} ${words}${view[name] ? ", locked" : ""}`;
  const query = view.direction === "received" ? "mean over all queries" : role("query", reading.queryWords);
  return (
    shown +
    `In ${headWords(view.head)}, ${how(viewer)}: ${query}; ${role("key", reading.keyWords)}; ` +
    `weight ${plain(reading.weight, NOTHING / reading.tokens)}, ` +
    `${reading.share < NOTHING ? "almost nothing of" : times(reading.share) + " times"} an even share; score ` +
    `${short(reading.score)}.`
  );
}
