// The browser's side of attnviz/ui/components/payload.py, which describes the format.

const VIEWS = { float64: Float64Array, float32: Float32Array, int32: Int32Array, uint8: Uint8Array };

/**
 * Read what `pack` wrote.
 * @param {Uint8Array} bytes the whole payload
 * @returns {Payload}
 *   the header, each array flat (row by row) under its name, and its shape under the same name
 */
export function unpack(bytes) {
  const length = new DataView(bytes.buffer, bytes.byteOffset, 4).getUint32(0, true);
  const header = JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + length)));
  // Streamlit hands the bytes over at any offset, and a Float64Array must begin at a multiple of 8: hence the copy.
  const block = bytes.slice(4 + length).buffer;
  const arrays = {};
  const shapes = {};
  for (const [name, { dtype, shape, offset }] of Object.entries(header.arrays)) {
    const count = shape.reduce((product, size) => product * size, 1);
    arrays[name] = new VIEWS[dtype](block, offset, count);
    shapes[name] = shape;
  }
  return { header, arrays, shapes };
}
