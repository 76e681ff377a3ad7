// The picture that the model saw, or how it differs from the pinned one. The interface is described in face.js.

import { faceOf } from "./face.js";

export function draw(canvas, panel, { seen }, look) {
  faceOf(canvas, panel, seen).picture(seen, look.before?.seen, look);
  return {};
}
