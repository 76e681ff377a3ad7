// Drawing by keyboard and by ear: the pad as a grid of 28 x 28 cells (WAI-ARIA grid pattern), with one tab stop and a
// cursor. Only the cell under the cursor is in the page; its attributes give its position among the others.

import { element, set } from "../core/dom.js";
import { gridMove } from "../hands/keys.js";
import { CELLS } from "../hands/strokes.js";
import { centreOf, contentOf, lineTo, placeOf } from "./derive.js";

const KEYS = "Arrow keys move, Space inks, Shift and arrow keys draw, Delete erases";
const PER_CENT = 100 / CELLS;

let pads = 0;

export class PadCursor {
  /** @param {import("./pad.js").Pad} pad */
  constructor(pad) {
    this.pad = pad;
    this.name = `pad-${pads++}`;
    this.row = CELLS / 2;
    this.column = CELLS / 2;
    this.line = null; // drawn with Shift and arrows
    this.current = element("div", { role: "row" });
    this.frame = element("div.cursor", { "aria-hidden": "true" });
    this.help = element("p.keys", { id: `${this.name}-keys` }, KEYS);
    this.element = element(
      "div.sheet",
      {
        role: "grid",
        tabindex: 0,
        "aria-label": `Drawing, ${CELLS} rows and ${CELLS} columns of cells`,
        "aria-describedby": this.help.id,
        "aria-rowcount": CELLS,
        "aria-colcount": CELLS,
      },
      this.frame,
      this.current,
      this.help,
    );
    this.element.addEventListener("keydown", (event) => this.key(event));
    this.element.addEventListener("focus", () => this.element.classList.toggle("keyed", !this.byHand));
    this.element.addEventListener("blur", () => this.leave());
    this.refresh();
  }

  /** Take the focus for a hand that draws: keys work, but no cursor is shown. */
  follow() {
    this.leave();
    this.byHand = true;
    this.element.focus({ preventScroll: true });
    this.byHand = false;
  }

  /** Hide the cursor. */
  leave() {
    this.element.classList.remove("keyed");
    this.line = null;
  }

  key(event) {
    if (this.pad.pointer) return;
    const to = gridMove(event, this.row, this.column, CELLS, CELLS);
    if (to) this.go(to, event.shiftKey);
    else if (event.ctrlKey || event.metaKey || event.altKey) return;
    else if (event.key === " ") this.toggle();
    else if (event.key === "Delete" || event.key === "Backspace") this.dab("erase");
    else return;
    this.element.classList.add("keyed");
    event.preventDefault();
  }

  /** @param {number[]} to @param {boolean} draws */
  go([row, column], draws) {
    const from = [this.row, this.column];
    [this.row, this.column] = [row, column];
    if (draws) this.lengthen(from);
    else this.line = null;
    this.refresh();
  }

  /** Extend the line to the cursor's cell. */
  lengthen(from) {
    const { pad } = this;
    const { tool, width, paint } = pad.tools;
    const last = pad.now.strokes.at(-1);
    const further = last !== undefined && last === this.line && last.tool === tool && last.width === width;
    const points = lineTo(from, [this.row, this.column], further ? last : null);
    if (!points) return;
    if (!pad.add({ tool, width, points, pressures: null, ...paint }, further)) return;
    this.line = pad.now.strokes.at(-1);
    pad.tell(`${tool === "ink" ? "Ink" : "Erased"} to ${this.place}.`);
  }

  toggle() {
    this.dab(this.share > 0.5 ? "erase" : "ink");
  }

  dab(tool) {
    const { pad } = this;
    this.line = null;
    const { width, paint } = pad.tools;
    const points = centreOf([this.row, this.column]);
    if (!pad.add({ tool, width, points, pressures: null, ...paint })) return;
    pad.tell(`${tool === "ink" ? "Ink" : "Erased"} at ${this.place}.`);
  }

  get place() {
    return placeOf(this.row, this.column);
  }

  /** The fraction of ink in the cursor's cell, 0..1. */
  get share() {
    return this.pad.surface.mean(this.row, this.column) / 255;
  }

  /** Show and announce the position of the cursor. */
  refresh() {
    const { row, column, name, frame } = this;
    Object.assign(frame.style, { left: `${column * PER_CENT}%`, top: `${row * PER_CENT}%` });
    const id = `${name}-${row}-${column}`;
    if (this.cell?.id !== id) {
      // A new cell each time because a screen reader announces only new elements.
      this.cell = element("div.hidden", { role: "gridcell", id, "aria-colindex": column + 1 });
      this.current.replaceChildren(this.cell);
      set(this.current, "aria-rowindex", String(row + 1));
      set(this.element, "aria-activedescendant", id);
    }
    const words = `${this.place}: ${contentOf(this.share)}`;
    if (this.cell.textContent !== words) this.cell.textContent = words;
  }
}
