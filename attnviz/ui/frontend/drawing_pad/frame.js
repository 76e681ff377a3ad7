// The elements of the draw page, made once; drawing_pad.js fills them and handles their events.

import { element, say, text } from "../core/dom.js";
import { Part } from "../core/part.js";
import { UrlView } from "../core/url_view.js";
import { fromFile } from "./derive.js";
import { Pad } from "./pad.js";
import { PadShare } from "./share.js";
import { Inputs, LastDrawings, Seen, Thumbs } from "./side.js";

export class PadFrame extends Part {
  url = new UrlView({ role: "alert" });

  /** @param {ShadowRoot} parent */
  constructor(parent) {
    super();
    this.words = { told: text() };
    this.told = element("p.told", { role: "status" }, this.words.told);
    const pad = element("section.draw", { "aria-label": "Pad" });
    this.pad = new Pad(pad, {
      changed: (complete) => this.guard(() => this.changed(complete)),
      tell: (words) => this.announce(words),
      refuse: (words) => say(this.words.told, words),
    });
    this.seen = new Seen((centred) => this.guard(() => this.centre(centred)));
    this.starts = new Thumbs("Pictures to start from", (start) => this.guard(() => this.start(start)));
    this.inputs = new Inputs((name) => this.guard(() => this.openInput(name)));
    this.lasts = new LastDrawings({
      open: (kept) => this.guard(() => this.pad.open(kept)),
      forgotten: () => this.guard(() => this.forgotten()),
    });
    this.share = new PadShare({
      drawing: () => this.pad.now,
      raster: () => this.pad.raster(),
      link: () => this.link(),
      open: (drawing) => this.pad.open(fromFile(drawing, this.starts.drawings)),
      say: (words) => say(this.words.told, words),
    });
    this.cardsRoom = element("section.cards", { "aria-label": "Models" });
    pad.append(this.seen.element);
    this.mount(
      parent,
      "drawing-pad",
      "drawing_pad",
      pad,
      this.cardsRoom,
      element(
        "section.more",
        {},
        element("div.start", {}, element("span.lead", {}, "or start from"), this.starts.element, this.inputs.element),
        element("div.share", {}, this.share.element, this.told),
        this.lasts.element,
      ),
    );
    Object.assign(this.root, {
      // for tests
      readRaster: () => this.pad.raster().values,
      readDrawing: () => this.pad.now,
      readLink: () => this.link().url,
      readSeen: () => this.seen.picture?.values ?? null,
    });
  }

  /** Called after a change of the drawing. @param {boolean} [_complete] false within a stroke */
  changed(_complete) {}

  /** @param {boolean} _centred whether the drawing is to be centred */
  centre(_centred) {}

  /** @param {{base: Base|null, strokes: Stroke[], words: string}} _drawing to start from */
  start(_drawing) {}

  /** Ask the page to open one of the other inputs, above the pad; "" closes it. @param {string} _name */
  openInput(_name) {}

  /** Called after the last drawings were deleted. */
  forgotten() {}

  /** A link to the present view. @returns {{url: string|null, long: boolean, left?: boolean}} */
  link() {
    return { url: null, long: false };
  }
}
