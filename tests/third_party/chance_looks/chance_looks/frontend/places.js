// The picture as the model saw it, and a square at each place where it looked.

const WIDE = 20; // pixels of the picture

export function draw(canvas, panel, { map, shape, seen }, look) {
  const [rows, columns] = seen.shape;
  canvas.width = columns;
  canvas.height = rows;
  const context = canvas.getContext("2d");
  const pixels = context.createImageData(columns, rows);
  for (let at = 0; at < rows * columns; at++) {
    pixels.data.fill(255 - seen.values[at], 4 * at, 4 * at + 3);
    pixels.data[4 * at + 3] = 255;
  }
  context.putImageData(pixels, 0, 0);
  context.strokeStyle = "#c00";
  for (let place = 0; place < shape[0]; place++) {
    const [top, left] = [0, 1].map((side) => ((map[2 * place + side] + 1) / 2) * (rows - WIDE));
    context.strokeRect(left + 0.5, top + 0.5, WIDE - 1, WIDE - 1);
  }
  return {};
}
