// A base for components in which one pixel is selected: it follows the pointer, a click locks it, Escape releases it,
// and the arrow keys move it.

import { gridMove } from "./keys.js";
import { Part } from "../core/part.js";

/**
 * The position of the keyboard's cursor.
 * @typedef {{row: number, column: number, rows: number, columns: number, move: (to: number[]) => void,
 *   take: (() => void)|null}} Cursor
 *   rows, columns: the size of its grid; move: selects another cell; take: the action of Enter and the space bar, if
 *   any
 */

export class PixelPart extends Part {
  /** Release the lock. @returns {boolean} whether something was locked */
  release() {
    return false;
  }

  /**
   * The keyboard's cursor for an event; null if keys have no meaning there.
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
