// What the shares of element-wise attention sum to, as the maps are drawn: where blocks of pixels became channels,
// several maps share a drawn row.

import assert from "node:assert/strict";
import test from "node:test";

import { Placement, layerStages, sharesSum } from "../../attnviz/ui/frontend/stage_grid/stages.js";

for (const block of [1, 2, 4]) {
  test(`shares sum to what is said along each drawn row and column, with blocks of ${block}`, () => {
    const [channels, rows, columns] = [block ** 2, 3, 2];
    const numbers = (count, seed) => Float64Array.from({ length: count }, (_, i) => Math.sin(seed + 7 * i));
    const size = channels * rows * columns;
    const layer = {
      heads: 1,
      channels,
      outputs: channels,
      rows,
      columns,
      kernel: 1,
      xWeights: numbers(size, 1),
      yWeights: numbers(size, 2),
      conv: numbers(channels * channels, 3),
      bias: null,
      norm: null,
      factor: 1,
      outputNorm: null,
      skip: true,
      fixed: null,
    };
    const found = layerStages(layer, numbers(size, 4));
    const placement = new Placement(layer, block);
    const x = placement.plane(found.x_relevance, 0);
    const y = placement.plane(found.y_relevance, 0);
    const [, across, down] = sharesSum(block).match(
      /^x shares sum to (\d+) along each row.*, y shares to (\d+) along each column$/,
    );
    for (let row = 0; row < placement.rows; row++) {
      const own = x.subarray(row * placement.columns, (row + 1) * placement.columns);
      assert.ok(Math.abs(own.reduce((sum, value) => sum + value) - Number(across)) < 1e-12);
    }
    for (let column = 0; column < placement.columns; column++) {
      const own = y.filter((_, at) => at % placement.columns === column);
      assert.ok(Math.abs(own.reduce((sum, value) => sum + value) - Number(down)) < 1e-12);
    }
  });
}
