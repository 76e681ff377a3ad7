// What several of these tests need.

import { palettes } from "../../attnviz/ui/frontend/core/colours.js";
import { pack } from "../../attnviz/ui/frontend/live/live.js";

/** The folder of the modules under test. */
export const FRONTEND = new URL("../../attnviz/ui/frontend/", import.meta.url);

/** Pseudo-random numbers in 0..1, the same for the same seed (mulberry32). @param {number} seed */
export function randomOf(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** A whole number from `low` up to, but not including, `high`. */
export function whole(random, low, high) {
  return low + Math.floor(random() * (high - low));
}

/** A stroke through points in canvas pixels. @param {number[][]} points */
export function straight(tool, width, points, pressures = null) {
  return { tool, width, points: points.flat().map((value) => Math.round(4 * value)), pressures };
}

/** Strokes of all kinds, some of them far outside of the canvas. */
export function someStrokes(random, count) {
  const far = 560 * 4;
  const clipped = (value) => Math.min(far, Math.max(-far, value));
  return Array.from({ length: count }, () => {
    let [x, y] = [whole(random, 0, 1120), whole(random, 0, 1120)];
    const outside = random() < 0.1;
    const points = Array.from({ length: whole(random, 1, 40) }, () => {
      [x, y] = outside
        ? [whole(random, -far, far + 1), whole(random, -far, far + 1)]
        : [x + whole(random, -60, 61), y + whole(random, -60, 61)];
      return [clipped(x), clipped(y)];
    });
    return {
      tool: random() < 0.3 ? "erase" : "ink",
      width: whole(random, 1, 65),
      points: points.flat(),
      pressures: random() < 0.5 ? points.map(() => whole(random, 0, 32)) : null,
    };
  });
}

const [WHITE, BLACK, VIOLET, GREY, OCHRE] = [
  [253, 252, 249],
  [31, 35, 40],
  [61, 26, 110],
  [222, 219, 212],
  [150, 100, 0],
];
const THEME = /** @type {any} */ ({
  dark: false,
  ...{
    background: WHITE,
    panel: WHITE,
    text: BLACK,
    line: GREY,
    edge: BLACK,
    orange: OCHRE,
    blue: VIOLET,
    green: BLACK,
  },
  ...{ violet: [GREY, VIOLET], gray: [GREY, GREY], yellow: [GREY, OCHRE] },
});

/** Colours to paint with, and nothing pinned. */
export const LOOK = { before: null, theme: THEME, palettes: palettes(THEME) };

/** A canvas without a page, and what was painted on it last. */
export function canvasOf(width, height) {
  Object.assign(globalThis, { devicePixelRatio: 1 });
  let last = new Uint8ClampedArray();
  const context = {
    createImageData: (wide, high) => ({ data: new Uint8ClampedArray(4 * wide * high) }),
    putImageData: ({ data }) => (last = data.slice()),
  };
  const canvas = /** @type {any} */ ({ width, height, getContext: () => context });
  return { canvas, pixels: () => [...last] };
}

/** A socket that a test opens, answers and closes. */
export class Socket extends EventTarget {
  static OPEN = 1;
  static made = [];

  constructor() {
    super();
    this.readyState = 0;
    this.sent = [];
    Socket.made.push(this);
  }

  send(bytes) {
    this.sent.push(bytes);
  }

  close() {
    this.readyState = 3;
  }

  become(state) {
    this.readyState = state === "open" ? 1 : 3;
    this.dispatchEvent(new Event(state));
  }

  answer(number, more = {}) {
    const data = pack({ number, ask: 0, done: true, ...more }, {}).buffer;
    this.dispatchEvent(Object.assign(new Event("message"), { data }));
  }
}

/**
 * The text of a CSV, which is otherwise given to the browser; it replaces what `document` makes.
 * @param {{CSV: () => void}} saved what `filesOf` gives
 * @returns {Promise<string>}
 */
export function csvOf(saved) {
  const blobs = [];
  const { createObjectURL, revokeObjectURL } = URL;
  Object.assign(URL, { createObjectURL: (blob) => (blobs.push(blob), "blob:"), revokeObjectURL() {} });
  globalThis.document.createElement = /** @type {any} */ (() => ({ click() {} }));
  saved.CSV();
  Object.assign(URL, { createObjectURL, revokeObjectURL });
  return blobs[0].text();
}
