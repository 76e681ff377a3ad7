// Values around zero, or their difference from those of the pinned answer. The interface is described in face.js.

import { makeScale } from "../core/colours.js";
import { faceOf } from "./face.js";

export function draw(canvas, panel, { map, seen }, look) {
  const face = faceOf(canvas, panel, seen);
  const { values } = face;
  const before = look.before?.map;
  let most = 0;
  for (let at = 0; at < values.length; at++) {
    values[at] = before ? map[at] - before[at] : map[at];
    most = Math.max(most, Math.abs(values[at]));
  }
  face.map(makeScale("signed", most), seen, look);
  return { values, most };
}
