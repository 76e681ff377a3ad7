// The picture with the boxes of all glimpses, numbered and joined to a path: a canvas, and over it an SVG in pixels of
// the picture, with a margin that shows boxes beyond the picture.

import { context2d, element, set, svg } from "../core/dom.js";
import { placeIn } from "../hands/place.js";
import { pictureCanvas } from "../maps/paint.js";
import { boxesOf, coverage, drawsOf, pixelOf } from "./derive.js";

const RADIUS = 9; // size of a number, CSS pixels
export const DENSEST = 0.6; // opacity of a pixel that is on every path: the picture shows through
const GRIP = 20; // CSS pixels around a number from which it can be dragged

export class Scene {
  constructor() {
    this.paper = element("div.paper");
    this.density = element("canvas.density", { "aria-hidden": "true" });
    this.policy = svg("g", { class: "policy" });
    this.before = svg("polyline", { class: "before" });
    this.many = svg("path", { class: "many" });
    this.halo = svg("polyline", { class: "line halo" });
    this.line = svg("polyline", { class: "line" });
    this.glimpses = svg("g", {});
    this.numbers = svg("g", {});
    this.svg = svg(
      "svg",
      { "aria-hidden": "true" },
      this.many,
      this.glimpses,
      this.before,
      this.halo,
      this.line,
      this.policy,
      this.numbers,
    );
    this.element = element("div.scene", {}, this.paper, this.svg);
    /** @type {import("./derive.js").Facts} */
    this.facts = { glimpses: 0, scales: 0, size: 0, rows: 1, columns: 1, classes: 0 };
    this.margin = 0;
    this.scale = 1; // CSS pixels per pixel of the picture
    /**
     * @type {{boxes: SVGElement[], group: SVGElement, mark: SVGElement, circle: SVGElement, label: SVGElement, grip:
     *   SVGElement}[]}
     */
    this.parts = [];
  }

  /** Make the parts for a model and a picture. @param {import("./derive.js").Facts} facts */
  build(facts) {
    this.facts = facts;
    this.margin = Math.ceil(facts.size / 2) + 1;
    this.parts = Array.from({ length: facts.glimpses }, (_, number) => {
      const boxes = Array.from({ length: facts.scales }, (_, scale) =>
        svg("rect", { class: `box scale-${Math.min(scale, 3)}` }),
      );
      const circle = svg("circle", {});
      const grip = svg("circle", { class: "grip" });
      const label = svg("text", { "text-anchor": "middle", "dominant-baseline": "central" });
      label.textContent = String(number + 1);
      return {
        boxes,
        group: svg("g", { class: "glimpse" }, ...boxes),
        circle,
        grip,
        label,
        mark: svg("g", { class: "mark" }, grip, circle, label),
      };
    });
    this.glimpses.replaceChildren(...this.parts.map(({ group }) => group));
    this.numbers.replaceChildren(...this.parts.map(({ mark }) => mark));
  }

  /** Show a picture. @param {Uint8Array} picture @param {number[]} shapeOf @param {Uint32Array|null} inks */
  paint(picture, shapeOf, inks) {
    this.canvas = pictureCanvas(picture, shapeOf, inks);
    this.canvas.setAttribute("aria-hidden", "true");
    [this.density.width, this.density.height] = [this.facts.columns, this.facts.rows];
    this.paper.replaceChildren(this.canvas, this.density);
    this.fit();
  }

  /** Lay out everything. @param {number} width of the scene, CSS pixels @param {number} height */
  layout(width, height) {
    const { rows, columns } = this.facts;
    const [wide, high] = [columns + 2 * this.margin, rows + 2 * this.margin];
    const fitting = Math.min(width / wide, height / high);
    this.scale = fitting * this.facts.columns > 3 * columns ? Math.floor(fitting * columns) / columns : fitting;
    Object.assign(this.element.style, { width: `${wide * this.scale}px`, height: `${high * this.scale}px` });
    set(this.svg, "viewBox", `${-this.margin} ${-this.margin} ${wide} ${high}`);
    for (const { circle, grip, label } of this.parts) {
      set(circle, "r", String(RADIUS / this.scale));
      set(grip, "r", String(GRIP / this.scale));
      set(label, "font-size", String(12 / this.scale));
    }
    this.fit();
  }

  fit() {
    if (!this.canvas) return;
    const { rows, columns } = this.facts;
    const by = (/** @type {number} */ pixels) => `${pixels * this.scale}px`;
    for (const canvas of [this.canvas, this.density])
      Object.assign(canvas.style, {
        left: by(this.margin),
        top: by(this.margin),
        width: by(columns),
        height: by(rows),
      });
  }

  /**
   * Draw many paths at once, below the path: the density of the sharp patches of a glimpse.
   * @param {import("./derive.js").Many|null} many null for none
   * @param {number} glimpse
   * @param {number[]} colour red, green, blue
   */
  drawMany(many, glimpse, [red, green, blue]) {
    const { glimpses, rows, columns, size } = this.facts;
    const context = context2d(this.density);
    context.clearRect(0, 0, columns, rows);
    this.density.hidden = !many;
    if (!many) {
      set(this.many, "d", "");
      return;
    }
    const image = context.createImageData(columns, rows);
    coverage(many.corner, glimpse, this.facts).forEach((share, pixel) =>
      image.data.set([red, green, blue, Math.round(255 * DENSEST * share)], 4 * pixel),
    );
    context.putImageData(image, 0, 0);
    const middle = Math.floor(size / 2) + 0.5;
    const place = (/** @type {number} */ at) =>
      this.inside([many.corner[at + 1] + middle, many.corner[at] + middle])
        .map((one) => one.toFixed(2))
        .join(" ");
    const paths = Array.from(
      { length: many.corner.length / (2 * glimpses) },
      (_, one) => `M${Array.from({ length: glimpses }, (_, number) => place(2 * (one * glimpses + number))).join("L")}`,
    );
    set(this.many, "d", paths.join(""));
  }

  /**
   * Draw a path.
   * @param {import("./derive.js").Path} path
   * @param {{glimpse: number, before: import("./derive.js").Path|null, moved: number[], policy: {std: number, squash?:
   *   string}|null}} how glimpse: the selected one; before: the model's own path; moved: the moved glimpses; policy:
   *   null if this glimpse is not drawn around a mean
   */
  draw(path, { glimpse, before, moved, policy }) {
    const { facts } = this;
    const middles = (/** @type {import("./derive.js").Path} */ of) =>
      this.parts.map((_, number) =>
        pixelOf(of, number, facts)
          .reverse()
          .map((at) => at + 0.5),
      );
    const points = middles(path);
    this.parts.forEach(({ boxes, group, mark, circle, grip, label }, number) => {
      boxesOf(path, number, facts).forEach(({ top, left, side }, scale) => {
        for (const [name, value] of Object.entries({ x: left, y: top, width: side, height: side }))
          set(boxes[scale], name, String(value));
      });
      const state = number === glimpse ? " now" : number < glimpse ? " done" : " later";
      set(group, "class", `glimpse${state}`);
      set(mark, "class", `mark${state}${moved.includes(number) ? " moved" : ""}`);
      const [x, y] = this.inside(points[number]);
      for (const one of [circle, grip]) {
        set(one, "cx", String(x));
        set(one, "cy", String(y));
      }
      set(label, "x", String(x));
      set(label, "y", String(y));
    });
    const corners = points.map((point) => this.inside(point).join()).join(" ");
    for (const line of [this.line, this.halo]) set(line, "points", corners);
    set(
      this.before,
      "points",
      before
        ? middles(before)
            .map((point) => this.inside(point).join())
            .join(" ")
        : "",
    );
    // The selected one is above the others.
    const { group, mark } = this.parts[glimpse];
    if (this.glimpses.lastChild !== group) this.glimpses.append(group);
    if (this.numbers.lastChild !== mark) this.numbers.append(mark);
    this.drawPolicy(path, glimpse, policy);
  }

  /** Keep a number on the scene. @param {number[]} point */
  inside([x, y]) {
    const edge = this.margin - RADIUS / this.scale;
    const held = (/** @type {number} */ value, /** @type {number} */ side) =>
      Math.min(side + edge, Math.max(-edge, value));
    return [held(x, this.facts.columns), held(y, this.facts.rows)];
  }

  /**
   * Draw the mean of the policy, and one standard deviation around it.
   * @param {import("./derive.js").Path} path
   * @param {number} glimpse
   * @param {{std: number, squash?: string}|null} policy
   */
  drawPolicy(path, glimpse, policy) {
    if (policy === null) {
      this.policy.replaceChildren();
      return;
    }
    const { middle, ends } = drawsOf(path, glimpse, this.facts, policy);
    const [[top, bottom], [left, right]] = ends;
    const [cy, cx] = middle;
    const round = { cx: (left + right) / 2, cy: (top + bottom) / 2, rx: (right - left) / 2, ry: (bottom - top) / 2 };
    const arm = 5 / this.scale;
    const cross = `M${cx - arm} ${cy}H${cx + arm}M${cx} ${cy - arm}V${cy + arm}`;
    this.policy.replaceChildren(
      svg("ellipse", { class: "halo", ...round }),
      svg("ellipse", round),
      svg("path", { class: "halo", d: cross }),
      svg("path", { d: cross }),
    );
  }

  /** The pixel under a pointer; it may be outside the picture. @param {import("../hands/place.js").Pointer} pointer */
  pixelAt(pointer) {
    const { x, y } = placeIn(this.svg, pointer);
    return [y / this.scale - this.margin, x / this.scale - this.margin].map(Math.floor);
  }

  /**
   * The glimpse that a pointer can drag; -1 for none.
   * @param {import("../hands/place.js").Pointer} pointer
   * @param {number} preferred preferred among equally close ones
   */
  glimpseAt(pointer, preferred) {
    const { x, y } = placeIn(this.svg, pointer);
    let [best, least] = [-1, GRIP];
    this.parts.forEach(({ circle }, number) => {
      const [cx, cy] = ["cx", "cy"].map((name) => (Number(circle.getAttribute(name)) + this.margin) * this.scale);
      const far = Math.hypot(x - cx, y - cy) - (number === preferred ? 4 : 0);
      if (far < least) [best, least] = [number, far];
    });
    return best;
  }
}
