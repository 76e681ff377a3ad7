// Input on the picture and on the sampled picture: pointers, fingers and keys.

import { gridMove } from "../hands/keys.js";
import { placeIn } from "../hands/place.js";
import { FREE, isHeld, isMoved, moveOf } from "./derive.js";
import { byKey, keyed, letGo } from "./drag.js";

/** Listen to the input of a component. @param {import("./sampling_grid.js").SamplingGrid} part */
export function listen(part) {
  part.scene.listen({
    frame: () => part.frame,
    begin: (handle) => part.guard(() => part.begin(handle)),
    drag: (from, to) => part.guard(() => part.drag(from, to)),
    end: () => part.guard(() => part.end()),
  });
  const { canvas, board } = part.seen;
  const look = (event) =>
    part.guard(() => {
      const { x, y } = placeIn(canvas, event);
      part.look(board.find(x * devicePixelRatio, y * devicePixelRatio)?.token ?? -1);
    });
  canvas.addEventListener("pointermove", look);
  canvas.addEventListener("pointerdown", look);
  canvas.addEventListener("pointerleave", (event) => event.pointerType === "touch" || part.guard(() => part.look(-1)));
  const keys = (node, act) => node.addEventListener("keydown", (event) => part.guard(() => act(part, event)));
  keys(part.seenBoard, onSeen);
  keys(part.stage, onStage);
}

/** @param {import("./sampling_grid.js").SamplingGrid} part @param {KeyboardEvent} event */
export function anywhere(part, event) {
  // With Shift it would mean redo, which does not exist
  if ((event.ctrlKey || event.metaKey) && !event.shiftKey && event.key.toLowerCase() === "z") part.undo();
  else if (event.key === "Escape" && (isHeld(part.view) || isMoved(moveOf(part.view)))) {
    part.theta.rewrite(); // including the number that was being typed
    part.choose(FREE, "");
  } else return;
  event.preventDefault();
}

function onStage(part, event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const isLetGo = event.key === "Delete" || event.key === "Backspace";
  const changes = isLetGo
    ? letGo(part.view)
    : keyed(part.view, part.used, byKey(event.key, event.shiftKey), part.shapes.picture);
  if (!changes) return;
  part.choose(changes, isLetGo ? "" : "keys");
  event.preventDefault();
}

function onSeen(part, event) {
  const [rows, columns] = part.shapes.picture;
  const now = Math.max(0, part.looked);
  const to = gridMove(event, Math.floor(now / columns), now % columns, rows, columns);
  if (!to) return;
  part.toAnnounce = part.toRead = true;
  part.look(to[0] * columns + to[1]);
  event.preventDefault();
}
