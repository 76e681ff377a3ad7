// The board of layers for a model that attnviz has never seen. Each layer is fetched when it is chosen, and its
// neighbours ahead. Layers on other grids, as in a pyramid, have their own boards. Python's side is
// attnviz/ui/components/captured_board.py.

import { mountable } from "../core/part.js";
import { around } from "../core/epoch.js";
import { headerOf, unpack } from "../core/payload.js";
import { LayerBoard } from "../layer_board/layer_board.js";
import { fillLayers, isFilled, layerOf, layersOf } from "../layer_board/layers.js";
import { spread } from "../pixel_viewer/derive.js";
import { Layers } from "../pixel_viewer/layers.js";

const AHEAD = 32 << 20; // maximum number of bytes of layers that are fetched ahead
const KEPT = 1 << 25; // maximum number of decoded values that are kept
const FRAME = 4e6; // maximum number of products of queries and keys per frame

/** @typedef {{path: string, heads: number, rows: number, columns: number, prefix: number, refused: string}} Path */
/** @typedef {{arrays: Record<string, any>, shapes: Record<string, number[]>, over: any, bytes: Uint8Array}} Known */

const ALIKE = /** @type {const} */ (["heads", "rows", "columns", "prefix"]);

/** Fetches the layers of the board, the nearest first. */
class BoardLayers extends Layers {
  /** @param {CapturedBoard} board */
  constructor(board) {
    super(board);
    this.board = board;
  }

  follow() {
    super.follow();
    for (const path of this.board.group) {
      const bytes = this.views.found.get(this.name(path));
      if (bytes) this.board.guard(() => this.board.arrive(path, bytes));
    }
  }

  ahead() {
    const { group, number } = this.board;
    if (this.views.size < AHEAD) super.ahead(around(group.length, number).map((at) => group[at]));
  }
}

export class CapturedBoard extends LayerBoard {
  /** @type {string[]} the paths of the board's layers */ group = [];
  /** @type {Map<string, Known>} the layers that have arrived, by path */ known = new Map();
  number = 0; // index of the large layer
  of = ""; // the model and the picture of `known`
  /** @type {import("../maps/tiles.js").TileWall|null} the wall whose dots are shown */ walled = null;
  /** @type {(Uint8Array|undefined)[]} the layers whose dots are shown */ overOf = [];

  constructor(parent) {
    super(parent);
    this.root.classList.add("captured");
    this.root.dataset.component = "captured_board";
    this.layerChoice.previousSibling?.remove(); // the layers have names and are chosen in the controls
    this.layerChoice.remove();
  }

  unpacked(bytes, added) {
    const header = { ...headerOf(bytes).header, ...added };
    const of = JSON.stringify([header.origin.digest, header.origin.image]);
    if (of !== this.of) this.known.clear();
    this.of = of;
    const path = header.request.parameters.layer;
    const kept = this.known.get(path);
    const { arrays, shapes } = kept && kept.bytes === bytes ? kept : spread(unpack(bytes));
    this.keep(path, { arrays, shapes, over: header.over, bytes });
    const own = header.paths.find((/** @type {Path} */ one) => one.path === path);
    this.group = header.paths
      .filter((/** @type {Path} */ one) => !one.refused && ALIKE.every((name) => one[name] === own[name]))
      .map((/** @type {Path} */ one) => one.path);
    this.number = this.group.indexOf(path);
    return { header: { asked: null, ...header, layers: this.group.length }, arrays, shapes };
  }

  /** Keep a layer; forget the oldest ones if there are too many. @param {string} path @param {Known} layer */
  keep(path, layer) {
    this.known.delete(path);
    this.known.set(path, layer);
    const size = ({ arrays }) => Object.values(arrays).reduce((sum, one) => sum + one.length, 0);
    let total = [...this.known.values()].reduce((sum, one) => sum + size(one), 0);
    for (const [oldest, one] of this.known) {
      if (total <= KEPT || oldest === path) break;
      this.known.delete(oldest);
      total -= size(one);
    }
  }

  fetchLayers() {
    this.modelLayers = new BoardLayers(this);
    this.guard(() => this.modelLayers?.take(this.sent));
  }

  takeAttention() {
    Object.assign(
      this,
      layersOf(
        this.group.map((path) => this.known.get(path) ?? null),
        this,
      ),
    );
    this.use(this.number);
  }

  takeOver() {
    const { heads } = this.attention;
    const known = this.group.map((path) => this.known.get(path)?.bytes);
    if (this.wall === this.walled && known.every((bytes, layer) => bytes === this.overOf[layer])) return;
    [this.walled, this.overOf] = [this.wall, known];
    const none = Array(heads).fill(NaN);
    const all = (name) =>
      Float64Array.from(
        this.group.flatMap((path) => this.known.get(path)?.over[name] ?? none),
        (one) => one ?? NaN,
      );
    const arrays = Object.fromEntries(["distance", "entropy", "nowhere"].map((name) => [name, all(name)]));
    const found = this.group.map((path) => this.known.get(path)?.over.answer ?? null);
    const answers = found.some((one) => one) ? found : [];
    this.over.take(
      { ...this.header, even: this.header.over.even, names: this.header.names ?? [] },
      arrays,
      heads,
      answers,
    );
    this.layers.forEach(({ attention }, layer) => {
      for (let tile = layer * (heads + 1); tile < (layer + 1) * (heads + 1); tile++)
        this.wall?.frames[tile].classList.toggle("absent", !attention);
    });
  }

  /** Take a layer that was fetched ahead. @param {string} path @param {Uint8Array} bytes */
  arrive(path, bytes) {
    const number = this.group.indexOf(path);
    if (this.known.has(path) || number < 0) return;
    const { header, arrays, shapes } = spread(unpack(bytes));
    this.keep(path, { arrays, shapes, over: header.over, bytes });
    this.layers[number] = layerOf({ arrays, shapes }, this.layers[number].buffers);
    this.takeOver();
    this.layout(true);
  }

  get form() {
    return [...super.form, this.of, this.group];
  }

  place() {
    // Not one of the fields: the URL contains the path of the layer.
    Object.defineProperty(this.view, "layer", { value: this.number, writable: true, configurable: true });
    super.place();
  }

  choose(name, value) {
    if (name !== "layer") super.choose(name, value);
    else if (value !== this.number) super.choose("address", this.group[value]);
    else this.changed();
  }

  fill() {
    const { heads, tokens, size } = this.attention;
    const rest = this.layers.flatMap((one, layer) =>
      one.attention && layer !== this.number && !isFilled(one, this) ? [layer] : [],
    );
    cancelAnimationFrame(this.later ?? 0);
    if ((rest.length + 1) * heads * tokens * Math.max(1, size) <= FRAME) return fillLayers(this);
    const now = this.layers.map((_, layer) => !rest.includes(layer));
    const next = () => {
      const one = rest.shift();
      if (one === undefined || this.left) return;
      fillLayers(this, (layer) => layer === one);
      this.painter.maps(this);
      this.later = requestAnimationFrame(next);
    };
    this.later = requestAnimationFrame(next);
    return fillLayers(this, (layer) => now[layer]);
  }

  /** The files contain only the chosen layer: others may not have arrived. */
  async files() {
    const { files } = await import("../pixel_viewer/export.js");
    return files(
      Object.create(this, {
        tiles: { value: this.buffers },
        columns: { value: this.names.map(({ name }) => (name === "mean" ? "mean of heads" : `head ${name}`)) },
        captions: { value: null },
      }),
    );
  }
}

export default mountable(CapturedBoard);
