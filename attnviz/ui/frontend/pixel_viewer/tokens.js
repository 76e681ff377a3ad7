// The tokens of a picture as Python sends them, and the one to begin with.

const OF_TOKENS = ["query", "key", "value", "log_normaliser", "carried", "received"]; // as in pixel_viewer.py

/**
 * Give every token its numbers: equal tokens travel once, and `place` says which one each of them is.
 * @param {Payload} payload
 * @returns {Payload}
 */
export function spread({ header, arrays, shapes }) {
  const { place } = arrays;
  for (const name of OF_TOKENS) {
    const [heads, kinds, size = 1] = shapes[name];
    const found = new Float64Array(heads * place.length * size);
    for (let head = 0, to = 0; head < heads; head++) {
      for (const kind of place) {
        const from = (head * kinds + kind) * size;
        for (let i = 0; i < size; i++) found[to++] = arrays[name][from + i];
      }
    }
    arrays[name] = found;
    shapes[name] = [heads, place.length, ...shapes[name].slice(2)];
  }
  return { header, arrays, shapes };
}

/**
 * The token on the ink that is nearest to the ink's centre; the middle of the grid where there is no ink.
 * @param {Float32Array} picture intensities, row by row
 * @param {import("../maps/paint.js").Cells} cells
 */
export function middleOfInk(picture, cells) {
  const most = picture.reduce((largest, value) => Math.max(largest, value), 0);
  let [row, column, sum] = [0, 0, 0];
  picture.forEach((value, i) => {
    row += value * Math.floor(i / cells.columns);
    column += value * (i % cells.columns);
    sum += value;
  });
  const centre = sum > 0 ? [row / sum, column / sum] : [(cells.rows - 1) / 2, (cells.columns - 1) / 2];
  let [best, nearest] = [0, Infinity];
  picture.forEach((value, i) => {
    const far = Math.hypot(Math.floor(i / cells.columns) - centre[0], (i % cells.columns) - centre[1]);
    if (value >= most / 2 && far < nearest) [best, nearest] = [i, far];
  });
  return cells.prefix + best;
}
