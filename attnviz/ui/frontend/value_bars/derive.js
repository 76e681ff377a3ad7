// The words and numbers of bars of values. It does not access the page.

import { short } from "../core/numbers.js";

/**
 * @typedef {{header: {names: string[], range: string}, arrays: Record<string, any>, span: {low: number, high:
 *   number}}} Shown
 */

/** One bar in words. @param {Pick<Shown, "header"|"arrays">} shown @param {number} bar */
export function inWords({ header, arrays }, bar) {
  const mark = arrays.marks ? `, mean ${short(arrays.marks[bar], 3)}` : "";
  return `${header.names[bar]}: ${short(arrays.values[bar])}${mark}`;
}

/** The scale of all bars and the range of their values, in words. @param {Shown} shown */
export function summaryOf({ arrays, span }) {
  const finite = Array.from(arrays.values).filter(Number.isFinite);
  if (!finite.length) return "No value is a number.";
  const [least, most] = [Math.min(...finite), Math.max(...finite)];
  return (
    `Bars from ${short(span.low, 3)} to ${short(span.high, 3)}; values from ${short(least, 3)} to ${short(most, 3)}.` +
    (arrays.marks ? " The line across a bar is its mean." : "")
  );
}

/**
 * The numbers of all bars, for a CSV file.
 * @param {Pick<Shown, "header"|"arrays">} shown
 * @returns {{head: string[], rows: (string|number)[][]}}
 */
export function tableOf({ header, arrays }) {
  const { marks } = arrays;
  return {
    head: ["name", "value", ...(marks ? ["mean"] : [])],
    rows: header.names.map((name, bar) => [name, arrays.values[bar], ...(marks ? [marks[bar]] : [])]),
  };
}
