// Fits the stage grid to its width and the window's height; never while the pointer moves.

import { grown } from "../core/dom.js";
import { fitBoard } from "../maps/paint.js";

const GAP = 24;
const SIDES = { narrow: [0, 136, 0.4], middle: [132, 132, 0], broad: [168, 300, 0.145] }; // bounds, of the width

/** @param {import("./stage_grid.js").StageGrid} grid @param {number} width CSS pixels */
export function fitTo(grid, width) {
  const { root, frame, cells, wall, inside, layers } = grid;
  const kind = grid.nameWidth(width, 520, 960);
  const narrow = kind === "narrow";
  const type = grown();
  const [least, most, part] = SIDES[kind];
  const side = fitBoard(frame.picture, cells, Math.min(most, Math.max(least, width * part)));
  const steps = Math.min(480 * type, Math.max(340 * type, width * 0.3));
  root.style.setProperty("--side", `${side}px`);
  root.style.setProperty("--steps", `${steps}px`);
  const taken = { narrow: 0, middle: side + GAP, broad: side + steps + 3 * GAP }[kind];
  const high = Math.max(220, innerHeight - type * (layers.length > 2 ? 285 : 330));
  wall.layout(Math.floor(width - taken), narrow ? Infinity : high, narrow);
  inside.across = narrow ? 3 : 6;
  inside.room = narrow ? (width - 2 * 5) / 3 : Math.max(84, Math.min(260, (width - 5 * 8) / 6));
  inside.layout(width, narrow);
  frame.legend.layout();
}
