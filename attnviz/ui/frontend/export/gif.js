// Animated GIF files, from pixels. (CompuServe, "Graphics Interchange Format, version 89a", 1990.)

const COLOURS = 256;
const LONGEST_CODE = 12; // bits
const BLOCK = 255; // bytes

/**
 * Write frames as an animation that repeats.
 * @param {object} of
 * @param {number} of.width
 * @param {number} of.height
 * @param {{pixels: Uint32Array, delay: number}[]} of.frames pixels: packed as a canvas has them, row by row; opacity is
 *   ignored; delay: milliseconds
 * @param {string} [of.comment] printable ASCII, stored in the file for programs to read
 * @returns {Uint8Array}
 */
export function toGif({ width, height, frames, comment = "" }) {
  const { palette, index } = paletteOf(frames.map(({ pixels }) => pixels));
  const two = (/** @type {number} */ number) => [number & 255, number >> 8];
  /** @type {number[]} */
  const bytes = [...ascii("GIF89a"), ...two(width), ...two(height), 0xf7, 0, 0];
  for (let at = 0; at < COLOURS; at++) {
    const colour = palette[at] ?? 0;
    bytes.push(colour & 255, (colour >> 8) & 255, (colour >> 16) & 255);
  }
  bytes.push(0x21, 0xff, 11, ...ascii("NETSCAPE2.0"), 3, 1, 0, 0, 0); // again and again
  if (comment) bytes.push(0x21, 0xfe, ...blocks(ascii(comment)));
  for (const { pixels, delay } of frames) {
    bytes.push(0x21, 0xf9, 4, 4, ...two(Math.round(delay / 10)), 0, 0);
    bytes.push(0x2c, 0, 0, 0, 0, ...two(width), ...two(height), 0, 8);
    for (const byte of blocks(packCodes(pixels, index))) bytes.push(byte);
  }
  bytes.push(0x3b);
  return Uint8Array.from(bytes);
}

/**
 * At most 256 colours for all frames: the exact colours if there are no more, otherwise the most frequent groups of
 * similar colours, each represented by its mean.
 * @param {Uint32Array[]} all
 */
function paletteOf(all) {
  /** @type {Map<number, number>} */
  const counts = new Map();
  for (const pixels of all) {
    for (const pixel of pixels) counts.set(pixel & 0xffffff, (counts.get(pixel & 0xffffff) ?? 0) + 1);
  }
  const palette = counts.size <= COLOURS ? [...counts.keys()] : frequent(counts);
  const exact = new Map(palette.map((colour, at) => [colour, at]));
  const index = new Map([...counts.keys()].map((colour) => [colour, exact.get(colour) ?? nearest(colour, palette)]));
  return { palette, index };
}

/** @param {Map<number, number>} counts of each colour @returns {number[]} */
function frequent(counts) {
  /** @type {Map<number, number[]>} five bits of each part -> count, and sums of red, green, blue */
  const groups = new Map();
  for (const [colour, count] of counts) {
    const key = colour & 0xf8f8f8;
    const sums = groups.get(key) ?? [0, 0, 0, 0];
    sums[0] += count;
    parts(colour).forEach((part, i) => (sums[i + 1] += count * part));
    groups.set(key, sums);
  }
  const most = [...groups.values()].sort((one, other) => other[0] - one[0]).slice(0, COLOURS);
  return most.map(([count, ...sums]) =>
    sums.reduce((colour, sum, i) => colour | (Math.round(sum / count) << (8 * i)), 0),
  );
}

/** @param {number} colour @param {number[]} palette */
function nearest(colour, palette) {
  const wanted = parts(colour);
  let [found, least] = [0, Infinity];
  palette.forEach((one, at) => {
    const far = parts(one).reduce((sum, part, i) => sum + (part - wanted[i]) ** 2, 0);
    if (far < least) [found, least] = [at, far];
  });
  return found;
}

/** Red, green and blue. @param {number} colour */
function parts(colour) {
  return [colour & 255, (colour >> 8) & 255, (colour >> 16) & 255];
}

/**
 * Compress a frame (Lempel, Ziv, Welch), with codes of 9 to 12 bits.
 * @param {Uint32Array} pixels
 * @param {Map<number, number>} index
 */
function packCodes(pixels, index) {
  const [clear, end] = [COLOURS, COLOURS + 1];
  /** @type {number[]} */
  const bytes = [];
  let [held, bits] = [0, 0];
  let [next, size] = [end + 1, 9];
  /** @type {Map<number, number>} a known sequence followed by a colour -> its code */
  let codes = new Map();
  const write = (/** @type {number} */ code) => {
    held |= code << bits;
    for (bits += size; bits >= 8; bits -= 8, held >>>= 8) bytes.push(held & 255);
  };
  write(clear);
  let before = /** @type {number} */ (index.get(pixels[0] & 0xffffff));
  for (let at = 1; at < pixels.length; at++) {
    const colour = /** @type {number} */ (index.get(pixels[at] & 0xffffff));
    const both = codes.get(before * COLOURS + colour);
    if (both !== undefined) {
      before = both;
      continue;
    }
    write(before);
    if (next === 1 << LONGEST_CODE) {
      write(clear);
      [codes, next, size] = [new Map(), end + 1, 9];
    } else {
      if (next === 1 << size) size++;
      codes.set(before * COLOURS + colour, next++);
    }
    before = colour;
  }
  write(before);
  // The reader has now made one more code, and may read the last one in more bits.
  if (next === 1 << size && size < LONGEST_CODE) size++;
  write(end);
  if (bits) bytes.push(held & 255);
  return bytes;
}

/** Split bytes into blocks, each preceded by its length, with an empty one at the end. @param {number[]} bytes */
function blocks(bytes) {
  /** @type {number[]} */
  const cut = [];
  for (let at = 0; at < bytes.length; at += BLOCK) {
    const block = bytes.slice(at, at + BLOCK);
    cut.push(block.length, ...block);
  }
  cut.push(0);
  return cut;
}

/** @param {string} written */
function ascii(written) {
  return [...written].map((sign) => sign.charCodeAt(0));
}
