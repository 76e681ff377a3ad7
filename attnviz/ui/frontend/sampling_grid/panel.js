// The panel of the draw page: the classifier's input and, in a corner, the drawing with the outline of the grid. The
// interface is described in panels/face.js; the parts are those of the derived value "sampled".

import { css, packed } from "../core/colours.js";
import { context2d } from "../core/dom.js";
import { faceOf } from "../panels/face.js";
import { pictureCanvas } from "../maps/paint.js";
import { at, toBytes } from "./affine.js";
import { CORNERS } from "./drag.js";

const INSET = 0.32; // of the canvas: the corner with the drawing
const AROUND = 1.3; // of the drawing in it: space for a grid that extends beyond it

export function draw(canvas, panel, { parts, seen }, { before, theme, palettes }) {
  const face = faceOf(canvas, panel, seen);
  if (!parts?.theta) {
    face.picture(seen, null, { theme, palettes });
    return {};
  }
  const values = bytesOf(parts.transformed.values, seen.shape);
  face.picture({ values, shape: seen.shape }, null, { theme, palettes });
  const context = context2d(canvas);
  const size = Math.round(INSET * canvas.width);
  const line = Math.max(1, Math.round(devicePixelRatio));
  context.fillStyle = css(packed(theme.panel));
  context.fillRect(0, 0, size, size);
  const small = pictureCanvas(seen.values, seen.shape, palettes.ink);
  const inner = size / AROUND;
  context.imageSmoothingEnabled = false;
  context.drawImage(small, (size - inner) / 2, (size - inner) / 2, inner, inner);
  context.save();
  context.beginPath();
  context.rect(0, 0, size, size);
  context.clip();
  if (before?.parts?.theta) outline(context, before.parts.theta.values, size, inner, css(packed(theme.edge)), line);
  outline(context, parts.theta.values, size, inner, css(packed(theme.background)), 4 * line);
  outline(context, parts.theta.values, size, inner, css(packed(theme.blue)), 2 * line);
  context.restore();
  context.strokeStyle = css(packed(theme.line));
  context.lineWidth = line;
  context.strokeRect(line / 2, line / 2, size, size);
  return { values: parts.theta.values };
}

/** The sampled values, (channel, row, column) in 0..1, as a picture. */
function bytesOf(values, [rows, columns, channels]) {
  const found = new Float64Array(rows * columns * channels);
  for (let pixel = 0; pixel < rows * columns; pixel++)
    for (let channel = 0; channel < channels; channel++)
      found[pixel * channels + channel] = 255 * values[channel * rows * columns + pixel];
  return toBytes(found);
}

function outline(context, theta, size, inner, colour, line) {
  context.strokeStyle = colour;
  context.lineWidth = line;
  context.beginPath();
  for (const corner of Object.values(CORNERS)) {
    const [x, y] = at(theta, corner);
    context.lineTo(size / 2 + (x * inner) / 2, size / 2 + (y * inner) / 2);
  }
  context.closePath();
  context.stroke();
}
