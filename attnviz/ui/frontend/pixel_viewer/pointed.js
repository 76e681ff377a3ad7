// The selected pair and its locks, as changed by pointers, clicks and keys. "Held" is the token whose map is shown,
// "other" is its partner.

import { UrlView } from "../core/url_view.js";
import { Passing } from "../hands/passing.js";
import { PixelPart } from "../hands/pixel_part.js";
import { middleOfInk } from "./derive.js";
import { RULES } from "./view.js";

export class Pointed extends PixelPart {
  url = new UrlView({ closes: true }, RULES);
  // Everything below arrives with the first data
  /** @type {import("../maps/attention.js").Attention} */ attention;
  /** @type {import("../maps/cells.js").Cells} */ cells;
  /** @type {number} the token whose map is shown */ held;
  /** @type {number} its partner, or -1 */ other;
  /** @type {number} `other`, or the strongest token if there is none */ shownOther;

  constructor() {
    super();
    this.passing = new Passing(
      () => [this.held, this.other, this.view.direction, `${this.view.query}`, `${this.view.key}`],
      ([held, other]) => {
        [this.held, this.other] = [held, other];
        this.guard(() => this.draw());
      },
    );
  }

  /** Set held and other to the view's locks, or to sensible defaults. */
  place() {
    const { cells, view } = this;
    if (view[this.heldName]) this.held = cells.at(view[this.heldName]);
    if (!(this.held >= 0 && this.held < cells.tokens)) this.held = middleOfInk(this.arrays.picture, cells);
    if (!view[this.heldName] && view.direction === "from") this.held = this.attention.attendingNear(this.held);
    this.other = view[this.otherName] && view.direction !== "received" ? cells.at(view[this.otherName]) : -1;
  }

  get heldName() {
    return this.view.direction === "from" ? "query" : "key";
  }

  get otherName() {
    return this.view.direction === "from" ? "key" : "query";
  }

  /** Handle the pointer over a token on the picture. */
  look(token) {
    if (!this.view[this.heldName]) {
      if (token === this.held) return;
      this.held = token;
      if (!this.view[this.otherName]) this.other = -1;
    } else if (this.view.direction !== "received" && !this.view[this.otherName] && token !== this.other) {
      this.other = token;
    } else {
      return;
    }
    this.draw();
  }

  /** Handle the pointer over a map, where a pixel is always the other one of the pair. */
  lookAtMap(token) {
    if (this.view.direction === "received") return this.look(token);
    if (this.view[this.otherName] || token === this.other) return;
    this.other = token;
    this.draw();
  }

  take(token) {
    const { view, cells } = this;
    const single = view.direction === "received";
    if (view[this.heldName] && (single || view[this.otherName])) {
      view.query = view.key = null;
      this.other = -1;
    }
    const name = view[this.heldName] ? this.otherName : this.heldName;
    if (name === this.heldName) this.held = token;
    else this.other = token;
    view[name] = cells.place(token);
    this.changed();
  }

  takeOnMap(token) {
    const { view, cells } = this;
    if (view.direction === "received") return this.take(token);
    view[this.heldName] ??= cells.place(this.held);
    view[this.otherName] = cells.place(token);
    this.other = token;
    this.changed();
  }

  /** Release the last lock, or all. @returns {boolean} whether something was locked */
  release(all = false) {
    const { view } = this;
    if (!view.query && !view.key) return false;
    if (view[this.otherName]) {
      view[this.otherName] = null;
      this.other = -1;
      if (all) view[this.heldName] = null;
    } else {
      view[this.heldName] = null;
    }
    this.changed();
    return true;
  }

  /** Show another direction. @param {string} direction */
  turn(direction) {
    const { view } = this;
    // A locked pair stays the same pair. A single pixel stays held: its name changes with the direction.
    const [held, other] = [view[this.heldName], view[this.otherName]];
    view.direction = direction;
    if (!(held && other)) [view[this.heldName], view[this.otherName]] = [held, other];
    if (direction === "received") view.query = null;
    this.place();
  }

  /** The token at the keyboard's cursor. @param {boolean} onPicture rather than on the chosen head's map */
  cursor(onPicture) {
    return this.view.direction === "received" || (onPicture && !this.view[this.heldName]) ? this.held : this.shownOther;
  }
}
