// The elements of a grid of maps, made once; map_grid.js says what they do and show.

import { element, text } from "../core/dom.js";
import { Part } from "../core/part.js";
import { saversOf, SegmentedControl } from "../hands/controls.js";
import { Legend } from "../maps/legend.js";
import { copied, SCALES } from "./words.js";

/**
 * What a component makes of a grid that is part of it; all of it may be left out.
 * @typedef {object} Within
 * @property {string} [hint] what can be done with it
 * @property {(width: number, beside: number) => number|undefined} [widthOfTile] how wide a tile may be, of so many in a
 *   row
 * @property {Pick<Part, "whenAnswered"|"page">} [owner] that whose URL this has, and with which it waits
 * @property {(phone: boolean) => number} [across] how many tiles stand in a row on a phone
 * @property {(header: any) => Record<string, any>} [tiles] more for the wall of tiles
 * @property {(tile: number) => void} [clicked] a tile was clicked: it is not chosen then
 * @property {(tile: number) => void} [chose] a tile was chosen
 * @property {() => void} [drawn] it was drawn
 * @property {() => void} [written] its words were written
 */

export class GridFrame extends Part {
  /**
   * @param {HTMLElement|ShadowRoot} parent
   * @param {Within|null} within another component; null: it is one of its own
   */
  constructor(parent, within) {
    super();
    this.holder = parent;
    this.alone = within === null;
    this.within = within ?? {};
    this.words = { title: text(), how: text() };
    this.wallHolder = element("div.maps");
    this.pictureHolder = element("div.beside");
    this.legend = new Legend();
    this.scales = new SegmentedControl("Scale", SCALES, (scale) => this.guard(() => this.rescale(scale)));
    this.savers = saversOf(this, { copy: () => copied(/** @type {any} */ (this)) });
    this.mount(
      parent,
      "map-grid",
      "map_grid",
      element("div.top", {}, this.scales.element, this.legend.element, this.savers.element),
      element("h2", {}, this.words.title, element("small", {}, this.words.how)),
      element("div.beside-maps", {}, this.pictureHolder, this.wallHolder),
    );
    // before the tiles, to which the arrows alone belong
    this.root.addEventListener("keydown", (event) => this.guard(() => this.cross(event)), true);
  }

  /** A scale was chosen. @param {string} _scale */
  rescale(_scale) {}

  /** A key was pressed, which may move the cross-hair. @param {KeyboardEvent} _event */
  cross(_event) {}
}
