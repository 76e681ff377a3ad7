// How a drawing is thinned out, written and read.

import assert from "node:assert/strict";
import test from "node:test";

import { Raster } from "../../attnviz/ui/frontend/hands/raster.js";
import { Pad } from "../../attnviz/ui/frontend/drawing_pad/pad.js";
import {
  BadDrawing,
  decode,
  encode,
  fits,
  fromJson,
  simplify,
  toJson,
} from "../../attnviz/ui/frontend/hands/strokes.js";
import { randomOf, someStrokes, straight, whole } from "./helpers.js";

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/** Whatever is wrong with a drawing is said in a sentence of our own. */
function refused(act, why) {
  assert.throws(act, (error) => error instanceof BadDrawing && error.message.includes(why));
}

/** The string of a body of bytes, with the right checksum (Fletcher-16). */
function written(body) {
  let [one, two] = [0, 0];
  for (const byte of body) {
    one = (one + byte) % 255;
    two = (two + one) % 255;
  }
  return Buffer.from([...body, one, two]).toString("base64url");
}

test("a drawing is written as described", () => {
  const dot = { tool: "ink", width: 24, points: [6, 8], pressures: null };
  assert.equal(encode([dot]), written([1, 23, 1, 12, 16]));
  const pressed = { tool: "erase", width: 64, points: [-1, 200, 99, 200], pressures: [31, 30] };
  // 200 zigzags to 400, which is 144 + 3 * 128; the second point and pressure are differences.
  assert.equal(encode([dot, pressed]), written([1, 23, 1, 12, 16, 63 + 64 + 128, 2, 1, 144, 3, 200, 1, 0, 62, 1]));
  assert.equal(encode([]), "");
});

test("what is written is read again", () => {
  const random = randomOf(5);
  for (const drawing of [[], ...Array.from({ length: 40 }, () => someStrokes(random, whole(random, 1, 8)))]) {
    assert.deepEqual(decode(encode(drawing)), drawing);
  }
});

test("whatever is changed is refused in words, and nothing else happens", () => {
  const random = randomOf(6);
  const letter = () => ALPHABET[whole(random, 0, 64)];
  let read = 0;
  for (let i = 0; i < 1000; i++) {
    let letters = [...encode(someStrokes(random, whole(random, 1, 4)))];
    const at = whole(random, 0, letters.length);
    const kind = i % 4;
    if (kind === 0) letters[at] = ALPHABET[(ALPHABET.indexOf(letters[at]) + whole(random, 1, 64)) % 64];
    else if (kind === 1) letters = letters.slice(0, at);
    else if (kind === 2) letters.splice(at, 0, letter());
    else letters = letters.map(letter);
    const word = letters.join("");
    let found;
    try {
      found = decode(word);
    } catch (error) {
      assert.ok(error instanceof BadDrawing, error.stack);
      continue;
    }
    // A changed letter may lie in bits that base64 leaves over; a checksum of two bytes lets one in 65,000 through.
    if (word) assert.equal(encode(found).slice(0, -1), word.slice(0, -1));
    read += word ? 1 : 0;
  }
  assert.ok(read < 20, `${read} were read`);
});

for (const [body, why] of [
  [[3, 23, 1, 0, 0], "version 3"],
  [[1, 23, 0], "too many points, or none"],
  [[1, 23, 255, 255, 255, 127], "too many points, or none"],
  [[1, 23, 255, 255, 255, 255, 1], "too large"],
  [[1, 23, 2, 0, 0], "part of it is missing"],
  [[1, 23, 1, 255, 255, 3, 0], "far outside the canvas"],
  [[1, 151, 1, 0, 0, 64], "pressure"],
]) {
  test(`a drawing that cannot be is refused although its sum is right: ${why}`, () =>
    refused(() => decode(written(body)), why));
}

const range = (count, at) => Array.from({ length: count }, (_, i) => at(i / (count - 1)));
for (const [name, shape, most] of [
  ["a circle", range(300, (t) => [140 + 80 * Math.cos(2 * Math.PI * t), 140 + 80 * Math.sin(2 * Math.PI * t)]), 0.6],
  ["a line", range(200, (t) => [20 + 240 * t, 250 - 220 * t]), 0.3],
  ["a corner", [...range(60, (t) => [60 + 140 * t, 60]), ...range(60, (t) => [200, 60 + 140 * t])], 0.4],
]) {
  test(`points are left out only where nobody misses them: ${name}`, () => {
    const whole = straight("ink", 20, shape);
    const kept = simplify(whole);
    const points = ({ points }) =>
      range(points.length / 2, (t) => Math.round(t * (points.length / 2 - 1))).map(
        (i) => `${points[2 * i]},${points[2 * i + 1]}`,
      );
    const [all, some] = [points(whole), points(kept)];
    assert.ok(some.length <= most * shape.length);
    assert.deepEqual([some[0], some.at(-1)], [all[0], all.at(-1)]);
    assert.ok(some.every((point) => all.includes(point)));
    const [before, after] = [whole, kept].map((stroke) => {
      const raster = new Raster();
      raster.draw({ base: null, strokes: [stroke] });
      return raster.values;
    });
    const sum = (values) => values.reduce((total, value) => total + value, 0);
    assert.ok(sum(Array.from(before, (value, i) => Math.abs(value - after[i]))) < 0.02 * sum(before));
  });
}

test("a point beside the line between its neighbours is kept", () => {
  const bent = straight("ink", 20, [
    [100, 100],
    [102, 100.5],
    [104, 100],
  ]);
  assert.deepEqual(simplify(bent), bent);
});

test("the end of a line that is drawn back upon itself is kept", () => {
  for (const way of [
    [100, 112, 106],
    [100, 94, 106],
  ]) {
    const back = { tool: "ink", width: 20, points: way.flatMap((x) => [x, 200]), pressures: null };
    assert.deepEqual(simplify(back), back);
  }
});

test("a pressure that rises is kept", () => {
  const points = Array.from({ length: 8 }, (_, i) => [6 * i, 400]).flat(); // a step of 1.5 pixels, on a straight line
  const kept = simplify({ tool: "ink", width: 20, points, pressures: [0, 0, 0, 0, 31, 31, 31, 31] });
  assert.deepEqual([kept.pressures[0], kept.pressures.at(-1)], [0, 31]);
  const at = new Map(kept.pressures.map((pressure, i) => [kept.points[2 * i], pressure]));
  assert.deepEqual([at.get(18), at.get(24)], [0, 31]);
  assert.equal(simplify({ tool: "ink", width: 20, points, pressures: Array(8).fill(9) }).pressures.length, 3);
});

test("JSON comes back as it was", () => {
  const random = randomOf(9);
  const strokes = someStrokes(random, 6);
  const base = (name, side) => ({
    name,
    side,
    values: Uint8Array.from({ length: side * side }, () => whole(random, 0, 256)),
  });
  for (const under of [null, base("strokes.12", 28), base("a photograph", 280)]) {
    const json = toJson({ base: under, strokes });
    const said = JSON.parse(json);
    assert.deepEqual([said.format, said.version, said.size], ["attnviz drawing", 1, 280]);
    assert.deepEqual(
      said.strokes[0].points[0].slice(0, 2),
      strokes[0].points.slice(0, 2).map((value) => value / 4),
    );
    if (under) assert.deepEqual(new Uint8Array(Buffer.from(said.base.values, "base64")), under.values);
    assert.deepEqual(fromJson(json), { base: under, strokes });
  }
});

const INK = { tool: "ink", width: 24, points: [[1.5, 2]] };
const GOOD = { format: "attnviz drawing", version: 1, size: 280, base: null, strokes: [INK] };

test("the JSON of the description is read", () => {
  assert.deepEqual(fromJson(JSON.stringify(GOOD)), {
    base: null,
    strokes: [{ tool: "ink", width: 24, points: [6, 8], pressures: null }],
  });
});

for (const [came, why] of [
  ["", "not JSON"],
  ["null", 'no "format"'],
  ["[]", 'no "format"'],
  [{ format: "other" }, 'no "format"'],
  [{ strokes: {} }, 'no "format"'],
  [{ version: 2 }, "version 2"],
  [{ version: null }, "version null"],
  [{ size: 28 }, "280 pixels wide"],
  [{ strokes: Array(1001).fill(INK) }, "more than 1000 strokes"],
  [{ strokes: [{ ...INK, points: Array(20_001).fill([0, 0]) }] }, "more than 20000 points"],
  [{ strokes: [{ ...INK, points: { length: -1 } }] }, "points that are not"],
  [{ strokes: [null] }, "points that are not"],
  [{ strokes: [{ ...INK, points: [[1]] }] }, "points that are not"],
  [{ strokes: [{ ...INK, points: [["1", 2]] }] }, "points that are not"],
  [{ strokes: [{ ...INK, tool: "spray" }] }, "neither inks nor erases"],
  [{ strokes: [{ ...INK, width: 0 }] }, "from 1 to 64"],
  [{ strokes: [{ ...INK, width: 2.5 }] }, "from 1 to 64"],
  [{ strokes: [{ ...INK, points: [[1, 2, 1.5]] }] }, "between 0 and 1"],
  [{ base: { name: "a", side: 28, values: "AAAA" } }, "damaged"],
  [{ base: { name: "a", side: 28, values: "?" } }, "damaged"],
  [{ base: 7 }, "damaged"],
]) {
  const json = typeof came === "string" ? came : JSON.stringify({ ...GOOD, ...came });
  test(`other JSON is refused in words: ${json.slice(0, 120)}`, () => refused(() => fromJson(json), why));
}

test("what a pad keeps can be read again: a stroke more is refused, and said to be", () => {
  const dot = { tool: "ink", width: 20, points: [4, 8], pressures: null };
  const full = Array(1000).fill(dot);
  const said = [];
  const pad = Object.assign(Object.create(Pad.prototype), {
    ...{ now: { id: "a", base: null, strokes: full.slice(1) }, past: [], future: [], own: new Set(), draw() {} },
    show: (next) => (pad.now = next),
    refuse: (words) => said.push(words),
  });
  assert.ok(pad.add(dot));
  assert.ok(!pad.add(dot));
  assert.equal(pad.now.strokes.length, 1000);
  assert.deepEqual(fromJson(toJson(pad.now)).strokes, full);
  assert.match(said.join(), /^A drawing has at most 1,000 strokes and 20,000 points, so this stroke was not kept/);
  const long = { ...dot, points: Array(2 * 20_000).fill(8) };
  assert.ok(fits([long]));
  assert.deepEqual(decode(encode([long])), [long]);
  assert.ok(!fits([long, dot]));
});

test("strokes in colour keep it in a link and in a file, and a drawing of ink is written as it always was", () => {
  const strokes = [
    { tool: "ink", width: 20, points: [4, 8, 40, 80], pressures: [3, 9], colour: [255, 0, 17] },
    { tool: "erase", width: 8, points: [4, 8], pressures: null },
    { tool: "ink", width: 1, points: [0, 0], pressures: null },
  ];
  assert.deepEqual(decode(encode(strokes)), strokes);
  assert.deepEqual(fromJson(toJson({ base: null, strokes })).strokes, strokes);
  assert.equal(Buffer.from(encode(strokes), "base64url")[0], 2);
  assert.equal(Buffer.from(encode(strokes.slice(1)), "base64url")[0], 1);
  const file = JSON.parse(toJson({ base: null, strokes }));
  file.strokes[0].colour = [256, 0, 0];
  assert.throws(() => fromJson(JSON.stringify(file)), { message: /colours/ });
});

test("a picture in colour under the strokes comes back, and one of another size than it says does not", () => {
  const values = Uint8Array.from({ length: 32 * 32 * 3 }, (_, at) => at % 256);
  const base = { name: "some.3", side: 32, values };
  assert.deepEqual(fromJson(toJson({ base, strokes: [] })).base, base);
  assert.throws(() => fromJson(toJson({ base: { ...base, side: 31 }, strokes: [] })), { message: /damaged/ });
});
