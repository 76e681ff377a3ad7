// The energy of a stage as grey squares: white is none, black is the most there is in this picture.

export function draw(canvas, panel, { map, shape }, look) {
  const [rows, columns] = shape;
  const most = Math.max(...map) || 1;
  canvas.width = columns;
  canvas.height = rows;
  const context = canvas.getContext("2d");
  const pixels = context.createImageData(columns, rows);
  map.forEach((value, at) => {
    pixels.data.fill(255 - Math.round((255 * value) / most), 4 * at, 4 * at + 3);
    pixels.data[4 * at + 3] = 255;
  });
  context.putImageData(pixels, 0, 0);
  return { most };
}
