// What a pair adds to the answer, against the whole model written out; which keys and terms are shown.

import assert from "node:assert/strict";
import test from "node:test";

import { Attention, MEAN } from "../../attnviz/ui/frontend/maps/attention.js";
import { gather, largest, strongestKeys, Worked } from "../../attnviz/ui/frontend/pixel_viewer/worked.js";
import { randomOf } from "./helpers.js";

const [HEADS, TOKENS, SIZE, FEATURES, VALUES] = [3, 5, 4, 2, 3];
const random = randomOf(4);
const numbers = (count) => Float64Array.from({ length: count }, () => 4 * random() - 2);
const every = (count, of) => Array.from({ length: count }, (_, i) => of(i));
const sum = (list) => list.reduce((total, number) => total + number, 0);
const [query, key, value] = [SIZE, SIZE, VALUES].map((size) => numbers(HEADS * TOKENS * size));
const [projection, readout, carried] = [
  numbers(FEATURES * HEADS * VALUES),
  numbers(TOKENS * FEATURES),
  numbers(HEADS * TOKENS),
];

const weights = every(HEADS, (head) =>
  every(TOKENS, (q) => {
    const at = (of, token, i) => of[(head * TOKENS + token) * SIZE + i];
    const all = every(TOKENS, (k) =>
      Math.exp(sum(every(SIZE, (i) => at(query, q, i) * at(key, k, i))) / Math.sqrt(SIZE)),
    );
    return all.map((one) => one / sum(all));
  }),
);
// added[head][query][key]: through the projection to each feature of the output, and from there to the logit.
const added = every(HEADS, (head) =>
  every(TOKENS, (q) =>
    every(
      TOKENS,
      (k) =>
        weights[head][q][k] *
        sum(
          every(
            FEATURES,
            (feature) =>
              readout[q * FEATURES + feature] *
              sum(
                every(
                  VALUES,
                  (i) => projection[(feature * HEADS + head) * VALUES + i] * value[(head * TOKENS + k) * VALUES + i],
                ),
              ),
          ),
        ),
    ),
  ),
);
const ofHeads = Float64Array.from(added, (rows) => sum(rows.flat()));

const attention = new Attention(
  {
    query,
    key,
    carried,
    log_normaliser: Float64Array.from(
      every(HEADS * TOKENS, (at) => {
        const [head, q] = [Math.floor(at / TOKENS), at % TOKENS];
        const score = sum(every(SIZE, (i) => query[at * SIZE + i] * key[at * SIZE + i])) / Math.sqrt(SIZE);
        return score - Math.log(weights[head][q][q]);
      }),
    ),
    received: Float64Array.from(
      every(HEADS * TOKENS, (at) => sum(weights[Math.floor(at / TOKENS)].map((row) => row[at % TOKENS])) / TOKENS),
    ),
  },
  [HEADS, TOKENS, SIZE],
);
const shapes = { value: [HEADS, TOKENS, VALUES], readout: [TOKENS, FEATURES] };
const worked = new Worked(attention, { value, projection, readout, of_heads: ofHeads }, shapes);

function near(found, wanted) {
  assert.ok(Math.abs(found - wanted) < 1e-12, `${found} is not ${wanted}`);
}

test("a pair, and all keys of its query", () => {
  const found = worked.work({ head: 1, query: 2, key: 4 });
  near(found.added, added[1][2][4]);
  near(found.ofQuery, sum(added[1][2]));
  found.weights.forEach((weight, token) => near(weight, weights[1][2][token]));
  const taken = weights[1][2].map((weight, token) => weight * Math.abs(carried[TOKENS + token]));
  near(found.part, taken[4] / sum(taken));
});

test("the mean of the heads adds what all heads add", () => {
  const found = worked.work({ head: MEAN, query: 2, key: 4 });
  near(found.added, sum(added.map((head) => head[2][4])));
  near(found.ofQuery, sum(added.map((head) => sum(head[2]))));
  found.weights.forEach((weight, token) => near(weight, sum(weights.map((head) => head[2][token])) / HEADS));
});

test("a key through all queries", () => {
  const found = worked.work({ head: 0, query: null, key: 3 });
  near(found.added, sum(added[0].map((row) => row[3])));
  near(found.ofQuery, ofHeads[0]);
  near(worked.work({ head: MEAN, query: null, key: 3 }).ofQuery, sum([...ofHeads]));
});

test("without a readout there is a share of the output alone", () => {
  const found = new Worked(attention, { value }, { value: shapes.value }).work({ head: 1, query: 2, key: 4 });
  assert.equal(found.added, null);
  near(found.part, worked.work({ head: 1, query: 2, key: 4 }).part);
});

test("the strongest keys, the pair's own, and the rest add up to one", () => {
  const row = Float64Array.of(0.1, 0.3, 0.05, 0.2, 0.1, 0.25);
  assert.deepEqual(strongestKeys(row, 1, 3).keys, [1, 5, 3]);
  assert.equal(strongestKeys(row, 1, 3).others, 3);
  near(strongestKeys(row, 1, 3).rest, 0.25);
  assert.deepEqual(strongestKeys(row, 2, 3).keys, [1, 5, 3, 2]);
  near(strongestKeys(row, 2, 3).rest, 0.2);
  assert.deepEqual(strongestKeys(row, 0, 4).keys, [1, 5, 3, 0]); // of equal ones the first
  assert.deepEqual(strongestKeys(Float64Array.of(1), 0), { keys: [0], others: 0, rest: 0 });
});

test("a long dot product keeps its largest terms and its sum", () => {
  const terms = [3, -1, 2, 0.5, -4].map((product) => ({ query: product, key: 1, product }));
  assert.equal(gather(terms, 5), terms);
  assert.deepEqual(
    gather(terms, 3).map((term) => [term.product, term.others]),
    [
      [3, undefined],
      [-4, undefined],
      [1.5, 3],
    ],
  );
});

test("a long vector keeps its largest numbers", () => {
  assert.deepEqual(largest([3, -1, 2, 0.5, -4], 3), { numbers: [3, -4], others: 3 });
  assert.deepEqual(largest([1, 2], 2), { numbers: [1, 2], others: 0 });
});
