// A large map: a canvas in the WAI-ARIA grid pattern, in which only the selected cell is an element.

import { element, set } from "../core/dom.js";
import { listen } from "../hands/keys.js";
import { Board } from "./paint.js";

export class GridBoard {
  /**
   * @param {string} name of the map
   * @param {object} hands
   * @param {(found: {tile: number, token: number}) => void} hands.look called with the cell under the pointer
   * @param {(found: {tile: number, token: number}) => void} hands.take called with a clicked cell
   * @param {import("../hands/passing.js").Passing} hands.passing
   * @param {(found: any) => any} [hands.find] maps the cell at the pointer to the intended one
   */
  constructor(name, { look, take, passing, find = (found) => found }) {
    this.canvas = element("canvas", { "aria-hidden": "true" });
    this.cell = element("div.hidden", { role: "gridcell", id: `${name}-cell` });
    this.row = element("div", { role: "row" }, this.cell);
    const grid = { role: "grid", tabindex: 0, "aria-activedescendant": this.cell.id, "aria-readonly": "true" };
    this.element = element(`div.board.${name}`, grid, this.canvas, this.row);
    this.board = new Board(this.canvas);
    const hand = (act) => (found) => found.token >= 0 && act(found);
    listen(this.canvas, {
      find: (x, y) => find(this.board.find(x * devicePixelRatio, y * devicePixelRatio)),
      same: (one, other) => one.token === other.token,
      passing,
      look: hand(look),
      take: hand(take),
    });
  }

  /**
   * Announce the map and the selected cell to screen readers.
   * @param {string} words
   * @param {{rows: number, columns: number}} grid
   * @param {number} cell counted row by row
   * @param {string} inCell
   */
  say(words, { rows, columns }, cell, inCell) {
    set(this.element, "aria-label", words);
    set(this.element, "aria-rowcount", String(rows));
    set(this.element, "aria-colcount", String(columns));
    set(this.row, "aria-rowindex", String(Math.floor(cell / columns) + 1));
    set(this.cell, "aria-colindex", String((cell % columns) + 1));
    set(this.cell, "aria-label", inCell);
  }
}
