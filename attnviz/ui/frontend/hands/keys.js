// Input on a canvas: pointer, finger and keys are translated to "look at this cell" and "take it".

import { placeIn } from "./place.js";

const STILL = 10; // maximum movement of a finger in a tap, CSS pixels
const GRASP = 24; // distance from the tapped cell at which a finger can still drag it, CSS pixels

/**
 * The target of an arrow key in a grid (WAI-ARIA grid pattern).
 * @param {KeyboardEvent} event
 * @param {number} row
 * @param {number} column
 * @param {number} rows
 * @param {number} columns
 * @returns {number[]|null} the new row and column, or null for another key
 */
export function gridMove(event, row, column, rows, columns) {
  if (event.altKey || event.metaKey) return null;
  const all = event.ctrlKey;
  const moves = {
    ArrowUp: [row - 1, column],
    ArrowDown: [row + 1, column],
    ArrowLeft: [row, column - 1],
    ArrowRight: [row, column + 1],
    Home: [all ? 0 : row, 0],
    End: [all ? rows - 1 : row, columns - 1],
    PageUp: [row - 5, column],
    PageDown: [row + 5, column],
  };
  const to = moves[event.key];
  return to ? [Math.min(rows - 1, Math.max(0, to[0])), Math.min(columns - 1, Math.max(0, to[1]))] : null;
}

/**
 * Listen to pointers on a canvas. A mouse looks by moving and takes by clicking. A finger looks by tapping and takes by
 * tapping the same cell again; it scrolls the page, except that it drags the cell it has tapped. After the mouse has
 * left the canvas, cells that it only passed are deselected.
 * @param {HTMLElement} target the canvas
 * @param {{find: (x: number, y: number) => any, same: (one: any, other: any) => boolean, look: (found: any) => void,
 *   take: (found: any) => void, atOnce?: boolean, passing?: import("./passing.js").Passing}} hands
 *   find: returns the cell at a position in CSS pixels of the target, or null; same: whether two results are the same
 *   cell; atOnce: a finger takes with its first tap; passing: restores the previous selection
 */
export function listen(target, { find, same, look, take, atOnce = false, passing }) {
  /** @type {{found: any, x: number, y: number}|null} */
  let pressed = null;
  /** @type {{found: any, x: number, y: number}|null} */
  let tapped = null;
  let dragging = false;
  const at = (event) => {
    const { x, y } = placeIn(target, event);
    return find(x, y);
  };

  target.addEventListener("pointermove", (event) => {
    if (event.pointerType === "touch" && !dragging) return;
    const found = at(event);
    const act = found && (() => look(found));
    if (dragging || !passing) act?.();
    else passing.move({ time: event.timeStamp, x: event.clientX, y: event.clientY }, act);
  });
  target.addEventListener("pointerleave", (event) => {
    if (event.pointerType !== "touch") passing?.leave(event.timeStamp);
  });
  target.addEventListener("pointerdown", (event) => {
    pressed = event.isPrimary && event.button === 0 ? { found: at(event), x: event.clientX, y: event.clientY } : null;
  });
  target.addEventListener("pointerup", (event) => {
    const start = pressed;
    const dragged = dragging;
    pressed = null;
    dragging = false;
    if (!start?.found || Math.hypot(event.clientX - start.x, event.clientY - start.y) > STILL) {
      if (dragged) tapped = { found: at(event) ?? tapped?.found, ...placeIn(target, event) };
      return;
    }
    if (event.pointerType !== "touch" || atOnce || (tapped && same(tapped.found, start.found))) {
      take(start.found);
    } else {
      look(start.found);
    }
    passing?.keep();
    tapped = event.pointerType === "touch" && !atOnce ? { found: start.found, ...placeIn(target, event) } : null;
  });
  target.addEventListener("pointercancel", () => {
    pressed = null;
    dragging = false;
  });
  // Only here can a drag still be told from a scroll: afterwards the browser owns the gesture.
  target.addEventListener(
    "touchstart",
    (event) => {
      if (!tapped || event.touches.length !== 1) return;
      const { x, y } = placeIn(target, event.touches[0]);
      if (Math.hypot(x - tapped.x, y - tapped.y) > GRASP) return;
      event.preventDefault();
      dragging = true;
    },
    { passive: false },
  );
}
