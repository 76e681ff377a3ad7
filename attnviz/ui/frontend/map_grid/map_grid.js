// Many small maps with one cross-hair: the value under the pointer in every tile. Python's side is attnviz/ui/components/map_grid.py.

import { extent } from "../maps/attention.js";
import { makeScale, packed, TOP, toIndices } from "../core/colours.js";
import { Savers, SegmentedControl } from "../hands/controls.js";
import { element, focused, say, set, text } from "../core/dom.js";
import { files } from "./export.js";
import { gridMove } from "../hands/keys.js";
import { Legend } from "../maps/legend.js";
import { column, full, short, times } from "../core/numbers.js";
import { PictureTile } from "./picture_tile.js";
import { Cells, inkEdge } from "../maps/paint.js";
import { mountable, Part } from "../core/part.js";
import { unpack } from "../core/payload.js";
import { TileWall } from "../maps/tiles.js";

const SCALES = { share: "Even share", all: "All maps", map: "This map", pictures: "All pictures" };
const NOTES = {
  all: "one scale for all maps",
  map: "a scale for each map, so do not compare maps; the numbers belong to the chosen map",
  pictures: "one scale for all pictures",
  own: "a scale for each map; the numbers belong to the chosen map",
};

// What a grid of a key showed when it left the page: Streamlit mounts it anew where something above it comes or goes.
// Who goes to another page and comes back is asked anew, with a new revision: what the URL does not say is forgotten then.
const left = new Map();

/** The component. */
export class MapGrid extends Part {
  // All that comes with the first data
  /** @type {number} */ count;
  /** @type {Cells} */ cells;
  /** @type {InkEdge[]} one for each map */ edges;
  /** @type {Uint16Array} */ indices;
  /** @type {Float64Array|null} */ logs;
  /** @type {Record<string, boolean>} the scales that can be chosen */ choices;
  /** @type {string} */ scale;
  /** @type {TileWall} */ wall;
  /** @type {PictureTile|null} */ picture;
  /** @type {Scale[]} */ tileScales;
  /** @type {boolean[]} */ marks;
  /** @type {Uint32Array} */ palette;

  constructor(parent) {
    super();
    this.room = parent;
    this.chosen = null;
    this.cell = null; // locked, as a token
    this.looked = { tile: 0, token: -1 };
    /** @type {(() => void)|null} is called after each drawing */
    this.drawn = null;
    this.preparedFor = null;
    this.words = { title: text(), how: text() };
    this.hint = "move over a map to read its values; click to choose it";
    this.wallRoom = element("div.maps");
    this.pictureRoom = element("div.beside");
    this.legend = new Legend();
    this.scales = new SegmentedControl("Scale", SCALES, (scale) =>
      this.guard(() => {
        this.scale = scale;
        this.draw();
      }),
    );
    this.savers = new Savers(files(this), { copy: () => this.copyText() }, (happened) => this.announce(happened));
    this.root = element(
      "div.attnviz.map-grid",
      { "data-component": "map_grid" },
      this.failure,
      element("div.top", {}, this.scales.element, this.legend.element, this.savers.element),
      element("h2", {}, this.words.title, element("small", {}, this.words.how)),
      element("div.rooms", {}, this.pictureRoom, this.wallRoom),
      this.liveRegion,
    );
    Object.assign(this.root, {
      readMap: (tile) => this.arrays.maps.slice(tile * this.cells.tokens, (tile + 1) * this.cells.tokens),
    }); // for tests
    this.root.addEventListener("keydown", (event) => this.guard(() => this.key(event)), true);
    parent.append(this.root);
  }

  receive(bytes) {
    if (bytes !== this.data) this.hold(bytes, unpack(bytes));
    this.refresh();
  }

  /** Take data. @param {any} data what they are known by @param {Payload} unpacked */
  hold(data, unpacked) {
    this.data = data;
    Object.assign(this, unpacked);
    this.takeData();
  }

  /** Show other values in the same maps: what they are computed from has moved. @param {Float64Array} maps */
  renew(maps) {
    this.arrays.maps = maps;
    if (this.logs) this.logs = Float64Array.from(maps, Math.log);
    this.prepared = null;
    if (this.wall.layoutDone) this.draw();
  }

  refresh() {
    this.takeColours();
    this.watch();
    this.layout(true);
  }

  takeData() {
    const { header, arrays, shapes } = this;
    const [count, rows, columns] = shapes.maps;
    say(this.words.title, header.title);
    this.count = count;
    this.cells = new Cells(rows, columns);
    this.edges = this.inkEdges();
    this.indices = new Uint16Array(arrays.maps.length);
    this.logs = header.role === "share" ? Float64Array.from(arrays.maps, Math.log) : null;
    this.choices = { share: header.role === "share", all: true, map: count > 1, pictures: header.bounds !== null };
    if (header.role === "ink" || header.role === "unit")
      Object.assign(this.choices, { map: count > 1 && header.role === "unit" });
    if (header.role === "own" || header.fixed) this.choices = { [header.scale]: true };
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
      ...(header.table ? { table: header.table } : {}),
      look: (found) => this.guard(() => this.look(found)),
      take: (found) => this.guard(() => this.take(found)),
      choose: (tile) => this.guard(() => this.choose(tile)),
      ...this.tileOptions(),
    });
    this.wallRoom.replaceChildren(this.wall.element);
    this.picture = arrays.background ? new PictureTile(this) : null;
    this.pictureRoom.replaceChildren(...(this.picture ? [this.picture.element] : []));
    this.pictureRoom.hidden = !this.picture;
    if (held >= 0) this.wall.activate(held, true); // the keyboard goes on where it was
    if (asked) this.noteSettled();
  }

  /** More for the wall of tiles: the names of cells here, what else a kind of grid wants in its own class. @returns {Record<string, any>} */
  tileOptions() {
    return this.header.names ? { names: this.header.names } : {};
  }

  /** The edge of the ink on each map: of one picture for all, or of a picture for each. */
  inkEdges() {
    const { header, arrays, shapes, cells, count } = this;
    const none = !arrays.picture || header.role === "ink";
    const one = none ? [] : inkEdge(arrays.picture.subarray(0, cells.tokens), cells.rows, cells.columns);
    return Array.from({ length: count }, (_, tile) =>
      none || shapes.picture.length < 3 || !tile
        ? one
        : inkEdge(arrays.picture.subarray(tile * cells.tokens, (tile + 1) * cells.tokens), cells.rows, cells.columns),
    );
  }

  /** The cell whose values stand under the tiles, or -1. */
  get shown() {
    return this.cell ?? this.looked.token;
  }

  /** @returns {Record<string, any>} */
  settled() {
    return { chosen: this.chosen, cell: this.cell === null ? null : this.cells.place(this.cell) };
  }

  // What the visitor does

  look(found) {
    if (found.tile === this.looked.tile && found.token === this.looked.token) return;
    this.looked = found;
    this.draw();
  }

  take({ tile, token }) {
    this.looked = { tile, token };
    this.cell = this.cell === token && this.chosen === tile ? null : token;
  }

  /** A cell was clicked on the picture: it belongs to all maps, so none of them is chosen by that. */
  lock({ tile, token }) {
    this.looked = { tile, token };
    this.cell = this.cell === token ? null : token;
    this.changed();
  }

  choose(tile) {
    this.chosen = tile;
    this.looked.tile = tile;
    this.changed();
  }

  leave() {
    super.leave();
    const { header, scale, cell } = this;
    if (header?.key) left.set(header.key, { scale, cell, revision: this.state("chosen").revision });
  }

  /** Arrows choose among the tiles (TileWall); with Shift they move the cross-hair; Escape lets it go. */
  key(event) {
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
    this.root.classList.toggle("narrow", width < 520);
    // Few maps may be large; four or five, which have long names, stand in twos on a phone.
    this.wall.across = this.acrossOn(width < 520);
    const beside = this.header.table?.columns ?? (this.wall.across < 6 ? this.wall.across : this.count);
    this.wall.room = this.roomOfTile(width, beside);
    if (this.header.names) this.wall.room = Math.max(240, Math.min(480, 20 * this.cells.columns));
    const taken = this.picture?.layout(width < 520 ? 160 : Math.max(168, this.wall.room)) ?? 0;
    this.wall.layout(width - (width < 520 || !taken ? 0 : taken + 24), width < 520);
    this.wall.board.clear(packed(this.theme.background));
    this.legend.layout();
    this.draw();
  }

  /** How many tiles stand in a row on a phone. @param {boolean} phone whether it is one @returns {number} */
  acrossOn(phone) {
    return phone && (this.count === 4 || this.count === 5) ? 2 : 6;
  }

  /** How wide a tile may be. @param {number} width of the grid @param {number} beside tiles in a row */
  roomOfTile(width, beside) {
    return Math.min(240, Math.max(84, width / beside - 8));
  }

  // Drawing: this runs at every move of the pointer

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
    this.drawn?.();
    this.saySoon();
  }

  /** What tests read. */
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

  /** A picture in colour in place of a map. */
  paintColours(tile) {
    const { rows, columns, tokens } = this.cells;
    const picture = this.arrays.colours.subarray(3 * tile * tokens, 3 * (tile + 1) * tokens);
    this.wall.board.paintPicture(tile, picture, [rows, columns, 3], null);
  }

  /** Colours change with the scale, the data and the theme only. */
  prepare() {
    const { arrays, cells, header, scale } = this;
    if (this.prepared === scale && this.preparedFor === this.data) {
      this.palette = this.palettes[this.tileScales[0].palette];
      return;
    }
    this.tileScales = Array.from({ length: this.count }, (_, tile) => this.makeTileScale(tile));
    this.tileScales.forEach((tileScale, tile) => {
      const share = tileScale.kind === "share";
      toIndices(
        share ? this.logs : arrays.maps,
        tile * cells.tokens,
        cells.tokens,
        tileScale,
        this.indices,
        share ? Math.log(header.tokens) : 0,
      );
    });
    this.marks = [1, 2, 3].map((mark) => this.indices.includes(TOP + mark));
    this.palette = this.palettes[this.tileScales[0].palette];
    [this.prepared, this.preparedFor] = [scale, this.data];
  }

  makeTileScale(tile) {
    const { arrays, cells, header, scale } = this;
    if (header.role === "ink") return makeScale("ink");
    if (scale === "share") return makeScale("share");
    if (header.role === "unit" && scale === "all") return makeScale("unit");
    const [start, count] = scale === "map" ? [tile * cells.tokens, cells.tokens] : [0, arrays.maps.length];
    if (header.role === "own") {
      const { high, low } = extent(arrays.maps, start, count);
      return makeScale("own", high, low);
    }
    const most =
      scale === "pictures" ? Math.max(...header.bounds.map(Math.abs)) : extent(arrays.maps, start, count).most;
    return makeScale(header.role === "signed" ? "signed" : "positive", most);
  }

  value(tile, cell = this.shown) {
    return this.arrays.maps[tile * this.cells.tokens + cell];
  }

  sayAll() {
    const { header, wall, shown, scale } = this;
    const tile = this.chosen ?? this.looked.tile;
    const tileScale = this.tileScales[tile];
    const said = (value) => (scale === "share" ? `${times(value * header.tokens)}\u00d7` : column(value));
    for (let i = 0; i < this.count; i++) wall.say(i, shown < 0 ? "" : said(this.value(i)));
    wall.mark(this.chosen ?? -1);
    const hidden = Object.keys(SCALES).filter((name) => !this.choices[name]);
    this.scales.show(scale, hidden);
    this.scales.element.hidden = hidden.length >= 3;
    this.legend.colour(this.palette);
    this.legend.say(
      tileScale,
      scale === "share"
        ? `\u00d7 an even share, 1/${header.tokens} = ${short(1 / header.tokens, 3)}`
        : (header.note ?? NOTES[header.role === "own" ? "own" : scale]),
    );
    this.legend.point(
      shown < 0 ? NaN : this.value(this.looked.tile) * (scale === "share" ? header.tokens : 1),
      tileScale,
    );
    this.legend.explain(this.marks);
    const here =
      shown < 0 ? "" : `${this.where()}, ${header.labels[this.looked.tile]}: ${short(this.value(this.looked.tile))}`;
    say(this.words.how, here ? `${here}${this.cell === null ? "" : " \u00b7 locked; Escape releases it"}` : this.hint);
    set(wall.element, "aria-label", this.summary());
    this.announceDone(() => this.summary());
    this.root.classList.toggle("plain", header.role === "ink");
  }

  where() {
    const [row, place] = this.cells.place(this.shown);
    const { names } = this.header;
    if (names) return `${names.row} ${names.rows[row]}, ${names.column} ${names.columns[place]}`;
    return `row ${row + 1}, column ${place + 1}`;
  }

  summary() {
    const { header, looked } = this;
    const chosen = this.chosen === null ? "" : ` ${header.labels[this.chosen]} is chosen.`;
    const value =
      this.shown < 0 ? "" : ` At ${this.where()}, ${header.labels[looked.tile]}: ${short(this.value(looked.tile))}.`;
    return `${header.title}, ${this.count} maps of ${this.cells.rows} rows and ${this.cells.columns} columns.${chosen}${value}`;
  }

  /** The values under the cross-hair in full precision, a line for each map. */
  copyText() {
    const tile = (i) => `${this.header.labels[i]}\t${this.shown < 0 ? "" : full(this.value(i))}`;
    const place = this.shown < 0 ? [] : [`cell\t${this.where()}`];
    const origin = Object.entries(this.header.origin).map(([name, value]) => `${name}\t${value}`);
    return [...place, ...Array.from({ length: this.count }, (_, i) => tile(i)), ...origin].join("\n");
  }
}

export default mountable(MapGrid);
