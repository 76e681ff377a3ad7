// Numbers side by side, each with a bar: a table whose columns are terms, keys or components of a vector.

import { element, say, set, text } from "../core/dom.js";

/**
 * A number, in words or as a bar.
 * @typedef {{node: Text|null, element: HTMLElement, bar: HTMLElement|null, kind: string|undefined}} Cell
 */

/** A small table. Its nodes are made once; while the pointer moves, only text nodes and transforms change. */
export class Columns {
  /**
   * @param {string} label its label for screen readers
   * @param {number} count maximum number of columns
   * @param {Record<string, string>} rows name -> label; the row "bar" holds bars instead of numbers
   * @param {{signed?: boolean}} options signed: bars go up and down from the middle
   */
  constructor(label, count, rows, { signed = false } = {}) {
    this.shown = count;
    this.cells = /** @type {Record<string, Cell[]>} */ ({});
    const lines = Object.entries(rows).map(([name, title]) => {
      this.cells[name] = Array.from({ length: count }, () => (name === "bar" ? barCell() : textCell(name)));
      const head = element(`span.row-name.${name}`, name === "bar" ? {} : { role: "rowheader" }, title);
      return element(
        "div.row",
        name === "bar" ? { "aria-hidden": "true" } : { role: "row" },
        head,
        ...this.cells[name].map((cell) => cell.element),
      );
    });
    this.element = element(`div.columns${signed ? ".signed" : ""}`, { role: "table", "aria-label": label }, ...lines);
  }

  /**
   * Fill all columns.
   * @param {Record<string, any>[]} items the words of each row, by name; `bar`: -1..1; `kind`: a class of its bar and
   *   words
   */
  say(items) {
    for (const [name, cells] of Object.entries(this.cells)) {
      cells.forEach((cell, i) => {
        const item = items[i];
        if (!item) return;
        if (cell.bar) cell.bar.style.transform = `scaleY(${Number.isFinite(item.bar) ? item.bar.toFixed(3) : 0})`;
        else say(cell.node, item[name] ?? "");
        if (cell.kind !== item.kind) set(cell.element, "data-kind", (cell.kind = item.kind) ?? "");
      });
    }
    if (items.length !== this.shown) this.show(items.length);
  }

  show(count) {
    this.shown = count;
    for (const cells of Object.values(this.cells)) cells.forEach((cell, i) => (cell.element.hidden = i >= count));
  }

  /** Add exact digits to the words of a row, as tooltips. @param {string} name @param {string[]} digits */
  explain(name, digits) {
    this.cells[name].forEach((cell, i) => set(cell.element, "title", digits[i] ?? ""));
  }
}

/** @param {string} name @returns {Cell} */
function textCell(name) {
  const node = text();
  return { node, element: element(`span.cell.${name}`, { role: "cell" }, node), bar: null, kind: undefined };
}

/** @returns {Cell} */
function barCell() {
  const bar = element("i");
  return { node: null, element: element("span.column-bar", {}, bar), bar, kind: undefined };
}

/**
 * The largest absolute value of some numbers, for scaling their bars; 1 if all are zero.
 * @param {number[]} numbers
 */
export function longest(numbers) {
  return numbers.reduce((most, number) => Math.max(most, Math.abs(number) || 0), 0) || 1;
}
