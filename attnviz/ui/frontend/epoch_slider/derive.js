// What the slider of epochs shows, from its data: words, and the curve of the training under the slider.

import { percent, short } from "../core/numbers.js";

/**
 * @typedef {object} Training
 * @property {{epoch: number, key: string}[]} points the epochs whose weights are kept, ascending
 * @property {string} figure what the curve is, in words
 * @property {string} unit of it: "share" or "nats"
 * @property {[number, number][]} curve epoch, value
 * @property {Beside|null} [beside] a second training, whose epochs go along
 */

/**
 * @typedef {object} Beside
 * @property {Record<string, string>} nets epoch -> key of its net
 * @property {[number, number][]} curve epoch, value: of the same figure as that of the first
 */

/** The place of a net among the epochs; -1 where it is none of them. @param {Training} training */
export function placeOf({ points }, key) {
  return points.findIndex((point) => point.key === key);
}

/**
 * The words for the epoch at a place.
 * @param {Training} training
 * @param {number} at
 * @returns {{epoch: string, of: string, value: string, second: string}} such as "Epoch 3", "of 52", "validation
 *   accuracy 96.3 %", "second training 95.1 %"; the last is "" without a second training, and where that has no value
 */
export function wordsOf({ points, curve, figure, unit, beside }, at) {
  const { epoch } = points[at];
  const written = (curve) => {
    const found = curve.find(([one]) => one === epoch);
    return found ? (unit === "share" ? percent(found[1]) : short(found[1], 3)) : "";
  };
  const value = written(curve) && `${figure} ${written(curve)}`;
  const other = beside && written(beside.curve);
  const kept = other ? `second training ${other}` : "";
  const second = !beside || beside.nets[epoch] ? kept : "second training: not kept";
  if (epoch === 0) return { epoch: "Before training", of: "", value, second };
  return { epoch: `Epoch ${epoch}`, of: `of ${points[points.length - 1].epoch}`, value, second };
}

/**
 * How far along the slider an epoch lies, 0..1: evenly from one that is kept to the next, and in proportion between.
 * @param {Training} training
 * @param {number} epoch
 * @returns {number|null} null beyond the last
 */
export function alongOf({ points }, epoch) {
  const last = points.length - 1;
  const next = points.findIndex((point) => point.epoch >= epoch);
  if (next < 0 || last < 1 || epoch < points[0].epoch) return null;
  const before = Math.max(0, next - 1);
  const span = points[next].epoch - points[before].epoch;
  return (before + (span ? (epoch - points[before].epoch) / span : 0)) / last;
}

/**
 * The net of the second training at each epoch of the first, "" where it is not kept; undefined without a second one.
 * @param {Training} training
 */
export function besideOf({ points, beside }) {
  return beside ? points.map(({ epoch }) => beside.nets[epoch] ?? "") : undefined;
}

/**
 * The curves of both trainings as places in a box of width and height 1, 0 at the top; the lowest value of both at the
 * bottom.
 * @param {Training} training
 * @returns {{along: number, down: number, epoch: number}[][]} that of the first, and that of the second: empty where
 *   there is none
 */
export function curvesOf(training) {
  const inside = [training.curve, training.beside?.curve ?? []].map((curve) =>
    curve
      .map(([epoch, value]) => ({ epoch, value, along: alongOf(training, epoch) }))
      .filter(({ along }) => along !== null),
  );
  const values = inside.flat().map(({ value }) => value);
  const [low, high] = [Math.min(...values), Math.max(...values)];
  return inside.map((curve) =>
    curve.map(({ epoch, value, along }) => ({
      epoch,
      along: along ?? 0,
      down: high > low ? (high - value) / (high - low) : 0.5,
    })),
  );
}
