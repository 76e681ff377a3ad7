// The browser's side of attnviz/views/payload.py, which describes the format.

const VIEWS = { float64: Float64Array, float32: Float32Array, int32: Int32Array, uint8: Uint8Array };
const ALIGNMENT = 8; // of the arrays

/**
 * Read a payload written by `pack`.
 * @param {Uint8Array} bytes the whole payload
 * @param {Record<string, any>} added header entries that replace those in the bytes
 * @returns {Payload}
 *   the header, each array flat (row by row) under its name, and its shape under the same name; the arrays may lie in
 *   the bytes
 */
export function unpack(bytes, added = {}) {
  const { header, start } = headerOf(bytes);
  // Streamlit hands the bytes over at any offset, but a Float64Array must begin at a multiple of 8. Payloads from the
  // live channel are aligned and need no copy.
  const begin = bytes.byteOffset + start;
  const [block, from] = begin % ALIGNMENT ? [bytes.slice(start).buffer, 0] : [bytes.buffer, begin];
  const arrays = {};
  const shapes = {};
  for (const [name, { dtype, shape, offset }] of Object.entries(header.arrays)) {
    const count = shape.reduce((product, size) => product * size, 1);
    arrays[name] = new VIEWS[dtype](block, from + offset, count);
    shapes[name] = shape;
  }
  return { header: { ...header, ...added }, arrays, shapes };
}

/**
 * A payload with some entries of its header changed or added, and the same arrays, like Python's `with_header`.
 * @param {Uint8Array} bytes the whole payload
 * @param {Record<string, any>} changes values that can be serialised as JSON
 * @returns {Uint8Array}
 */
export function withHeader(bytes, changes) {
  const { header, start } = headerOf(bytes);
  const text = new TextEncoder().encode(JSON.stringify({ ...header, ...changes }));
  const begin = Math.ceil((4 + text.length) / ALIGNMENT) * ALIGNMENT;
  const made = new Uint8Array(begin + bytes.length - start).fill(32, 4 + text.length, begin);
  new DataView(made.buffer).setUint32(0, begin - 4, true);
  made.set(text, 4);
  made.set(bytes.subarray(start), begin);
  return made;
}

/**
 * The header of a payload, with its table of arrays, and the offset of the arrays.
 * @param {Uint8Array} bytes
 * @returns {{header: any, start: number}}
 */
export function headerOf(bytes) {
  const length = new DataView(bytes.buffer, bytes.byteOffset, 4).getUint32(0, true);
  return { header: JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + length))), start: 4 + length };
}
