// One strip of bars on the page: the pointer reads a bar, a click chooses it, a drag turns it, and so do the keys. A
// finger is wider than a bar: it slides along the strip, and what is below it is chosen.

import { context2d, element, set } from "../core/dom.js";
import { placeIn } from "../hands/place.js";
import { BarPlaces, paintBars } from "./bars.js";

const STILL = 3; // CSS pixels that a pressed pointer may move up or down before it turns
const STEP = 0.05; // of the whole range, for each press of an arrow key

export class BarStrip {
  /**
   * @param {object} options
   * @param {string} options.label what the strip shows, for those who cannot see it
   * @param {(bar: number) => void} options.look a bar is under the pointer; -1: none is
   * @param {(bar: number) => void} options.choose a bar was clicked, or reached with the keyboard
   * @param {((bar: number, value: number|null) => void)|null} [options.turn] a bar was turned; null: it was let go
   */
  constructor({ label, look, choose, turn = null }) {
    this.look = look;
    this.choose = choose;
    this.turn = turn;
    this.places = new BarPlaces({ count: 1, width: 1, height: 1 });
    /** @type {import("./bars.js").Bars} */
    this.bars = { values: [0] };
    /** @type {{bar: number, y: number, turning: boolean}|null} */
    this.pressed = null;
    /** @type {{x: number, along: boolean}|null} where a finger came down, and whether it slides */
    this.finger = null;
    this.canvas = element("canvas", { "aria-hidden": "true" });
    this.element = element(
      "div.bar-strip",
      { role: "slider", tabindex: 0, "aria-label": label, "aria-valuemin": 1, "aria-valuenow": 1 },
      this.canvas,
    );
    this.listen();
  }

  /** @param {{count: number, width: number, height: number, low?: number, high?: number}} strip */
  layout(strip) {
    this.places = new BarPlaces(strip);
    const { width, height } = this.places;
    this.canvas.width = Math.max(1, Math.round(width * devicePixelRatio));
    this.canvas.height = Math.max(1, Math.round(height * devicePixelRatio));
    Object.assign(this.canvas.style, { width: `${width}px`, height: `${height}px` });
    set(this.element, "aria-valuemax", String(strip.count));
  }

  /** @param {import("./bars.js").Bars} bars @param {Theme} theme */
  draw(bars, theme) {
    this.bars = bars;
    const context = context2d(this.canvas);
    context.setTransform(devicePixelRatio, 0, 0, devicePixelRatio, 0, 0);
    paintBars(context, this.places, bars, theme);
  }

  /** Say the chosen bar to those who cannot see it. @param {number} bar @param {string} words */
  say(bar, words) {
    set(this.element, "aria-valuenow", String(bar + 1));
    set(this.element, "aria-valuetext", words);
  }

  listen() {
    const { canvas } = this;
    const at = (event) => placeIn(canvas, event);
    canvas.addEventListener("pointermove", (event) => {
      if (!event.buttons) this.pressed = this.finger = null; // its end was not heard, as where a menu opened
      const { pressed, finger } = this;
      if (finger) {
        finger.along ||= Math.abs(at(event).x - finger.x) > STILL;
        if (finger.along) this.slideTo(at(event).x);
        return;
      }
      if (pressed && this.turn) {
        pressed.turning ||= Math.abs(at(event).y - pressed.y) > STILL;
        if (pressed.turning) this.turn(pressed.bar, this.places.valueAt(at(event).y));
        return;
      }
      this.look(this.places.at(at(event).x));
    });
    canvas.addEventListener("pointerleave", () => this.pressed || this.look(-1));
    canvas.addEventListener("pointerdown", (event) => {
      const bar = this.places.at(at(event).x);
      if (bar < 0 || event.button !== 0) return;
      // Up and down a finger scrolls the page, which cancels; it turns with what stands beside the bars.
      if (event.pointerType === "touch") {
        this.finger = { x: at(event).x, along: false };
        canvas.setPointerCapture(event.pointerId);
        return;
      }
      this.pressed = { bar, y: at(event).y, turning: false };
      canvas.setPointerCapture(event.pointerId);
    });
    canvas.addEventListener("pointerup", () => {
      const { pressed } = this;
      this.pressed = this.finger = null;
      if (pressed) this.choose(pressed.bar);
    });
    for (const end of ["pointercancel", "lostpointercapture"])
      canvas.addEventListener(end, () => (this.pressed = this.finger = null));
    canvas.addEventListener("click", (event) => {
      const bar = this.places.at(at(event).x);
      if (/** @type {PointerEvent} */ (event).pointerType === "touch" && bar >= 0) this.choose(bar);
    });
    this.element.addEventListener("keydown", (event) => this.key(event));
  }

  /** Choose the bar below a finger, or the last one before the end of the strip. @param {number} x */
  slideTo(x) {
    const bar = this.places.at(Math.min(this.places.width - 1, Math.max(0, x)));
    if (bar !== this.bars.chosen) this.choose(bar);
  }

  /** Left and right choose a bar, up and down turn it, Delete lets it go. @param {KeyboardEvent} event */
  key(event) {
    if (event.altKey || event.metaKey || event.ctrlKey) return;
    const { count, low, high } = this.places;
    const bar = this.bars.chosen ?? 0;
    const steps = { ArrowLeft: bar - 1, ArrowRight: bar + 1, Home: 0, End: count - 1 };
    const turns = { ArrowUp: STEP, ArrowDown: -STEP, PageUp: 5 * STEP, PageDown: -5 * STEP };
    if (event.key in steps) {
      this.choose(Math.min(count - 1, Math.max(0, steps[event.key])));
    } else if (this.turn && event.key in turns) {
      const to = this.bars.values[bar] + turns[event.key] * (high - low);
      this.turn(bar, Math.min(high, Math.max(low, to)));
    } else if (this.turn && (event.key === "Delete" || event.key === "Backspace")) {
      this.turn(bar, null);
    } else {
      return;
    }
    event.preventDefault();
  }
}
