// What strokes leave on the canvas, against discs set densely along each parabola.

import assert from "node:assert/strict";
import test from "node:test";

import { Raster } from "../../attnviz/ui/frontend/hands/raster.js";
import { randomOf, someStrokes, straight, whole } from "./helpers.js";

const SIDE = 280;

/** Points from one knot to another, half a pixel apart: x, y and radius of each. */
function line(start, end) {
  const count = 2 + Math.floor(2 * Math.hypot(end[0] - start[0], end[1] - start[1]));
  return Array.from({ length: count }, (_, i) =>
    start.map((value, part) => value + (i / (count - 1)) * (end[part] - value)),
  );
}

/** Points along a stroke: a parabola around each of its points, from the middle before it to the middle after it. */
function along({ tool, width, points, pressures }) {
  const knots = Array.from({ length: points.length / 2 }, (_, i) => {
    const factor = 0.4 + (1.2 * (pressures ? pressures[i] : 15.5)) / 31;
    return [points[2 * i] / 4, points[2 * i + 1] / 4, (width / 2) * factor + (tool === "erase" ? 1 : 0)];
  });
  if (knots.length === 1) return knots;
  const middles = knots.slice(1).map((knot, i) => knot.map((value, part) => (value + knots[i][part]) / 2));
  const found = [...line(knots[0], middles[0]), ...line(middles.at(-1), knots.at(-1))];
  for (let i = 1; i < knots.length - 1; i++) {
    const [before, knot, after] = [middles[i - 1], knots[i], middles[i]];
    const count = line(before, knot).length + line(knot, after).length;
    for (let step = 0; step < count; step++) {
      const t = step / (count - 1);
      const bent = [0, 1].map(
        (part) => (1 - t) ** 2 * before[part] + 2 * t * (1 - t) * knot[part] + t * t * after[part],
      );
      found.push([...bent, (1 - t) * before[2] + t * after[2]]);
    }
  }
  return found;
}

function expected(strokes, base) {
  const canvas = Float64Array.from({ length: SIDE * SIDE }, (_, i) =>
    base ? base[Math.floor(i / SIDE / 10) * 28 + Math.floor((i % SIDE) / 10)] : 0,
  );
  for (const stroke of strokes) {
    const ink = new Float64Array(SIDE * SIDE);
    for (const [x, y, radius] of along(stroke)) {
      const [first, last] = [Math.max(0, Math.floor(x - radius - 1)), Math.min(SIDE - 1, Math.floor(x + radius + 1))];
      for (let row = Math.max(0, Math.floor(y - radius - 1)); row <= Math.min(SIDE - 1, y + radius + 1); row++) {
        for (let column = first; column <= last; column++) {
          const cover = Math.min(1, Math.max(0, radius + 0.5 - Math.hypot(column + 0.5 - x, row + 0.5 - y)));
          ink[row * SIDE + column] = Math.max(ink[row * SIDE + column], cover);
        }
      }
    }
    const erases = stroke.tool === "erase";
    ink.forEach(
      (cover, i) => (canvas[i] = erases ? Math.min(canvas[i], 255 * (1 - cover)) : Math.max(canvas[i], 255 * cover)),
    );
  }
  return canvas.map(Math.round);
}

const random = randomOf(7);
const corner = straight("ink", 24, [
  [40, 40],
  [120, 40],
  [120, 120],
  [60, 130],
]);
const base = Uint8Array.from({ length: 784 }, () => whole(random, 0, 256));
for (const [name, strokes, under] of [
  ["a dot", [straight("ink", 24, [[140, 140]])], null],
  [
    "a line",
    [
      straight("ink", 24, [
        [100, 60],
        [100, 220],
      ]),
    ],
    null,
  ],
  [
    "a corner, partly erased",
    [
      corner,
      straight("erase", 10, [
        [30, 20],
        [130, 140],
      ]),
    ],
    null,
  ],
  [
    "a picture, partly erased",
    [
      straight("erase", 40, [
        [0, 0],
        [280, 280],
      ]),
    ],
    base,
  ],
  [
    "pressure, on a picture",
    [
      straight(
        "ink",
        30,
        [
          [50, 50],
          [100, 75],
          [125, 200],
        ],
        [0, 31, 8],
      ),
    ],
    base,
  ],
  ["many strokes", someStrokes(random, 6), null],
]) {
  test(`pixels are what the way of the pen covers: ${name}`, () => {
    const raster = new Raster();
    raster.draw({ base: under && { name: "", side: 28, values: under }, strokes });
    const away = expected(strokes, under).map((value, i) => Math.abs(value - raster.values[i]));
    // where a stroke turns on the spot: chords of 3 pixels, dense points here
    assert.ok(away.every((value) => value <= 80));
    assert.ok(away.filter((value) => value > 8).length < 0.005 * away.length);
  });
}

test("it makes no difference in how many pieces a stroke is drawn", () => {
  const strokes = someStrokes(randomOf(8), 5);
  const [together, apart] = [new Raster(), new Raster()];
  together.draw({ base: null, strokes });
  for (const stroke of strokes) {
    for (let first = 0; first < stroke.points.length / 2; first++) apart.stroke(stroke, first);
  }
  assert.deepEqual(apart.values, together.values);
});

// In colour

const RED = [200, 40, 0];
// prettier-ignore
const band = (more = {}) => ({ ...straight("ink", 40, [[60, 140], [140, 140], [220, 140]]), ...more });
const pixelAt = ({ values, side }, x, y) => [...values.slice(3 * (y * side + x), 3 * (y * side + x) + 3)];

test("a stroke in colour covers what lies below it once, in as many pieces as it is drawn", () => {
  const base = { name: "", side: 32, values: new Uint8Array(32 * 32 * 3).fill(100) };
  const whole = new Raster(256, 3);
  whole.draw({ base, strokes: [band({ colour: RED })] });
  assert.deepEqual(pixelAt(whole, 128, 128), RED);
  assert.deepEqual(pixelAt(whole, 5, 5), [100, 100, 100]);
  const { values: mask } = drawnAs(256, [band()]);
  const soft = mask.findIndex((share) => share > 60 && share < 200);
  const expected = RED.map((one) => Math.round(100 + (mask[soft] / 255) * (one - 100)));
  assert.deepEqual([...whole.values.slice(3 * soft, 3 * soft + 3)], expected);
  const parts = new Raster(256, 3);
  parts.draw({ base, strokes: [] });
  parts.stroke(band({ colour: RED }));
  parts.stroke(band({ colour: RED }), 1);
  assert.deepEqual(parts.values, whole.values);
});

test("an eraser leaves black paper, ink without a colour is white, and a colour on a sheet of ink is its grey", () => {
  const raster = new Raster(256, 3);
  raster.draw({ base: null, strokes: [band()] });
  assert.deepEqual(pixelAt(raster, 128, 128), [255, 255, 255]);
  raster.stroke(band({ tool: "erase" }));
  assert.ok(raster.values.every((value) => value === 0));
  assert.equal(drawnAs(280, [band({ colour: RED })]).values[140 * 280 + 140], 80);
});

test("a picture lies pixel by pixel on a sheet that is as many times finer, whatever its channels are", () => {
  const values = Uint8Array.from({ length: 4 * 4 * 3 }, (_, at) => 5 * at);
  const [colour, grey] = [new Raster(8, 3), new Raster(8, 1)];
  for (const raster of [colour, grey]) raster.draw({ base: { name: "", side: 4, values }, strokes: [] });
  assert.deepEqual(pixelAt(colour, 5, 2), [...values.slice(18, 21)]);
  assert.equal(grey.values[2 * 8 + 5], 95);
  colour.draw({ base: { name: "", side: 4, values: values.slice(0, 16) }, strokes: [] });
  assert.deepEqual(pixelAt(colour, 5, 2), [30, 30, 30]);
});

function drawnAs(side, strokes) {
  const raster = new Raster(side);
  raster.draw({ base: null, strokes });
  return raster;
}
