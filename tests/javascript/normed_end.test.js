// What a pair changes in an output after ReLU and norm, against the end of the layer written out.

import assert from "node:assert/strict";
import test from "node:test";

import { Attention, MEAN } from "../../attnviz/ui/frontend/maps/attention.js";
import { NormedEnd } from "../../attnviz/ui/frontend/maps/normed_end.js";
import { stepSentence } from "../../attnviz/ui/frontend/pixel_viewer/pair_words.js";
import { Worked } from "../../attnviz/ui/frontend/pixel_viewer/worked.js";
import { randomOf } from "./helpers.js";

const [HEADS, TOKENS, SIZE, FEATURES, EPS] = [2, 4, 3, 5, 1e-3];
const random = randomOf(9);
const numbers = (count) => Float64Array.from({ length: count }, () => 4 * random() - 2);
const every = (count, of) => Array.from({ length: count }, (_, i) => of(i));
const sum = (list) => list.reduce((total, number) => total + number, 0);
const [query, key, value] = every(3, () => numbers(HEADS * TOKENS * SIZE));
const [own, added, scale] = [numbers(TOKENS * FEATURES), numbers(HEADS * TOKENS * FEATURES), numbers(FEATURES)];
const bias = numbers(FEATURES);

const weights = every(HEADS, (head) =>
  every(TOKENS, (q) => {
    const all = every(TOKENS, (k) => Math.exp(score(head, q, k)));
    return all.map((one) => one / sum(all));
  }),
);
const before = Float64Array.from(every(TOKENS * FEATURES, (at) => entering(Math.floor(at / FEATURES))[at % FEATURES]));

function score(head, q, k) {
  const at = (of, token, i) => of[(head * TOKENS + token) * SIZE + i];
  return sum(every(SIZE, (i) => at(query, q, i) * at(key, k, i))) / Math.sqrt(SIZE);
}

// What enters ReLU at a query: all that it takes but one pair, or all but its own features.
function entering(q, leftOut = null) {
  return every(FEATURES, (i) => {
    let total = bias[i] + (leftOut === "own" ? 0 : own[q * FEATURES + i]);
    for (let head = 0; head < HEADS; head++) {
      for (let k = 0; k < TOKENS; k++) {
        if (leftOut?.[0] === head && leftOut?.[1] === k) continue;
        total += weights[head][q][k] * added[(head * TOKENS + k) * FEATURES + i];
      }
    }
    return total;
  });
}

function output(entered) {
  const positive = entered.map((number) => Math.max(number, 0));
  const mean = sum(positive) / FEATURES;
  const variance = sum(positive.map((number) => (number - mean) ** 2)) / FEATURES;
  return positive.map((number, i) => (scale[i] * (number - mean)) / Math.sqrt(variance + EPS));
}

function change(q, leftOut) {
  const [whole, without] = [output(entering(q)), output(entering(q, leftOut))];
  return Math.hypot(...whole.map((number, i) => number - without[i]));
}

const changes = every(HEADS, (head) => every(TOKENS, (q) => every(TOKENS, (k) => change(q, [head, k]))));
const ofOwn = every(TOKENS, (q) => change(q, "own"));

const normaliser = Float64Array.from(
  every(HEADS * TOKENS, (at) => {
    const [head, q] = [Math.floor(at / TOKENS), at % TOKENS];
    return score(head, q, q) - Math.log(weights[head][q][q]);
  }),
);
const received = Float64Array.from(
  every(HEADS * TOKENS, (at) => sum(weights[Math.floor(at / TOKENS)].map((row) => row[at % TOKENS])) / TOKENS),
);
const carried = new Float64Array(HEADS * TOKENS).fill(NaN); // the length before ReLU and norm must not be read
const attention = new Attention(
  { query, key, log_normaliser: normaliser, carried, received },
  [HEADS, TOKENS, SIZE],
  new NormedEnd({ before, own, added, scale }, TOKENS, EPS),
);

function near(found, wanted) {
  assert.ok(Math.abs(found - wanted) < 1e-12, `${found} is not ${wanted}`);
}

test("a pair changes the output by the distance to what it would be without the pair", () => {
  every(HEADS, (head) =>
    every(TOKENS, (q) => every(TOKENS, (k) => near(attention.pair(head, q, k, "from").carried, changes[head][q][k]))),
  );
  near(attention.pair(MEAN, 2, 1, "from").carried, sum(changes.map((one) => one[2][1])) / HEADS);
  near(attention.pair(1, null, 3, "received").carried, sum(changes[1].map((row) => row[3])) / TOKENS);
});

test("maps of changes hold the same numbers, in every direction", () => {
  const maps = new Float64Array((HEADS + 1) * TOKENS);
  for (const [direction, wanted] of [
    ["from", (head, token) => changes[head][2][token]],
    ["to", (head, token) => changes[head][token][2]],
    ["received", (head, token) => sum(changes[head].map((row) => row[token])) / TOKENS],
  ]) {
    attention.fill("carried", direction, 2, maps, new Float64Array(maps.length));
    for (let token = 0; token < TOKENS; token++) {
      every(HEADS, (head) => near(maps[head * TOKENS + token], wanted(head, token)));
      near(maps[HEADS * TOKENS + token], sum(every(HEADS, (head) => wanted(head, token))) / HEADS);
    }
  }
});

test("a pair's share is of what all keys in all heads and the query's own features change", () => {
  const worked = new Worked(attention, { value }, { value: [HEADS, TOKENS, SIZE] });
  const all = (q) => ofOwn[q] + sum(changes.map((rows) => sum(rows[q])));
  near(worked.work({ head: 1, query: 2, key: 3 }).part, changes[1][2][3] / all(2));
  near(worked.work({ head: MEAN, query: 2, key: 3 }).part, sum(changes.map((rows) => rows[2][3])) / all(2));
  const whole = sum(every(TOKENS, all)) / TOKENS;
  near(worked.work({ head: 0, query: null, key: 1 }).part, sum(changes[0].map((row) => row[1])) / TOKENS / whole);
});

test("the words say what the number is of", () => {
  const reading = { head: 0, carried: 0.25, carriedSigned: false, direction: "from", worked: { added: null } };
  assert.match(stepSentence("value", { ...reading, ends: true }), /output after ReLU and norm would differ by 0\.25/);
  assert.match(stepSentence("value", { ...reading, ends: false }), /changes its output by 0\.25/);
  assert.match(
    stepSentence("share", { ...reading, ends: true }),
    /all keys in all heads, and the query.s own features/,
  );
  assert.match(
    stepSentence("share", { ...reading, ends: false }),
    /of all that this head adds to the query.s output\.$/,
  );
});
