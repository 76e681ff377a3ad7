// Numbers as a person reads them.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";

import {
  answers,
  column,
  full,
  ofValues,
  percent,
  plain,
  short,
  tight,
  times,
  wholePercent,
} from "../../attnviz/ui/frontend/core/numbers.js";

for (const [write, cases] of [
  [
    short,
    [
      [0, "0"],
      [-0, "0"],
      [0.0049, "0.004900"],
      [12.345, "12.35"],
      [99_999, "99999"],
      [1.234e-7, "1.23 \u00d7 10\u207b\u2077"],
      [-2.5e9, "\u22122.50 \u00d7 10\u2079"],
      [NaN, "NaN"],
      [Infinity, "\u221e"],
      [-Infinity, "\u2212\u221e"],
    ],
  ],
  [
    column,
    [
      [0.12345, "0.123"],
      [-12.345, "\u221212.35"],
      [123.45, "123.5"],
      [-0.0001, "0.000"],
      [20_000, "20000"],
    ],
  ],
  [
    tight,
    [
      [0, "0"],
      [0.1234, "0.12"],
      [-0.0123, "\u22120.012"],
      [0.0004, "\u2248 0"],
      [9.999, "10.0"],
      [123.4, "123"],
      [1234, "1234"],
      [NaN, "NaN"],
    ],
  ],
  [
    plain,
    [
      [0, "0"],
      [0.0049, "0.004900"],
      [-0.0000123, "\u22120.000012"],
      [2.4e-15, "practically 0"],
      [-2.4e-15, "practically 0"],
      [NaN, "NaN"],
    ],
  ],
  [
    times,
    [
      [58.4, "58"],
      [4.46, "4.5"],
      [0.12, "0.12"],
      [0, "0"],
      [0.002, "0.0020"],
      [2e6, "2.0 \u00d7 10\u2076"],
    ],
  ],
  [
    percent,
    [
      [0.995, "99.5 %"],
      ...JSON.parse(readFileSync(new URL("./percentages.json", import.meta.url), "utf8")),
      [NaN, "NaN"],
    ],
  ],
  [
    wholePercent,
    [
      [0.9561, "96 %"],
      [0.9999, "> 99 %"],
      [0.995, "> 99 %"],
      [1, "100 %"],
      [0.001, "< 1 %"],
      [0, "0 %"],
    ],
  ],
  [
    ofValues,
    [
      [0, "nothing"],
      [0.0004, "fewer than 0.1 % of the values"],
      [0.0042, "0.4 % of the values"],
      [0.1234, "12 % of the values"],
    ],
  ],
  [
    full,
    [
      [0.1, "0.1"],
      [-0, "0"],
      [NaN, "NaN"],
      [-Infinity, "-Infinity"],
    ],
  ],
]) {
  for (const [value, words] of cases)
    test(`${write.name}(${value}) is ${words}`, () => assert.equal(write(value), words));
}

test("an answer stands beside the one before, each with its own probability", () => {
  assert.deepEqual(answers(["one", "eight"], [0.75, 0.25], [0.125, 0.875]), {
    answer: "eight",
    probability: 0.875,
    answer_before: "one",
    probability_before: 0.75,
  });
});
