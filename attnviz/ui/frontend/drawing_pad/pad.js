// The pad: a sheet to draw on with mouse, pen, finger or keyboard. It needs no server: the stroke is painted where the
// hand's events arrive, and what is drawn lives here.

import { element, say, set, text } from "../core/dom.js";
import { PadCursor } from "./cursor.js";
import { endedAt, isNear, tipOf } from "./derive.js";
import { copy, inkStroke, paint, paperOf } from "./paint.js";
import { PadTools } from "./tools.js";
import { shareIn } from "../hands/place.js";
import { Raster } from "../hands/raster.js";
import { decode, encode, fits, FULL, PRESSURES, SIDE, simplify, toUnit } from "../hands/strokes.js";

const DEEP = 200; // so many steps can be undone
const ERASER = 32; // of a pen that is turned around, among `buttons`

/** @typedef {{id: string, base: Base|null, strokes: Stroke[]}} Drawing never changed, only replaced */

/**
 * A new drawing. Its id tells it from others when the browser keeps it; an undo brings the old id back.
 * @param {Base|null} base
 * @param {Stroke[]} strokes
 * @returns {Drawing}
 */
function drawing(base = null, strokes = []) {
  return { id: `${Date.now().toString(36)}-${Math.random().toString(36).slice(2, 8)}`, base, strokes };
}

export class Pad {
  /**
   * @param {HTMLElement} node that it is put into
   * @param {object} hands
   * @param {(complete: boolean) => void} hands.changed after every visible change: true if it is complete, false within
   *   a stroke
   * @param {(words: string) => void} [hands.tell] says what happened, for those who cannot see it
   * @param {(words: string) => void} [hands.refuse] says why a stroke was not kept
   */
  constructor(node, { changed, tell = () => {}, refuse = () => {} }) {
    this.changed = changed;
    this.tell = tell;
    this.refuse = refuse;
    /** @type {Set<string>} ids of the drawings that a hand has drawn on here */
    this.own = new Set();
    /** @type {Drawing[]} */
    this.past = [];
    this.now = drawing();
    /** @type {Drawing[]} */
    this.future = [];
    this.surface = new Raster();
    /** @type {any} */
    this.pointer = null; // that draws: its stroke, and the surface before it
    this.tools = new PadTools(this);
    this.canvas = element("canvas", { "aria-hidden": "true" });
    this.behind = element("canvas"); // what is on the screen without the stroke that is being drawn
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

  // What it holds

  /** Whether nothing is drawn. */
  get empty() {
    return !this.surface.values.some((value) => value > 0);
  }

  /** What is drawn, 0 is paper, 255 is ink, or in colour: a copy. @returns {import("../live/live.js").Values} */
  raster() {
    return { values: this.surface.values.slice(), shape: this.surface.shape };
  }

  /** Whether it is drawn in colour. */
  get coloured() {
    return this.surface.channels > 1;
  }

  /** From paper to ink; null in colour. */
  get paints() {
    return this.coloured || !this.inks ? null : this.inks;
  }

  /**
   * Take another sheet, on which what is drawn is laid out anew.
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

  /** The strokes as a short string that may stand in a URL. */
  state() {
    return encode(this.now.strokes);
  }

  /**
   * Show other strokes, and another picture under them: a new drawing, from which an undo leads back.
   * @param {string} written as `state` gives it
   * @param {Base|null} base
   * @throws {import("../hands/strokes.js").BadDrawing} nothing was changed
   */
  load(written, base = null) {
    this.open({ base, strokes: decode(written) });
  }

  /** Show another drawing. @param {{base: Base|null, strokes: Stroke[], id?: string}} other id: where it is known */
  open({ base, strokes, id }) {
    const other = drawing(base, strokes);
    this.become(id ? { ...other, id } : other);
  }

  // What changes it

  /** Take a drawing as the next step, which can be undone. @param {boolean} anew it is not on the sheet yet */
  become(next, anew = true) {
    this.past.push(this.now);
    if (this.past.length > DEEP) this.past.shift();
    this.future = [];
    if (anew) this.replace(next);
    else this.show(next);
  }

  /**
   * Draw one more stroke over all that is there.
   * @param {boolean} further it takes the place of the last one, which it lengthens: they are one step
   * @returns {boolean} whether it is kept: what could not be read again is refused now, and not lost later
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
    this.become(drawing());
    this.tell("Cleared. Undo brings the drawing back.");
  }

  replace(next) {
    this.surface.draw(next);
    if (this.pointer) {
      // in the middle of a stroke: it goes on, on the other drawing
      this.pointer.before = this.surface.values.slice();
      this.surface.stroke(this.pointer.stroke);
    }
    this.now = next;
    this.repaint();
    this.show(next);
  }

  /** Take a drawing that is on the sheet already. */
  show(next) {
    this.now = next;
    this.refresh();
    this.tools.refresh();
    this.changed(true);
  }

  /** Take what there is as the first step: there is nothing to undo. */
  begin() {
    [this.past, this.future] = [[], []];
    this.tools.refresh();
  }

  /** What undo and redo know, so that another pad can go on. */
  get memory() {
    return { past: this.past, now: this.now, future: this.future };
  }

  set memory({ past, now, future }) {
    Object.assign(this, { past, future });
    this.replace(now);
  }

  // Hands

  listen() {
    const { sheet } = this;
    sheet.addEventListener("pointerdown", (event) => this.down(event));
    sheet.addEventListener("pointermove", (event) => this.move(event));
    for (const end of ["pointerup", "pointercancel", "lostpointercapture"])
      sheet.addEventListener(end, (event) => this.up(event));
    sheet.addEventListener("contextmenu", (event) => this.pointer && event.preventDefault()); // a finger that rests
  }

  down(event) {
    const turned = event.pointerType === "pen" && (event.buttons & ERASER) > 0;
    if (this.pointer || (event.button !== 0 && !turned)) return; // of several pointers the first draws
    event.preventDefault();
    this.sheet.setPointerCapture(event.pointerId);
    this.cursor.follow();
    const { tool, width, paint: colour } = this.tools;
    // Only a pen measures how hard it presses; what other devices say there is a constant, or the size of a fingertip.
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

  /** Lengthen the stroke by the places where the hand has been, and paint that at once. */
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
    // The tip of the pen, nearer than the next point will be: ink up to there, and the point only if the hand stops.
    if (rest) this.draw(tipOf(stroke, rest));
    this.changed(false);
  }

  up(event) {
    if (event.pointerId !== this.pointer?.id) return;
    const { stroke, before, behind, rest } = this.pointer;
    this.pointer = null;
    // What is kept is a little simpler than what was painted on the way.
    this.surface.values.set(before);
    if (behind) copy(this.behind, this.canvas);
    else this.repaint();
    this.add(simplify(endedAt(stroke, rest)));
  }

  // The sheet

  /** Draw a stroke, or the rest of it from a point on, on the surface and on the screen. */
  draw(stroke, first = 0) {
    this.surface.stroke(stroke, first);
    this.ink(stroke, first);
  }

  /** Take the colours of a theme. @param {Uint32Array} inks from paper to ink, of colours.js */
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

  /** Show what lies over the drawing. */
  refresh() {
    this.hint.hidden = Boolean(this.pointer || this.now.base || this.now.strokes.length);
    this.cursor.refresh();
  }

  ink(stroke, first = 0) {
    if (this.inks) inkStroke(this.canvas, stroke, this.paints, first);
  }
}
