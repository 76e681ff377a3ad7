// The feature maps of convolutions before and after ReLU and pooling: a channel of each convolution in a table, and below
// it all channels of one stage. Python's side is attnviz/ui/components/stage_maps.py.

import { MapGrid } from "../map_grid/map_grid.js";
import { Boxes } from "../maps/boxes.js";
import { makeScale, packed, toIndices } from "../core/colours.js";
import { element, grown, say, set, text } from "../core/dom.js";
import { Legend } from "../maps/legend.js";
import { percent, short } from "../core/numbers.js";
import { Board, Cells, fitBoard } from "../maps/paint.js";
import { mountable, Part } from "../core/part.js";
import { StageWall } from "../maps/stage_wall.js";
import { UrlView } from "../core/url_view.js";

export const STAGES = { conv: "after conv", relu: "after ReLU", pool: "after pooling" };
const TAPS = Object.keys(STAGES);
const GAP = 24; // CSS pixels between the picture and the table
const TOUCH = matchMedia("(hover: none)").matches;
const TALL = 500; // CSS pixels of the table of maps

/** All channels of one stage, as small as their number asks for. */
class Channels extends MapGrid {
  /** @type {(channel: number) => void} */ picked = () => {};
  hint = "click a map to see that channel above";

  roomOfTile() {
    return (this.count > 100 ? 40 : this.count > 40 ? 56 : 84) * grown();
  }

  acrossOn() {
    return this.count > 40 ? 10 : 8;
  }

  choose(tile) {
    super.choose(tile);
    this.picked(tile);
  }
}

/** What of a view exists: a channel must be one of the layer that is asked for. @type {import("../core/url_fields.js").Rules} */
const RULES = {
  exists({ name }, value, layers, asked) {
    if (name === "layer") return value >= 0 && value < layers.length;
    return name !== "channel" || (value >= 0 && value < (layers[asked.layer ?? 0]?.channels ?? 0));
  },
  there: ({ name }, layers) =>
    name === "layer" ? `1 to ${layers.length}` : "1 to the number of channels of the layer",
};

/** The component. */
export class StageMaps extends Part {
  url = new UrlView({}, RULES);
  // All that comes with the first data
  /** @type {{maps: Record<string, Float64Array>, boxes: Record<string, Boxes>, channels: number, strongest: number, cut: number}[]} */ layers;
  /** @type {StageWall} */ wall;
  /** @type {Uint32Array} the picture without outlines */ still;
  /** @type {Scale[]} of each layer */ scales;

  constructor(parent) {
    super();
    this.held = ""; // which stage all channels are shown of
    this.looked = { tile: 0, token: -1 };
    this.words = { how: text(), picture: text() };
    const canvas = element("canvas", { role: "img" });
    this.picture = { canvas, board: new Board(canvas) };
    this.legend = new Legend();
    this.wallRoom = element("div");
    this.channelsRoom = element("div.channels");
    this.channels = new Channels(this.channelsRoom);
    this.channels.report = () => {};
    this.channels.picked = (channel) =>
      this.guard(() => {
        this.view.channel = channel;
        this.changed();
      });
    this.root = element(
      "div.attnviz.stage-maps",
      { "data-component": "stage_maps" },
      this.failure,
      this.url.complaint.element,
      element(
        "section.picture-part",
        {},
        element("h2", {}, "The picture"),
        element("div.board", {}, canvas),
        element("p.how", {}, this.words.picture),
        this.legend.element,
      ),
      element(
        "section.stages-part",
        {},
        element("h2", {}, "One channel of each convolution", element("small", {}, this.words.how)),
        this.wallRoom,
      ),
      this.channelsRoom,
      this.liveRegion,
    );
    Object.assign(this.root, { readStage: (layer, stage) => [...this.layers[layer].maps[stage]] }); // for tests
    parent.append(this.root);
  }

  takeData() {
    const { header, arrays, shapes } = this;
    const [rows, columns] = shapes.picture;
    this.layers = header.layers.map(({ boxes }, number) => {
      const conv = arrays[`${number}.conv`];
      const relu = conv.map((value) => Math.max(value, 0));
      const [channels, ...shape] = shapes[`${number}.conv`];
      const own = new Boxes(boxes.conv, new Cells(shape[0], shape[1]), [rows, columns]);
      const pool = arrays[`${number}.pool`] ?? relu;
      const [, high, wide] = shapes[`${number}.pool`] ?? shapes[`${number}.conv`];
      const pooled = boxes.pool ? new Boxes(boxes.pool, new Cells(high, wide), [rows, columns]) : own;
      const cut = conv.reduce((count, value) => count + (value < 0 ? 1 : 0), 0) / conv.length;
      return {
        maps: { conv, relu, pool },
        boxes: { conv: own, relu: own, pool: pooled },
        channels,
        strongest: largestMean(relu, channels),
        cut,
      };
    });
    const act = (act) => (found) => this.guard(() => act.call(this, found));
    this.wall = new StageWall({
      label: "One channel of each convolution, stage by stage",
      rows: this.layers.length,
      columns: Object.values(STAGES),
      names: this.layers.map((_, number) => `Convolution ${number + 1}`),
      cells: this.layers[0].boxes.conv.cells,
      edge: [],
      each: this.layers.flatMap(({ boxes }) => TAPS.map((tap) => boxes[tap].cells)),
      look: act(this.look),
      take: act(({ tile }) => this.choose(tile)),
      enter: (tile, taken) =>
        this.guard(() => (taken ? this.choose(tile) : this.look({ tile, token: middle(this.boxesOf(tile)) }))),
    });
    this.wallRoom.replaceChildren(this.wall.element);
    this.takeView(this.layers);
    this.looked = { tile: this.chosenTile, token: middle(this.boxesOf(this.chosenTile)) };
    this.held = ""; // the channels of another picture
  }

  // What the visitor does

  look(found) {
    if (found.tile === this.looked.tile && found.token === this.looked.token) return;
    this.looked = found;
    this.draw();
  }

  /** Show all channels of a stage. */
  choose(tile) {
    const layer = Math.floor(tile / TAPS.length);
    if (layer !== this.view.layer) this.view.channel = null;
    Object.assign(this.view, { layer, stage: TAPS[tile % TAPS.length] });
    this.changed();
  }

  get chosenTile() {
    return this.view.layer * TAPS.length + TAPS.indexOf(this.view.stage);
  }

  boxesOf(tile) {
    return this.layers[Math.floor(tile / TAPS.length)].boxes[TAPS[tile % TAPS.length]];
  }

  /** Which channel of a layer is shown. */
  channelOf(layer) {
    return layer === this.view.layer && this.view.channel !== null ? this.view.channel : this.layers[layer].strongest;
  }

  /** The values of a tile. @returns {Float64Array} */
  valuesOf(tile) {
    const layer = Math.floor(tile / TAPS.length);
    const { tokens } = this.boxesOf(tile).cells;
    const channel = this.channelOf(layer);
    return this.layers[layer].maps[TAPS[tile % TAPS.length]].subarray(channel * tokens, (channel + 1) * tokens);
  }

  /** The cell of a tile that lies where the one that is looked at lies. */
  tokenOf(tile) {
    if (tile === this.looked.tile) return this.looked.token;
    const [top, left, bottom, right] = this.boxesOf(this.looked.tile).of(this.looked.token) ?? [0, 0, 0, 0];
    const boxes = this.boxesOf(tile);
    const at = (from, to, end) => Math.min(end - 1, Math.floor((from + to) / 2));
    return boxes.tokenAt(
      at(top, bottom, boxes.pixels.rows) * boxes.pixels.columns + at(left, right, boxes.pixels.columns),
    );
  }

  // Layout and drawing

  takeColours() {
    const others = super.takeColours();
    if (others) this.held = ""; // the channels take theirs when they are drawn anew
    return others;
  }

  layout(force = false) {
    const width = this.widthToFit(force);
    if (!width || !this.view) return;
    const narrow = this.nameWidth(width, 520, 900) === "narrow";
    const side = fitBoard(
      this.picture,
      this.layers[0].boxes.conv.pixels,
      narrow ? width * 0.5 : Math.min(260 * grown(), width / 4),
    );
    this.root.style.setProperty("--side", `${side}px`);
    this.wall.layout(narrow ? width : width - side - GAP, TALL * grown(), narrow);
    this.wall.board.clear(packed(this.theme.background));
    this.picture.board.paintPicture(
      0,
      this.arrays.picture,
      this.shapes.picture,
      this.header.ink ? this.palettes.ink : null,
    );
    this.still = this.picture.board.pixels.slice();
    this.legend.layout();
    this.draw();
  }

  draw() {
    const { wall, theme, palettes, layers, looked } = this;
    const halo = packed(theme.background);
    this.scales = layers.map((_, layer) => makeScale("signed", largest(this.valuesOf(layer * TAPS.length))));
    for (let tile = 0; tile < layers.length * TAPS.length; tile++) {
      const values = this.valuesOf(tile);
      const indices = new Uint16Array(values.length);
      toIndices(values, 0, values.length, this.scales[Math.floor(tile / TAPS.length)], indices);
      wall.board.paint(tile, indices, 0, palettes.signed, packed(theme.text), packed(theme.edge));
      wall.board.outline(tile, this.tokenOf(tile), packed(theme.text), { halo, strong: tile === looked.tile });
    }
    wall.board.flush();
    this.picture.board.pixels.set(this.still);
    const box = this.boxesOf(looked.tile).of(looked.token);
    if (box) this.picture.board.outlineBox(0, box, packed(theme.text), { halo, strong: true });
    this.picture.board.flush();
    this.holdChannels();
    this.saySoon();
  }

  /** What tests read. */
  read() {
    const { view, layers, looked } = this;
    const tiles = Array.from({ length: layers.length * TAPS.length }, (_, tile) => tile);
    return {
      ...view,
      channels: layers.map((_, layer) => this.channelOf(layer)),
      ...looked,
      box: this.boxesOf(looked.tile).of(looked.token),
      values: tiles.map((tile) => this.valuesOf(tile)[this.tokenOf(tile)]),
    };
  }

  /** Hand the chosen stage to the grid of all channels, if it is another one. */
  holdChannels() {
    const {
      view: { layer, stage },
      channels,
      header,
    } = this;
    const { cells } = this.layers[layer].boxes[stage];
    const key = `${layer} ${stage}`;
    const before = this.held;
    if (key !== before) {
      this.held = key;
      const count = this.layers[layer].channels;
      const labels = Array.from({ length: count }, (_, channel) => `channel ${channel + 1}`);
      channels.chosen = null;
      channels.hold(`${key} ${JSON.stringify(header.origin)}`, {
        header: {
          labels,
          captions: labels.map((_, channel) => String(channel + 1)),
          role: "signed",
          scale: "all",
          fixed: false,
          bounds: null,
          tokens: cells.tokens,
          chosen: null,
          title: `All ${count} channels of convolution ${layer + 1}, ${STAGES[stage]}`,
          note: null,
          origin: { ...header.origin, address: `${header.layers[layer].path}.after_${stage}` },
        },
        arrays: { maps: this.layers[layer].maps[stage] },
        shapes: { maps: [count, cells.rows, cells.columns] },
      });
    }
    const chosen = this.channelOf(layer);
    if (key === before && channels.chosen === chosen) return; // the pointer has moved, nothing else
    channels.chosen = chosen;
    if (key === before) channels.draw();
    else channels.refresh();
  }

  sayAll() {
    const { wall, looked, layers, words } = this;
    const layer = Math.floor(looked.tile / TAPS.length);
    say(
      words.how,
      TOUCH
        ? "tap a map to read it, again to see all its channels below"
        : "move over a map to read it; click one to see all its channels below",
    );
    layers.forEach(({ channels, cut }, row) =>
      wall.sayLayer(row, `channel ${this.channelOf(row) + 1} of ${channels} \u00b7 ReLU sets ${percent(cut)} to 0`),
    );
    for (let tile = 0; tile < layers.length * TAPS.length; tile++) {
      const same = tile % TAPS.length === TAPS.length - 1 && this.boxesOf(tile) === this.boxesOf(tile - 1);
      wall.sayRange(tile, same ? "not pooled" : short(this.valuesOf(tile)[this.tokenOf(tile)], 3));
    }
    wall.mark(this.chosenTile);
    const box = this.boxesOf(looked.tile).of(looked.token);
    const [top, left, bottom, right] = box ?? [0, 0, 0, 0];
    say(
      words.picture,
      box
        ? `The value under the pointer is computed from the ${bottom - top} \u00d7 ${right - left} pixels inside the frame.`
        : "",
    );
    this.legend.colour(this.palettes.signed);
    this.legend.say(this.scales[layer], `convolution ${layer + 1}: one scale for its stages`);
    this.legend.point(this.valuesOf(looked.tile)[looked.token], this.scales[layer]);
    this.whenResting(() => this.sayAtRest());
  }

  sayAtRest() {
    const { layers, wall, looked } = this;
    for (let tile = 0; tile < layers.length * TAPS.length; tile++) wall.name(tile, this.inWords(tile));
    set(this.picture.canvas, "aria-label", `The picture. ${this.inWords(looked.tile)}`);
    this.announceDone(() => this.inWords(this.chosenTile));
  }

  inWords(tile) {
    const layer = Math.floor(tile / TAPS.length);
    const { columns } = this.boxesOf(tile).cells;
    const token = this.tokenOf(tile);
    return (
      `Convolution ${layer + 1}, channel ${this.channelOf(layer) + 1}, ${STAGES[TAPS[tile % TAPS.length]]}: ` +
      `${short(this.valuesOf(tile)[token])} at row ${Math.floor(token / columns) + 1}, column ${(token % columns) + 1}.`
    );
  }

  leave() {
    super.leave();
    this.channels.leave();
  }
}

/** The cell in the middle. @param {Boxes} boxes */
function middle({ cells }) {
  return Math.floor(cells.rows / 2) * cells.columns + Math.floor(cells.columns / 2);
}

/** The largest absolute value. @param {Float64Array} values */
function largest(values) {
  return values.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
}

/** The channel with the largest mean. @param {Float64Array} maps @param {number} channels */
export function largestMean(maps, channels) {
  const size = maps.length / channels;
  const sums = Array.from({ length: channels }, (_, channel) =>
    maps.subarray(channel * size, (channel + 1) * size).reduce((sum, value) => sum + value, 0),
  );
  return sums.indexOf(Math.max(...sums));
}

export default mountable(StageMaps);
