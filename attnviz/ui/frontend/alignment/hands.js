// Input on the canvas: a pointer looks, a click or a tap chooses a step, the handle of the peak is dragged; keys can do
// all of this.

import { placeIn } from "../hands/place.js";
import { movable, movedBy } from "./derive.js";
import { columnAt } from "./layout.js";

const FAR = 4; // CSS pixels after which a press is a drag

export class Hands {
  /** @param {import("./alignment.js").Alignment} part */
  constructor(part) {
    this.part = part;
    const { canvas } = part.scene;
    /** @type {{x: number, column: number, by: number, step: number, far: boolean}|null} */
    this.held = null;
    /** @type {{x: number, y: number}|null} */
    this.pressed = null;
    const on = (name, act) => canvas.addEventListener(name, (event) => part.guard(() => act(event)));
    on("pointerdown", (event) => this.down(event));
    on("pointermove", (event) => this.move(event));
    on("pointerup", (event) => this.up(event));
    on("pointercancel", () => this.end());
    on("lostpointercapture", () => this.end());
    on("pointerleave", (event) => event.pointerType !== "touch" && !this.held && part.look(null));
  }

  /** @param {PointerEvent} event */
  at(event) {
    return placeIn(this.part.scene.canvas, event);
  }

  /** @param {PointerEvent} event */
  find(event) {
    const { x, y } = this.at(event);
    return this.part.scene.find(x, y);
  }

  down(event) {
    if (!event.isPrimary || event.button !== 0) return;
    const { part } = this;
    const { zone } = this.find(event);
    this.pressed = this.at(event);
    if (!part.shown.moves || (zone !== "bars" && zone !== "strip")) return;
    part.scene.canvas.setPointerCapture(event.pointerId);
    const { step } = part.shown;
    this.held = {
      x: this.pressed.x,
      column: columnAt(part.scene.at.xs, this.pressed.x),
      by: movedBy(part.view.moved, step),
      step,
      far: false,
    };
  }

  move(event) {
    const { part, held } = this;
    if (!held) {
      if (event.pointerType === "touch") return;
      const { zone, row, column } = this.find(event);
      const drags = part.shown.moves && (zone === "bars" || zone === "strip");
      part.scene.canvas.style.cursor = drags ? "grab" : zone ? "crosshair" : "default";
      part.look(column >= 0 ? { row, column } : null);
      return;
    }
    const { x } = this.at(event);
    held.far ||= Math.abs(x - held.x) > FAR;
    if (!held.far) return;
    part.scene.canvas.style.cursor = "grabbing";
    const column = columnAt(part.scene.at.xs, x);
    part.looked = { row: -1, column };
    part.move(held.step, held.by + column - held.column);
  }

  up(event) {
    const { part, pressed } = this;
    const dragged = this.held?.far ?? false;
    this.end();
    const { x, y } = this.at(event);
    if (!pressed || dragged || Math.hypot(x - pressed.x, y - pressed.y) > FAR + 6) return;
    const { zone, row, column } = this.find(event);
    if (part.shown.layer.queries === "columns") {
      const chosen = row >= 0 ? row : zone === "strip" ? column : -1;
      if (chosen >= 0) part.set({ column: chosen });
    } else if (row >= 0) part.choose(row);
    if (column >= 0) part.look({ row, column });
  }

  end() {
    const { part } = this;
    this.pressed = null;
    if (!this.held) return;
    const { far } = this.held;
    this.held = null;
    if (far) part.changed();
  }
}

/**
 * Handle a key.
 * @param {import("./alignment.js").Alignment} part
 * @param {KeyboardEvent} event
 * @returns {boolean} whether it did something
 */
export function pressed(part, event) {
  if (event.altKey || event.ctrlKey || event.metaKey) return false;
  if (event.key === "Escape") {
    if (!part.shown.changedByHand) return false;
    part.set({ moved: [], mask: true });
    return true;
  }
  if (!event.composedPath().includes(part.stage)) return false;
  const { scene, shown } = part;
  const { step, row, layer } = shown;
  const sideways = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
  if (sideways && event.shiftKey) {
    if (!movable(layer)) return false;
    part.move(step, movedBy(part.view.moved, step) + sideways, true);
    return true;
  }
  if (sideways) {
    const column = Math.min(scene.at.columns - 1, Math.max(0, (part.looked?.column ?? -1) + sideways));
    part.look({ row, column });
    part.announce(shown.reading(part.looked));
    return true;
  }
  if (event.key === " ") part.togglePlay();
  else if (event.key === "Delete" || event.key === "Backspace") part.move(step, 0, true);
  else {
    const last = scene.at.rows - 1;
    const moves = { ArrowUp: row - 1, ArrowDown: row + 1, Home: 0, End: last, PageUp: row - 5, PageDown: row + 5 };
    const to = moves[event.key];
    if (to === undefined) return false;
    const there = Math.min(last, Math.max(0, to));
    part.looked = null;
    if (layer.queries === "columns") part.set({ column: there });
    else part.choose(there);
  }
  return true;
}
