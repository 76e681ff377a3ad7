// The contents of the epoch slider, derived from its data: words, and the training curve below the slider.

import { percent, short } from "../core/numbers.js";

/**
 * @typedef {object} Training
 * @property {{epoch: number, key: string}[]} points the epochs with stored weights, ascending
 * @property {string} figure what the curve measures, in words
 * @property {string} unit "share" or "nats"
 * @property {[number, number][]} curve epoch, value
 * @property {Beside|null} [beside] a second training, shown at the same epochs
 */

/**
 * @typedef {object} Beside
 * @property {Record<string, string>} nets epoch -> key of its net
 * @property {[number, number][]} curve pairs of epoch and value, with the same measure as the first curve
 */

/** The index of a net's epoch, or -1 if it belongs to no stored epoch. @param {Training} training */
export function placeOf({ points }, key) {
  return points.findIndex((point) => point.key === key);
}

/**
 * The words for one epoch.
 * @param {Training} training
 * @param {number} at index of the epoch
 * @returns {{epoch: string, of: string, value: string, second: string}} such as "Epoch 3", "of 52", "validation
 *   accuracy 96.3 %", "second training 95.1 %"; the last is "" without a second training or without its value
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
 * The position of an epoch on the slider, 0..1: stored epochs are evenly spaced, the others interpolated linearly.
 * @param {Training} training
 * @param {number} epoch
 * @returns {number|null} null outside the stored epochs
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
 * The second training's net at each epoch of the first, "" if it is not stored; undefined without a second training.
 * @param {Training} training
 */
export function besideOf({ points, beside }) {
  return beside ? points.map(({ epoch }) => beside.nets[epoch] ?? "") : undefined;
}

/**
 * The curves of both trainings as points in a box of width and height 1. The origin is at the top left, and the lowest
 * value of both curves lies at the bottom.
 * @param {Training} training
 * @returns {{along: number, down: number, epoch: number}[][]} the first curve and the second, which is
 *   empty without a second training
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
