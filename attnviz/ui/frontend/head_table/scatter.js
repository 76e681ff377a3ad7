// The scatter of all heads by two measures, and the brush that selects a part of it.

import { css, packed } from "../core/colours.js";
import { context2d, element, grown, set, svg } from "../core/dom.js";
import { placeIn } from "../hands/place.js";
import { brushByKey, brushOf, insideOf, nearest, pointsOf } from "./derive.js";
import { frameOf, paintMarks, Room } from "./paint.js";

const NEAR = 18; // maximum distance from the pointer to the dot that it selects, CSS pixels
const STILL = 4; // CSS pixels that a pressed pointer may move before it brushes
const MANY = 100; // heads; beyond that, dots are smaller

/**
 * Callbacks for pointer and keys. look: the head under the pointer changes, -1 for none; choose: a head is chosen;
 * brushing: a brush is being drawn; take: a brush is finished; guard: runs an action and reports its failure.
 * @typedef {{look: (head: number) => void, choose: (head: number) => void, brushing: () => void,
 *   take: (brush: import("./derive.js").Brush|null) => void, guard: (act: () => void) => void}} Told
 */

export class Scatter {
  /** @type {Room|null} known with the first layout */ room = null;
  /** @type {ReturnType<typeof pointsOf>} positions of the heads */ points = [];
  /** @type {typeof this.points} their positions with random weights, if shown */ chance = [];
  /** @type {import("./derive.js").Brush|null} */ brush = null;
  /** @type {boolean[]} whether each head lies in the brush */ inside = [];

  /** @param {Told} told */
  constructor(told) {
    this.told = told;
    this.laid = ""; // axes and weights of the present layout, as JSON
    this.frame = svg("g");
    this.brushed = element("div.brush", { hidden: true, "aria-hidden": "true" });
    this.drawing = svg("svg", { "aria-hidden": "true" }, this.frame);
    this.marks = element("canvas", { "aria-hidden": "true" });
    this.tip = element("div.tip", { hidden: true, "aria-hidden": "true" });
    this.element = element(
      "div.scatter",
      {
        tabindex: 0,
        role: "group",
        "aria-label":
          "Scatter of all heads. Enter marks a part of it, arrows move that part, Shift and arrows change its size, " +
          "Delete ends it.",
        onkeydown: (event) => told.guard(() => this.key(event)),
        onpointerdown: (event) => this.press(event),
        onpointermove: (event) => told.guard(() => this.move(event)),
        onpointerup: (event) => told.guard(() => this.release(event)),
        onpointercancel: () => (this.pressed = undefined),
        onlostpointercapture: () => (this.pressed = undefined),
        onpointerleave: () => told.look(-1),
      },
      this.drawing,
      this.brushed,
      this.marks,
      this.tip,
    );
  }

  /** Take the brush of new data. @param {import("./derive.js").Brush|null} brush */
  take(brush) {
    this.brush = brush;
    this.laid = "";
  }

  // Actions of the visitor

  place(event) {
    const { x, y } = placeIn(this.element, event);
    return /** @type {Room} */ (this.room).at([x, y]);
  }

  headAt(event) {
    return nearest(this.points, this.place(event), /** @type {Room} */ (this.room).size, NEAR);
  }

  press(event) {
    if (event.button !== 0 || !this.room) return;
    this.pressed = { from: this.place(event), x: event.clientX, y: event.clientY, moved: false };
    if (event.pointerType === "mouse") this.element.setPointerCapture(event.pointerId);
  }

  move(event) {
    if (!this.room) return;
    if (!event.buttons) this.pressed = undefined;
    const { pressed } = this;
    if (pressed && event.pointerType === "mouse") {
      pressed.moved ||= Math.hypot(event.clientX - pressed.x, event.clientY - pressed.y) > STILL;
      if (pressed.moved) {
        this.brush = brushOf(pressed.from, this.place(event));
        return this.told.brushing();
      }
    }
    this.told.look(this.headAt(event));
  }

  release(event) {
    const { pressed } = this;
    this.pressed = undefined;
    if (!pressed) return;
    if (pressed.moved) return this.told.take(this.brush);
    const head = this.headAt(event);
    if (head >= 0) return this.told.choose(head);
    if (this.brush) this.told.take(null);
  }

  key(event) {
    if (event.altKey || event.metaKey || event.ctrlKey) return;
    const found = brushByKey(this.brush, event.key, event.shiftKey);
    if (!found) return;
    event.preventDefault();
    this.told.take(found.brush);
  }

  // Layout and drawing

  layout() {
    const width = Math.floor(this.element.clientWidth);
    const height = Math.round(Math.min(340 * grown(), Math.max(240, width * 0.75)));
    this.room = new Room({ width, height, px: grown() });
    this.element.style.height = `${height}px`;
    for (const [name, value] of Object.entries({ width, height, viewBox: `0 0 ${width} ${height}` }))
      set(this.drawing, name, String(value));
    Object.assign(this.marks, { width: width * devicePixelRatio, height: height * devicePixelRatio });
    this.laid = "";
  }

  /**
   * @param {import("./derive.js").Shown} shown
   * @param {import("./derive.js").Axes} axes
   * @param {{looked: number, chosen: number, random: boolean, theme: Theme}} how
   */
  draw(shown, axes, how) {
    if (!this.room) return;
    const laid = JSON.stringify([axes, how.random]);
    if (laid !== this.laid) this.lay(shown, axes, how.random);
    this.laid = laid;
    this.inside = insideOf(this.points, this.brush);
    this.drawMarks(how);
    this.drawBrush();
    this.drawTip(shown, how.looked);
  }

  /** Lay everything out, after a change of axes, data or size. */
  lay(shown, { across, up }, random) {
    const titled = ({ at }) =>
      `${shown.measures[at].title}${shown.measures[at].unit ? `, ${shown.measures[at].unit}` : ""}`;
    const room = /** @type {Room} */ (this.room);
    this.frame.replaceChildren(...frameOf(room, across.axis, up.axis, [titled(across), titled(up)]));
    this.points = pointsOf(shown, shown.own, across, up);
    this.chance = random && shown.random ? pointsOf(shown, shown.random, across, up) : [];
  }

  // One canvas holds the marks of all heads: with an element each, 24 x 16 heads took 18 ms per movement.
  drawMarks({ looked, chosen, theme }) {
    const { points, chance, inside } = this;
    const room = /** @type {Room} */ (this.room);
    const context = context2d(this.marks);
    context.setTransform(devicePixelRatio, 0, 0, devicePixelRatio, 0, 0);
    context.clearRect(0, 0, this.marks.width, this.marks.height);
    const [ink, background, violet] = [theme.text, theme.background, theme.violet[1]].map((one) => css(packed(one)));
    const quiet = css(packed(theme.text.map((part, at) => 0.7 * part + 0.3 * theme.background[at])));
    const size = (points.length > MANY ? 3.5 : 5) * room.px;
    paintMarks(context, room, chance, () => ({
      size,
      fill: background,
      edge: quiet,
      line: quiet,
      width: 1.5,
      alpha: 1,
    }));
    paintMarks(context, room, points, (head) => {
      const framed = head === looked || head === chosen;
      const [edge, width] = framed ? [ink, 2.5] : [background, 1];
      return { size, fill: violet, edge, line: violet, width, alpha: inside[head] ? 1 : 0.15 };
    });
  }

  drawBrush() {
    const { brush, brushed } = this;
    const room = /** @type {Room} */ (this.room);
    if (brushed.hidden !== !brush) brushed.hidden = !brush;
    if (!brush) return;
    const [left, right, low, high] = brush;
    const [x, y] = [room.x(left), room.y(high)];
    const [width, height] = [room.x(right) - x, room.y(low) - y];
    Object.assign(brushed.style, { left: `${x}px`, top: `${y}px`, width: `${width}px`, height: `${height}px` });
  }

  drawTip(shown, looked) {
    const { tip, points, room } = this;
    const point = points[looked];
    const hidden = !room || !point || !Number.isFinite(point.x + point.y);
    if (tip.hidden !== hidden) tip.hidden = hidden;
    if (hidden) return;
    const [x, y] = [room.x(point.x), room.y(point.y)];
    tip.textContent = shown.heads[looked].name;
    Object.assign(tip.style, { left: `${x + 8}px`, top: `${y - 26}px` });
  }

  /** The position of a head, in CSS pixels of the scatter. @param {number} head */
  at(head) {
    const room = /** @type {Room} */ (this.room);
    return [room.x(this.points[head].x), room.y(this.points[head].y)];
  }
}
