// Small pictures next to the sentences of those terms that a picture explains better. A term uses the picture of its
// own name, or the one that its entry in docs/glossary.md names. Colours follow the roles.

import { svg } from "../core/dom.js";

const [ORANGE, BLUE, GREEN] = ["orange", "blue", "green"].map((role) => `var(--st-${role}-color, currentColor)`);
const QUIET = "color-mix(in srgb, currentColor 35%, transparent)";

const bar = (x, height, fill = QUIET, foot = 34) => [
  "rect",
  { x, y: foot - Math.max(0, height), width: 7, height: Math.abs(height), fill },
];
const cell = (x, y, fill, stroke = QUIET) => ["rect", { x, y, width: 8, height: 8, fill, stroke, "stroke-width": 1.5 }];
const line = (d, stroke = QUIET, more = {}) => ["path", { d, stroke, fill: "none", "stroke-width": 1.5, ...more }];
const dashed = { "stroke-dasharray": "3 2" };
const keys = (fill, stroke) => [4, 18, 32].map((y) => cell(60, y, fill, stroke));
const lines = (stroke) => [8, 22, 36].map((y) => line(`M14 22L58 ${y}`, stroke));

/** @type {Record<string, any[]>} */
const PICTURES = {
  query: [...lines(ORANGE), cell(4, 18, ORANGE, ORANGE), ...keys("none")],
  key: [...lines(QUIET), cell(4, 18, "none"), ...keys(BLUE, BLUE)],
  value: [line("M58 22L16 22M22 17L16 22L22 27", GREEN), cell(4, 18, "none"), cell(60, 18, GREEN, GREEN)],
  score: [
    cell(4, 18, ORANGE, ORANGE),
    line("M20 19L26 25M26 19L20 25"),
    cell(34, 18, BLUE, BLUE),
    line("M48 20L54 20M48 24L54 24"),
    bar(60, 22),
  ],
  softmax: [
    line("M2 22L30 22"),
    bar(3, 12, QUIET, 22),
    bar(12, -8, QUIET, 22),
    bar(21, 4, QUIET, 22),
    line("M34 22L44 22M40 18L44 22L40 26"),
    line("M48 34L76 34"),
    bar(49, 24),
    bar(58, 2),
    bar(67, 8),
  ],
  "even-share": [
    line("M2 34L76 34"),
    ...[4, 18, 32, 46, 60].map((x) => bar(x, 14)),
    line("M2 20L76 20", "currentColor", dashed),
  ],
  "attention-head": [4, 30, 56].flatMap((x, head) => [
    line(`M${x} 12h20v20h-20z`),
    ...[0, 1, 2].map((i) => ["circle", { cx: x + 5 + 5 * ((i * (head + 2)) % 3), cy: 17 + 5 * i, r: 2.5, fill: BLUE }]),
  ]),
  logit: [
    line("M14 22L64 22"),
    bar(18, 6, QUIET, 22),
    bar(30, -10, QUIET, 22),
    bar(42, 16, GREEN, 22),
    bar(54, -5, QUIET, 22),
  ],
  relu: [line("M4 34L74 34"), line("M39 6L39 40", QUIET, dashed), line("M4 34L39 34L68 8", "currentColor")],
  "skip-connection": [
    ["rect", { x: 26, y: 22, width: 24, height: 16, fill: QUIET }],
    line("M4 30L26 30M50 30L74 30M69 26L74 30L69 34"),
    line("M12 30L12 8L62 8L62 30M58 25L62 30L66 25", "currentColor"),
  ],
  "row-and-column": [
    ...[0, 1, 2, 3, 4].flatMap((x) =>
      [0, 1, 2].map((y) =>
        cell(6 + 12 * x, 6 + 12 * y, x === 3 && y === 1 ? "currentColor" : x === 3 || y === 1 ? QUIET : "none"),
      ),
    ),
  ],
  convolution: [
    ...[0, 1, 2].flatMap((x) => [0, 1, 2].map((y) => cell(4 + 11 * x, 6 + 11 * y, QUIET))),
    line("M40 22L56 22M51 17L56 22L51 27"),
    cell(62, 18, "currentColor", "currentColor"),
  ],
  token: [
    ...[0, 1, 2, 3, 4].flatMap((x) =>
      [0, 1, 2].map((y) => cell(6 + 12 * x, 6 + 12 * y, x === 3 && y === 1 ? ORANGE : "none")),
    ),
  ],
};

/** A picture, or null. @param {string} name its name @returns {SVGElement|null} */
export function picture(name) {
  if (!Object.hasOwn(PICTURES, name)) return null;
  const parts = PICTURES[name].map(([tag, attributes]) => svg(tag, attributes));
  return svg("svg", { viewBox: "0 0 78 44", width: 78, height: 44, "aria-hidden": "true" }, ...parts);
}
