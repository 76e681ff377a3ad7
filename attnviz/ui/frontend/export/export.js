// Files that leave the page: PNG, SVG and CSV, each with its origin.

import { css, packed, TOP } from "../core/colours.js";
import { full, oneLine, short } from "../core/numbers.js";
import { toCanvas, toSvg, withText } from "./sheet.js";

const LINE = 16; // CSS pixels from one line of a caption to the next
const ANCHORS = ["start", "middle", "end"];

/**
 * The name of a file, without its ending, from words about its contents; undefined words are left out.
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
  // Not at once: the browser reads the URL only after this function has returned.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

/**
 * The files of something drawn on a sheet, for `Savers`: label -> saves a file; and the sheet itself.
 * @template Part
 * @param {Part} part
 * @param {(part: Part) => any} sheetOf the present drawing, for `toSvg` and `toCanvas`
 * @param {(part: Part) => string} nameOf the name of the file, without its ending
 * @param {(part: Part) => string} csvOf its numbers
 */
export function filesOf(part, sheetOf, nameOf, csvOf) {
  const [sheet, name] = [() => sheetOf(part), () => nameOf(part)];
  return {
    sheet,
    name,
    PNG: () => saveSheetPng(sheet(), name()),
    SVG: () => save(`${name()}.svg`, toSvg(sheet()), "image/svg+xml"),
    CSV: () => save(`${name()}.csv`, csvOf(part), "text/csv"),
  };
}

/** A sheet under construction: sheet.js describes its contents and writes it. */
export class Sheet {
  width = 0;
  height = 0;
  /** @type {any[]} */ items = [];

  /** @param {Theme} theme @param {Record<string, any>} origin @param {number} margin to the left of its lines */
  constructor(theme, origin, margin = 24) {
    this.origin = origin;
    this.margin = margin;
    this.ink = css(packed(theme.text));
    this.background = css(packed(theme.background));
    this.rule = css(packed(theme.line));
  }

  /** @param {number} x @param {number} y @param {string} text @param {number} size @param {any} more other fields */
  write(x, y, text, size = 12, more = {}) {
    this.items.push({ kind: "text", x, y, text, size, colour: this.ink, ...more });
  }

  /** Add a map or a picture, with a frame. @param {any} item */
  framed(item) {
    const { x, y, width, height } = item;
    this.items.push(item, { kind: "frame", x, y, width, height, colour: this.rule });
  }

  /** A bar of one colour. @param {number} x @param {number} y @param {number[]} size @param {number[]} colour */
  bar(x, y, [width, height], colour) {
    this.items.push({ kind: "bar", x, y, width, height, colours: [packed(colour)] });
  }

  /**
   * The colours of a scale, with words below its start, middle and end.
   * @param {Uint32Array} palette
   * @param {number} x
   * @param {number} y
   * @param {string[]} ends
   * @param {number} width
   */
  scale(palette, x, y, ends = [], width = 280) {
    const colours = Array.from({ length: 64 }, (_, i) => palette[Math.round((i * TOP) / 63)]);
    this.items.push({ kind: "bar", x, y, width, height: 10, colours });
    ends.forEach((end, i) => this.write(x + (i * width) / 2, y + 26, end, 12, { anchor: ANCHORS[i] }));
  }

  /** Write lines of text. @param {string[]} lines @param {number} y that of the first @returns that of the last */
  lines(lines, y, size = 12) {
    lines.forEach((line, i) => this.write(this.margin, y + LINE * i, line, size));
    return y + LINE * (lines.length - 1);
  }

  /** @param {number} width @param {number} height */
  sized(width, height) {
    return Object.assign(this, { width, height: Math.round(height) });
  }
}

/** The ends and the middle of a scale, in words. @param {Scale} scale @param {string} share words for an even share */
export function endsOf(scale, share) {
  if (scale.kind === "share") return ["\u2264 1/16", share, "\u2265 16 \u00d7"];
  return [scale.low, (scale.low + scale.high) / 2, scale.high].map((end) => short(end, 3));
}

/** Save a sheet as PNG, twice the size of the screen's, its origin in a text chunk. */
async function saveSheetPng(sheet, name) {
  const blob = await new Promise((done) => toCanvas(sheet, 2).toBlob(done, "image/png"));
  const png = new Uint8Array(await blob.arrayBuffer());
  save(`${name}.png`, withText(png, "Description", JSON.stringify(sheet.origin)), "image/png");
}

/**
 * Write a table with its origin above it.
 * @param {Record<string, any>} origin name -> value, one per line, each line starting with #
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
 * @param {number} most maximum number of characters in a line
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
