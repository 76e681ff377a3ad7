// A small pad for drawing the digits of a strip one after another. Python's side is
// attnviz/ui/components/strip_pad.py.

import { toBase64 } from "../core/base64.js";
import { context2d, element, say, text } from "../core/dom.js";
import { mountable, Part } from "../core/part.js";
import { shareIn } from "../hands/place.js";
import { Raster } from "../hands/raster.js";
import { SIDE, toUnit } from "../hands/strokes.js";
import { pictureCanvas } from "../maps/paint.js";
import { isEmpty, shortened } from "./derive.js";

const WIDTH = 24; // of the pen, in pixels of a canvas of 280

export class StripPad extends Part {
  constructor(parent) {
    super();
    this.words = { count: text() };
    this.surface = new Raster();
    /** @type {{id: number, stroke: Stroke}|null} */
    this.pointer = null;
    this.last = 0; // the number of the last request
    /** @type {{number: number, does: string, canvas?: string}[]} requests that Python has not confirmed, in order */
    this.requests = [];
    this.canvas = element("canvas", { role: "img", "aria-label": "Pad: draw a digit here" });
    this.hint = element("p.hint", { "aria-hidden": "true" }, "Draw a digit");
    this.buttons = {
      add: this.button("Add to the strip", () => this.add(), "button.act"),
      wipe: this.button("Wipe the pad", () => this.wipe(), "button.act"),
      back: this.button("Take the last digit back", () => this.ask("back"), "button.act"),
      clear: this.button("Begin a new strip", () => this.ask("clear"), "button.act"),
    };
    this.mount(
      parent,
      "strip-pad",
      "strip_pad",
      element("div.sheet", {}, this.canvas, this.hint),
      element("div.tools", {}, ...Object.values(this.buttons), element("p.quiet", {}, this.words.count)),
    );
    this.listen();
  }

  listen() {
    const { canvas } = this;
    canvas.addEventListener("pointerdown", (event) => this.guard(() => this.down(event)));
    canvas.addEventListener("pointermove", (event) => this.guard(() => this.move(event)));
    for (const end of ["pointerup", "pointercancel", "lostpointercapture"])
      canvas.addEventListener(end, () => (this.pointer = null));
  }

  takeData() {
    const { confirmed } = this.header;
    this.last = Math.max(this.last, confirmed);
    this.requests = this.requests.filter(({ number }) => number > confirmed);
    this.draw();
  }

  down(event) {
    if (this.pointer || event.button !== 0) return;
    event.preventDefault();
    this.canvas.setPointerCapture(event.pointerId);
    this.pointer = { id: event.pointerId, stroke: { tool: "ink", width: WIDTH, points: [], pressures: null } };
    this.follow(event);
  }

  move(event) {
    if (event.pointerId !== this.pointer?.id) return;
    if (!event.buttons) this.pointer = null; // its release was not reported, for example because a menu opened
    for (const one of event.getCoalescedEvents?.() ?? [event]) this.follow(one);
  }

  follow(event) {
    if (!this.pointer) return;
    const { stroke } = this.pointer;
    const { x, y } = shareIn(this.canvas, event);
    stroke.points.push(toUnit(x * SIDE), toUnit(y * SIDE));
    this.surface.stroke(stroke, Math.max(0, stroke.points.length / 2 - 2));
    this.draw();
  }

  add() {
    if (isEmpty(this.surface.values)) {
      this.announce("Nothing is drawn.");
      return;
    }
    this.ask("add", { canvas: toBase64(shortened(this.surface.values, SIDE, this.header.side)) });
    this.wipe();
  }

  wipe() {
    this.surface.values.fill(0);
    this.draw();
  }

  /** @param {"add"|"back"|"clear"} does @param {{canvas?: string}} [how] */
  ask(does, how = {}) {
    this.last += 1;
    this.requests.push({ number: this.last, does, ...how });
    this.trigger("asked", this.requests);
  }

  layout() {
    this.draw();
  }

  draw() {
    const { canvas, surface, palettes, header, buttons } = this;
    if (!palettes || !header) return;
    const size = Math.round((canvas.clientWidth || 150) * devicePixelRatio);
    if (canvas.width !== size) canvas.width = canvas.height = size;
    const context = context2d(canvas);
    context.imageSmoothingEnabled = true;
    context.drawImage(pictureCanvas(surface.values, surface.shape, palettes.ink), 0, 0, size, size);
    const empty = isEmpty(surface.values);
    this.hint.hidden = !empty;
    const full = header.digits >= header.most;
    buttons.add.disabled = empty || full;
    buttons.wipe.disabled = empty;
    buttons.back.disabled = buttons.clear.disabled = header.digits === 0;
    say(
      this.words.count,
      full ? `${header.digits} digits: no more fit.` : `${header.digits} of ${header.most} digits.`,
    );
    this.showReading();
  }

  read() {
    return { empty: isEmpty(this.surface.values), digits: this.header.digits };
  }
}

export default mountable(StripPad);
