// Fits the viewer to its width and the window's height; never while the pointer moves.

import { grown } from "../core/dom.js";
import { fitBoard } from "../maps/paint.js";

const PAIR = 430; // width of the worked pair with eight numbers side by side, pixels
const ABOVE_AND_BELOW = 478; // height of the head of the page and the first row of tiles, pixels
export const GAP = 28; // pixels between neighbours
const HIT = 26; // pixels of a cell for a finger: on a phone, a map of few cells leaves space for the rest

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
  // Without a wall of heads, its line contains only the buttons, and the height is needed below.
  const savesAbove = !viewer.wall && width >= (viewer.header.asked ? 1300 : 1090);
  root.classList.toggle("saves-above", savesAbove);
  (savesAbove ? frame.controls : frame.wallTitle).append(frame.savers.element);
  // Makes picture, head, pair and the first row of tiles fit together in a window of 720 pixels.
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
  // The rows of a table are stacked, so they are lower.
  if (viewer.wall) viewer.wall.room = (viewer.wall.table ? 0.85 : 1) * Math.max(70, Math.min(innerHeight / 10, 112));
  viewer.wall?.layout(width, kind === "narrow");
  viewer.qkvMaps.layout(width, kind === "narrow");
  frame.legend.layout();
}

/** The height of Streamlit's own header at the top of the window. */
function headerHeight() {
  const header = document.querySelector("[data-testid=stHeader]");
  return header && getComputedStyle(header).position !== "static"
    ? /** @type {HTMLElement} */ (header).offsetHeight
    : 0;
}
