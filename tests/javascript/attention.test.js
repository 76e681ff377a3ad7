// Attention from queries, keys and log-normalisers, against the softmax written out.

import assert from "node:assert/strict";
import test from "node:test";

import { Attention, MEAN } from "../../attnviz/ui/frontend/maps/attention.js";
import { extent, half, strongest } from "../../attnviz/ui/frontend/maps/extremes.js";
import { randomOf } from "./helpers.js";

const [HEADS, TOKENS, SIZE] = [3, 5, 4];
const random = randomOf(1);
const numbers = (count) => Float64Array.from({ length: count }, () => 4 * random() - 2);
const [query, key, carried] = [numbers(HEADS * TOKENS * SIZE), numbers(HEADS * TOKENS * SIZE), numbers(HEADS * TOKENS)];
const every = (count, of) => Array.from({ length: count }, (_, i) => of(i));
const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;

// Written out: scores[head][query][key], and each row of weights is its softmax.
const vector = (of, head, token) => every(SIZE, (i) => of[(head * TOKENS + token) * SIZE + i]);
const scores = every(HEADS, (head) =>
  every(TOKENS, (q) =>
    every(TOKENS, (k) => {
      const [one, other] = [vector(query, head, q), vector(key, head, k)];
      return one.reduce((sum, value, i) => sum + value * other[i], 0) / Math.sqrt(SIZE);
    }),
  ),
);
const normalisers = scores.map((rows) => rows.map((row) => row.reduce((sum, score) => sum + Math.exp(score), 0)));
const weights = scores.map((rows, head) =>
  rows.map((row, q) => row.map((score) => Math.exp(score) / normalisers[head][q])),
);
const received = weights.map((rows) => every(TOKENS, (k) => mean(rows.map((row) => row[k]))));

const attention = new Attention(
  {
    query,
    key,
    carried,
    log_normaliser: Float64Array.from(normalisers.flat(), Math.log),
    received: Float64Array.from(received.flat()),
  },
  [HEADS, TOKENS, SIZE],
);

function close(found, wanted) {
  assert.equal(found.length, wanted.length);
  wanted.forEach((value, i) => assert.ok(Math.abs(found[i] - value) < 1e-12, `${i}: ${found[i]} is not ${value}`));
}

/** All maps of a head, then the mean of the heads, flat. @param {(head: number, token: number) => number} value */
const maps = (value) => {
  const each = every(HEADS, (head) => every(TOKENS, (token) => value(head, token)));
  return [...each.flat(), ...every(TOKENS, (token) => mean(each.map((map) => map[token])))];
};
const worth = (head, token) => carried[head * TOKENS + token];

for (const [show, direction, value] of [
  ["scores", "from", (head, token) => scores[head][2][token]],
  ["scores", "to", (head, token) => scores[head][token][2]],
  ["scores", "received", (head, token) => mean(scores[head].map((row) => row[token]))],
  ["weights", "from", (head, token) => weights[head][2][token]],
  ["weights", "to", (head, token) => weights[head][token][2]],
  ["weights", "received", (head, token) => received[head][token]],
  ["carried", "from", (head, token) => weights[head][2][token] * worth(head, token)],
  ["carried", "to", (head, token) => weights[head][token][2] * worth(head, 2)],
  ["carried", "received", (head, token) => received[head][token] * worth(head, token)],
]) {
  test(`maps of ${show}, ${direction}`, () => {
    const [found, logs] = [new Float64Array((HEADS + 1) * TOKENS), new Float64Array((HEADS + 1) * TOKENS)];
    attention.fill(show, direction, 2, found, logs);
    close(found, maps(value));
    if (show === "weights") close(logs, maps(value).map(Math.log));
  });
}

test("one pair, in one head and in the mean of all", () => {
  const one = attention.pair(1, 2, 3, "from");
  close([one.score, one.weight, one.carried], [scores[1][2][3], weights[1][2][3], weights[1][2][3] * worth(1, 3)]);
  close([one.terms.reduce((sum, { product }) => sum + product, 0) / Math.sqrt(SIZE)], [one.score]);
  const all = attention.pair(MEAN, 2, 3, "from");
  close([all.score, all.weight], [mean(scores.map((rows) => rows[2][3])), mean(weights.map((rows) => rows[2][3]))]);
});

test("what is no number is passed over by the strongest token and by the extent", () => {
  const map = Float64Array.of(9, NaN, -3, 2, Infinity, -Infinity, 1);
  assert.equal(strongest(map, 1, 6, false), 1);
  assert.equal(strongest(map, 1, 6, true), 2);
  assert.deepEqual(extent(map, 1, 6), { high: 2, low: -3, most: 3 });
});

test("how many tokens hold half of a map", () => {
  assert.deepEqual(half(Float64Array.of(7, 1, 4, 2, 1), 1, 4), { count: 1, sum: 8 });
  assert.deepEqual(half(Float64Array.of(1, 1, 1, 1), 0, 4), { count: 2, sum: 4 });
});

test("a row of weights, and the mean row", () => {
  const found = new Float64Array(TOKENS);
  attention.row(1, 3, found);
  close(found, weights[1][3]);
  attention.row(2, null, found);
  close(found, received[2]);
});
