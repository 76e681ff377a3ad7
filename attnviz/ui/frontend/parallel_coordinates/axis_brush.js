// The brush of one axis: a drag along the axis sets it, and its two ends can be dragged or moved with keys.

import { element, set } from "../core/dom.js";
import { placeIn } from "../hands/place.js";

const STILL = 4; // CSS pixels that a pressed pointer may move before it brushes

export class AxisBrush {
  /**
   * @param {string} title of the axis
   * @param {object} told
   * @param {(from: number, to: number, done: boolean) => void} told.drag called with two heights, in CSS pixels
   * @param {(end: number, to: number, done: boolean) => void} told.pull called with an end and its new height
   * @param {(end: number, key: string) => boolean} told.key returns whether the key moved an end
   */
  constructor(title, told) {
    this.told = told;
    this.range = element("div.range", { hidden: true });
    this.ends = ["lowest", "highest"].map((word, end) =>
      element("div.end-of-brush", {
        role: "slider",
        tabindex: 0,
        "aria-orientation": "vertical",
        "aria-label": `${title}: ${word} shown`,
        "aria-valuemin": 0,
        "aria-valuemax": 100,
        onkeydown: (event) => {
          if (event.altKey || event.metaKey || event.ctrlKey || !told.key(end, event.key)) return;
          event.preventDefault();
        },
      }),
    );
    this.element = element("div.axis", {}, this.range, ...this.ends);
    /** @type {{y: number, end: number|null, moved: boolean}|null} */
    this.pressed = null;
    this.listen();
  }

  listen() {
    const { element, told } = this;
    const height = (event) => placeIn(element, event).y;
    const drag = (event, done) => {
      const { pressed } = this;
      if (!pressed) return;
      pressed.moved ||= Math.abs(event.clientY - pressed.y) > STILL;
      if (!pressed.moved) return;
      if (pressed.end === null) told.drag(height({ clientX: 0, clientY: pressed.y }), height(event), done);
      else told.pull(pressed.end, height(event), done);
    };
    element.addEventListener("pointerdown", (event) => {
      if (event.button !== 0) return;
      const end = this.ends.indexOf(/** @type {any} */ (event.target));
      this.pressed = { y: event.clientY, end: end < 0 ? null : end, moved: false };
      element.setPointerCapture(event.pointerId);
    });
    element.addEventListener("pointermove", (event) => {
      if (!event.buttons) this.pressed = null; // its release was not reported, for example because a menu opened
      drag(event, false);
    });
    element.addEventListener("pointerup", (event) => {
      drag(event, true);
      this.dragged = this.pressed?.moved ?? false;
      this.pressed = null;
    });
    for (const end of ["pointercancel", "lostpointercapture"])
      element.addEventListener(end, () => (this.pressed = null));
    element.addEventListener("click", (event) => {
      if (this.dragged) event.stopPropagation(); // it was not a click
      this.dragged = false;
    });
  }

  /**
   * Show the brush.
   * @param {{x: number, height: number, wide: number}} room position and size of the axis, in CSS pixels
   * @param {[number, number]} heights of its two ends, in CSS pixels from the top
   * @param {boolean} brushed whether the axis is brushed
   * @param {[number, number]} places positions of the ends, 0..1
   * @param {[string, string]} words
   */
  show({ x, height, wide }, heights, brushed, places, words) {
    Object.assign(this.element.style, { left: `${x - wide / 2}px`, width: `${wide}px`, height: `${height}px` });
    this.range.hidden = !brushed;
    const [low, high] = heights;
    Object.assign(this.range.style, { top: `${high - 4}px`, height: `${Math.max(8, low - high + 8)}px` });
    this.ends.forEach((end, which) => {
      end.style.top = `${heights[which]}px`;
      set(end, "aria-valuenow", String(Math.round(100 * places[which])));
      set(end, "aria-valuetext", words[which]);
    });
  }
}
