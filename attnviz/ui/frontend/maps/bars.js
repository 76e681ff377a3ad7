// One bar per channel: the positions of the bars, and how they are painted. It does not access the page.

import { css, packed } from "../core/colours.js";

const WIDEST = 30; // CSS pixels of a bar with its gap
const GAP = 0.2; // fraction of a bar's space, at its right

/**
 * The range of bars: 0..1 for "unit", from zero to the largest value for "positive", symmetric about zero for "signed".
 * @param {"unit"|"positive"|"signed"} range the range of a role
 * @param {ArrayLike<number>} values
 * @returns {{low: number, high: number}}
 */
export function spanOf(range, values) {
  if (range === "unit") return { low: 0, high: 1 };
  const most = Array.from(values).reduce((found, value) => Math.max(found, Math.abs(value) || 0), 0) || 1;
  return { low: range === "signed" ? -most : 0, high: most };
}

/** The positions of the bars of one strip, in CSS pixels. */
export class BarPlaces {
  /**
   * @param {object} strip
   * @param {number} strip.count number of bars
   * @param {number} strip.width at most
   * @param {number} strip.height
   * @param {number} [strip.low] value at the lower edge
   * @param {number} [strip.high] value at the upper edge
   * @param {number} [strip.widest] maximum width of one bar with its gap
   */
  constructor({ count, width, height, low = 0, high = 1, widest = WIDEST }) {
    this.count = count;
    this.step = Math.min(widest, width / count);
    this.width = this.step * count;
    this.height = height;
    this.low = low;
    this.high = high;
  }

  /** Left edge and width of a bar. @param {number} bar @returns {[number, number]} */
  across(bar) {
    const gap = this.step > 3 ? Math.max(1, this.step * GAP) : 0;
    return [bar * this.step, this.step - gap];
  }

  /** The vertical position of a value, from the top. @param {number} value */
  down(value) {
    const share = (value - this.low) / (this.high - this.low);
    return this.height * (1 - Math.min(1, Math.max(0, share)));
  }

  /** The bar at a position, or -1. @param {number} x */
  at(x) {
    const bar = Math.floor(x / this.step);
    return bar >= 0 && bar < this.count ? bar : -1;
  }

  /** The value at a height. @param {number} y */
  valueAt(y) {
    return this.high - Math.min(1, Math.max(0, y / this.height)) * (this.high - this.low);
  }
}

/**
 * The contents of a strip.
 * @typedef {object} Bars
 * @property {ArrayLike<number>} values
 * @property {ArrayLike<number>} [marks] a mark across each bar, such as its mean over many pictures
 * @property {ArrayLike<boolean>} [pale] bars of little interest, such as those of constants
 * @property {ArrayLike<boolean>} [held] bars set by hand
 * @property {number|null} [chosen] the framed bar
 * @property {number|null} [looked] the bar under the pointer
 */

/**
 * Paint a strip of bars.
 * @param {CanvasRenderingContext2D} context in CSS pixels, its origin at the upper left corner of the strip
 * @param {BarPlaces} places
 * @param {Bars} bars
 * @param {Theme} theme
 */
export function paintBars(context, places, bars, theme) {
  const { values, marks, pale, held, chosen, looked } = bars;
  const colour = (parts) => css(packed(parts));
  const zero = places.down(Math.min(places.high, Math.max(places.low, 0)));
  context.fillStyle = colour(theme.background);
  context.fillRect(0, 0, places.width, places.height);
  context.fillStyle = colour(theme.panel);
  for (let bar = 0; bar < places.count; bar++) {
    const [left, wide] = places.across(bar);
    context.fillRect(left, 0, wide, places.height);
  }
  for (let bar = 0; bar < places.count; bar++) {
    const [left, wide] = places.across(bar);
    const value = values[bar];
    if (!Number.isFinite(value)) continue;
    const end = places.down(value);
    const strength = pale?.[bar] ? 0 : 1;
    context.fillStyle = colour(held?.[bar] ? theme.text : value < 0 ? theme.yellow[strength] : theme.violet[strength]);
    context.fillRect(left, Math.min(zero, end), wide, Math.max(1, Math.abs(zero - end)));
  }
  context.fillStyle = colour(theme.edge);
  context.fillRect(0, Math.min(places.height - 1, zero), places.width, 1);
  if (marks) {
    for (let bar = 0; bar < places.count; bar++) {
      const [left, wide] = places.across(bar);
      const at = Math.min(places.height - 2, Math.max(0, places.down(marks[bar]) - 1));
      context.fillStyle = colour(theme.background);
      context.fillRect(left, at - 1, wide, 4);
      context.fillStyle = colour(theme.text);
      context.fillRect(left, at, wide, 2);
    }
  }
  for (const [bar, line] of /** @type {[number|null|undefined, number][]} */ ([
    [looked, 1],
    [chosen, 2],
  ])) {
    if (bar === null || bar === undefined || bar < 0) continue;
    const [left, wide] = places.across(bar);
    context.strokeStyle = colour(theme.text);
    context.lineWidth = line;
    context.strokeRect(left + line / 2, line / 2, Math.max(line, wide - line), places.height - line);
  }
}
