// What the components share in which one pixel is looked at: it follows the pointer, a click locks it, Escape lets it
// go, and the arrow keys move it.

import { gridMove } from "./keys.js";
import { Part } from "../core/part.js";

/**
 * Where the keyboard is.
 * @typedef {{row: number, column: number, rows: number, columns: number, move: (to: number[]) => void,
 *   take: (() => void)|null}} Cursor
 *   rows, columns: of the grid it moves over; move: look at another cell; take: what Enter and the space bar do, if
 *   anything
 */

export class PixelPart extends Part {
  /** Let go of what is locked. @returns {boolean} whether there was anything */
  release() {
    return false;
  }

  /**
   * Where a key finds the keyboard; null where keys mean nothing.
   * @param {KeyboardEvent} _event
   * @returns {Cursor|null}
   */
  cursorOf(_event) {
    return null;
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    if (event.key === "Escape") {
      if (this.release()) event.preventDefault();
      return;
    }
    const cursor = this.cursorOf(event);
    if (!cursor) return;
    const to = gridMove(event, cursor.row, cursor.column, cursor.rows, cursor.columns);
    if (to) {
      this.toAnnounce = true;
      cursor.move(to);
    } else if (cursor.take && (event.key === "Enter" || event.key === " ")) {
      cursor.take();
    } else {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  }
}
