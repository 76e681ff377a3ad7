// Many small maps with one cross-hair: the value under the pointer in every tile. Python's side is
// attnviz/ui/components/map_grid.py.

import { packed } from "../core/colours.js";
import { focused, say, set } from "../core/dom.js";
import { choicesOf, coloursOf, declaredOf, edgesOf, scalesOf } from "./derive.js";
import { GridFrame } from "./frame.js";
import { HINTS } from "../hands/hints.js";
import { gridMove } from "../hands/keys.js";
import { Passing } from "../hands/passing.js";
import { PictureTile } from "./picture_tile.js";
import { Cells } from "../maps/cells.js";
import { mountable } from "../core/part.js";
import { unpack } from "../core/payload.js";
import { TileWall } from "../maps/tiles.js";
import { noteOf, pointedAt, SCALES, shownValue, summaryOf } from "./words.js";

// The last view of each grid, by key: Streamlit remounts a grid when something above it appears or disappears. After a
// visit to another page there is a new request with a new revision, which discards state outside the URL.
const left = new Map();

/**
 * The component, also used inside other components, which make it with `within`, give it maps with `show`, and change
 * it with `renew`, `mark`, `point` and `sayTile`.
 */
export class MapGrid extends GridFrame {
  exporting = () => import("./export.js");
  // Everything below arrives with the first data
  /** @type {number} */ count;
  /** @type {Cells} */ cells;
  /** @type {InkEdge[]} one for each map */ edges;
  /** @type {Uint16Array} */ indices;
  /** @type {Float64Array|null} */ logs;
  /** @type {Record<string, boolean>} the available scales */ choices;
  /** @type {string} */ scale;
  /** @type {TileWall} */ wall;
  /** @type {PictureTile|null} */ picture;
  /** @type {Scale[]} */ tileScales;
  /** @type {boolean[]} */ marks;
  /** @type {Uint32Array} */ palette;

  /**
   * @param {HTMLElement|ShadowRoot} parent
   * @param {import("./frame.js").Within|null} within another component; null: on its own
   */
  constructor(parent, within = null) {
    super(parent, within);
    this.chosen = null;
    this.cell = null; // locked, as a token
    this.looked = { tile: 0, token: -1 };
    this.preparedFor = null;
    this.passing = new Passing(
      () => [this.looked.tile, this.looked.token, this.cell, this.chosen],
      ([tile, token]) => this.guard(() => this.look({ tile, token })),
    );
    const readMap = (tile) => this.arrays.maps.slice(tile * this.cells.tokens, (tile + 1) * this.cells.tokens);
    Object.assign(this.root, { readMap }); // for tests
  }

  receive(bytes, added) {
    this.show(bytes, bytes === this.data ? this : unpack(bytes, added));
  }

  /** Show maps, unless they are shown already. @param {any} key the key of these maps @param {Payload} payload */
  show(key, payload) {
    this.hold(key, payload);
    this.refresh();
  }

  /** Take maps, which `refresh` shows. @param {any} key that of these maps @param {Payload} payload */
  hold(key, { header, arrays, shapes }) {
    if (key === this.data) return;
    Object.assign(this, { data: key, header, arrays, shapes });
    this.takeData();
  }

  /**
   * Show new values in the same maps after a change of their source.
   * @param {Float64Array} maps
   * @param {number[]|null} outlined a cell of each map
   */
  renew(maps, outlined = this.header.outlined) {
    this.arrays.maps = maps;
    this.header.outlined = outlined;
    if (this.logs) this.logs = Float64Array.from(maps, Math.log);
    this.prepared = null;
    if (this.wall.layoutDone) this.draw();
  }

  /** Mark a tile as the chosen one, or none; `draw` shows it. @param {number|null} tile */
  mark(tile) {
    this.chosen = tile;
  }

  /**
   * Put the cross-hair on a cell; `draw` shows it.
   * @param {number} token
   * @param {boolean} locked
   * @param {number} tile
   */
  point(token, locked, tile = this.looked.tile) {
    this.cell = locked ? token : null;
    this.looked = { tile, token };
  }

  /**
   * Write the words of one tile.
   * @param {number} tile
   * @param {{state: string, value: string|null, range: string}} words
   */
  sayTile(tile, { state, value, range }) {
    set(this.wall.frames[tile], "data-state", state);
    if (value !== null) this.wall.say(tile, value);
    this.wall.sayRange(tile, range);
  }

  refresh() {
    this.takeColours();
    this.watch();
    this.layout(true);
  }

  async whenAnswered() {
    return (await super.whenAnswered()) && (this.within.owner?.whenAnswered() ?? true);
  }

  get page() {
    return this.within.owner?.page ?? super.page;
  }

  takeData() {
    const { header, arrays, shapes } = this;
    const [count, rows, columns] = shapes.maps;
    this.passing.keep();
    say(this.words.title, header.title);
    this.count = count;
    this.cells = new Cells(rows, columns);
    this.edges = edgesOf(header, arrays.picture, shapes.picture?.length === 3, this.cells, count);
    this.logs = header.role === "share" ? Float64Array.from(arrays.maps, Math.log) : null;
    this.choices = choicesOf(header, count);
    const asked = this.asked("chosen");
    if (asked) {
      this.chosen = asked.value;
      const { revision, ...before } = left.get(header.key) ?? {};
      if (!this.wall && revision === header.state.chosen.revision) Object.assign(this, before);
    }
    if (!(this.chosen < count)) this.chosen = null;
    if (!this.choices[this.scale]) this.scale = header.scale;
    if (this.cell !== null && this.cell >= this.cells.tokens) this.cell = null;
    this.looked = { tile: Math.min(this.looked.tile, count - 1), token: this.cell ?? -1 };
    const held = this.wall?.element.contains(focused(this.root)) ? Math.min(this.wall.active, count - 1) : -1;
    this.wall = new TileWall({
      label: header.title,
      tiles: header.labels.map((label, tile) => ({ name: header.captions?.[tile] ?? label, spoken: label })),
      cells: this.cells,
      edges: this.edges,
      passing: this.passing,
      ...(header.table ? { table: header.table } : {}),
      look: (found) => this.guard(() => this.look(found)),
      take: (found) => this.guard(() => this.take(found)),
      choose: (tile) => this.guard(() => this.choose(tile)),
      ...(header.names ? { names: header.names } : {}),
      ...this.within.tiles?.(header),
    });
    this.wallHolder.replaceChildren(this.wall.element);
    this.picture = arrays.background ? new PictureTile(this) : null;
    this.pictureHolder.replaceChildren(...(this.picture ? [this.picture.element] : []));
    this.pictureHolder.hidden = !this.picture;
    if (held >= 0) this.wall.activate(held, true); // the keyboard continues from its position
    if (asked) this.noteSettled();
  }

  /** The cell whose values are written under the tiles, or -1. */
  get shown() {
    return this.cell ?? this.looked.token;
  }

  settled() {
    return this.alone ? { chosen: this.chosen, cell: this.cell === null ? null : this.cells.place(this.cell) } : {};
  }

  // Actions of the visitor

  rescale(scale) {
    this.scale = scale;
    this.draw();
  }

  look(found) {
    if (found.tile === this.looked.tile && found.token === this.looked.token) return;
    this.looked = found;
    this.draw();
  }

  take({ tile, token }) {
    if (this.within.clicked) return this.look({ tile, token });
    this.looked = { tile, token };
    this.cell = this.cell === token && this.chosen === tile ? null : token;
  }

  /** Lock a cell clicked on the picture: it belongs to all maps, so no map is chosen. */
  lock({ tile, token }) {
    this.looked = { tile, token };
    this.cell = this.cell === token ? null : token;
    this.changed();
  }

  choose(tile) {
    const { clicked, chose } = this.within;
    if (clicked) return clicked(tile);
    this.chosen = tile;
    this.looked.tile = tile;
    this.changed();
    return chose?.(tile);
  }

  leave() {
    super.leave();
    const { header, scale, cell } = this;
    if (header?.key) left.set(header.key, { scale, cell, revision: this.state("chosen").revision });
  }

  /** Arrows choose among the tiles (TileWall); with Shift they move the cross-hair; Escape releases it. */
  cross(event) {
    const { cells } = this;
    if (event.key === "Escape" && this.cell !== null) {
      this.cell = null;
    } else if (event.shiftKey && event.key.startsWith("Arrow")) {
      const from = Math.max(0, this.shown);
      const [row, place] = /** @type {number[]} */ (
        gridMove(event, Math.floor(from / cells.columns), from % cells.columns, cells.rows, cells.columns)
      );
      this.cell = row * cells.columns + place;
      this.looked = { tile: this.wall.active, token: this.cell };
    } else {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
    this.changed();
  }

  layout(force = false) {
    const width = this.widthToFit(force);
    if (!width || !this.wall) return;
    const { within, count, wall, header } = this;
    const phone = width < 520;
    this.root.classList.toggle("narrow", phone);
    // A few maps may be large; four or five with long names are in rows of two on a phone.
    wall.across = within.across?.(phone) ?? (phone && (count === 4 || count === 5) ? 2 : 6);
    const beside = header.table?.columns ?? (wall.across < 6 ? wall.across : count);
    wall.room = within.widthOfTile?.(width, beside) ?? Math.min(240, Math.max(84, width / beside - 8));
    if (header.names) wall.room = Math.max(240, Math.min(480, 20 * this.cells.columns));
    const taken = this.picture?.layout(phone ? 160 : Math.max(168, wall.room)) ?? 0;
    wall.layout(width - (phone || !taken ? 0 : taken + 24), phone);
    wall.board.clear(packed(this.theme.background));
    this.legend.layout();
    this.draw();
  }

  // Drawing: runs at every move of the pointer

  draw() {
    const { wall, cells, theme, header } = this;
    this.prepare();
    const halo = packed(theme.background);
    for (let tile = 0; tile < this.count; tile++) {
      if (this.arrays.colours) this.paintColours(tile);
      else
        wall.board.paint(tile, this.indices, tile * cells.tokens, this.palette, packed(theme.text), packed(theme.edge));
      if (header.outlined)
        wall.board.outline(tile, header.outlined[tile], packed(theme.orange), { halo, strong: true });
      if (this.shown >= 0)
        wall.board.outline(tile, this.shown, packed(theme.text), { halo, strong: this.cell !== null });
    }
    wall.board.flush();
    this.picture?.draw(theme);
    this.within.drawn?.();
    this.saySoon();
  }

  read() {
    const { shown, cells, looked, chosen, header, scale } = this;
    return {
      cell: shown < 0 ? null : cells.place(shown),
      tile: looked.tile,
      chosen,
      values: shown < 0 ? null : Array.from({ length: this.count }, (_, tile) => this.value(tile)),
      role: header.role,
      scale,
    };
  }

  declared() {
    return declaredOf(this);
  }

  /** Paint a picture in colour in place of a map. */
  paintColours(tile) {
    const { rows, columns, tokens } = this.cells;
    const picture = this.arrays.colours.subarray(3 * tile * tokens, 3 * (tile + 1) * tokens);
    this.wall.board.paintPicture(tile, picture, [rows, columns, 3], null);
  }

  /** Prepare the colours, which change only with the scale, the data and the theme. */
  prepare() {
    const { arrays, cells, header, scale } = this;
    if (this.prepared !== scale || this.preparedFor !== this.data) {
      this.tileScales = scalesOf(header, arrays.maps, cells.tokens, scale);
      Object.assign(this, coloursOf(this.tileScales, arrays.maps, this.logs, cells.tokens, header.tokens));
      [this.prepared, this.preparedFor] = [scale, this.data];
    }
    this.palette = this.palettes[this.tileScales[0].palette];
  }

  value(tile, cell = this.shown) {
    return this.arrays.maps[tile * this.cells.tokens + cell];
  }

  sayAll() {
    const { header, wall, shown, scale } = this;
    const tileScale = this.tileScales[this.chosen ?? this.looked.tile];
    for (let i = 0; i < this.count; i++) wall.say(i, shown < 0 ? "" : shownValue(this.value(i), scale, header.tokens));
    wall.mark(this.chosen ?? -1);
    const hidden = Object.keys(SCALES).filter((name) => !this.choices[name]);
    this.scales.show(scale, hidden);
    this.scales.element.hidden = hidden.length >= 3;
    this.legend.colour(this.palette);
    this.legend.say(tileScale, noteOf(header, scale));
    const times = scale === "share" ? header.tokens : 1;
    this.legend.point(shown < 0 ? NaN : this.value(this.looked.tile) * times, tileScale);
    this.legend.explain(this.marks);
    const here = pointedAt(this);
    const locked = this.cell === null ? "" : ` \u00b7 ${HINTS.locked}`;
    say(this.words.how, here ? here + locked : (this.within.hint ?? HINTS.choose));
    set(wall.element, "aria-label", summaryOf(this));
    this.announceDone(() => summaryOf(this));
    this.root.classList.toggle("plain", header.role === "ink");
    this.within.written?.();
  }
}

export default mountable(MapGrid);
