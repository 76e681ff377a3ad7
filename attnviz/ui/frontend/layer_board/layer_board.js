// All heads of all layers at once, on one picture: the pixel viewer for one layer, next to a board of small maps of all
// layers that follow the pointer. Python's side is attnviz/ui/components/layer_board.py.

import { MEAN } from "../maps/attention.js";
import { element } from "../core/dom.js";
import { best } from "../core/numbers.js";
import { mountable } from "../core/part.js";
import { HINTS } from "../hands/hints.js";
import { unpack } from "../core/payload.js";
import { TileWall } from "../maps/tiles.js";
import { Viewer } from "../pixel_viewer/pixel_viewer.js";
import { RULES as OF_VIEWER } from "../pixel_viewer/view.js";
import { fillLayers, layersOf, partsOf } from "./layers.js";
import { OverLayers } from "./over_layers.js";

const BESIDE = 480; // width of the changes from layer to layer next to the maps, pixels

/** Which values of a view exist. @type {import("../core/url_fields.js").Rules} */
const RULES = {
  exists: (field, value, facts, asked) =>
    field.name === "layer" ? value >= 0 && value < facts.layers : OF_VIEWER.exists(field, value, facts, asked),
  there: (field, facts) => (field.name === "layer" ? `1 to ${facts.layers}` : OF_VIEWER.there(field, facts)),
};

export class LayerBoard extends Viewer {
  // Everything below arrives with the first data
  /** @type {ReturnType<typeof partsOf>} */ parts;
  /** @type {ReturnType<typeof layersOf>["layers"]} */ layers;
  /** @type {ReturnType<typeof layersOf>["all"]} the maps of all heads of all layers */ all;

  constructor(parent) {
    super(parent);
    this.url.rules = RULES;
    const { frame } = this;
    this.root.classList.add("layer-board");
    this.root.dataset.component = "layer_board";
    Object.assign(this.root, { readMap: (head, layer) => this.readMap(head, layer) }); // for tests
    this.layerChoice = element("select", {
      "aria-label": "Layer",
      onchange: () => this.guard(() => this.choose("layer", Number(this.layerChoice.value))),
    });
    frame.headTerm.before("Layer", this.layerChoice);
    this.over = new OverLayers();
    this.board = element("div.board-and-layers");
    frame.wallHolder.replaceWith(this.board);
    this.board.append(frame.wallHolder, this.over.element);
  }

  unpacked(bytes, added) {
    const payload = unpack(bytes, added);
    this.parts = partsOf(payload);
    const header = { asked: null, boxes: null, ...payload.header }; // neither is offered here
    return { header, ...this.parts[0] };
  }

  takeData() {
    super.takeData();
    this.takeOver();
  }

  build() {
    super.build();
    const options = this.layers.map((_, layer) => new Option(String(layer + 1), String(layer)));
    this.layerChoice.replaceChildren(...options);
  }

  /** Take the changes from layer to layer. */
  takeOver() {
    const { classes, layers } = this.header;
    /** @type {[string, number][]} */
    const answers = Array.from({ length: layers }, (_, layer) => {
      const own = this.arrays.answers.subarray(layer * classes.length, (layer + 1) * classes.length);
      return [classes[best(own)], own[best(own)]];
    });
    this.over.take(this.header, this.arrays, this.attention.heads, answers);
  }

  takeAttention() {
    Object.assign(this, layersOf(this.parts));
    this.use(Math.min(this.view?.layer ?? 0, this.layers.length - 1));
  }

  /** Use a layer for the large head and the worked pair. @param {number} layer */
  use(layer) {
    Object.assign(this, this.layers[layer]);
    this.qkvMaps.painted = null;
  }

  place() {
    this.use(this.view.layer);
    super.place();
  }

  get facts() {
    return { ...super.facts, layers: this.layers.length };
  }

  get form() {
    return [...super.form, this.layers.length];
  }

  makeWall() {
    const { heads } = this.attention;
    const numbers = Array.from({ length: heads }, (_, head) => String(head + 1));
    const tiles = this.layers.flatMap((_, layer) => [
      ...numbers.map((name) => ({ name, spoken: `Layer ${layer + 1}, head ${name}` })),
      { name: "mean", spoken: `Layer ${layer + 1}, mean of the heads` },
    ]);
    return new TileWall({
      label: `All ${heads} heads of all ${this.layers.length} layers, and the mean of each layer`,
      tiles,
      ...this.ofWall,
      table: {
        columns: heads + 1,
        rows: this.layers.map((_, layer) => `Layer ${layer + 1}`),
        heads: [...numbers.map((name) => (heads > 6 ? name : `head ${name}`)), "mean"],
      },
      choose: (tile) => this.guard(() => this.chooseTile(tile)),
    });
  }

  get tiles() {
    return this.all;
  }

  get columns() {
    return this.layers.flatMap((_, layer) => super.columns.map((name) => `layer ${layer + 1}, ${name}`));
  }

  get captions() {
    return this.layers.flatMap((_, layer) => this.names.map(({ name }) => `${layer + 1}: ${name}`));
  }

  get chosenTile() {
    return this.view.layer * (this.attention.heads + 1) + this.chosen;
  }

  get wallTitle() {
    return `All heads of all ${this.layers.length} layers`;
  }

  get lockHint() {
    return HINTS.lockBriefly; // the picture is narrower than in the viewer of one layer
  }

  // Actions of the visitor

  choose(name, value) {
    if (name !== "layer") return super.choose(name, value);
    this.view.layer = value;
    this.use(value);
    if (!this.view[this.otherName]) this.other = -1;
    this.changed();
  }

  chooseTile(tile) {
    const count = this.attention.heads + 1;
    const head = tile % count;
    this.view.head = head < count - 1 ? head : MEAN;
    this.choose("layer", Math.floor(tile / count));
  }

  // Drawing

  fill() {
    return fillLayers(this);
  }

  layout(force = false) {
    const width = Math.floor(this.root.clientWidth);
    super.layout(force);
    if (!width || !this.view || !this.wall) return;
    const maps = parseFloat(this.wall.canvas.style.width);
    this.over.layout(this.wall, width - maps >= BESIDE);
    this.board.classList.toggle("beside", width - maps >= BESIDE);
  }

  sayAll() {
    super.sayAll();
    const { view, attention } = this;
    if (this.layerChoice.value !== String(view.layer)) this.layerChoice.value = String(view.layer);
    this.over.mark(view.layer, view.head === MEAN ? attention.heads : view.head);
  }

  read() {
    return { ...super.read(), layer: this.view.layer, layers: this.layers.length };
  }

  declared() {
    return { ...super.declared(), layer: this.view.layer + 1, layers: this.layers.length };
  }

  /** One map in full precision. @param {number|"mean"} head @returns {Float64Array} one value per token */
  readMap(head, layer = this.view.layer) {
    const { heads, tokens } = this.attention;
    const start = (layer * (heads + 1) + (head === MEAN ? heads : head)) * tokens;
    return this.all.maps.slice(start, start + tokens);
  }
}

export default mountable(LayerBoard);
