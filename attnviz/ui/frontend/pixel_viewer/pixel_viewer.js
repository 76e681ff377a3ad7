// The attention of the pixel under the pointer. Python's side is attnviz/ui/components/pixel_viewer.py; the numbers are
// computed in attention.js, so following the pointer needs no request to the server.

import { Attention, MEAN } from "../maps/attention.js";
import { NormedEnd } from "../maps/normed_end.js";
import { Boxes } from "../maps/boxes.js";
import { grown, set } from "../core/dom.js";
import { Cells, inkEdge } from "../maps/cells.js";
import { mountable } from "../core/part.js";
import { HINTS } from "../hands/hints.js";
import { Chips } from "./chips.js";
import { QkvMaps } from "./qkv_maps.js";
import { TileWall } from "../maps/tiles.js";
import { makeFrame } from "./frame.js";
import { layerChoice } from "./layer_choice.js";
import { fitTo } from "./layout.js";
import { buffersOf, chosenOf, declaredOf, fillMaps, readingOf, spread } from "./derive.js";
import { Painter } from "./paint.js";
import { Pointed } from "./pointed.js";
import { sayAll, sayAtRest, tellingOf } from "./words.js";
import { Worked } from "./worked.js";

export class Viewer extends Pointed {
  exporting = () => import("./export.js");
  // Everything below arrives with the first data
  /** @type {Worked} */ worked;
  /** @type {Boxes|null} the tokens' boxes on the picture, unless tokens tile it */ boxes;
  /** @type {InkEdge} */ edge;
  /** @type {ReturnType<typeof buffersOf>} the maps of all heads and their mean, and their colours */ buffers;
  /** @type {{name: string, spoken: string}[]} */ names;
  /** @type {TileWall|null} */ wall;
  /** @type {Scale} of the chosen map */ scale;
  /** @type {Uint32Array} */ palette;
  /** @type {ReturnType<typeof readingOf>} */ reading;
  built = ""; // the form of the data for which walls and choices were built
  fitted = ""; // the size of the present layout

  constructor(parent) {
    super();
    this.step = ""; // the selected step of the worked pair
    this.painter = new Painter();
    this.qkvMaps = new QkvMaps();
    this.jacobian = null; // its module is fetched on first use
    this.modelLayers = null; // like that of the layers of a model
    this.frame = makeFrame(this, parent);
    this.chips = new Chips(this);
    this.frame.answer.holder.before(this.chips.element);
    Object.assign(this.root, { readMap: (head) => this.readMap(head) }); // for tests
  }

  // Data from Python

  unpacked(bytes, added) {
    return spread(super.unpacked(bytes, added));
  }

  receive(bytes, added) {
    super.receive(bytes, added);
    const { model, recipe, image, address } = this.header.origin;
    this.root.dataset.shown = `${model}.${recipe} ${image}`;
    this.root.dataset.layer = address ?? "";
  }

  followEpochs(bytes) {
    super.followEpochs(bytes);
    if (!this.header?.paths) return;
    if (this.modelLayers) this.guard(() => this.modelLayers?.take(bytes));
    else this.fetchLayers();
  }

  fetchLayers() {
    layerChoice(this.frame.controls, this.header);
    this.fetchModule(import("./layers.js"), ({ Layers }) => {
      this.modelLayers ??= new Layers(this);
      this.modelLayers.take(this.sent);
    });
  }

  get fetched() {
    return this.modelLayers ? [...super.fetched, this.modelLayers] : super.fetched;
  }

  takeData() {
    const { header, arrays, shapes, frame } = this;
    const { rows, columns } = header;
    this.passing.keep();
    this.takeAttention();
    this.cells = new Cells(rows, columns, header.prefix);
    this.boxes = header.boxes && new Boxes(header.boxes, this.cells, shapes.background);
    const edge = () => this.boxes?.edge(arrays.background) ?? inkEdge(arrays.picture, rows, columns);
    this.edge = header.ink ? edge() : [];
    this.painter.take(this);
    const form = JSON.stringify(this.form);
    if (form !== this.built) this.build();
    this.built = form;
    frame.forgetControls();
    this.qkvMaps.painted = null;
    frame.answer.name(header.classes, header.label);
    frame.answer.holder.hidden = !header.classes.length;
    if (header.classes.length) frame.answer.show(arrays);
    this.takeView(this.facts, (asked) => {
      if (asked) this.held = -1;
      if (this.view.direction === "received") this.view.query = null;
      this.place();
    });
  }

  /** The form of the data, mostly the same for layers and epochs of a picture; it shapes the page. @returns {any} */
  get form() {
    const { header, shapes, edge, attention } = this;
    const { rows, columns, prefix, boxes, names, plain } = header;
    const sizes = [attention.heads, attention.size, shapes.value?.[2], shapes.output?.[1], shapes.background];
    return [rows, columns, prefix, boxes, names, plain, Boolean(header.asked), edge, sizes];
  }

  /** Build the walls of maps and the choices for the data's form. */
  build() {
    const { frame } = this;
    const { heads } = this.attention;
    this.names = Array.from({ length: heads }, (_, head) => ({ name: String(head + 1), spoken: `Head ${head + 1}` }));
    this.names.push({ name: "mean", spoken: "All heads: mean" });
    this.wall = this.makeWall();
    frame.wallHolder.replaceChildren(...(this.wall ? [this.wall.element] : []));
    const options = this.names.map(({ name }, head) => new Option(name, head < heads ? String(head) : MEAN));
    frame.headChoice.replaceChildren(...options);
    frame.headChoice.hidden = heads === 1;
    this.qkvMaps.build(this);
    this.chips.take(this.header.names ?? []);
    this.fitted = "";
  }

  /** Take the attention from the data, and allocate its maps. */
  takeAttention() {
    const { header, arrays, shapes } = this;
    const end = arrays.before && new NormedEnd(/** @type {any} */ (arrays), shapes.log_normaliser[1], header.eps);
    const shape = shapes.query ?? [...shapes.log_normaliser, 0];
    this.attention = new Attention(/** @type {any} */ (arrays), shape, end ?? null);
    this.worked = new Worked(this.attention, arrays, shapes);
    this.buffers = buffersOf(this.attention);
  }

  /** The wall of small maps. @returns {TileWall|null} null if there is only one map, the large one */
  makeWall() {
    const { heads } = this.attention;
    if (heads === 1) return null;
    return new TileWall({
      label: `All ${heads} heads and their mean`,
      tiles: this.names,
      ...this.ofWall,
      choose: (tile) => this.guard(() => this.choose("head", tile < heads ? tile : MEAN)),
    });
  }

  /** The options shared by all walls of small maps. */
  get ofWall() {
    const { cells, edge, passing } = this;
    return { cells, edge, passing, look: ({ token }) => this.guard(() => this.lookAtMap(token)) };
  }

  /** The facts that decide which values of a view exist. */
  get facts() {
    return { cells: this.cells, heads: this.attention.heads };
  }

  /** The maps of the wall, and their colours. @returns {{maps: Float64Array, indices: Uint16Array}} */
  get tiles() {
    return this.buffers;
  }

  /** The names of the wall's maps in a table of numbers. @returns {string[]} */
  get columns() {
    return this.names.map(({ name }, i) => (i < this.attention.heads ? `head ${name}` : "mean of heads"));
  }

  /** The captions of the wall's maps in a saved picture, if they differ from those on the page. */
  get captions() {
    return /** @type {string[]|null} */ (null);
  }

  /** The tile of the wall that is shown as the large map. */
  get chosenTile() {
    return this.chosen;
  }

  get wallTitle() {
    return `All ${this.attention.heads} heads`;
  }

  get lockHint() {
    return HINTS.lock;
  }

  // Actions of the visitor

  /**
   * The token whose box is nearest to the pointer.
   * @param {boolean} onPicture rather than on a map
   * @param {{tile: number, token: number}|null} found
   */
  tokenAt(onPicture, found) {
    return found && onPicture && this.boxes ? { ...found, token: this.boxes.tokenAt(found.token) } : found;
  }

  choose(name, value) {
    const { view } = this;
    if (name === "direction") {
      this.turn(value);
      this.light(this.step);
    } else {
      view[name] = value;
      if (name === "head" && !view[this.otherName]) this.other = -1;
      if (name === "map") this.showMap();
    }
    const layers = name === "address" ? this.modelLayers : null;
    layers?.follow();
    if (!layers?.isThere) return this.changed();
    this.toAnnounce = true; // the layer has been drawn already
    this.settle();
    return undefined;
  }

  /** On the picture, or on the map of the chosen head. @param {KeyboardEvent} event */
  cursorOf(event) {
    const { cells, frame } = this;
    const onPicture = event.composedPath().includes(frame.picture.element);
    if (!onPicture && !event.composedPath().includes(frame.large.element)) return null;
    const at = this.cursor(onPicture);
    const up = event.key === "ArrowUp" || event.key === "PageUp";
    const move = (/** @type {number[]} */ [row, column]) => {
      const token = cells.tokenNear(row, column, up);
      return onPicture ? this.look(token) : this.lookAtMap(token);
    };
    const [row, column] = [Math.floor(cells.cell[at] / cells.columns), cells.cell[at] % cells.columns];
    const take = () => (onPicture ? this.take(at) : this.takeOnMap(at));
    return { row, column, rows: cells.height, columns: cells.columns, move, take };
  }

  // Layout: never while the pointer moves

  takeColours() {
    const others = super.takeColours();
    if (others) this.fitted = "";
    return others;
  }

  layout(force = false) {
    const width = this.widthToFit(force);
    if (!width || !this.view) return;
    const fitted = `${this.size} ${grown()}`;
    if (fitted !== this.fitted) fitTo(this, width);
    this.fitted = fitted;
    this.showMap();
    this.painter.background(this);
    this.draw();
  }

  // Drawing: runs at every move of the pointer

  draw() {
    Object.assign(this, this.fill());
    this.palette = this.palettes[this.scale.palette];
    this.painter.maps(this);
    this.reading = readingOf(this);
    this.saySoon();
  }

  /** Fill the maps; see `fillMaps`. */
  fill() {
    return fillMaps(this);
  }

  /**
   * Select a step of the worked pair: the maps highlight its parts.
   * @param {string} step its name, "" for none
   */
  light(step) {
    this.step = step;
    set(this.root, "data-lit", this.lit);
    this.painter.large(this);
  }

  /** The highlighted parts of the maps, by step: the query and the key, the map, the key, or the answer. */
  get lit() {
    return this.step === "softmax" && this.view.direction === "to" ? "weight" : this.step;
  }

  /** Show the chosen head's map, or the dependence of the answer on each pixel in its place. */
  showMap() {
    const { header, frame } = this;
    frame.segments.map.element.hidden = header.asked === null;
    const fetched = this.showsJacobian && this.jacobian !== null; // until then the map stays
    for (const part of [frame.large.element, frame.legend.element]) part.hidden = fetched;
    frame.headChoice.hidden = this.showsJacobian || this.attention.heads === 1;
    if (!this.showsJacobian) this.jacobian?.hide();
    else if (this.jacobian) this.jacobian.show(header.asked, parseFloat(frame.large.canvas.style.width));
    else this.fetchJacobian();
  }

  get showsJacobian() {
    return this.view.map === "jacobian" && this.header.asked !== null;
  }

  fetchJacobian() {
    this.fetchModule(import("./jacobian.js"), ({ Jacobian }) => {
      this.jacobian ??= new Jacobian(this.frame.jacobianHolder, this);
      this.showMap();
    });
  }

  leave() {
    super.leave();
    this.jacobian?.leave();
  }

  sayAll() {
    const telling = tellingOf(this);
    sayAll(this, telling);
    this.chips.mark();
    this.whenResting(() => sayAtRest(this, telling));
  }

  get chosen() {
    return chosenOf(this.view, this.attention.heads);
  }

  get carriedSigned() {
    return this.header.carried_signed;
  }

  read() {
    const { query, key, head, show, direction, score, weight, share, carried, terms } = this.reading;
    const place = (token) => (token === null ? null : this.cells.place(token));
    const pair = { query: place(query), key: place(key), queryToken: query, keyToken: key };
    return { ...pair, head, show, direction, score, weight, share, carried, terms };
  }

  declared() {
    return declaredOf(this);
  }

  /** One map in full precision. @param {number|"mean"} head @returns {Float64Array} a value for each token */
  readMap(head) {
    const { heads, tokens } = this.attention;
    const start = (head === MEAN ? heads : head) * tokens;
    return this.buffers.maps.slice(start, start + tokens);
  }
}

export default mountable(Viewer);
