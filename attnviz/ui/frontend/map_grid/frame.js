// The elements of a grid of maps, made once; map_grid.js fills them and handles their events.

import { element, text } from "../core/dom.js";
import { Part } from "../core/part.js";
import { saversOf, SegmentedControl } from "../hands/controls.js";
import { Legend } from "../maps/legend.js";
import { copied, SCALES } from "./words.js";

/**
 * The options of a component that contains a grid; all are optional.
 * @typedef {object} Within
 * @property {string} [hint] the possible actions
 * @property {(width: number, beside: number) => number|undefined} [widthOfTile] the maximum width of a tile, for a
 *   number of tiles in a row
 * @property {Pick<Part, "whenAnswered"|"page">} [owner] the component whose URL it uses and with which it waits
 * @property {(phone: boolean) => number} [across] the number of tiles in a row on a phone
 * @property {(header: any) => Record<string, any>} [tiles] further options of the wall of tiles
 * @property {(tile: number) => void} [clicked] called when a tile is clicked, instead of choosing it
 * @property {(tile: number) => void} [chose] called when a tile is chosen
 * @property {() => void} [drawn] called after drawing
 * @property {() => void} [written] called after writing the words
 */

export class GridFrame extends Part {
  /**
   * @param {HTMLElement|ShadowRoot} parent
   * @param {Within|null} within another component; null: on its own
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
    // before the tiles, which use the plain arrows
    this.root.addEventListener("keydown", (event) => this.guard(() => this.cross(event)), true);
  }

  /** Called when a scale is chosen. @param {string} _scale */
  rescale(_scale) {}

  /** Handle a key, which may move the cross-hair. @param {KeyboardEvent} _event */
  cross(_event) {}
}
