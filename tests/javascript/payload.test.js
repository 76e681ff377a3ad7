// The bytes that Python and the browser exchange; attnviz/views/payload.py describes them.

import assert from "node:assert/strict";
import test from "node:test";

import { Live, pack } from "../../attnviz/ui/frontend/live/live.js";
import { unpack } from "../../attnviz/ui/frontend/core/payload.js";

/** A payload of two arrays, byte by byte. */
function described() {
  const table = {
    scores: { dtype: "float64", shape: [1, 2], offset: 0 },
    picture: { dtype: "uint8", shape: [3], offset: 16 },
  };
  const text = JSON.stringify({ title: "\u00e4", arrays: table });
  const header = Buffer.from(text + " ".repeat((8 - ((4 + Buffer.byteLength(text)) % 8)) % 8));
  const bytes = Buffer.alloc(4 + header.length + 24);
  bytes.writeUInt32LE(header.length, 0);
  header.copy(bytes, 4);
  bytes.writeDoubleLE(0.1, 4 + header.length);
  bytes.writeDoubleLE(-Infinity, 12 + header.length);
  bytes.set([1, 2, 255], 20 + header.length);
  return bytes;
}

test("a payload is read as described, wherever its bytes begin", () => {
  for (let offset = 0; offset < 8; offset++) {
    const bytes = new Uint8Array(described().length + offset);
    bytes.set(described(), offset);
    const { header, arrays, shapes } = unpack(bytes.subarray(offset));
    assert.equal(header.title, "\u00e4");
    assert.deepEqual(arrays, { scores: Float64Array.of(0.1, -Infinity), picture: Uint8Array.of(1, 2, 255) });
    assert.deepEqual(shapes, { scores: [1, 2], picture: [3] });
  }
});

test("what is added to a header stands in place of its own entries", () => {
  const { header, arrays } = unpack(new Uint8Array(described()), { title: "other", more: 1 });
  assert.deepEqual([header.title, header.more, [...arrays.picture]], ["other", 1, [1, 2, 255]]);
});

test("a payload is written as described", () => {
  const arrays = {
    scores: { values: Float64Array.of(0.1, -Infinity), shape: [1, 2] },
    picture: { values: Uint8ClampedArray.of(1, 2, 255), shape: [3] },
  };
  assert.deepEqual(pack({ title: "\u00e4" }, arrays), new Uint8Array(described()));
});

test("the pauses before the live channel connects again grow up to a bound, and differ", () => {
  for (let failures = 0; failures < 12; failures++) {
    const longest = Math.min(8000, 250 * 2 ** failures);
    const pauses = Array.from({ length: 20 }, () => Live.prototype.pause.call({ failures }));
    assert.ok(pauses.every((pause) => pause >= longest / 2 && pause <= longest));
    assert.ok(new Set(pauses).size > 1);
  }
});
