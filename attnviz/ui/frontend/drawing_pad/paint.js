// Drawings on the screen, painted by the browser at the screen's own resolution.

import { css, TOP } from "../core/colours.js";
import { context2d } from "../core/dom.js";
import { canvasOf, colourAt, pictureCanvas } from "../maps/paint.js";
import { walk } from "../hands/raster.js";
import { CELLS, channelsOf, greyAt, SIDE } from "../hands/strokes.js";

const SMALL = 100; // pixels along each side of a picture with visible pixels
const BLACK = "black"; // the paper of a canvas in colour

/**
 * Paint a drawing onto a canvas of any size, as on the sheet: for the pad, and for small pictures of drawings.
 * @param {HTMLCanvasElement} canvas
 * @param {{base: Base|null, strokes: Stroke[]}} drawing
 * @param {Uint32Array|null} inks from paper to ink; null: in colour
 */
export function paint(canvas, { base, strokes }, inks) {
  const context = opaque(canvas);
  context.fillStyle = paperOf(inks);
  context.fillRect(0, 0, canvas.width, canvas.height);
  if (base) {
    const from = channelsOf(base);
    const grey = inks && from > 1 ? base.values.map((_, at) => greyAt(base.values, at - (at % from))) : base.values;
    const picture = canvasOf(base.side, base.side, (at) => colourAt(grey, at * from, inks ? 1 : from, inks));
    context.imageSmoothingEnabled = base.side > SMALL;
    context.drawImage(picture, 0, 0, canvas.width, canvas.height);
  }
  for (const stroke of strokes) inkStroke(canvas, stroke, inks);
}

/** The colour of an empty sheet. @param {Uint32Array|null} inks as for `paint` */
export function paperOf(inks) {
  return inks ? css(inks[0]) : BLACK;
}

/** @param {Stroke} stroke @param {Uint32Array|null} inks */
function colourOf({ tool, colour }, inks) {
  if (tool === "erase") return paperOf(inks);
  if (!inks) return colour ? `rgb(${colour})` : "white";
  return css(inks[colour ? Math.round((greyAt(colour, 0) * TOP) / 255) : TOP]);
}

/** Paint one more stroke, or the rest of it after a point. @param {Uint32Array|null} inks as for `paint` */
export function inkStroke(canvas, stroke, inks, first = 0) {
  const context = opaque(canvas);
  const size = canvas.width / SIDE;
  const colour = colourOf(stroke, inks);
  Object.assign(context, { fillStyle: colour, strokeStyle: colour, lineCap: "round", lineJoin: "round" });
  /** @type {number|null} */
  let wide = null;
  walk(
    stroke,
    (x0, y0, r0, x1, y1, r1) => {
      if (x0 === x1 && y0 === y1) {
        if (wide !== null) context.stroke();
        wide = null;
        context.beginPath();
        context.arc(x0 * size, y0 * size, Math.max(r0, r1) * size, 0, 2 * Math.PI);
        context.fill();
        return;
      }
      // One path for each constant width: a stroke of one width is painted at once.
      if (wide !== r0 + r1) {
        if (wide !== null) context.stroke();
        wide = r0 + r1;
        context.lineWidth = wide * size;
        context.beginPath();
        context.moveTo(x0 * size, y0 * size);
      }
      context.lineTo(x1 * size, y1 * size);
    },
    first,
  );
  if (wide !== null) context.stroke();
}

/**
 * Paint an input of models, one canvas pixel per pixel.
 * @param {HTMLCanvasElement} canvas
 * @param {{values: Uint8Array, shape: number[]}|null} picture (row, column, channel); null: an empty one
 * @param {Uint32Array} inks from paper to ink
 */
export function paintSeen(canvas, picture, inks) {
  const { values, shape } = picture ?? { values: new Uint8Array(CELLS * CELLS), shape: [CELLS, CELLS, 1] };
  const from = pictureCanvas(values, shape, shape[2] === 1 ? inks : null);
  [canvas.width, canvas.height] = [from.width, from.height];
  context2d(canvas).drawImage(from, 0, 0);
}

/** Copy a canvas to another one. @param {HTMLCanvasElement} from @param {HTMLCanvasElement} to */
export function copy(from, to) {
  if (to.width !== from.width) to.width = to.height = from.width;
  opaque(to).drawImage(from, 0, 0);
}

/**
 * @param {HTMLCanvasElement} canvas
 * @returns {CanvasRenderingContext2D} its context; the page does not show through
 */
function opaque(canvas) {
  return /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d", { alpha: false }));
}
