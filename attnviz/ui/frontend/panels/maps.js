// Renderers of one map, or of its difference from that of the pinned answer. The interface is described in face.js.

import { makeScale } from "../core/colours.js";
import { faceOf } from "./face.js";

const [LEAST, MOST] = [1 / 16, 16]; // of an even share: the ends of the scale, which clip differences
const clipped = (value) => Math.min(MOST, Math.max(LEAST, value));

/** The model's input. */
export const ink = {
  draw(canvas, panel, { seen }, look) {
    faceOf(canvas, panel, seen).picture(seen, look.before?.seen, look);
    return {};
  },
};

/** Multiples of an even share, or of the pinned answer's values. */
export const share = {
  draw(canvas, panel, { map, seen }, look) {
    const face = faceOf(canvas, panel, seen);
    const { values } = face;
    const before = look.before?.map;
    for (let at = 0; at < values.length; at++) {
      values[at] = before ? Math.log(clipped(map[at]) / clipped(before[at])) : Math.log(map[at]);
    }
    face.map(makeScale("share"), seen, look);
    return { values };
  },
};

/** Values around zero. */
export const signed = {
  draw(canvas, panel, { map, seen }, look) {
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
  },
};
