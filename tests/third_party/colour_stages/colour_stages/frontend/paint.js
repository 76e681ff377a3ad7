// How shades become pixels.

/** Paint shades, 0 for white to 1 for black, row by row. */
export function paint(canvas, shades, [, rows, columns]) {
  Object.assign(canvas, { width: columns, height: rows });
  const context = canvas.getContext("2d");
  const pixels = context.createImageData(columns, rows);
  shades.forEach((shade, at) => {
    pixels.data.fill(255 - Math.round(255 * shade), 4 * at, 4 * at + 3);
    pixels.data[4 * at + 3] = 255;
  });
  context.putImageData(pixels, 0, 0);
}
