// What leaves the page: PNG, SVG and CSV files, each with its origin.

import { full, oneLine } from "../core/numbers.js";
import { toCanvas, toSvg, withText } from "./sheet.js";

/**
 * The name of a file, without its ending, from what it shows; undefined words are left out.
 * @param {(string|undefined)[]} words
 */
export function fileNameOf(...words) {
  return ["attnviz", ...words]
    .filter((word) => word !== undefined)
    .join("-")
    .replace(/[^\w.-]+/g, "_")
    .slice(0, 120);
}

/** Save bytes or text as a file. @param {string} name @param {BlobPart} content @param {string} type */
export function save(name, content, type) {
  const url = URL.createObjectURL(new Blob([content], { type }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  // Not at once: the browser reads the URL after this function has returned.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

/**
 * What can be saved of something that is drawn on a sheet, for `Savers`: words -> saves a file; and the sheet itself.
 * @param {() => any} sheet what is drawn now, as `toSvg` and `toCanvas` take it
 * @param {() => string} name of the file, without its ending
 * @param {() => string} csv its numbers
 */
export function filesOf(sheet, name, csv) {
  return {
    sheet,
    name,
    PNG: () => saveSheetPng(sheet(), name()),
    SVG: () => save(`${name()}.svg`, toSvg(sheet()), "image/svg+xml"),
    CSV: () => save(`${name()}.csv`, csv(), "text/csv"),
  };
}

/** Save a sheet as PNG, twice the size of the screen's, its origin in a text chunk. */
async function saveSheetPng(sheet, name) {
  const blob = await new Promise((done) => toCanvas(sheet, 2).toBlob(done, "image/png"));
  const png = new Uint8Array(await blob.arrayBuffer());
  save(`${name}.png`, withText(png, "Description", JSON.stringify(sheet.origin)), "image/png");
}

/**
 * Write a table with its origin above it.
 * @param {Record<string, any>} origin name -> value, one per line, each line beginning with #
 * @param {string[]} head names of the columns
 * @param {Iterable<(number|string)[]>} rows numbers in full precision
 * @returns {string}
 */
export function toCsv(origin, head, rows) {
  const lines = Object.entries(origin).map(([name, value]) => `# ${name}: ${oneLine(value)}`);
  lines.push(head.map(field).join(","));
  for (const row of rows)
    lines.push(row.map((value) => (typeof value === "number" ? full(value) : field(value))).join(","));
  return `${lines.join("\n")}\n`;
}

function field(value) {
  return /[",\r\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value;
}

/**
 * An origin as lines of a caption.
 * @param {Record<string, any>} origin
 * @param {number} most signs in a line
 * @returns {string[]}
 */
export function originLines(origin, most) {
  const lines = [""];
  const words = Object.entries(origin)
    .map(([name, value]) => `${name} ${oneLine(value)}`)
    .join(" \u00b7 ")
    .split(" ")
    .flatMap((word) => word.match(new RegExp(`.{1,${most}}`, "gu")) ?? [""]); // a URL may be longer than a line
  for (const word of words) {
    if (lines[lines.length - 1].length + word.length > most) lines.push("");
    lines[lines.length - 1] += (lines.at(-1) ? " " : "") + word;
  }
  return lines;
}
