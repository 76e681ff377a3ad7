// The elements below the pad: the models' input, pictures to start from, and the last drawings.

import { element, focused, say, set, text } from "../core/dom.js";
import { captionOf } from "./derive.js";
import { canKeep, forget, keepLast, last } from "./memory.js";
import { paint, paintSeen } from "./paint.js";
import { CELLS, encode, inColour } from "../hands/strokes.js";

const THUMB = 44; // CSS pixels

/** The input made from the drawing for the first model, the steps in words, and the switch that skips them. */
export class Seen {
  /** @param {(centred: boolean) => void} switched whether the drawing is to be centred */
  constructor(switched) {
    this.words = text();
    this.canvas = element("canvas", { width: CELLS, height: CELLS, role: "img", "aria-label": "What the models see" });
    this.box = element("input", { type: "checkbox", onchange: () => switched(this.box.checked) });
    this.switch = element("label", {}, this.box, "centre it");
    this.element = element(
      "section.seen",
      {},
      this.canvas,
      element("div", {}, element("h2", {}, "What the models see"), element("p.how", {}, this.words), this.switch),
    );
    this.picture = null;
    this.centres = true;
    this.show(null, "");
  }

  /**
   * Show the input of a model.
   * @param {{values: Uint8Array, shape: number[]}|null} picture (row, column, channel); null: not known yet
   * @param {string} words how it was made from the drawing
   */
  show(picture, words) {
    this.picture = picture;
    say(this.words, captionOf(words, this.centres && this.box.checked));
    this.draw();
  }

  /** @param {boolean} centred */
  set(centred) {
    this.box.checked = centred;
    if (!this.picture) this.show(null, "");
  }

  /** Show the switch, unless drawings are never centred. @param {boolean} centres */
  offer(centres) {
    this.switch.hidden = !centres;
    this.centres = centres;
    if (!this.picture) this.show(null, "");
  }

  /** Take the colours of a theme. */
  colour(inks) {
    this.inks = inks;
    this.draw();
  }

  draw() {
    if (this.inks) paintSeen(this.canvas, this.picture, this.inks);
  }
}

/** A row of small drawings, each a button. */
export class Thumbs {
  /** @param {string} label @param {(drawing: any) => void} take called with the clicked drawing */
  constructor(label, take) {
    this.take = take;
    this.drawings = [];
    this.element = element("div.thumbs", { role: "group", "aria-label": label });
  }

  /**
   * @param {{base: Base|null, strokes: Stroke[], words: string}[]} drawings words: the label of each for screen readers
   */
  show(drawings) {
    const place = this.buttons?.indexOf(focused(this.element)) ?? -1;
    this.drawings = drawings;
    this.buttons = drawings.map((drawing) =>
      element(
        "button.thumb",
        { type: "button", "aria-label": drawing.words, onclick: () => this.take(drawing) },
        element("canvas", { "aria-hidden": "true" }),
      ),
    );
    this.element.replaceChildren(...this.buttons);
    if (place >= 0) this.buttons.at(Math.min(place, drawings.length - 1))?.focus();
    this.draw();
  }

  colour(inks) {
    this.inks = inks;
    this.draw();
  }

  draw() {
    if (!this.inks) return;
    this.buttons?.forEach((button, i) => {
      const canvas = /** @type {HTMLCanvasElement} */ (button.firstElementChild);
      canvas.width = canvas.height = Math.round(THUMB * devicePixelRatio);
      paint(canvas, this.drawings[i], inColour(this.drawings[i]) ? null : this.inks);
    });
  }

  /** Frame one of the drawings. @param {number} which -1 for none */
  mark(which) {
    this.buttons?.forEach((button, i) => set(button, "aria-current", String(i === which)));
  }
}

/** The last drawings of this browser, and a button that deletes them. */
export class LastDrawings {
  /**
   * @param {object} owner
   * @param {(drawing: any) => void} owner.open called with the clicked drawing
   * @param {() => void} owner.forgotten called after they were deleted
   */
  constructor({ open, forgotten }) {
    this.thumbs = new Thumbs("Your last drawings", open);
    this.words = text();
    this.refused = false; // the browser did not store the newest
    const clicked = () => {
      forget();
      forgotten();
    };
    this.forgetter = element("button.quiet", { type: "button", onclick: clicked }, "Delete them");
    this.element = element(
      "div.last",
      {},
      element("h2", {}, "Your last drawings", element("span.end", {}, this.forgetter)),
      this.thumbs.element,
      element("p.note", {}, this.words),
    );
  }

  /**
   * @param {import("./memory.js").Drawing} drawing the newest one
   * @param {boolean} own whether a hand has drawn on it here
   */
  keep(drawing, own) {
    this.refused = !keepLast(drawing, own);
  }

  /** Take the colours of a theme. */
  colour(inks) {
    this.thumbs.colour(inks);
  }

  /** @param {string} framed the id of the drawing on the pad */
  show(framed) {
    const drawings = last();
    const stored = canKeep() && !this.refused;
    // Compare contents: after an undo, another stroke gives the same number of strokes.
    const written = JSON.stringify(drawings.map(({ id, strokes }) => [id, encode(strokes)]));
    this.element.hidden = !drawings.length && stored;
    this.forgetter.hidden = !drawings.length;
    say(
      this.words,
      stored ? "Stored only in this browser." : "This browser cannot store drawings: its storage is full or disabled.",
    );
    if (written !== this.written)
      this.thumbs.show(drawings.map((one, i) => ({ ...one, words: `Drawing ${i + 1} of ${drawings.length}` })));
    this.written = written;
    this.thumbs.mark(drawings.findIndex(({ id }) => id === framed));
  }
}

/** Other pictures to start from, one button each. The page offers them above the pad and reports the open one.  */
export class Inputs {
  /** @param {(name: string) => void} open called with the name of the clicked one; "" closes the open one */
  constructor(open) {
    this.open = open;
    this.buttons = [];
    this.element = element("div.inputs", { role: "group", "aria-label": "Other pictures to start from" });
  }

  /**
   * @param {{name: string, label: string}[]} inputs
   * @param {string} opened the name of the open one; "" for none
   */
  show(inputs, opened) {
    if (this.buttons.length !== inputs.length) {
      this.buttons = inputs.map(({ name, label }) =>
        element("button.tool", { type: "button", onclick: () => this.open(this.opened === name ? "" : name) }, label),
      );
      this.element.replaceChildren(...this.buttons);
    }
    this.opened = opened;
    this.buttons.forEach((button, which) => set(button, "aria-expanded", String(inputs[which].name === opened)));
  }
}
