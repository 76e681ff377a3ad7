// The picture with its grid on a canvas, with space around it for a grid that extends beyond it; and its input.

import { css, packed } from "../core/colours.js";
import { context2d } from "../core/dom.js";
import { placeIn } from "../hands/place.js";
import { pictureCanvas } from "../maps/paint.js";
import { at, inPixels, placeOf } from "./affine.js";
import { CORNERS, frameOf, handleAt, handlesOf } from "./drag.js";

const AROUND = 1.42; // width of the scene relative to the picture: the diagonal of a rotated square is 1.41
const LINES = 8; // of the grid, each way, besides its points
const GRIP = { mouse: 14, touch: 24 }; // distance within which a handle is grabbed, CSS pixels

export class Scene {
  constructor() {
    this.canvas = document.createElement("canvas");
    this.shape = [1, 1, 1];
    this.cell = 1; // CSS pixels per pixel of the picture
    this.size = [1, 1]; // width and height in CSS pixels
    /** @type {{picture: Uint8Array, inks: any, canvas: HTMLCanvasElement}|null} the picture at its own resolution */
    this.made = null;
  }

  /** @param {number[]} shape of the picture @param {number} room in CSS pixels, for the longer side */
  layout(shape, room) {
    const [rows, columns] = shape;
    this.shape = shape;
    this.cell = room / (AROUND * Math.max(rows, columns));
    this.size = [columns, rows].map((count) => Math.round(count * this.cell * AROUND));
    const [width, height] = this.size;
    Object.assign(this.canvas, { width: width * devicePixelRatio, height: height * devicePixelRatio });
    Object.assign(this.canvas.style, { width: `${width}px`, height: `${height}px` });
  }

  /** The position on the canvas of a point of the picture, in CSS pixels. @param {number[]} place */
  onCanvas([x, y]) {
    const [rows, columns] = this.shape;
    const [width, height] = this.size;
    return [width / 2 + (x * columns * this.cell) / 2, height / 2 + (y * rows * this.cell) / 2];
  }

  /** The inverse of `onCanvas`. @param {number} x @param {number} y @returns {import("./derive.js").Place} */
  placeAt(x, y) {
    const [rows, columns] = this.shape;
    const [width, height] = this.size;
    return [(2 * (x - width / 2)) / (columns * this.cell), (2 * (y - height / 2)) / (rows * this.cell)];
  }

  /**
   * @param {object} what
   * @param {Uint8Array} what.picture as it is moved
   * @param {import("./derive.js").Move} what.move
   * @param {ArrayLike<number>} what.theta
   * @param {string} what.drag the object with handles
   * @param {number} what.looked the sampled pixel under the pointer; -1: none
   * @param {Theme} theme
   * @param {Uint32Array|null} inks
   */
  paint({ picture, move, theta, drag, looked }, theme, inks) {
    const context = context2d(this.canvas);
    const [width, height] = this.size;
    const [rows, columns] = this.shape;
    context.setTransform(devicePixelRatio, 0, 0, devicePixelRatio, 0, 0);
    context.fillStyle = css(packed(theme.panel));
    context.fillRect(0, 0, width, height);
    if (this.made?.picture !== picture || this.made.inks !== inks)
      this.made = { picture, inks, canvas: pictureCanvas(picture, this.shape, inks) };
    const [left, top] = this.onCanvas([-1, -1]);
    context.imageSmoothingEnabled = false;
    context.drawImage(this.made.canvas, left, top, columns * this.cell, rows * this.cell);
    context.strokeStyle = css(packed(theme.line));
    context.lineWidth = 1;
    context.strokeRect(left - 0.5, top - 0.5, columns * this.cell + 1, rows * this.cell + 1);
    const [blue, halo, ink] = [theme.blue, theme.background, theme.text].map((one) => css(packed(one)));
    this.paintGrid(context, theta, blue, halo);
    if (looked >= 0) this.paintLooked(context, theta, looked, blue, halo, ink);
    if (drag === "grid") this.paintHandles(context, theta, blue, halo);
    else {
      const frame = frameOf(move, this.shape);
      this.line(context, Object.values(CORNERS), frame, ink, 1);
      this.paintHandles(context, frame, ink, halo);
    }
  }

  paintGrid(context, theta, blue, halo) {
    const [rows, columns] = this.shape;
    context.globalAlpha = 0.45;
    for (let line = 1; line < LINES; line++) {
      const along = (2 * line) / LINES - 1;
      const ends = [-1, 1];
      this.line(context, ends.map((end) => [end, along]), theta, blue, 1); // prettier-ignore
      this.line(context, ends.map((end) => [along, end]), theta, blue, 1); // prettier-ignore
    }
    context.globalAlpha = 0.75;
    context.fillStyle = blue;
    const dot = Math.max(1, Math.min(2, this.cell / 4));
    for (let row = 0; row < rows; row++)
      for (let column = 0; column < columns; column++) {
        const [x, y] = this.onCanvas(at(theta, [(2 * column + 1) / columns - 1, (2 * row + 1) / rows - 1]));
        context.fillRect(x - dot / 2, y - dot / 2, dot, dot);
      }
    context.globalAlpha = 1;
    const stem = [this.onCanvas(at(theta, [0, -1])), this.onCanvas(handlesOf(theta).knob)];
    const pen = (act) => {
      act(halo, 4);
      act(blue, 2);
    };
    pen((colour, width) => this.line(context, Object.values(CORNERS), theta, colour, width));
    pen((colour, width) => this.stroke(context, stem, colour, width));
  }

  /** Paint the point at which a pixel is sampled, and the pixels that contribute to it. */
  paintLooked(context, theta, looked, blue, halo, ink) {
    const place = placeOf(theta, looked, this.shape);
    const [down, across] = inPixels(place, this.shape).map(Math.floor);
    const [left, top] = this.onCanvas([-1, -1]);
    context.strokeStyle = ink;
    context.lineWidth = 1.5;
    context.strokeRect(left + across * this.cell, top + down * this.cell, 2 * this.cell, 2 * this.cell);
    this.disc(context, this.onCanvas(place), 4, blue, halo);
  }

  paintHandles(context, frame, colour, halo) {
    const { knob, ...handles } = handlesOf(frame);
    this.stroke(context, [this.onCanvas(at(frame, [0, -1])), this.onCanvas(knob)], colour, 1.5);
    this.disc(context, this.onCanvas(knob), 6, colour, halo);
    for (const corner of Object.keys(CORNERS)) {
      const [x, y] = this.onCanvas(handles[corner]);
      context.fillStyle = halo;
      context.fillRect(x - 6, y - 6, 12, 12);
      context.fillStyle = colour;
      context.fillRect(x - 4.5, y - 4.5, 9, 9);
    }
  }

  /**
   * @param {CanvasRenderingContext2D} context
   * @param {number[]} place in CSS pixels
   * @param {number} radius
   * @param {string} colour
   * @param {string} halo
   */
  disc(context, [x, y], radius, colour, halo) {
    context.beginPath();
    context.arc(x, y, radius, 0, 2 * Math.PI);
    context.fillStyle = colour;
    context.fill();
    context.strokeStyle = halo;
    context.lineWidth = 1.5;
    context.stroke();
  }

  /** A line through points of a grid, closed if there are more than two. */
  line(context, places, theta, colour, width) {
    const points = places.map((place) => this.onCanvas(at(theta, place)));
    this.stroke(context, points.length > 2 ? [...points, points[0], points[1]] : points, colour, width);
  }

  stroke(context, points, colour, width) {
    context.strokeStyle = colour;
    context.lineWidth = width;
    context.beginPath();
    for (const [x, y] of points) context.lineTo(x, y);
    context.stroke();
  }

  /**
   * Listen to pointers; a drag does not scroll the page.
   * @param {object} hands
   * @param {() => ArrayLike<number>} hands.frame theta of the object with handles
   * @param {(handle: import("./derive.js").Handle) => void} hands.begin called when a handle is grabbed
   * @param {(from: import("./derive.js").Place, to: import("./derive.js").Place) => void} hands.drag
   * @param {() => void} hands.end
   */
  listen({ frame, begin, drag, end }) {
    const { canvas } = this;
    const under = (event) => {
      const { x, y } = placeIn(canvas, event);
      return this.placeAt(x, y);
    };
    const handle = (event) =>
      handleAt(
        frame(),
        under(event),
        (event.pointerType === "touch" ? GRIP.touch : GRIP.mouse) / this.cell,
        this.shape,
      );
    /** @type {{pointer: number, from: import("./derive.js").Place}|null} a second finger is ignored */
    let held = null;
    const letGo = () => {
      held = null;
      end();
    };
    canvas.addEventListener("pointerdown", (event) => {
      if (!event.isPrimary || event.button !== 0) return;
      if (held) letGo(); // the end of that one was missed
      canvas.setPointerCapture(event.pointerId);
      held = { pointer: event.pointerId, from: under(event) };
      begin(handle(event));
    });
    canvas.addEventListener("pointermove", (event) => {
      if (!held) canvas.style.cursor = CURSORS[handle(event)] ?? "nwse-resize";
      else if (event.pointerId === held.pointer) drag(held.from, under(event));
    });
    canvas.addEventListener("lostpointercapture", (event) => {
      if (event.pointerId === held?.pointer) letGo();
    });
  }
}

const CURSORS = { middle: "move", knob: "grab" };
