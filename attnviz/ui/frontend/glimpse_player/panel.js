// The panel of the draw page: a path of glimpses over the model's input, with their sharp boxes joined in order. The
// interface is described in panels/face.js; the parts are those of the derived value "glimpses", and the option "size"
// is the side of a sharp patch.

import { css, packed } from "../core/colours.js";
import { context2d } from "../core/dom.js";
import { faceOf } from "../panels/face.js";

export function draw(canvas, panel, { parts, seen }, { before, theme, palettes }) {
  faceOf(canvas, panel, seen).picture(seen, null, { theme, palettes });
  const [rows, columns] = seen.shape;
  const scale = [canvas.width / columns, canvas.height / rows];
  if (before?.parts?.corner)
    path(canvas, before.parts.corner, panel.options.size, scale, {
      colour: css(packed(theme.edge)),
      halo: null,
      boxes: false,
    });
  if (!parts?.corner) return {};
  path(canvas, parts.corner, panel.options.size, scale, {
    colour: css(packed(theme.orange)),
    halo: css(packed(theme.background)),
    boxes: true,
  });
  return {};
}

/**
 * @param {HTMLCanvasElement} canvas
 * @param {{values: Float32Array, shape: number[]}} corner
 * @param {number} size
 * @param {number[]} scale
 * @param {{colour: string, halo: string|null, boxes: boolean}} how
 */
function path(canvas, { values, shape }, size, [across, down], { colour, halo, boxes }) {
  const context = context2d(canvas);
  const [glimpses, scales] = shape.slice(-3);
  const width = Math.max(1, Math.round(1.5 * devicePixelRatio));
  const corners = Array.from({ length: glimpses }, (_, glimpse) => [
    values[glimpse * scales * 2] * down,
    values[glimpse * scales * 2 + 1] * across,
  ]);
  const middles = corners.map(([top, left]) => [
    left + (Math.floor(size / 2) + 0.5) * across,
    top + (Math.floor(size / 2) + 0.5) * down,
  ]);
  for (const [stroke, line] of /** @type {[string, number][]} */ ([
    ...(halo ? [[halo, 3 * width]] : []),
    [colour, width],
  ])) {
    context.strokeStyle = stroke;
    context.lineWidth = line;
    context.beginPath();
    middles.forEach(([x, y], i) => (i ? context.lineTo(x, y) : context.moveTo(x, y)));
    if (boxes) corners.forEach(([top, left]) => context.rect(left, top, size * across, size * down));
    context.stroke();
  }
  const radius = 6 * devicePixelRatio;
  context.font = `600 ${9 * devicePixelRatio}px sans-serif`;
  context.textAlign = "center";
  context.textBaseline = "middle";
  if (halo)
    middles.forEach(([x, y], number) => {
      context.fillStyle = colour;
      context.beginPath();
      context.arc(x, y, radius, 0, 2 * Math.PI);
      context.fill();
      context.fillStyle = halo;
      context.fillText(String(number + 1), x, y);
    });
}
