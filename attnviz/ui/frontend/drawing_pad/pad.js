// The pad: a sheet to draw on with mouse, pen, finger or keyboard. It needs no server: strokes are painted by the event
// handlers, and the drawing is stored here.

import { element, say, set, text } from "../core/dom.js";
import { PadCursor } from "./cursor.js";
import { endedAt, isNear, tipOf } from "./derive.js";
import { copy, inkStroke, paint, paperOf } from "./paint.js";
import { PadTools } from "./tools.js";
import { shareIn } from "../hands/place.js";
import { Raster } from "../hands/raster.js";
import { decode, encode, fits, FULL, PRESSURES, SIDE, simplify, toUnit } from "../hands/strokes.js";

const DEEP = 200; // maximum number of steps that can be undone
const ERASER = 32; // the eraser end of a pen, in `buttons`
const CLEARED = 15; // maximum number of cleared drawings that a drawing remembers

/** @typedef {import("./memory.js").Drawing} Drawing never changed, only replaced */

/**
 * A new drawing. Its id identifies it in the browser's storage; an undo restores the old id.
 * @param {Base|null} base
 * @param {Stroke[]} strokes
 * @returns {Drawing}
 */
function drawing(base = null, strokes = []) {
  return { id: `${Date.now().toString(36)}-${Math.random().toString(36).slice(2, 8)}`, base, strokes };
}

export class Pad {
  /**
   * @param {HTMLElement} node the container
   * @param {object} hands
   * @param {(complete: boolean) => void} hands.changed called after every visible change: complete is false within a
   *   stroke
   * @param {(words: string) => void} [hands.tell] announces a change to screen readers
   * @param {(words: string) => void} [hands.refuse] explains why a stroke was dropped
   */
  constructor(node, { changed, tell = () => {}, refuse = () => {} }) {
    this.changed = changed;
    this.tell = tell;
    this.refuse = refuse;
    /** @type {Set<string>} ids of the drawings changed by hand here */
    this.own = new Set();
    /** @type {Drawing[]} */
    this.past = [];
    this.now = drawing();
    /** @type {Drawing[]} */
    this.future = [];
    this.surface = new Raster();
    /** @type {any} */
    this.pointer = null; // the pointer that draws: its stroke, and the surface before it
    this.tools = new PadTools(this);
    this.canvas = element("canvas", { "aria-hidden": "true" });
    this.behind = element("canvas"); // the screen without the stroke in progress
    this.words = text();
    this.hint = element("p.hint", { "aria-hidden": "true" }, this.words);
    this.cursor = new PadCursor(this);
    this.sheet = this.cursor.element;
    this.sheet.prepend(this.canvas, this.hint);
    this.element = element("div.pad", {}, this.sheet, this.tools.element);
    this.listen();
    node.append(this.element);
    this.tools.refresh();
  }

  // Contents

  /** Whether nothing is drawn. */
  get empty() {
    return !this.surface.values.some((value) => value > 0);
  }

  /** A copy of the pixels: 0 is paper, 255 is ink; or in colour. @returns {import("../live/live.js").Values} */
  raster() {
    return { values: this.surface.values.slice(), shape: this.surface.shape };
  }

  /** Whether the drawing is in colour. */
  get coloured() {
    return this.surface.channels > 1;
  }

  /** From paper to ink; null in colour. */
  get paints() {
    return this.coloured || !this.inks ? null : this.inks;
  }

  /**
   * Take another sheet and redraw the drawing on it.
   * @param {{canvas: number, channels: number, hint: string}} sheet
   */
  take({ canvas, channels, hint }) {
    say(this.words, hint);
    if (canvas === this.surface.side && channels === this.surface.channels) return;
    this.surface = new Raster(canvas, channels);
    this.surface.draw(this.now);
    set(this.sheet, "data-coloured", String(this.coloured));
    this.tools.refresh();
    if (this.inks) this.colour(this.inks);
  }

  /** The strokes as a short string for a URL. */
  state() {
    return encode(this.now.strokes);
  }

  /**
   * Show other strokes and another picture below them, as a new drawing; an undo restores the old one.
   * @param {string} written the strokes, as returned by `state`
   * @param {Base|null} base
   * @throws {import("../hands/strokes.js").BadDrawing} if the strokes cannot be read; nothing is changed then
   */
  load(written, base = null) {
    this.open({ base, strokes: decode(written) });
  }

  /** Show another drawing. @param {{base: Base|null, strokes: Stroke[], id?: string}} other id: if it is known */
  open({ base, strokes, id }) {
    const other = drawing(base, strokes);
    this.become({ ...other, id: id ?? other.id, cleared: this.now.cleared });
  }

  // Changes

  /** Take a drawing as the next step, which can be undone. @param {boolean} anew whether to redraw it */
  become(next, anew = true) {
    this.past.push(this.now);
    if (this.past.length > DEEP) this.past.shift();
    this.future = [];
    if (anew) this.replace(next);
    else this.show(next);
  }

  /**
   * Draw one more stroke on top.
   * @param {boolean} further whether it extends and replaces the last one, as one step
   * @returns {boolean} whether it is kept: a stroke that could not be decoded is refused now rather than lost later
   */
  add(stroke, further = false) {
    const { strokes } = this.now;
    const next = { ...this.now, strokes: [...(further ? strokes.slice(0, -1) : strokes), stroke] };
    if (!fits(next.strokes)) {
      this.show(this.now);
      this.refuse(FULL);
      return false;
    }
    this.own.add(next.id);
    if (further) {
      this.replace(next);
    } else {
      this.draw(stroke);
      this.become(next, false);
    }
    return true;
  }

  undo() {
    this.step(this.past, this.future, ["Nothing to undo.", "Undone."]);
  }

  redo() {
    this.step(this.future, this.past, ["Nothing to redo.", "Redone."]);
  }

  step(from, to, [nothing, done]) {
    if (this.pointer) return;
    const possible = from.length > 0;
    if (possible) {
      to.push(this.now);
      this.replace(from.pop());
    }
    this.tell(possible ? done : nothing);
  }

  clear() {
    if (!this.now.base && !this.now.strokes.length) return;
    const next = drawing();
    const cleared = [...(this.now.cleared ?? []), { step: next.id, id: this.now.id }].slice(-CLEARED);
    this.become({ ...next, cleared });
    this.tell("Cleared. Undo brings the drawing back.");
  }

  replace(next) {
    this.surface.draw(next);
    if (this.pointer) {
      // during a stroke, which continues on the other drawing
      this.pointer.before = this.surface.values.slice();
      this.surface.stroke(this.pointer.stroke);
    }
    this.now = next;
    this.repaint();
    this.show(next);
  }

  /** Take a drawing that is already on the sheet. */
  show(next) {
    this.now = next;
    this.refresh();
    this.tools.refresh();
    this.changed(true);
  }

  /** Take the present drawing as the first step: there is nothing to undo. */
  begin() {
    [this.past, this.future] = [[], []];
    this.tools.refresh();
  }

  /** The history for undo and redo, so that another pad can continue. */
  get memory() {
    return { past: this.past, now: this.now, future: this.future };
  }

  set memory({ past, now, future }) {
    Object.assign(this, { past, future });
    this.replace(now);
  }

  // Input

  listen() {
    const { sheet } = this;
    sheet.addEventListener("pointerdown", (event) => this.down(event));
    sheet.addEventListener("pointermove", (event) => this.move(event));
    for (const end of ["pointerup", "pointercancel", "lostpointercapture"])
      sheet.addEventListener(end, (event) => this.up(event));
    sheet.addEventListener("contextmenu", (event) => this.pointer && event.preventDefault()); // a resting finger
  }

  down(event) {
    const turned = event.pointerType === "pen" && (event.buttons & ERASER) > 0;
    if (this.pointer || (event.button !== 0 && !turned)) return; // of several pointers the first draws
    event.preventDefault();
    this.sheet.setPointerCapture(event.pointerId);
    this.cursor.follow();
    const { tool, width, paint: colour } = this.tools;
    // Only a pen measures pressure; other devices report a constant, or the size of a fingertip.
    const stroke = {
      tool: turned ? "erase" : tool,
      width,
      points: [],
      pressures: event.pointerType === "pen" ? [] : null,
      ...colour,
    };
    this.pointer = { id: event.pointerId, stroke, before: this.surface.values.slice(), behind: true, rest: null };
    copy(this.canvas, this.behind);
    this.hint.hidden = true;
    this.follow([event]);
  }

  move(event) {
    if (event.pointerId !== this.pointer?.id) return;
    const several = event.getCoalescedEvents?.() ?? [];
    this.follow(several.length ? several : [event]);
  }

  /** Extend the stroke by the positions of the hand, and paint that at once. */
  follow(events) {
    const { stroke } = this.pointer;
    const { points, pressures } = stroke;
    const box = this.sheet.getBoundingClientRect();
    for (const event of events) {
      const { x, y } = shareIn(this.sheet, event, box);
      const place = [toUnit(x * SIDE), toUnit(y * SIDE)];
      const pressure = Math.round(event.pressure * PRESSURES);
      this.pointer.rest = [...place, pressure];
      if (isNear(points, place)) continue;
      this.pointer.rest = null;
      points.push(...place);
      pressures?.push(pressure);
      this.draw(stroke, Math.max(0, points.length / 2 - 2));
    }
    const { rest } = this.pointer;
    // The tip of the pen, closer than the next point can be: it is inked, but becomes a point only if the hand stops.
    if (rest) this.draw(tipOf(stroke, rest));
    this.changed(false);
  }

  up(event) {
    if (event.pointerId !== this.pointer?.id) return;
    const { stroke, before, behind, rest } = this.pointer;
    this.pointer = null;
    // The stored stroke is slightly simpler than the one painted on the way.
    this.surface.values.set(before);
    if (behind) copy(this.behind, this.canvas);
    else this.repaint();
    this.add(simplify(endedAt(stroke, rest)));
  }

  // The sheet

  /** Draw a stroke, or the rest of it after a point, on the surface and on the screen. */
  draw(stroke, first = 0) {
    this.surface.stroke(stroke, first);
    this.ink(stroke, first);
  }

  /** Take the colours of a theme. @param {Uint32Array} inks from paper to ink, from colours.js */
  colour(inks) {
    this.inks = inks;
    this.sheet.style.background = paperOf(this.paints);
    this.repaint();
  }

  /** Follow the size on the screen. */
  layout() {
    const size = Math.round(this.sheet.clientWidth * devicePixelRatio);
    if (!size || size === this.canvas.width) return;
    this.canvas.width = this.canvas.height = size;
    this.repaint();
  }

  /** Paint everything on the screen. */
  repaint() {
    this.refresh();
    if (!this.inks) return;
    paint(this.canvas, this.now, this.paints);
    if (!this.pointer) return;
    this.pointer.behind = false;
    this.ink(this.pointer.stroke);
  }

  /** Show the layer above the drawing. */
  refresh() {
    this.hint.hidden = Boolean(this.pointer || this.now.base || this.now.strokes.length);
    this.cursor.refresh();
  }

  ink(stroke, first = 0) {
    if (this.inks) inkStroke(this.canvas, stroke, this.paints, first);
  }
}
