// A sheet of maps and words, as an SVG document or on a canvas: one description, two ways to write it.
//
// sheet = { width, height, background, ink, origin, items }, in CSS pixels; items are
//   { kind: "map", x, y, width, height, columns, rows, colours, edge, outlines, strange }   colours: packed, a cell;
//                                                              strange: cells that are NaN, infinite or masked
//   { kind: "picture", x, y, width, height, canvas }                               a picture at its own resolution
//   { kind: "marks", x, y, width, height, columns, rows, outlines }                outlines alone, over a picture
//   { kind: "bar", x, y, width, height, colours }                                  a legend
//   { kind: "text", x, y, text, size, colour, anchor, weight, halo }   halo: a colour around the letters, so that
//                                                              they are legible on anything
//   { kind: "line", points, colour, line }                                         a path from point to point
//   { kind: "frame", x, y, width, height, colour, line }                           line: its width; 1 if absent

import { css, INFINITE, NOT_A_NUMBER } from "../core/colours.js";
import { context2d } from "../core/dom.js";

const HALO = 4; // CSS pixels, half of them outside the letters
const FONT = "'Source Sans', 'Source Sans 3', 'Source Sans Pro', sans-serif";

/** Write a sheet as an SVG document, with its origin in <metadata>. @returns {string} */
export function toSvg(sheet) {
  const parts = sheet.items.map((item) => SVG[item.kind](item, sheet));
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${sheet.width}" height="${sheet.height}" ` +
      `viewBox="0 0 ${sheet.width} ${sheet.height}">`,
    `<metadata>${escaped(JSON.stringify(sheet.origin))}</metadata>`,
    `<rect width="100%" height="100%" fill="${sheet.background}"/>`,
    ...parts,
    "</svg>\n",
  ].join("\n");
}

/** Draw a sheet. @param {number} scale canvas pixels per CSS pixel @returns {HTMLCanvasElement} */
export function toCanvas(sheet, scale) {
  const canvas = document.createElement("canvas");
  canvas.width = Math.round(sheet.width * scale);
  canvas.height = Math.round(sheet.height * scale);
  const context = context2d(canvas);
  context.scale(scale, scale);
  context.fillStyle = sheet.background;
  context.fillRect(0, 0, sheet.width, sheet.height);
  for (const item of sheet.items) CANVAS[item.kind](item, sheet, context);
  return canvas;
}

/** Insert a text chunk (tEXt, which is Latin-1, so the text is escaped) into a PNG after its header. */
export function withText(png, keyword, written) {
  const latin = written.replace(/[^\x20-\x7e]/g, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`);
  const body = new TextEncoder().encode(`tEXt${keyword}\0${latin}`);
  const chunk = new Uint8Array(body.length + 8);
  const view = new DataView(chunk.buffer);
  view.setUint32(0, body.length - 4);
  chunk.set(body, 4);
  view.setUint32(body.length + 4, checksum(body));
  const afterHeader = 8 + 25; // signature, then IHDR, which always comes first and has this length
  const whole = new Uint8Array(png.length + chunk.length);
  whole.set(png.subarray(0, afterHeader));
  whole.set(chunk, afterHeader);
  whole.set(png.subarray(afterHeader), afterHeader + chunk.length);
  return whole;
}

/** CRC-32 as specified for PNG. */
function checksum(bytes) {
  let crc = ~0;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  }
  return ~crc >>> 0;
}

const SVG = {
  map({ x, y, width, height, columns, rows, colours, edge, outlines, strange }, { ink }) {
    // One path per colour: a few kilobytes per map, while one rectangle per cell would take fifty.
    const runs = new Map();
    for (let row = 0; row < rows; row++) {
      for (let column = 0, end; column < columns; column = end) {
        const colour = colours[row * columns + column];
        for (end = column + 1; end < columns && colours[row * columns + end] === colour;) end++;
        runs.set(colour, `${runs.get(colour) ?? ""}M${column} ${row}h${end - column}v1h${column - end}z`);
      }
    }
    const paths = [...runs].map(([colour, path]) => `<path fill="${css(colour)}" d="${path}"/>`).join("");
    const line = edge
      .map((one) => edgeLine(one, columns))
      .map(([x1, y1, x2, y2]) => `M${x1} ${y1}L${x2} ${y2}`)
      .join("");
    const odd = strange
      .map(({ cell, index }) => {
        const [left, top, size] = markBox(cell, index, columns);
        return index === NOT_A_NUMBER
          ? `<path d="M${left} ${top}l${size} ${size}M${left + size} ${top}l${-size} ${size}" stroke="${ink}" ` +
              `vector-effect="non-scaling-stroke"/>`
          : `<rect x="${left}" y="${top}" width="${size}" height="${size}" fill="${ink}"/>`;
      })
      .join("");
    const marks = outlineRects(outlines, columns);
    return (
      `<g transform="translate(${x} ${y}) scale(${width / columns} ${height / rows})">` +
      `<g shape-rendering="crispEdges">${paths}</g>` +
      `<path d="${line}" fill="none" stroke="${ink}" stroke-opacity="0.5" ` +
      `vector-effect="non-scaling-stroke"/>${odd}${marks}</g>`
    );
  },
  marks({ x, y, width, height, columns, rows, outlines }) {
    return (
      `<g transform="translate(${x} ${y}) scale(${width / columns} ${height / rows})">` +
      `${outlineRects(outlines, columns)}</g>`
    );
  },
  picture({ x, y, width, height, canvas }) {
    return (
      `<image x="${x}" y="${y}" width="${width}" height="${height}" preserveAspectRatio="none" ` +
      `style="image-rendering:pixelated" href="${canvas.toDataURL()}"/>`
    );
  },
  bar({ x, y, width, height, colours }) {
    const step = width / colours.length;
    return colours
      .map(
        (colour, i) =>
          `<rect x="${x + i * step}" y="${y}" width="${step + 0.5}" height="${height}" fill="${css(colour)}"/>`,
      )
      .join("");
  },
  text({ x, y, text, size, colour, anchor = "start", weight = 400, halo }) {
    const rim = halo ? ` stroke="${halo}" stroke-width="${HALO}" stroke-linejoin="round" paint-order="stroke"` : "";
    return (
      `<text x="${x}" y="${y}" font-family="${FONT}" font-size="${size}" font-weight="${weight}" fill="${colour}" ` +
      `text-anchor="${anchor}"${rim}>${escaped(text)}</text>`
    );
  },
  line({ points, colour, line = 1 }) {
    return (
      `<polyline points="${points.map((point) => point.join()).join(" ")}" fill="none" stroke="${colour}" ` +
      `stroke-width="${line}"/>`
    );
  },
  frame({ x, y, width, height, colour, line = 1 }) {
    return (
      `<rect x="${x}" y="${y}" width="${width}" height="${height}" fill="none" stroke="${colour}" ` +
      `stroke-width="${line}"/>`
    );
  },
};

const CANVAS = {
  map({ x, y, width, height, columns, rows, colours, edge, outlines, strange }, { ink }, context) {
    const across = (column) => x + (column * width) / columns;
    const down = (row) => y + (row * height) / rows;
    for (let row = 0; row < rows; row++) {
      for (let column = 0; column < columns; column++) {
        context.fillStyle = css(colours[row * columns + column]);
        // Half a pixel larger than a cell, to avoid seams between neighbours.
        context.fillRect(
          across(column),
          down(row),
          Math.min(width / columns + 0.5, x + width - across(column)),
          Math.min(height / rows + 0.5, y + height - down(row)),
        );
      }
    }
    context.globalAlpha = 0.5;
    context.strokeStyle = ink;
    context.beginPath();
    for (const one of edge) {
      const [x1, y1, x2, y2] = edgeLine(one, columns);
      context.moveTo(across(x1), down(y1));
      context.lineTo(across(x2), down(y2));
    }
    context.stroke();
    context.globalAlpha = 1;
    context.fillStyle = ink;
    for (const { cell, index } of strange) {
      const [left, top, size] = markBox(cell, index, columns);
      if (index !== NOT_A_NUMBER) {
        context.fillRect(across(left), down(top), (size * width) / columns, (size * height) / rows);
        continue;
      }
      context.beginPath();
      context.moveTo(across(left), down(top));
      context.lineTo(across(left + size), down(top + size));
      context.moveTo(across(left + size), down(top));
      context.lineTo(across(left), down(top + size));
      context.stroke();
    }
    CANVAS.marks({ x, y, width, height, columns, rows, outlines }, null, context);
  },
  marks({ x, y, width, height, columns, rows, outlines }, _, context) {
    context.lineWidth = 2;
    for (const one of outlines) {
      const [top, left, bottom, right] = boxOf(one, columns);
      context.strokeStyle = css(one.colour);
      context.strokeRect(
        x + (left * width) / columns,
        y + (top * height) / rows,
        ((right - left) * width) / columns,
        ((bottom - top) * height) / rows,
      );
    }
    context.lineWidth = 1;
  },
  picture({ x, y, width, height, canvas }, _, context) {
    context.imageSmoothingEnabled = false;
    context.drawImage(canvas, x, y, width, height);
  },
  bar({ x, y, width, height, colours }, _, context) {
    colours.forEach((colour, i) => {
      context.fillStyle = css(colour);
      context.fillRect(x + (i * width) / colours.length, y, width / colours.length + 0.5, height);
    });
  },
  text({ x, y, text, size, colour, anchor = "start", weight = 400, halo }, _, context) {
    context.font = `${weight} ${size}px ${FONT}`;
    context.textAlign = anchor === "middle" ? "center" : anchor;
    if (halo) {
      Object.assign(context, { strokeStyle: halo, lineWidth: HALO, lineJoin: "round" });
      context.strokeText(text, x, y);
      context.lineWidth = 1;
    }
    context.fillStyle = colour;
    context.fillText(text, x, y);
  },
  line({ points, colour, line = 1 }, _, context) {
    context.strokeStyle = colour;
    context.lineWidth = line;
    context.beginPath();
    points.forEach(([x, y], i) => (i ? context.lineTo(x, y) : context.moveTo(x, y)));
    context.stroke();
    context.lineWidth = 1;
  },
  frame({ x, y, width, height, colour, line = 1 }, _, context) {
    context.strokeStyle = colour;
    context.lineWidth = line;
    context.strokeRect(x, y, width, height);
    context.lineWidth = 1;
  },
};

function outlineRects(outlines, columns) {
  return outlines
    .map((one) => {
      const [top, left, bottom, right] = boxOf(one, columns);
      return (
        `<rect x="${left}" y="${top}" width="${right - left}" height="${bottom - top}" fill="none" ` +
        `stroke="${css(one.colour)}" stroke-width="2" vector-effect="non-scaling-stroke"/>`
      );
    })
    .join("");
}

/** The outlined box in cells (top, left, bottom, right): a given box, or a cell. */
function boxOf({ cell, box }, columns) {
  return box ?? [Math.floor(cell / columns), cell % columns, Math.floor(cell / columns) + 1, (cell % columns) + 1];
}

/** The position of a mark in its cell: NaN a cross, infinity a large square, minus infinity (masked) a small one. */
function markBox(cell, index, columns) {
  const rim = { [NOT_A_NUMBER]: 0.1, [INFINITE]: 0.2 }[index] ?? 0.38;
  return [(cell % columns) + rim, Math.floor(cell / columns) + rim, 1 - 2 * rim];
}

/** The cells whose value is not on the scale. @param {ArrayLike<number>} indices one palette index per cell */
export function strangeCells(indices) {
  return Array.from(indices, (index, cell) => ({ cell, index })).filter(({ index }) => index >= NOT_A_NUMBER);
}

function edgeLine({ cell, below, line }, columns) {
  if (line) return line;
  const [row, column] = [Math.floor(cell / columns), cell % columns];
  return below ? [column, row + 1, column + 1, row + 1] : [column + 1, row, column + 1, row + 1];
}

function escaped(written) {
  return (
    written
      .replace(/[&<>"]/g, (sign) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[sign])
      // XML allows no control characters, not even escaped ones.
      // eslint-disable-next-line no-control-regex -- these are replaced
      .replace(/[\x00-\x08\x0b\x0c\x0e-\x1f]/g, "\ufffd")
  );
}
