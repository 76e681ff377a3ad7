// The words of a grid of maps: the numbers under the tiles, the legend, the pointed cell, and the copied text. It does
// not access the page.

import { column, counted, full, short, times } from "../core/numbers.js";

/** The available scales, by name. */
export const SCALES = { share: "Even share", all: "All maps", map: "This map", pictures: "All pictures" };

const NOTES = {
  all: "one scale for all maps",
  map: "a scale for each map, so do not compare maps; the numbers belong to the chosen map",
  pictures: "one scale for all pictures",
  own: "a scale for each map; the numbers belong to the chosen map",
};

/**
 * The data for the words of a grid.
 * @typedef {object} Said
 * @property {any} header
 * @property {number} count of the maps
 * @property {import("../maps/cells.js").Cells} cells
 * @property {number|null} chosen map
 * @property {{tile: number}} looked the map that is pointed at
 * @property {number} shown the cell whose values are shown, or -1
 * @property {(tile: number) => number} value of a map in that cell
 */

/** A value as written under its tile. @param {number} value @param {string} scale @param {number} tokens */
export function shownValue(value, scale, tokens) {
  return scale === "share" ? `${times(value * tokens)}\u00d7` : column(value);
}

/** The legend's note on a scale. @param {any} header @param {string} scale */
export function noteOf({ tokens, note, role }, scale) {
  if (scale === "share") return `\u00d7 an even share, 1/${tokens} = ${short(1 / tokens, 3)}`;
  return note ?? NOTES[role === "own" ? "own" : scale];
}

/** The shown cell. @param {Pick<Said, "header"|"cells"|"shown">} said */
export function placeOf({ header: { names }, cells, shown }) {
  const [row, place] = cells.place(shown);
  if (names) return `${names.row} ${names.rows[row]}, ${names.column} ${names.columns[place]}`;
  return `row ${row + 1}, column ${place + 1}`;
}

/** The value under the pointer and its position; "" for none. @param {Said} said */
export function pointedAt(said) {
  const { header, looked, shown } = said;
  return shown < 0 ? "" : `${placeOf(said)}, ${header.labels[looked.tile]}: ${short(said.value(looked.tile))}`;
}

/** A summary in a few sentences. @param {Said} said */
export function summaryOf(said) {
  const { header, count, cells, chosen } = said;
  const here = pointedAt(said);
  return [
    `${header.title}, ${counted(count, "map")} of ${cells.rows} rows and ${cells.columns} columns.`,
    ...(chosen === null ? [] : [`${header.labels[chosen]} is chosen.`]),
    ...(here ? [`At ${here}.`] : []),
  ].join(" ");
}

/** The values of the shown cell in full precision, one line per map. @param {Said} said */
export function copied(said) {
  const { header, count, shown } = said;
  const tile = (i) => `${header.labels[i]}\t${shown < 0 ? "" : full(said.value(i))}`;
  const place = shown < 0 ? [] : [`cell\t${placeOf(said)}`];
  const origin = Object.entries(header.origin).map(([name, value]) => `${name}\t${value}`);
  return [...place, ...Array.from({ length: count }, (_, i) => tile(i)), ...origin].join("\n");
}
