// Parallel coordinates as SVG: made once for the data, then updated with the view.

import { css, packed } from "../core/colours.js";
import { set } from "../core/dom.js";

const FAINTEST = 70; // index in the palette, whose 0 is the page's colour: the worst trial is visible, too

/** The layout, in CSS pixels. */
export class Room {
  /** @param {{width: number, height: number, axes: number, px: number}} size px: a pixel of the design */
  constructor({ width, height, axes, px }) {
    this.width = width;
    this.height = height;
    this.axes = axes;
    this.px = px;
    this.top = 46 * px;
    this.bottom = height - 12 * px;
    this.side = Math.min(60 * px, Math.max(46 * px, width / axes / 2));
  }

  /** Whether the words of two axes would overlap if those of the last axis were on its left. */
  get narrow() {
    return this.x(1) - this.x(0) < 90 * this.px;
  }

  /** @param {number} axis may be fractional */
  x(axis) {
    return this.side + (axis * (this.width - 2 * this.side)) / Math.max(1, this.axes - 1);
  }

  /** @param {number} place 0..1 from the bottom to the top */
  y(place) {
    return this.bottom - place * (this.bottom - this.top);
  }

  /** @param {number} x */
  along(x) {
    return ((x - this.side) * Math.max(1, this.axes - 1)) / (this.width - 2 * this.side);
  }

  /** @param {number} y */
  place(y) {
    return (this.bottom - y) / (this.bottom - this.top);
  }
}

/**
 * The points of a trial's line, which ends before the first axis without a value.
 * @param {Room} room
 * @param {Float64Array} places of all trials
 * @param {number} trial
 * @param {number} axes
 * @returns {[number, number][]}
 */
export function pointsOf(room, places, trial, axes) {
  /** @type {[number, number][]} */
  const points = [];
  for (let axis = 0; axis < axes; axis++) {
    const place = places[trial * axes + axis];
    if (Number.isNaN(place)) break;
    points.push([room.x(axis), room.y(place)]);
  }
  return points;
}

/**
 * The colour of a trial, stronger for better ones; the theme's line colour if it has no value.
 * @param {Palettes} palettes
 * @param {number} strength 0..1, or NaN
 * @param {Theme} theme
 */
export function colourOf(palettes, strength, theme) {
  if (Number.isNaN(strength)) return css(packed(theme.line));
  return css(palettes.positive[Math.round(FAINTEST + strength * (254 - FAINTEST))]);
}

/** Position the lines of all trials. */
export function paintLines(lines, shown, room, colours) {
  lines.forEach((line, trial) => {
    const points = pointsOf(room, shown.places, trial, shown.axes.length);
    set(line, "points", points.map((point) => point.map((part) => part.toFixed(1)).join()).join(" "));
    set(line, "stroke", colours[trial]);
  });
}

/** Mark the lines inside the brushes, and the pointed and the chosen one. */
export function markLines(lines, inside, looked, chosen) {
  lines.forEach((line, trial) => {
    const kind = trial === chosen ? "chosen" : trial === looked ? "looked" : inside[trial] ? "" : "out";
    set(line, "class", kind ? `line ${kind}` : "line");
  });
}
