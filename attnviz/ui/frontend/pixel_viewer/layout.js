// How the viewer fits its width and the window's height: never while the pointer moves.

import { grown } from "../core/dom.js";
import { fitBoard } from "../maps/paint.js";

const PAIR = 430; // pixels that the worked pair needs for eight numbers next to one another
const ABOVE_AND_BELOW = 478; // pixels that the head of the page and the first row of tiles need
export const GAP = 28; // pixels between what stands side by side
const HIT = 26; // pixels of a cell that a finger hits: on a phone, a map of few cells leaves room for what follows

/**
 * Fit everything but the painting.
 * @param {import("./pixel_viewer.js").Viewer} viewer
 * @param {number} width CSS pixels
 */
export function fitTo(viewer, width) {
  const { root, frame } = viewer;
  const kind = viewer.nameWidth(width, 520, 1110);
  root.classList.toggle("single", !viewer.wall);
  root.classList.toggle("plain", Boolean(viewer.header.plain));
  // Without a wall of heads its line has nothing but the buttons, and the height is wanted below.
  const savesAbove = !viewer.wall && width >= (viewer.header.asked ? 1300 : 1090);
  root.classList.toggle("saves-above", savesAbove);
  (savesAbove ? frame.controls : frame.wallTitle).append(frame.savers.element);
  // So that picture, head, pair and the first row of tiles stand together in a window of 720 pixels.
  const high = Math.max(224, innerHeight - ABOVE_AND_BELOW * grown());
  const most =
    kind === "broad"
      ? Math.min(high, 560, (width - 2 * GAP - PAIR * grown()) / 2)
      : kind === "middle"
        ? (width - GAP) / 2
        : Math.min(width, Math.max(width * 0.75, HIT * Math.max(viewer.cells.columns, viewer.cells.height)));
  const small = kind === "narrow" ? Math.min(width * 0.54, innerHeight * 0.3) : most;
  const side = fitBoard(frame.large, viewer.cells, Math.min(most, 560), viewer.edge);
  fitBoard(frame.picture, viewer.boxes?.pixels ?? viewer.cells, small);
  root.style.setProperty("--side", `${side}px`);
  root.style.setProperty("--map-height", frame.large.canvas.style.height);
  root.style.setProperty("--sticky", `${headerHeight()}px`);
  // The rows of a table stand below one another, so they are lower.
  if (viewer.wall) viewer.wall.room = (viewer.wall.table ? 0.85 : 1) * Math.max(70, Math.min(innerHeight / 10, 112));
  viewer.wall?.layout(width, kind === "narrow");
  viewer.qkvMaps.layout(width, kind === "narrow");
  frame.legend.layout();
}

/** How much of the window's top Streamlit's own header covers. */
function headerHeight() {
  const header = document.querySelector("[data-testid=stHeader]");
  return header && getComputedStyle(header).position !== "static"
    ? /** @type {HTMLElement} */ (header).offsetHeight
    : 0;
}
