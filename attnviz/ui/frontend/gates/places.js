// The gate of each position as a map with its legend. On a phone, a button shows it instead of the picture.

import { makeScale, packed, toIndices } from "../core/colours.js";
import { element, say, set, text } from "../core/dom.js";
import { short } from "../core/numbers.js";
import { Legend } from "../maps/legend.js";
import { Board, fitBoard } from "../maps/paint.js";
import { Cells } from "../maps/cells.js";

const SCALE = makeScale("unit");

/** @typedef {{values: Float64Array, rows: number, columns: number}} PlaceMap */

/** The map of a layer's spatial gates; hidden if the layer has none. */
export class PlacesPart {
  /** @type {PlaceMap|null} the drawn map */ map = null;
  /** Layer and channel of the gates, in words. */ whose = "";
  /** The same where the chosen block is visible. */ who = "";

  /** @param {(shown: boolean) => void} show called by the button; true: the map replaces the picture */
  constructor(show) {
    this.canvas = element("canvas", { role: "img" });
    this.board = new Board(this.canvas);
    this.words = { which: text(), range: text() };
    this.legend = new Legend();
    this.legend.say(SCALE, "");
    this.element = element(
      "section.places-part",
      {},
      element("h2", {}, "By place", element("small", {}, this.words.which)),
      element("div.board", {}, this.canvas),
      this.legend.element,
    );
    this.button = element(
      "button.quiet.by-place",
      { type: "button", "aria-pressed": "false", onclick: () => show(!this.isPressed) },
      element("span", {}, "By place"),
      element("small", {}, this.words.range),
    );
  }

  get isPressed() {
    return this.button.getAttribute("aria-pressed") === "true";
  }

  /**
   * Lay out the map.
   * @param {{rows: number, columns: number}|null} shape of the map; null if the layer has no spatial gates
   * @param {Cells} cells of the picture, whose size the map has
   * @param {number} room CSS pixels
   */
  layout(shape, cells, room) {
    this.element.hidden = this.button.hidden = !shape;
    if (!shape) return;
    this.element.style.setProperty("--side", `${fitBoard(this, cells, room)}px`);
    const { width, height } = this.canvas;
    this.board.resize(width, height);
    const cell = [width / shape.columns, height / shape.rows];
    this.board.place(0, 0, cell, new Cells(shape.rows, shape.columns), [], Math.max(1, Math.round(devicePixelRatio)));
  }

  /**
   * @param {PlaceMap|null} map
   * @param {{title: string}} layer the layer of the map
   * @param {number|null} channel the channel of the map; null if one map serves all channels
   * @param {{palettes: any, theme: any}} look
   */
  paint(map, { title }, channel, { palettes, theme }) {
    this.map = map;
    this.who = channel === null ? title : `channel ${channel + 1}`;
    this.whose = channel === null ? title : `${title}, ${this.who}`;
    if (!map || !this.board.tiles.length) return;
    const indices = indicesOf(map);
    this.board.paint(0, indices, 0, palettes.positive, packed(theme.text), packed(theme.edge));
    this.board.flush();
    this.legend.colour(palettes.positive);
  }

  /** Write the owner and the range of the gates. */
  say() {
    if (!this.map) return;
    const range = rangeOf(this.map);
    say(this.words.which, `${this.who}: ${range}`);
    say(this.words.range, range);
    set(this.canvas, "aria-label", `Gates of places, ${this.whose}: from ${range}`);
  }
}

/** The lowest and the highest gate, in words. @param {PlaceMap} map */
export function rangeOf({ values }) {
  return `${short(Math.min(...values), 2)} to ${short(Math.max(...values), 2)}`;
}

/** The palette indices of the gates. @param {PlaceMap} map */
export function indicesOf({ values }) {
  const indices = new Uint16Array(values.length);
  toIndices(values, 0, values.length, SCALE, indices);
  return indices;
}
