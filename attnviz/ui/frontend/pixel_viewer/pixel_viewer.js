// The attention of the pixel under the pointer. Python's side is attnviz/ui/components/pixel_viewer.py; the numbers are
// computed in attention.js, so nothing that follows a pointer asks the server.

import { Attention, MEAN } from "../maps/attention.js";
import { half } from "../maps/extremes.js";
import { NormedEnd } from "../maps/normed_end.js";
import { Boxes } from "../maps/boxes.js";
import { grown, set } from "../core/dom.js";
import { best } from "../core/numbers.js";
import { UrlView } from "../core/url_view.js";
import { Cells, inkEdge } from "../maps/cells.js";
import { mountable } from "../core/part.js";
import { HINTS } from "../hands/hints.js";
import { Passing } from "../hands/passing.js";
import { PixelPart } from "../hands/pixel_part.js";
import { Chips } from "./chips.js";
import { QkvMaps } from "./qkv_maps.js";
import { TileWall } from "../maps/tiles.js";
import { RULES } from "./view.js";
import { makeFrame } from "./frame.js";
import { layerChoice } from "./layer_choice.js";
import { fitTo } from "./layout.js";
import { buffersOf, chosenOf, fillMaps, middleOfInk, readingOf, spread } from "./derive.js";
import { Painter } from "./paint.js";
import { sayAll, sayAtRest, tellingOf } from "./words.js";
import { Worked } from "./worked.js";

/** The component. "Held" is the pixel whose map is shown, "other" the one it is paired with. */
export class Viewer extends PixelPart {
  url = new UrlView({ closes: true }, RULES);
  // All that comes with the first data
  /** @type {Attention} */ attention;
  /** @type {Worked} */ worked;
  /** @type {Cells} */ cells;
  /** @type {Boxes|null} where tokens lie on the picture, unless they cover it side by side */ boxes;
  /** @type {InkEdge} */ edge;
  /** @type {ReturnType<typeof buffersOf>} the maps of all heads and their mean, and their colours */ buffers;
  /** @type {{name: string, spoken: string}[]} */ names;
  /** @type {TileWall|null} */ wall;
  /** @type {Scale} of the chosen map */ scale;
  /** @type {Uint32Array} */ palette;
  /** @type {ReturnType<typeof readingOf>} */ reading;
  built = ""; // the form of the data for which walls and choices are there
  fitted = ""; // the size for which they are laid out
  /** @type {number} the token whose map is shown */ held;
  /** @type {number} the one it is paired with, or -1 */ other;
  /** @type {number} `other`, or the strongest where there is none */ shownOther;
  constructor(parent) {
    super();
    this.step = ""; // of the worked pair, that is looked at
    this.passing = new Passing(
      () => [this.held, this.other, this.view.direction, `${this.view.query}`, `${this.view.key}`],
      ([held, other]) => {
        [this.held, this.other] = [held, other];
        this.guard(() => this.draw());
      },
    );
    this.painter = new Painter();
    this.qkvMaps = new QkvMaps();
    this.jacobian = null; // its module is fetched when it is first wanted
    this.modelLayers = null; // as is that of the layers of a model
    this.frame = makeFrame(this, parent);
    this.chips = new Chips(this);
    this.frame.answer.holder.before(this.chips.element);
    Object.assign(this.root, { readMap: (head) => this.readMap(head) }); // for tests
  }

  // What Python sends

  unpacked(bytes) {
    return spread(super.unpacked(bytes));
  }

  receive(bytes) {
    super.receive(bytes);
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

  async fetchLayers() {
    layerChoice(this.frame.controls, this.header);
    try {
      const { Layers } = await import("./layers.js");
      if (this.left || this.modelLayers) return;
      this.modelLayers = new Layers(this);
      this.guard(() => this.modelLayers?.take(this.sent));
    } catch (error) {
      this.fail(error);
    }
  }

  async files() {
    return (await import("./export.js")).files(this);
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
    this.edge = !header.ink
      ? []
      : this.boxes
        ? this.boxes.edge(arrays.background)
        : inkEdge(arrays.picture, rows, columns);
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

  /** What the parts of the page are built for: layers and epochs of one picture mostly share it. @returns {any} */
  get form() {
    const { header, shapes, edge, attention } = this;
    const { rows, columns, prefix, boxes, names, plain } = header;
    const sizes = [attention.heads, attention.size, shapes.value?.[2], shapes.output?.[1], shapes.background];
    return [rows, columns, prefix, boxes, names, plain, Boolean(header.asked), edge, sizes];
  }

  /** Build what the data's form needs: walls of maps, and choices. */
  build() {
    const { frame } = this;
    const { heads } = this.attention;
    this.names = Array.from({ length: heads }, (_, head) => ({ name: String(head + 1), spoken: `Head ${head + 1}` }));
    this.names.push({ name: "mean", spoken: "All heads: mean" });
    this.wall = this.makeWall();
    frame.wallHolder.replaceChildren(...(this.wall ? [this.wall.element] : []));
    frame.headChoice.replaceChildren(
      ...this.names.map(({ name }, head) => new Option(name, head < heads ? String(head) : MEAN)),
    );
    frame.headChoice.hidden = heads === 1;
    this.qkvMaps.build(this);
    this.chips.take(this.header.names ?? []);
    this.fitted = "";
  }

  /** Take the attention from the data, and make room for its maps. */
  takeAttention() {
    const { header, arrays, shapes } = this;
    const end = arrays.before && new NormedEnd(/** @type {any} */ (arrays), shapes.log_normaliser[1], header.eps);
    const shape = shapes.query ?? [...shapes.log_normaliser, 0];
    this.attention = new Attention(/** @type {any} */ (arrays), shape, end ?? null);
    this.worked = new Worked(this.attention, arrays, shapes);
    this.buffers = buffersOf(this.attention);
  }

  /** The wall of small maps. @returns {TileWall|null} where there is a single one, which is the large map */
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

  /** What every wall of small maps is given. */
  get ofWall() {
    const { cells, edge, passing } = this;
    return { cells, edge, passing, look: ({ token }) => this.guard(() => this.lookAtMap(token)) };
  }

  /** What of a view exists. */
  get facts() {
    return { cells: this.cells, heads: this.attention.heads };
  }

  /** The maps of the wall, and their colours. @returns {{maps: Float64Array, indices: Uint16Array}} */
  get tiles() {
    return this.buffers;
  }

  /** What the maps of the wall are, in a table of numbers. @returns {string[]} */
  get columns() {
    return this.names.map(({ name }, i) => (i < this.attention.heads ? `head ${name}` : "mean of heads"));
  }

  /** What the maps of the wall are called in a picture that is saved, where not as on the page. */
  get captions() {
    return /** @type {string[]|null} */ (null);
  }

  /** Which tile of the wall is the large map. */
  get chosenTile() {
    return this.chosen;
  }

  get wallTitle() {
    return `All ${this.attention.heads} heads`;
  }

  get lockHint() {
    return HINTS.lock;
  }

  /** Put held and other where the view has them locked, and somewhere sensible where it does not. */
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

  // What the visitor does

  /**
   * The token whose box is nearest to where the pointer is, on the picture or on a map.
   * @param {any} board
   * @param {{tile: number, token: number}|null} found
   */
  tokenAt(board, found) {
    const onPicture = this.boxes && board === this.frame.picture.board;
    return found && onPicture ? { ...found, token: this.boxes?.tokenAt(found.token) ?? -1 } : found;
  }

  /** The pointer is over a token on the picture. */
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

  /** The pointer is over a map: there a pixel is always the other one of the pair. */
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

  /** Let go of what was locked last, or of everything. @returns {boolean} whether there was anything */
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

  choose(name, value) {
    const { view } = this;
    if (name === "direction") {
      // A locked pair stays that pair. A single pixel stays held: what it is called changes with the direction.
      const [held, other] = [view[this.heldName], view[this.otherName]];
      view.direction = value;
      if (!(held && other)) [view[this.heldName], view[this.otherName]] = [held, other];
      if (value === "received") view.query = null;
      this.place();
      this.light(this.step);
    } else {
      view[name] = value;
      if (name === "head" && !view[this.otherName]) this.other = -1;
      if (name === "map") this.showMap();
    }
    this.changed();
    if (name === "address") this.modelLayers?.follow();
  }

  /** On the picture, or on the map of the chosen head. @param {KeyboardEvent} event */
  cursorOf(event) {
    const {
      cells,
      frame: { picture, large },
    } = this;
    const onPicture = event.composedPath().includes(picture.element);
    if (!onPicture && !event.composedPath().includes(large.element)) return null;
    const at = this.cursor(onPicture);
    const up = event.key === "ArrowUp" || event.key === "PageUp";
    const move = (/** @type {number[]} */ [row, column]) => {
      const token = cells.tokenNear(row, column, up);
      if (onPicture) this.look(token);
      else this.lookAtMap(token);
    };
    const [row, column] = [Math.floor(cells.cell[at] / cells.columns), cells.cell[at] % cells.columns];
    return {
      row,
      column,
      rows: cells.height,
      columns: cells.columns,
      move,
      take: () => (onPicture ? this.take(at) : this.takeOnMap(at)),
    };
  }

  /** The token that the keyboard is on. @param {boolean} onPicture or on the map of the chosen head */
  cursor(onPicture) {
    return this.view.direction === "received" || (onPicture && !this.view[this.heldName]) ? this.held : this.shownOther;
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

  // Drawing: this runs at every move of the pointer

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
   * A step of the worked pair is looked at: the maps show what it is about.
   * @param {string} step its name, or "" for none
   */
  light(step) {
    this.step = step;
    set(this.root, "data-lit", this.lit);
    this.painter.large(this);
  }

  /** What of the maps lights up: score the query and the key, softmax the map, value the key, and share the answer. */
  get lit() {
    return this.step === "softmax" && this.view.direction === "to" ? "weight" : this.step;
  }

  /** Show the chosen head's map, or in its place how the answer depends on each pixel. */
  showMap() {
    const { header, frame } = this;
    frame.segments.map.element.hidden = header.asked === null;
    const fetched = this.showsJacobian && this.jacobian !== null; // until then the map stays, and all else in its place
    for (const part of [frame.large.element, frame.legend.element]) part.hidden = fetched;
    frame.headChoice.hidden = this.showsJacobian || this.attention.heads === 1;
    if (!this.showsJacobian) this.jacobian?.hide();
    else if (this.jacobian) this.jacobian.show(header.asked, parseFloat(frame.large.canvas.style.width));
    else this.fetchJacobian();
  }

  get showsJacobian() {
    return this.view.map === "jacobian" && this.header.asked !== null;
  }

  async fetchJacobian() {
    try {
      const { Jacobian } = await import("./jacobian.js");
      this.jacobian ??= new Jacobian(this.frame.jacobianHolder, this);
      this.guard(() => this.showMap());
    } catch (error) {
      this.fail(error);
    }
  }

  leave() {
    super.leave();
    this.jacobian?.leave();
    this.modelLayers?.leave();
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

  /** What tests read. */
  read() {
    const { query, key, head, show, direction, score, weight, share, carried, terms } = this.reading;
    const place = (token) => (token === null ? null : this.cells.place(token));
    const pair = { query: place(query), key: place(key), queryToken: query, keyToken: key };
    return { ...pair, head, show, direction, score, weight, share, carried, terms };
  }

  /** What lessons can ask for; DECLARED in pixel_viewer.py lists it. */
  declared() {
    const { reading, header, arrays, cells, buffers, chosen } = this;
    const { head, heads, score, weight, share, carried, value, terms } = reading;
    const which = best(arrays.probabilities);
    const place = (token) =>
      token === null
        ? "all"
        : cells
            .place(token)
            .map((part) => part + 1)
            .join(",");
    const { added, ofQuery } = this.worked.work(reading);
    const vector = head === MEAN || reading.key === null ? [] : this.worked.valueOf(head, reading.key);
    return {
      answer: header.classes[which],
      probability: arrays.probabilities[which],
      logit: header.logit,
      query: place(reading.query),
      key: place(reading.key),
      head: head === MEAN ? "mean" : head + 1,
      query_number: terms.length === 1 ? terms[0].query : undefined,
      key_number: terms.length === 1 ? terms[0].key : undefined,
      value_number: vector.length === 1 ? vector[0] : undefined,
      ...{ heads, tokens: this.attention.tokens, score, weight, share, value, carried, added, added_by_all: ofQuery },
      half: half(buffers.maps, chosen * this.attention.tokens, this.attention.tokens).count,
    };
  }

  /** One map in full precision. @param {number|"mean"} head @returns {Float64Array} a value for each token */
  readMap(head) {
    const { heads, tokens } = this.attention;
    const start = (head === MEAN ? heads : head) * tokens;
    return this.buffers.maps.slice(start, start + tokens);
  }
}

export default mountable(Viewer);
