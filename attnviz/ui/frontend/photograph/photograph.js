// A photograph with the box of its crop, and a box that the visitor draws instead. Python's side is
// attnviz/ui/components/photograph.py.

import { context2d, element, say, set, text } from "../core/dom.js";
import { mountable, Part } from "../core/part.js";
import { shareIn } from "../hands/place.js";
import { pictureCanvas } from "../maps/paint.js";
import { boxAfterKey, boxBetween, inWords } from "./derive.js";

export class Photograph extends Part {
  constructor(parent) {
    super();
    this.words = { told: text() };
    /** @type {{id: number, row: number, column: number}|null} the start of a box */
    this.pointer = null;
    /** @type {import("./derive.js").Box} */
    this.box = [0, 0, 1, 1];
    this.canvas = element("canvas", { role: "img", tabindex: "0" });
    this.everywhere = this.button("Search the whole picture", () => this.trigger("box", "none"), "button.act");
    this.mount(
      parent,
      "photograph",
      "photograph",
      this.canvas,
      element("div.side", {}, element("p.quiet", {}, this.words.told), this.everywhere),
    );
    this.listen();
  }

  listen() {
    const { canvas } = this;
    canvas.addEventListener("pointerdown", (event) => this.guard(() => this.down(event)));
    canvas.addEventListener("pointermove", (event) => this.guard(() => this.move(event)));
    canvas.addEventListener("pointerup", (event) => this.guard(() => this.up(event)));
    canvas.addEventListener("pointercancel", () => this.guard(() => this.give()));
    canvas.addEventListener("keydown", (event) => this.guard(() => this.press(event)));
  }

  takeData() {
    const { header, arrays, shapes } = this;
    this.box = header.box;
    this.pointer = null;
    this.picture = pictureCanvas(arrays.picture, /** @type {any} */ (shapes.picture), null);
    this.everywhere.hidden = !header.own;
    say(
      this.words.told,
      header.own
        ? "The search was limited to the box that you have drawn."
        : "The box shows what was cut out. Draw a box around the digit if that is not it.",
    );
    set(
      this.canvas,
      "aria-label",
      `The picture. Cut out: ${inWords(header.box, header)}. Arrow keys move the box, with Shift they resize it, and ` +
        "Enter searches inside it.",
    );
  }

  at(event) {
    const { x, y } = shareIn(this.canvas, event);
    const { rows, columns } = this.header;
    return { row: y * rows, column: x * columns };
  }

  down(event) {
    if (this.pointer || event.button !== 0) return;
    this.canvas.setPointerCapture(event.pointerId);
    this.pointer = { id: event.pointerId, ...this.at(event) };
  }

  move(event) {
    const { pointer } = this;
    if (!pointer || event.pointerId !== pointer.id) return;
    const box = boxBetween(pointer, this.at(event), this.header);
    if (!box) return;
    this.box = box;
    this.draw();
  }

  up(event) {
    const { pointer } = this;
    if (!pointer || event.pointerId !== pointer.id) return;
    const box = boxBetween(pointer, this.at(event), this.header);
    this.pointer = null;
    if (box) this.trigger("box", box);
    else this.give();
  }

  /** Show the box of the crop again. */
  give() {
    this.pointer = null;
    this.box = this.header.box;
    this.draw();
  }

  press(event) {
    if (event.key === "Enter") this.trigger("box", this.box);
    const box = boxAfterKey(this.box, event.key, event.shiftKey, this.header);
    if (!box && event.key !== "Enter") return;
    event.preventDefault();
    if (!box) return;
    this.box = box;
    this.announce(`Box: ${inWords(box, this.header)}.`);
    this.draw();
  }

  layout() {
    this.draw();
  }

  draw() {
    const { canvas, picture, header } = this;
    if (!picture || !header) return;
    const wide = Math.round((canvas.clientWidth || picture.width) * devicePixelRatio);
    const scale = wide / header.columns;
    [canvas.width, canvas.height] = [wide, Math.round(scale * header.rows)];
    const context = context2d(canvas);
    context.drawImage(picture, 0, 0, canvas.width, canvas.height);
    const [top, left, bottom, right] = this.box.map((at) => at * scale);
    context.fillStyle = "rgb(0 0 0 / 45%)"; // darker outside the box
    context.beginPath();
    context.rect(0, 0, canvas.width, canvas.height);
    context.rect(left, top, right - left, bottom - top);
    context.fill("evenodd");
    for (const [colour, width] of /** @type {[string, number][]} */ ([
      ["#000", 4],
      ["#fff", 2],
    ])) {
      context.strokeStyle = colour;
      context.lineWidth = width * devicePixelRatio;
      context.strokeRect(left, top, right - left, bottom - top);
    }
    this.showReading();
  }

  read() {
    return { box: this.header.box, own: this.header.own };
  }
}

export default mountable(Photograph);
