// The data of a page of HTML: base 85, as attnviz/figures/page.py writes it.

import assert from "node:assert/strict";
import test from "node:test";

import { fromBase85 } from "../../attnviz/ui/frontend/figure/base85.js";

// base64.b85encode(...).translate(PLAIN) of these bytes, in Python
for (const [signs, bytes] of [
  ["", []],
  ["00", [0]],
  ["|NsC0", [255, 255, 255, 255]],
  ["009C61O)~M2nh", [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]],
])
  test(`${bytes.length} bytes`, () => assert.deepEqual([...fromBase85(signs)], bytes));
