// What leaves the glimpse player: PNG, SVG and CSV of the path that is shown. Rows, columns and glimpses count from 1.

import { css, packed, TOP } from "../shared/colours.js";
import { originLines, save, saveSheetPng, saveSheetSvg, toCsv } from "../shared/export.js";
import { urlOf } from "../shared/url_fields.js";
import { beliefOf, boxesOf, patchOf, pixelOf } from "./path.js";
import { answerWords } from "./words.js";

/** @typedef {import("./glimpse_player.js").GlimpsePlayer} GlimpsePlayer */

const MARGIN = 24;
const WIDTH = 900;
const PICTURE = 420;
const PATCH = 96;

/** @param {GlimpsePlayer} player */
export function saveSvg(player) {
  saveSheetSvg(sheet(player), fileName(player));
}

/** @param {GlimpsePlayer} player */
export function savePng(player) {
  return saveSheetPng(sheet(player), fileName(player));
}

/** A line for each glimpse: where, why, what is believed. @param {GlimpsePlayer} player */
export function saveCsv(player) {
  const { path, facts, header, view } = player;
  const head = [
    "glimpse", "row", "column", "location row", "location column", "mean row", "mean column", "moved",
    ...Array.from({ length: facts.scales }, (_, scale) => [`top ${scale + 1}`, `left ${scale + 1}`]).flat(),
    ...header.classes.map(/** @param {string} name */ (name) => `belief ${name}`), "expected reward",
  ];
  const rows = Array.from({ length: facts.glimpses }, (_, glimpse) => [
    glimpse + 1, ...pixelOf(path, glimpse, facts).map((place) => place + 1),
    ...path.location.subarray(2 * glimpse, 2 * glimpse + 2), ...path.mean.subarray(2 * glimpse, 2 * glimpse + 2),
    view.moved.some(([which]) => which === glimpse) ? "yes" : "no",
    ...boxesOf(path, glimpse, facts).flatMap(({ top, left }) => [top + 1, left + 1]),
    ...beliefOf(path, glimpse, facts), path.baseline[glimpse],
  ]);
  save(`${fileName(player)}.csv`, toCsv(origin(player), head, rows), "text/csv");
}

/** @param {GlimpsePlayer} player */
function origin({ header, view, paths }) {
  return {
    ...header.origin,
    shows: "the path of glimpses",
    locations: paths.draw === null ? "the means of the policy" : `draw ${paths.draw + 1}`,
    ...(view.moved.length ? { moved: view.moved.map((move) => `glimpse ${move[0] + 1} to row ${move[1] + 1}, column ${move[2] + 1}`).join("; ") } : {}),
    counted: "glimpses, rows and columns from 1, from the top left; locations from -1 to 1",
    page: urlOf(location.href, header.fields, view),
  };
}

/** @param {GlimpsePlayer} player */
function fileName({ header }) {
  return ["attnviz", header.origin.model, header.origin.recipe, header.origin.image, "glimpses"]
    .filter((part) => part !== undefined).join("-").replace(/[^\w.-]+/g, "_").slice(0, 120);
}

/** @param {GlimpsePlayer} player */
function sheet(player) {
  const { path, facts, header, arrays, theme, palettes, scene } = player;
  const { rows, columns, glimpses, scales, size } = facts;
  const [ink, orange] = [css(packed(theme.text)), css(packed(theme.orange))];
  /** @type {any[]} */
  const items = [];
  const write = (/** @type {number} */ x, /** @type {number} */ y, /** @type {string} */ text, size = 12, more = {}) => items.push({ kind: "text", x, y, text, size, colour: ink, ...more });
  /** @param {ArrayLike<number>} values from 0 to 1 @param {any} where */
  const picture = (values, where) => items.push({ kind: "map", ...where, edge: [], outlines: [], strange: [], colours: Array.from(values, (value) => palettes.ink[Math.round(value * TOP)]) });
  write(MARGIN, 32, `The path of ${glimpses} glimpses`, 17, { weight: 600 });
  const cell = PICTURE / (Math.max(rows, columns) + 2 * scene.margin);
  const [x, y] = [MARGIN + scene.margin * cell, 52 + scene.margin * cell];
  picture(Array.from(/** @type {Uint8Array} */ (arrays.picture), (value) => value / 255), { x, y, width: columns * cell, height: rows * cell, columns, rows });
  items.push({ kind: "frame", x, y, width: columns * cell, height: rows * cell, colour: css(packed(theme.line)) });
  const held = (/** @type {number} */ value, /** @type {number} */ side) => Math.min(side + scene.margin, Math.max(-scene.margin, value));
  for (let glimpse = 0; glimpse < glimpses; glimpse++) {
    const [box] = boxesOf(path, glimpse, facts);
    const [left, right] = [held(box.left, columns), held(box.left + box.side, columns)];
    const [top, bottom] = [held(box.top, rows), held(box.top + box.side, rows)];
    items.push({ kind: "frame", x: x + left * cell, y: y + top * cell, width: (right - left) * cell, height: (bottom - top) * cell, colour: orange, line: 1.5 });
  }
  const middles = Array.from({ length: glimpses }, (_, glimpse) => {
    const [row, column] = pixelOf(path, glimpse, facts);
    return [x + (column + 0.5) * cell, y + (row + 0.5) * cell];
  });
  items.push({ kind: "line", points: middles, colour: orange, line: 1.5 });
  middles.forEach(([left, top], glimpse) => write(left, top + 5, String(glimpse + 1), 15, { anchor: "middle", weight: 600, colour: orange }));
  const across = (WIDTH - PICTURE - 3 * MARGIN) / scales;
  const step = Math.min(PATCH + 24, (PICTURE + 8) / Math.min(glimpses, 6));
  const side = Math.min(PATCH, across - 8, step - 24);
  for (let glimpse = 0; glimpse < glimpses; glimpse++) {
    const top = 52 + glimpse * step;
    write(PICTURE + 2 * MARGIN, top + 12, `${glimpse + 1}: ${answerWords(path, glimpse, facts, header.classes)}`, 12, { weight: 600 });
    for (let scale = 0; scale < scales; scale++) {
      const where = { x: PICTURE + 2 * MARGIN + scale * (side + 8), y: top + 18, width: side, height: side, columns: size, rows: size };
      picture(patchOf(path, glimpse, scale, facts), where);
      items.push({ kind: "frame", ...where, colour: css(packed(theme.line)) });
    }
  }
  const bottom = Math.max(52 + PICTURE, 52 + glimpses * step) + 30;
  const lines = originLines(header.origin, 130);
  lines.forEach((line, i) => write(MARGIN, bottom + 16 * i, line));
  return { width: WIDTH, height: Math.round(bottom + 16 * lines.length + MARGIN), background: css(packed(theme.background)), ink, items, origin: origin(player) };
}
