// Animated GIF files, read by a decoder of the test's own.

import assert from "node:assert/strict";
import test from "node:test";

import { toGif } from "../../attnviz/ui/frontend/export/gif.js";

/** Read what `toGif` writes: { width, height, comment, frames: [{ pixels, delay }] }, pixels as 0xBBGGRR. */
function fromGif(bytes) {
  const word = (at) => bytes[at] | (bytes[at + 1] << 8);
  const [width, height] = [word(6), word(8)];
  assert.equal(String.fromCharCode(...bytes.slice(0, 6)), "GIF89a");
  const palette = Array.from(
    { length: 256 },
    (_, i) => bytes[13 + 3 * i] | (bytes[14 + 3 * i] << 8) | (bytes[15 + 3 * i] << 16),
  );
  let at = 13 + 768;
  const blocks = () => {
    const found = [];
    for (let count; (count = bytes[at++]); at += count) found.push(...bytes.slice(at, at + count));
    return found;
  };
  const read = { width, height, comment: "", frames: [] };
  let delay = 0;
  for (;;) {
    const kind = bytes[at++];
    if (kind === 0x3b) break;
    if (kind === 0x21) {
      const label = bytes[at++];
      const content = blocks();
      if (label === 0xf9) delay = 10 * (content[1] | (content[2] << 8));
      if (label === 0xfe) read.comment = String.fromCharCode(...content);
      continue;
    }
    assert.equal(kind, 0x2c);
    assert.deepEqual([word(at), word(at + 2), word(at + 4), word(at + 6), bytes[at + 8]], [0, 0, width, height, 0]);
    assert.equal(bytes[at + 9], 8);
    at += 10;
    read.frames.push({ delay, pixels: unpacked(blocks(), width * height).map((colour) => palette[colour]) });
  }
  assert.equal(at, bytes.length);
  return read;
}

function unpacked(bytes, count) {
  let [bit, size, before] = [0, 9, null];
  let table = [];
  const out = [];
  const reset = () => ([table, size, before] = [Array.from({ length: 258 }, (_, i) => [i]), 9, null]);
  for (;;) {
    let code = 0;
    for (let i = 0; i < size; i++, bit++) code |= ((bytes[bit >> 3] >> (bit & 7)) & 1) << i;
    if (code === 257) break;
    if (code === 256) {
      reset();
      continue;
    }
    const found = code < table.length ? table[code] : [...before, before[0]];
    out.push(...found);
    if (before && table.length < 4096) table.push([...before, found[0]]);
    if (table.length === 1 << size && size < 12) size++;
    before = found;
  }
  assert.equal(out.length, count);
  return out;
}

/** Numbers that look random and are always the same. */
function chance(seed) {
  return () => (seed = (seed * 1103515245 + 12345) & 0x7fffffff) / 0x7fffffff;
}

test("few colours come back as they were, however long the codes get, and however short a frame is", () => {
  for (const [width, height, colours] of [
    [1, 1, 1],
    [3, 2, 2],
    [120, 90, 256],
    [200, 100, 3],
    [64, 64, 1],
  ]) {
    const next = chance(width);
    const known = Array.from({ length: colours }, (_, i) => (i * 0x010305) & 0xffffff);
    const frames = [0, 1].map((one) => ({
      delay: 900 + 100 * one,
      pixels: Uint32Array.from(
        { length: width * height },
        () => (0xff000000 | known[Math.floor(next() * colours * 0.999)]) >>> 0,
      ),
    }));
    const read = fromGif(toGif({ width, height, frames, comment: "where it comes from" }));
    assert.deepEqual([read.width, read.height, read.comment], [width, height, "where it comes from"]);
    assert.deepEqual(
      read.frames.map(({ delay }) => delay),
      [900, 1000],
    );
    read.frames.forEach(({ pixels }, one) =>
      assert.deepEqual(
        pixels,
        [...frames[one].pixels].map((pixel) => pixel & 0xffffff),
      ),
    );
  }
});

test("of more than 256 colours each comes back nearly as it was", () => {
  const next = chance(7);
  const pixels = Uint32Array.from({ length: 4000 }, () => {
    const grey = Math.floor(next() * 256);
    return (0xff000000 | grey | (grey << 8) | (Math.min(255, grey + Math.floor(next() * 8)) << 16)) >>> 0;
  });
  assert.ok(new Set(pixels).size > 256);
  const [read] = fromGif(toGif({ width: 80, height: 50, frames: [{ pixels, delay: 100 }] })).frames;
  read.pixels.forEach((colour, at) =>
    [0, 8, 16].forEach((shift) => assert.ok(Math.abs(((colour >> shift) & 255) - ((pixels[at] >> shift) & 255)) < 16)),
  );
});
