// Multiples of an even share, or how many times those of the pinned answer. The interface is described in face.js.

import { makeScale } from "../core/colours.js";
import { faceOf } from "./face.js";

const LEAST = 1 / 16; // of an even share: the ends of the scale, beyond which a difference is none
const MOST = 16;

export function draw(canvas, panel, { map, seen }, look) {
  const face = faceOf(canvas, panel, seen);
  const { values } = face;
  const before = look.before?.map;
  for (let at = 0; at < values.length; at++) {
    values[at] = before ? Math.log(clipped(map[at]) / clipped(before[at])) : Math.log(map[at]);
  }
  face.map(makeScale("share"), seen, look);
  return { values };
}

function clipped(value) {
  return Math.min(MOST, Math.max(LEAST, value));
}
