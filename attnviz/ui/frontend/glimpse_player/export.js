// What leaves the glimpse player: PNG, SVG and CSV of the path that is shown. Rows, columns and glimpses count from 1.

import { css, packed } from "../core/colours.js";
import { fileNameOf, originLines, filesOf, toCsv } from "../export/export.js";
import { beliefOf, boxesOf, pixelOf, rewardOf } from "./derive.js";
import { patchPieces, scenePieces } from "./pieces.js";
import { answerWords, manyAnswers, manyWords, movedWords } from "./words.js";

/** @typedef {import("./glimpse_player.js").GlimpsePlayer} GlimpsePlayer */

const MARGIN = 24;
const WIDTH = 900;
const PICTURE = 420;
const PATCH = 96;
const TOP = 68; // of the picture

/** What can be saved, for `Savers`. @param {GlimpsePlayer} player */
export function files(player) {
  return filesOf(
    () => sheet(player),
    () => fileName(player),
    () => csv(player),
  );
}

/**
 * A line for each glimpse: where, why, what is believed; where many paths are shown, the sharp patch of each of them.
 * @param {GlimpsePlayer} player
 */
function csv(player) {
  const { path, facts, header, view, many } = player;
  const corners = many ? cornersOf(many, facts) : [];
  const head = [
    "glimpse",
    "row",
    "column",
    "location row",
    "location column",
    "mean row",
    "mean column",
    "moved",
    ...Array.from({ length: facts.scales }, (_, scale) => [`top ${scale + 1}`, `left ${scale + 1}`]).flat(),
    ...header.classes.map(/** @param {string} name */ (name) => `belief ${name}`),
    "expected reward",
    "reward",
    ...corners.map((_, which) => [`top of path ${which + 1}`, `left of path ${which + 1}`]).flat(),
  ];
  const reward = rewardOf(path, header.classes.indexOf(header.label), facts) ?? "unknown";
  const rows = Array.from({ length: facts.glimpses }, (_, glimpse) => [
    glimpse + 1,
    ...pixelOf(path, glimpse, facts).map((place) => place + 1),
    ...path.location.subarray(2 * glimpse, 2 * glimpse + 2),
    ...path.mean.subarray(2 * glimpse, 2 * glimpse + 2),
    view.moved.some(([which]) => which === glimpse) ? "yes" : "no",
    ...boxesOf(path, glimpse, facts).flatMap(({ top, left }) => [top + 1, left + 1]),
    ...beliefOf(path, glimpse, facts),
    path.baseline[glimpse],
    reward,
    ...corners.flatMap((of) => of[glimpse].map((place) => place + 1)),
  ]);
  return toCsv(origin(player), head, rows);
}

/**
 * The top left pixels of the sharp patches of many paths: [row, column] by path and glimpse.
 * @param {import("./derive.js").Many} many
 * @param {import("./derive.js").Facts} facts
 */
export function cornersOf({ corner }, { glimpses }) {
  return Array.from({ length: corner.length / (2 * glimpses) }, (_, path) =>
    Array.from({ length: glimpses }, (_, glimpse) => {
      const at = 2 * (path * glimpses + glimpse);
      return [corner[at], corner[at + 1]];
    }),
  );
}

/** Where a file comes from. @param {GlimpsePlayer} player */
export function origin(player) {
  const { header, view, paths, url, many, facts } = player;
  return {
    ...header.origin,
    shows: "the path of glimpses",
    locations:
      paths.draw === null
        ? "the means of the policy"
        : paths.draw < 0
          ? "as they were traced"
          : `draw ${paths.draw + 1}`,
    ...(view.moved.length ? { moved: movedWords(view.moved) } : {}),
    ...(many ? { "at once": manyAnswers(many, facts, header.classes) } : {}),
    counted: "glimpses, rows and columns from 1, from the top left; locations from -1 to 1",
    page: url.link(),
  };
}

/** @param {GlimpsePlayer} player */
export function fileName({ header }) {
  return fileNameOf(header.origin.model, header.origin.recipe, header.origin.image, "glimpses");
}

/** @param {GlimpsePlayer} player */
function sheet(player) {
  const { path, facts, header, theme, view, many } = player;
  const { glimpses, scales } = facts;
  const ink = css(packed(theme.text));
  /** @type {any[]} */
  const items = [];
  const write = (/** @type {number} */ x, /** @type {number} */ y, /** @type {string} */ text, size = 12, more = {}) =>
    items.push({ kind: "text", x, y, text, size, colour: ink, ...more });
  write(MARGIN, 32, `The path of ${glimpses} glimpses`, 17, { weight: 600 });
  if (view.moved.length) write(MARGIN, 52, `Moved by hand: ${movedWords(view.moved)}. What follows depends on it.`, 13);
  items.push(...scenePieces(player, { x: MARGIN, y: TOP, side: PICTURE, last: glimpses - 1, dense: view.glimpse }));
  const across = (WIDTH - PICTURE - 3 * MARGIN) / scales;
  const step = Math.min(PATCH + 24, (PICTURE + 8) / Math.min(glimpses, 6));
  const side = Math.min(PATCH, across - 8, step - 24);
  for (let glimpse = 0; glimpse < glimpses; glimpse++) {
    const top = TOP + glimpse * step;
    const moved = view.moved.some(([which]) => which === glimpse) ? ", moved" : "";
    write(
      PICTURE + 2 * MARGIN,
      top + 12,
      `${glimpse + 1}${moved}: ${answerWords(path, glimpse, facts, header.classes)}`,
      12,
      {
        weight: 600,
      },
    );
    for (let scale = 0; scale < scales; scale++)
      items.push(
        ...patchPieces(player, glimpse, scale, { x: PICTURE + 2 * MARGIN + scale * (side + 8), y: top + 18, side }),
      );
  }
  const bottom = TOP + Math.max(PICTURE, glimpses * step) + 30;
  const lines = [
    ...(many ? originLines({ "": manyWords(many, view.glimpse, facts, header.classes) }, 130) : []),
    ...originLines(header.origin, 130),
  ];
  lines.forEach((line, i) => write(MARGIN, bottom + 16 * i, line));
  return {
    width: WIDTH,
    height: Math.round(bottom + 16 * lines.length + MARGIN),
    background: css(packed(theme.background)),
    ink,
    items,
    origin: origin(player),
  };
}
