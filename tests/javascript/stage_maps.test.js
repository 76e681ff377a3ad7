// In the stages of convolutions, each map is read at the cell that the one under the pointer is computed from: against
// windows that are spelled out cell by cell.

import assert from "node:assert/strict";
import test from "node:test";

import {
  inWords,
  layersOf,
  otherChannelOf,
  readOf,
  RULES,
  valueOf,
} from "../../attnviz/ui/frontend/stage_maps/derive.js";
import { randomOf, whole } from "./helpers.js";

/** The cells, as [row, column], that each cell of the result sees: a window slid over a map with padding around it. */
function slide([rows, columns], { size, step, before, after, partial }) {
  const along = (count) => {
    const found = [];
    for (let start = -before; start < count; start += step) {
      const window = Array.from({ length: size }, (_, i) => start + i);
      const fits = window[size - 1] < count + after;
      if (fits || (partial && start < count)) found.push(window);
      if (!fits) break;
    }
    return found;
  };
  const on = (count) => (window) => window.map((at) => (at >= 0 && at < count ? at : null));
  return { down: along(rows).map(on(rows)), across: along(columns).map(on(columns)) };
}

const STAGES = { conv: "after conv", relu: "after ReLU", pool: "after pooling" };
const TAPS = Object.keys(STAGES);

/** A net of convolutions of drawn sizes, its numbers drawn too, and the windows of each of its six or nine stages. */
function drawnNet(random) {
  const picture = [whole(random, 14, 36), whole(random, 14, 36)];
  let shape = picture;
  let layout = [0, 0, 1, 1, 1, 1];
  const [header, arrays, shapes, tiles] = [{ layers: [], stages: STAGES }, {}, { picture }, []];
  const after = ({ size, step, before }) => {
    const [top, left, down, across, high, wide] = layout;
    layout = [
      ...[top - before * down, left - before * across, step * down, step * across],
      ...[high + (size - 1) * down, wide + (size - 1) * across],
    ];
  };
  const channels = 2;
  for (let layer = 0; layer < 2 + (random() < 0.5 ? 1 : 0); layer++) {
    const size = whole(random, 1, 6);
    const same = random() < 0.5;
    const before = same ? Math.floor((size - 1) / 2) : 0;
    const window = { size, step: random() < 0.3 ? 2 : 1, before, after: same ? size - 1 - before : 0, partial: false };
    const seen = slide(shape, window);
    shape = [seen.down.length, seen.across.length];
    after(window);
    const conv = Float64Array.from({ length: channels * shape[0] * shape[1] }, () => 2 * random() - 1);
    const boxes = { conv: layout, pool: null };
    Object.assign(arrays, { [`${layer}.conv`]: conv });
    Object.assign(shapes, { [`${layer}.conv`]: [channels, ...shape] });
    tiles.push({ ...seen, shape }, { shape }, { shape });
    const pool = whole(random, 1, 4);
    if (pool > 1 && Math.min(...shape) > 3) {
      const pooling = { size: pool, step: pool, before: 0, after: 0, partial: random() < 0.5 };
      const [rows, columns] = shape;
      const seen = slide(shape, pooling);
      shape = [seen.down.length, seen.across.length];
      after(pooling);
      boxes.pool = layout;
      const most = [];
      for (let channel = 0; channel < channels; channel++)
        for (const down of seen.down)
          for (const across of seen.across) {
            const cells = down.flatMap((row) => across.map((column) => [row, column]));
            const there = cells.filter(([row, column]) => row !== null && column !== null);
            most.push(Math.max(0, ...there.map(([row, column]) => conv[(channel * rows + row) * columns + column])));
          }
      Object.assign(arrays, { [`${layer}.pool`]: Float64Array.from(most) });
      Object.assign(shapes, { [`${layer}.pool`]: [channels, ...shape] });
      tiles[tiles.length - 1] = { ...seen, shape };
    }
    header.layers.push({ title: `Convolution ${layer + 1}`, boxes });
  }
  return { layers: layersOf(header, arrays, shapes), tiles };
}

/** Where the middle of a window lies, or above and at the left of it; no further than the map. */
function middleOf(window) {
  const there = window.filter((at) => at !== null);
  const place = Math.floor((window.length - 1) / 2);
  if (window[place] !== null) return window[place];
  return window.slice(place).some((at) => at !== null) ? there[0] : there[there.length - 1];
}

/** What the windows say of the stage before a cell. */
function spelledBefore({ tiles }, tile, [row, column], values) {
  const { down, across } = tiles[tile];
  if (!down) return { place: [row, column] };
  if (TAPS[tile % 3] === "conv") return { place: [middleOf(down[row]), middleOf(across[column])] };
  const [rows, columns] = [down[row], across[column]].map((window) => window.filter((at) => at !== null));
  const cells = rows.flatMap((r) => columns.map((c) => [r, c]));
  const of = ([r, c]) => values[r * tiles[tile - 1].shape[1] + c];
  const place = cells.reduce((best, one) => (of(one) > of(best) ? one : best));
  return { place, pooled: [rows[0], columns[0], rows[rows.length - 1] + 1, columns[columns.length - 1] + 1] };
}

/** Which windows of the stage after a cell hold it, along one axis, and how far their middle is. */
function spelledAfter(windows, at) {
  const hold = windows.map((window, i) => ({ i, window })).filter(({ window }) => window.includes(at));
  return hold.map(({ i, window }) => ({ i, away: Math.abs(middleOf(window) - at) }));
}

test("each map is read at the cell that the one under the pointer is computed from, at any size", () => {
  const random = randomOf(39);
  let [pooled, left] = [0, 0];
  for (let draw = 0; draw < 60; draw++) {
    const net = drawnNet(random);
    const { layers, tiles } = net;
    for (let tile = 0; tile < tiles.length; tile++) {
      const [rows, columns] = tiles[tile].shape;
      for (let token = 0; token < rows * columns; token++) {
        const view = { layer: Math.floor(tile / 3), stage: TAPS[tile % 3], channel: draw % 2 };
        const shown = { layers, stages: TAPS, view, looked: { tile, token } };
        const here = [Math.floor(token / columns), token % columns];
        if (tile > 0) {
          const channel = Math.floor((tile - 1) / 3) === view.layer ? view.channel : layers[view.layer - 1].strongest;
          const [high, wide] = tiles[tile - 1].shape;
          const { maps } = layers[Math.floor((tile - 1) / 3)];
          const values = maps[TAPS[(tile - 1) % 3]].subarray(channel * high * wide, (channel + 1) * high * wide);
          const { place, pooled: box } = spelledBefore(net, tile, here, values);
          const read = readOf(shown, tile - 1);
          assert.deepEqual(read, { token: place[0] * wide + place[1], pooled: box ?? null }, `${draw} ${tile} ${here}`);
          if (box) {
            pooled++;
            assert.equal(valueOf(shown, tile - 1), valueOf(shown, tile));
          }
        }
        if (tile + 1 < tiles.length) {
          const next = tiles[tile + 1];
          const read = readOf(shown, tile + 1);
          if (!next.down) assert.equal(read.token, token);
          else {
            const found = [spelledAfter(next.down, here[0]), spelledAfter(next.across, here[1])];
            const wide = next.shape[1];
            const said = [Math.floor(read.token / wide), read.token % wide];
            if (found.some((one) => !one.length)) {
              left++;
              assert.equal(read.token, -1);
              assert.match(inWords(shown, tile + 1, STAGES), /no value is computed from this one/);
            } else
              found.forEach((one, axis) => {
                const least = Math.min(...one.map(({ away }) => away));
                assert.equal(said[axis], one.find(({ away }) => away === least)?.i, `${draw} ${tile} ${here}`);
              });
          }
        }
      }
    }
  }
  assert.ok(pooled > 1000 && left > 100);
});

test("after ReLU stands what is above zero of the value before, whichever of the two is pointed at", () => {
  const random = randomOf(6);
  for (let draw = 0; draw < 30; draw++) {
    const { layers, tiles } = drawnNet(random);
    for (let tile = 0; tile < tiles.length; tile++) {
      const count = tiles[tile].shape[0] * tiles[tile].shape[1];
      for (let token = 0; token < count; token++) {
        const view = { layer: 0, stage: "relu", channel: 1 };
        const shown = { layers, stages: TAPS, view, looked: { tile, token } };
        for (let conv = 0; conv < tiles.length; conv += 3) {
          const [before, after] = [valueOf(shown, conv), valueOf(shown, conv + 1)];
          assert.deepEqual(after, Math.max(before, 0));
        }
      }
    }
  }
});

test("a stage that has fewer channels says which one it shows", () => {
  const shown = {
    layers: [{ channels: { input: 2, conv: 4 }, strongest: 1 }],
    stages: ["input", "conv"],
    view: { layer: 0, channel: null, stage: "conv" },
  };
  const others = (channel) =>
    [0, 1].map((tile) => otherChannelOf(/** @type {any} */ ({ ...shown, view: { ...shown.view, channel } }), tile));
  assert.deepEqual(
    [others(null), others(1), others(3)],
    [
      [null, null],
      [null, null],
      [1, null],
    ],
  );
});

test("a layer that is a word has no channels", () => {
  const exists = (layer) =>
    RULES.exists(/** @type {any} */ ({ name: "channel" }), 0, [{ channels: { conv: 1 } }], { layer });
  assert.deepEqual([exists(0), exists("map"), exists(7)], [true, false, false]);
});
