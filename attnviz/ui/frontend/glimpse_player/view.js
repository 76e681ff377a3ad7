// The view of the glimpse player: the glimpse, the draw, and the moves. Its fields are declared in
// attnviz/ui/components/glimpse_player.py; this file has the rules for existing values.

import { KINDS, tuples } from "../core/url_fields.js";

KINDS.moves = tuples(3); // of [glimpse, row, column]

export const LOCATIONS = { drawn: "Drawn", means: "At the means", fifty: "50 at once" };
export const MOST_DRAWS = 1000;

/** @param {number} number @param {number} end */
const below = (number, end) => number >= 0 && number < end;

/** Which values of a view exist. @type {import("../core/url_fields.js").Rules} */
export const RULES = {
  exists({ name, kind }, value, { glimpses, rows, columns }) {
    if (name === "glimpse") return below(value, glimpses);
    if (name === "draw") return below(value, MOST_DRAWS);
    if (kind !== "moves") return true;
    const numbers = value.map(/** @param {number[]} move */ ([glimpse]) => glimpse);
    const inside = value.every(
      /** @param {number[]} move */ ([glimpse, row, column]) =>
        below(glimpse, glimpses) && below(row, rows) && below(column, columns),
    );
    return inside && numbers.every((number, i) => !i || number > numbers[i - 1]);
  },
  there({ name }, { glimpses, rows, columns }) {
    if (name === "glimpse") return `1 to ${glimpses}`;
    if (name === "draw") return `1 to ${MOST_DRAWS}`;
    return `glimpse.row.column, from 1.1.1 to ${glimpses}.${rows}.${columns}, each glimpse once and in order`;
  },
};
