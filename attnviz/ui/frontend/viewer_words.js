// What the pixel viewer says: captions, the pair, the answer, and the whole view in a sentence for those who cannot see it.

import { extent, half, MEAN } from "./attention.js";
import { TOP } from "./colours.js";
import { element, say, set } from "./dom.js";
import { column, percent, short, times } from "./numbers.js";

const HOW = { from: "where it takes from", to: "where it gives to", received: "what each receives" };
const LOOK = matchMedia("(hover: none)").matches ? "tap to look, tap again to lock" : "move over it, click to lock";
const NOTES = {
  share: "one scale for all maps, by the largest of them",
  all: "one scale for all maps, by the largest of them",
  map: "this map\u2019s own scale: not to be compared",
};

/** Say everything that stands in words beside the maps. @param {import("./pixel_viewer.js").Viewer} viewer */
export function sayAll(viewer) {
  const { view, cells, reading, chosen, frame, scale, attention: { tokens } } = viewer;
  const locked = ["query", "key"].filter((name) => view[name]);
  const auto = viewer.other < 0 && view.direction !== "received";
  Object.assign(reading, half(viewer.maps, chosen * tokens, tokens), {
    unit: cells.prefix ? "tokens" : "pixels",
    locked: locked.length > 0,
    how: locked.length ? `${locked.join(" and ")} locked` : auto ? `the strongest ${viewer.otherName}` : "",
    queryWords: reading.query === null ? "" : placeWords(viewer, reading.query),
    keyWords: placeWords(viewer, reading.key),
  });
  frame.pair.say(reading);
  sayTitles(viewer, locked);
  sayControls(viewer);
  const weight = scale.kind === "share" ? reading.share : reading.weight;
  frame.legend.point({ weights: weight, scores: reading.score, carried: reading.carried }[view.show], scale);
  viewer.strips.say(reading);
}

function sayTitles(viewer, locked) {
  const { view, cells, chosen, scale, palette, edge, frame: { words, legend }, attention: { heads, tokens } } = viewer;
  const next = locked[0] === "query" ? "key" : "query";
  say(words.pictureHow, !locked.length ? LOOK : locked.length === 1 && view.direction !== "received" ? `now the ${next}; Escape lets go` : "Escape lets go");
  say(words.headTitle, heads === 1 ? "The attention" : "Head");
  say(words.headHow, HOW[view.direction]);
  viewer.wall?.mark(chosen);
  const share = scale.kind === "share";
  const whose = share ? "one scale for all: how many times an even share" : view.scale === "map" ? "a scale for each map" : "one scale for all";
  say(words.wallTitle, heads > 1 ? `All ${heads} heads` : "Save or share this view");
  say(words.wallHow, heads === 1 ? "" : whose + (edge.length ? " \u00b7 the line is the edge of the ink" : ""));
  const below = cells.prefix === 0 ? "" : cells.prefix === 1 ? " \u00b7 below: the class token" : " \u00b7 below: tokens that lie nowhere";
  legend.colour(palette);
  legend.say(scale, (share ? `\u00d7 an even share, 1/${tokens} = ${short(1 / tokens, 3)}` : NOTES[view.scale]) + below);
}

function sayControls(viewer) {
  const { view, frame: { segments, headChoice } } = viewer;
  const state = [view.show, view.direction, view.scale, view.head].join();
  if (state === viewer.controlsSaid) return;
  viewer.controlsSaid = state;
  const plain = view.show === "weights";
  segments.show.show(view.show);
  segments.direction.show(view.direction);
  segments.scale.show(!plain && view.scale === "share" ? "all" : view.scale, plain ? [] : ["share"]);
  headChoice.value = String(view.head);
}

/** What may wait until the pointer rests: values under the tiles, marks in the legend, texts for a screen reader. */
export function sayAtRest(viewer) {
  const { view, cells, chosen, maps, indices, wall, frame, attention: { heads, tokens } } = viewer;
  const pointed = viewer.other >= 0;
  for (let head = 0; wall && head <= heads; head++) {
    const value = pointed ? maps[head * tokens + viewer.other] : extent(maps, head * tokens, tokens).high;
    const said = view.show === "weights" ? `${times(value * tokens)}\u00d7` : column(value);
    wall.say(head, pointed ? said : `max ${said}`);
  }
  const map = indices.subarray(chosen * tokens, (chosen + 1) * tokens);
  frame.legend.explain([1, 2, 3].map((mark) => map.includes(TOP + mark)));
  const summary = summarise(viewer);
  set(frame.large.element, "aria-label", `The map of ${headWords(view.head)}. ${summary}`);
  set(frame.picture.element, "aria-label", `The picture, ${cells.rows} rows, ${cells.columns} columns. ${summary}`);
  for (const board of [frame.picture, frame.large]) {
    const token = viewer.cursor(board === frame.picture);
    const cell = cells.cell[token];
    set(board.element, "aria-rowcount", String(cells.height));
    set(board.element, "aria-colcount", String(cells.columns));
    set(board.row, "aria-rowindex", String(Math.floor(cell / cells.columns) + 1));
    set(board.cell, "aria-colindex", String((cell % cells.columns) + 1));
    set(board.cell, "aria-label", placeWords(viewer, token));
  }
  if (viewer.toAnnounce) viewer.announce(summary);
  viewer.toAnnounce = false;
}

/** The model's answer, as bars. */
export function sayAnswer({ header, arrays: { probabilities }, frame: { answer } }) {
  const best = probabilities.reduce((most, value, i) => (value > probabilities[most] ? i : most), 0);
  answer.replaceChildren(...header.classes.map((name, i) => {
    const missed = name === header.label && i !== best;
    return element(`div.class${i === best ? ".first" : missed ? ".truth" : ""}`, {},
      element("small", {}, missed ? "true" : percent(probabilities[i])),
      element("i", { style: `--part:${probabilities[i]}` }),
      element("span", {}, name));
  }));
  const truth = header.label === null ? "" : header.label === header.classes[best] ? ", which is right" : `; the picture shows ${header.label}`;
  set(answer, "aria-label", `The model\u2019s answer: ${header.classes[best]}, ${percent(probabilities[best])}${truth}.`);
}

/** A token in words: "row 5, column 8 · ink 0.08". */
export function placeWords({ cells, header, arrays }, token) {
  const [row, place] = cells.place(token);
  if (row < 0) return cells.prefix === 1 ? "class token" : `token ${place + 1}, which lies nowhere`;
  const intensity = short(arrays.picture[token - cells.prefix], 2);
  return `row ${row + 1}, column ${place + 1} \u00b7 ${header.ink ? "ink" : "intensity"} ${intensity}`;
}

function headWords(head) {
  return head === MEAN ? "the mean of the heads" : `head ${head + 1}`;
}

function summarise({ reading, view }) {
  const role = (name, words) => `${name} ${words}${view[name] ? ", locked" : ""}`;
  const query = view.direction === "received" ? "mean over all queries" : role("query", reading.queryWords);
  return `In ${headWords(view.head)}, ${HOW[view.direction]}: ${query}; ${role("key", reading.keyWords)}; `
    + `weight ${short(reading.weight)}, ${times(reading.share)} times an even share; score ${short(reading.score)}.`;
}
