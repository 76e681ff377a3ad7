// Saving the shown path of glimpses as PNG, SVG and CSV. Rows, columns and glimpses count from 1.

import { fileNameOf, filesOf, originLines, Sheet, toCsv } from "../export/export.js";
import { beliefOf, boxesOf, hasMoved, pixelOf, rewardOf } from "./derive.js";
import { patchPieces, scenePieces } from "./pieces.js";
import { answerWords, manyAnswers, manyWords, movedWords } from "./words.js";

/** @typedef {import("./glimpse_player.js").GlimpsePlayer} GlimpsePlayer */

const MARGIN = 24;
const WIDTH = 900;
const PICTURE = 420;
const PATCH = 96;
const TOP = 68; // of the picture

/** The files to save, for `Savers`. @param {GlimpsePlayer} player */
export function files(player) {
  return filesOf(player, sheetOf, fileName, csv);
}

/**
 * One line per glimpse: its position, its policy, the belief; for many paths, the sharp patch of each.
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
    hasMoved(view.moved, glimpse) ? "yes" : "no",
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

/** The origin of a file. @param {GlimpsePlayer} player */
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
function sheetOf(player) {
  const { path, facts, header, theme, view, many } = player;
  const { glimpses, scales } = facts;
  const sheet = new Sheet(theme, origin(player));
  sheet.write(MARGIN, 32, `The path of ${glimpses} glimpses`, 17, { weight: 600 });
  const moved = `Moved by hand: ${movedWords(view.moved)}. What follows depends on it.`;
  if (view.moved.length) sheet.write(MARGIN, 52, moved, 13);
  const scene = { x: MARGIN, y: TOP, side: PICTURE, last: glimpses - 1, dense: view.glimpse };
  sheet.items.push(...scenePieces(player, scene));
  const across = (WIDTH - PICTURE - 3 * MARGIN) / scales;
  const step = Math.min(PATCH + 24, (PICTURE + 8) / Math.min(glimpses, 6));
  const side = Math.min(PATCH, across - 8, step - 24);
  const left = PICTURE + 2 * MARGIN;
  for (let glimpse = 0; glimpse < glimpses; glimpse++) {
    const top = TOP + glimpse * step;
    const which = `${glimpse + 1}${hasMoved(view.moved, glimpse) ? ", moved" : ""}`;
    const answer = answerWords(path, glimpse, facts, header.classes);
    sheet.write(left, top + 12, `${which}: ${answer}`, 12, { weight: 600 });
    for (let scale = 0; scale < scales; scale++)
      sheet.items.push(...patchPieces(player, glimpse, scale, { x: left + scale * (side + 8), y: top + 18, side }));
  }
  const bottom = TOP + Math.max(PICTURE, glimpses * step) + 30;
  const lines = [
    ...(many ? originLines({ "": manyWords(many, view.glimpse, facts, header.classes) }, 130) : []),
    ...originLines(header.origin, 130),
  ];
  return sheet.sized(WIDTH, sheet.lines(lines, bottom) + MARGIN + 16);
}
