// The sentences of the worked pair: one for each of its steps, and one for when no step is selected.

import { MEAN } from "../maps/attention.js";
import { plain, times } from "../core/numbers.js";

export const STEPS = ["score", "softmax", "value", "share"];
export const NOTHING = 0.01; // multiple of an even share below which a weight is practically 0

/** The plural of a unit: "pixels", "boxes". @param {string} unit */
export function several(unit) {
  return `${unit}${unit.endsWith("x") ? "es" : "s"}`;
}

/** The description of a step, with this pair's numbers. @param {string} step @param {any} reading @returns {string} */
export function stepSentence(step, reading) {
  return { score, softmax, value, share }[step](reading);
}

function score({ size, head, direction }) {
  if (size === 0) return "The score of query and key as the model computes it, with all that it adds to their product.";
  if (head === MEAN)
    return (
      "Each head compares its own query with its own key. This is the mean of their scores; choose a head to see " +
      "its terms."
    );
  const root = size === 1 ? "" : `, divided by \u221a${size} so that long vectors do not give larger scores`;
  if (direction === "received") return `The dot product of query and key${root}, as a mean over all queries.`;
  return (
    `Multiply the query by the key, number by number, and add up the products${root}: this says how well the key ` +
    "fits what the query looks for."
  );
}

function softmax({ tokens, head, direction, weight }) {
  if (tokens === 1) return "There is only one token: the softmax over a single score is always 1.";
  const whose =
    direction === "received"
      ? "These are the means over all queries."
      : head === MEAN
        ? "These are the means over the heads."
        : `The dashed line is an even share, 1/${tokens}.`;
  const small = weight * tokens < NOTHING ? " This key gets almost nothing." : "";
  return (
    `Softmax turns the scores of all ${tokens} keys into weights that add up to 1: the larger the score, the ` +
    `larger the weight. ${whose}${small}`
  );
}

function value({ head, carriedSigned, carried, direction, ends }) {
  if (head === MEAN) return "In each head the key carries another value. Choose a head to see its numbers.";
  const query = direction === "received" ? "a query, on average," : "the query";
  const moved = carriedSigned
    ? `This adds ${plain(carried)} to its output.`
    : ends
      ? `Without this, the output after ReLU and norm would differ by ${plain(carried)}.`
      : `This changes its output by ${plain(carried)}.`;
  return (
    `The weight says how much of the key\u2019s value ${query} takes: each number of the value times the weight. ` +
    `${moved}`
  );
}

function share({ worked, logitWords, direction, head, heads, ends }) {
  if (worked.added === null) {
    const whole = ends
      ? "the changes that all keys in all heads, and the query\u2019s own features, make to the output, each alone"
      : `all that ${head === MEAN ? "is added" : "this head adds"} to the query\u2019s output`;
    return (
      "No exact share of the answer can be given, because what follows the attention in this model is not a sum. " +
      `The number here is this pair\u2019s share, by size, of ${whole}.`
    );
  }
  const who = direction === "received" ? "this key, through all queries" : "this pair";
  const sum = head === MEAN && heads > 1 ? ` in all ${heads} heads together` : "";
  return (
    `In this model the answer is a sum over all pairs and heads. What ${who}${sum} adds to it is exact; a number ` +
    `below zero speaks against the answer. Here the sum is the ${logitWords}.`
  );
}

/** The distribution of this head's attention, beyond the pair. @param {any} reading @returns {string} */
export function restingSentence({ direction, show, head, tokens, count, sum, unit, jacobian, ends }) {
  if (jacobian)
    return (
      "The map shows how the answer depends on each pixel of the picture. It belongs to no query and to no head; " +
      "the numbers above are those of the attention."
    );
  if (tokens === 1) return "There is only one token: the softmax over a single score is always 1.";
  if (show === "scores") {
    if (direction === "received")
      return `The map shows the mean over all ${tokens} queries of the score before softmax.`;
    return (
      `The map shows scores. Softmax over all ${tokens} scores of a query turns them into its weights, which sum ` +
      "to 1."
    );
  }
  if (show === "carried") {
    const what = ends
      ? "by how much each key, taken with its weight, changes the output"
      : "each weight times what its key carries";
    return `The map shows ${what}. Half of the total comes from ${count} of ${tokens} ${unit}.`;
  }
  const whose = head === MEAN ? "the heads\u2019 mean attention" : "this head\u2019s attention";
  if (!(sum > 0))
    return direction === "from"
      ? "This token is a key alone: it attends to nothing. Point at a query, below the maps."
      : "This token is a query alone: nothing attends to it. Point at a key.";
  if (direction === "from") return `Half of ${whose} lies on ${count} of ${tokens} ${unit}.`;
  if (direction === "to")
    return (
      `All ${tokens} queries together give this key ${times(sum)} \u00d7 an even share of ${whose}; half of that ` +
      `comes from ${count} ${unit}.`
    );
  return (
    `The mean over all ${tokens} queries. Half of all ${whose.replace("the heads\u2019 ", "")} lies on ${count} of ` +
    `${tokens} ${unit}.`
  );
}
