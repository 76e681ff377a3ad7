// One strip of bars on the page: the pointer reads a bar, a click chooses it, a drag changes it, and the keys do the
// same. A finger is wider than a bar, so it slides along the strip, and the bar below it is chosen.

import { context2d, element, set } from "../core/dom.js";
import { placeIn } from "../hands/place.js";
import { BarPlaces, paintBars } from "./bars.js";

const STILL = 3; // vertical movement of a pressed pointer before it changes a bar, CSS pixels
const STEP = 0.05; // fraction of the whole range per press of an arrow key

export class BarStrip {
  /**
   * @param {object} options
   * @param {string} options.label the strip's label for screen readers
   * @param {(bar: number) => void} options.look called with the bar under the pointer, or -1
   * @param {(bar: number) => void} options.choose a bar was clicked, or reached with the keyboard
   * @param {((bar: number, value: number|null) => void)|null} [options.turn] a bar changed; null: released
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
    /** @type {{x: number, along: boolean}|null} the start of a touch, and whether it slides */
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

  /** Announce the chosen bar to screen readers. @param {number} bar @param {string} words */
  say(bar, words) {
    set(this.element, "aria-valuenow", String(bar + 1));
    set(this.element, "aria-valuetext", words);
  }

  listen() {
    const { canvas } = this;
    const at = (event) => placeIn(canvas, event);
    canvas.addEventListener("pointermove", (event) => {
      if (!event.buttons) this.pressed = this.finger = null; // its end was missed, for example because a menu opened
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
      // A vertical movement of a finger scrolls the page, which cancels; the controls next to the bars change values.
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

  /** Choose the bar below a finger, or the nearest end of the strip. @param {number} x */
  slideTo(x) {
    const bar = this.places.at(Math.min(this.places.width - 1, Math.max(0, x)));
    if (bar !== this.bars.chosen) this.choose(bar);
  }

  /** Left and right choose a bar, up and down change it, Delete releases it. @param {KeyboardEvent} event */
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
