// The frame of the scatter as SVG, its marks on a canvas, the colours of the board, and small maps.

import { css, toIndices, makeScale } from "../core/colours.js";
import { svg } from "../core/dom.js";
import { canvasOf } from "../maps/paint.js";
import { tickWords } from "./derive.js";

/** The layout of the scatter, in CSS pixels. */
export class Room {
  /** @param {{width: number, height: number, px: number}} size px: a pixel of the design */
  constructor({ width, height, px }) {
    this.width = width;
    this.height = height;
    this.px = px;
    this.left = 68 * px; // space for ticks such as -0.0200 next to the title
    this.right = width - 14 * px;
    this.top = 12 * px;
    this.bottom = height - 44 * px;
  }

  x(place) {
    return this.left + place * (this.right - this.left);
  }

  y(place) {
    return this.bottom - place * (this.bottom - this.top);
  }

  /** The point of the scatter under a pixel, 0..1 on each axis. @returns {[number, number]} */
  at([x, y]) {
    return [(x - this.left) / (this.right - this.left), (this.bottom - y) / (this.bottom - this.top)];
  }

  /** Its size. @returns {[number, number]} */
  get size() {
    return [this.right - this.left, this.bottom - this.top];
  }
}

/** The axes with their ticks and titles. @param {Room} room */
export function frameOf(room, across, up, titles) {
  const parts = [];
  for (const [axis, isAcross] of /** @type {[any, boolean][]} */ ([
    [across, true],
    [up, false],
  ])) {
    const words = tickWords(axis.ticks);
    for (const [number, tick] of axis.ticks.entries()) {
      const place = (tick - axis.low) / (axis.high - axis.low);
      const [x, y] = [room.x(place), room.y(place)];
      const line = isAcross
        ? { x1: x, x2: x, y1: room.top, y2: room.bottom }
        : { x1: room.left, x2: room.right, y1: y, y2: y };
      parts.push(svg("line", { class: tick === 0 ? "rule zero" : "rule", ...line }));
      const at = isAcross ? { x, y: room.bottom + 16 * room.px } : { x: room.left - 6 * room.px, y: y + 4 * room.px };
      parts.push(svg("text", { class: isAcross ? "tick across" : "tick", ...at }, words[number]));
    }
  }
  parts.push(svg("text", { class: "title", x: (room.left + room.right) / 2, y: room.height - 8 * room.px }, titles[0]));
  const [x, y] = [13 * room.px, (room.top + room.bottom) / 2];
  parts.push(svg("text", { class: "title", x, y, transform: `rotate(-90 ${x} ${y})` }, titles[1]));
  return parts;
}

/** @typedef {{size: number, fill: string, edge: string, line: string, width: number, alpha: number}} Mark */

/**
 * Paint the intervals of all heads on a canvas, then the dots on top. Heads without a position are left out.
 * @param {CanvasRenderingContext2D} context
 * @param {Room} room
 * @param {import("./derive.js").Point[]} points
 * @param {(head: number) => Mark} look
 */
export function paintMarks(context, room, points, look) {
  const there = points.map(({ x, y }, head) => (Number.isFinite(x + y) ? head : -1)).filter((head) => head >= 0);
  context.lineWidth = 1;
  for (const head of there) {
    const { line, alpha } = look(head);
    const { x, y, left, right, low, high } = points[head];
    Object.assign(context, { strokeStyle: line, globalAlpha: Math.min(0.6, alpha) });
    context.beginPath();
    context.moveTo(room.x(finite(left, x)), room.y(y));
    context.lineTo(room.x(finite(right, x)), room.y(y));
    context.moveTo(room.x(x), room.y(finite(low, y)));
    context.lineTo(room.x(x), room.y(finite(high, y)));
    context.stroke();
  }
  for (const head of there) {
    const { size, fill, edge, width, alpha } = look(head);
    Object.assign(context, { fillStyle: fill, strokeStyle: edge, lineWidth: width, globalAlpha: alpha });
    context.beginPath();
    context.arc(room.x(points[head].x), room.y(points[head].y), size, 0, 2 * Math.PI);
    context.fill();
    context.stroke();
  }
  context.globalAlpha = 1;
}

function finite(value, otherwise) {
  return Number.isFinite(value) ? value : otherwise;
}

/** The colour of a value on the board. @param {Palettes} palettes */
export function boardColour(palettes, { signed, place }, value, background) {
  if (!Number.isFinite(value)) return background;
  const palette = signed ? palettes.signed : palettes.positive;
  return css(palette[Math.round(254 * Math.min(1, Math.max(0, place(value))))]);
}

/**
 * Paint a map of multiples of an even share on a canvas at its own resolution.
 * @param {Float64Array} maps all maps
 * @param {number} number index of the map
 * @param {[number, number]} size rows and columns
 * @param {Palettes} palettes
 */
export function mapCanvas(maps, number, [rows, columns], palettes) {
  const values = maps.slice(number * rows * columns, (number + 1) * rows * columns).map(Math.log);
  const indices = new Uint16Array(values.length);
  toIndices(values, 0, values.length, makeScale("share"), indices);
  return canvasOf(columns, rows, (pixel) => palettes.share[indices[pixel]]);
}
