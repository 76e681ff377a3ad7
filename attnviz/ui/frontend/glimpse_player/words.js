// The sentences of the glimpse player: the path in words, the aim of the policy, and the number of pixels read.

import { best, percent } from "../core/numbers.js";
import { answersOf, beliefOf, drawsOf, pixelOf, sharplySeen } from "./derive.js";

/** @typedef {import("./derive.js").Path} Path */
/** @typedef {import("./derive.js").Facts} Facts */

/**
 * The moved glimpses and their targets; "" for none.
 * @param {number[][]} moved glimpse, row and column of each, from 0
 */
export function movedWords(moved) {
  return moved.map(([which, ...pixel]) => `glimpse ${which + 1} to ${placeWords(pixel)}`).join("; ");
}

/** A position in words, counted from 1. @param {number[]} pixel */
export function placeWords([row, column]) {
  return `row ${row + 1}, column ${column + 1}`;
}

/**
 * The answer after a glimpse.
 * @param {Path} path
 * @param {number} glimpse
 * @param {Facts} facts
 * @param {string[]} classes
 */
export function answerWords(path, glimpse, facts, classes) {
  const values = beliefOf(path, glimpse, facts);
  const first = best(values);
  return `${classes[first]}, ${percent(values[first])}`;
}

/**
 * One glimpse: its position and the belief after it.
 * @param {Path} path
 * @param {number} glimpse
 * @param {Facts} facts
 * @param {string[]} classes
 * @param {boolean} moved
 */
export function glimpseWords(path, glimpse, facts, classes, moved) {
  return (
    `Glimpse ${glimpse + 1}${moved ? ", moved" : ""}: ${placeWords(pixelOf(path, glimpse, facts))}; belief ` +
    `${answerWords(path, glimpse, facts, classes)}.`
  );
}

/**
 * The aim of the policy at a glimpse.
 * @param {Path} path
 * @param {number} glimpse
 * @param {Facts} facts
 * @param {{policy: string, std: number, squash?: string, centre: boolean, draw: number|null, moved: boolean}} how
 */
export function policyWords(path, glimpse, facts, { policy, std, squash, centre, draw, moved }) {
  const at = placeWords(pixelOf(path, glimpse, facts));
  const { middle, ends } = drawsOf(path, glimpse, facts, { std, squash });
  const [row, column] = middle.map((place) => (place + 0.5).toFixed(1));
  const aim = `row ${row}, column ${column}`;
  if (moved)
    return `You moved this glimpse to ${at}${policy === "learnt" && glimpse ? `; the policy aimed at ${aim}` : ""}.`;
  if (policy === "fixed") return `At ${at}, as for every picture.`;
  if (policy === "random")
    return draw === null
      ? `At ${at}, the middle of all random locations.`
      : `At ${at}, drawn at random from the whole picture.`;
  if (!glimpse)
    return centre
      ? `At ${at}: the first glimpse is always at the centre.`
      : draw === null
        ? `At ${at}: without a draw, the first glimpse is at the centre.`
        : `At ${at}: the first glimpse is drawn at random.`;
  if (draw === null) return `At ${at}, the mean of the policy.`;
  return (
    `The policy aimed at ${aim} (\u00d7), give or take ${spreadWords(ends)} (circle); the location drawn is ` + `${at}.`
  );
}

/** @param {number[][]} ends the ends of one standard deviation, on each axis */
function spreadWords(ends) {
  const [down, across] = ends.map(([first, last]) => ((last - first) / 2).toFixed(1));
  return down === across ? `${down} pixels` : `${down} rows and ${across} columns`;
}

/** The number of pixels read, out of all. @param {Path} path @param {number} glimpse @param {Facts} facts */
export function readWords(path, glimpse, facts) {
  const { rows, columns, scales, size } = facts;
  const [each, all] = [scales * size * size, rows * columns];
  const sharp = sharplySeen(path, glimpse + 1, facts);
  const read = (each * (glimpse + 1)).toLocaleString("en-US");
  return (
    `Read so far: ${read} numbers; the picture has ${all.toLocaleString("en-US")} pixels, of which ` +
    `${sharp.toLocaleString("en-US")} were in a sharp patch.`
  );
}

/**
 * The effect of moving glimpses.
 * @param {Path} path
 * @param {Path} before
 * @param {Facts} facts
 * @param {string[]} classes
 */
export function changeWords(path, before, facts, classes) {
  const last = facts.glimpses - 1;
  return (
    `On its own path it would have answered ${answerWords(before, last, facts, classes)}; now it answers ` +
    `${answerWords(path, last, facts, classes)}.`
  );
}

/**
 * The answers of many paths, and the meaning of their density.
 * @param {import("./derive.js").Many} many
 * @param {number} glimpse
 * @param {Facts} facts
 * @param {string[]} classes
 */
export function manyWords(many, glimpse, facts, classes) {
  return (
    `Of ${many.belief.length / facts.classes} draws, ${manyAnswers(many, facts, classes)}. The more violet a pixel, ` +
    `the more draws have it in their sharp patch at glimpse ${glimpse + 1}.`
  );
}

/**
 * The number of paths that end in each answer: "31 answer 8, 19 answer 3".
 * @param {import("./derive.js").Many} many
 * @param {Facts} facts
 * @param {string[]} classes
 */
export function manyAnswers(many, facts, classes) {
  const counts = answersOf(many.belief, facts.classes);
  const order = classes
    .map((_, which) => which)
    .filter((which) => counts[which])
    .sort((one, other) => counts[other] - counts[one]);
  return order
    .map((which) => `${counts[which]} ${counts[which] === 1 ? "answers" : "answer"} ${classes[which]}`)
    .join(", ");
}
