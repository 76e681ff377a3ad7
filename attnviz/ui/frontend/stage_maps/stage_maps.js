// The feature maps of convolutions, stage by stage: a channel of each layer in a table, and below it all channels of
// one stage. Python's side is attnviz/ui/components/stage_maps.py.

import { Passing } from "../hands/passing.js";
import { MapGrid } from "../map_grid/map_grid.js";
import { packed, toIndices } from "../core/colours.js";
import { element, grown, say, set, text } from "../core/dom.js";
import { HINTS } from "../hands/hints.js";
import { Legend } from "../maps/legend.js";
import { percent, short } from "../core/numbers.js";
import { Board, fitBoard } from "../maps/paint.js";
import { mountable, Part } from "../core/part.js";
import * as derive from "./derive.js";
import { StageWall } from "../maps/stage_wall.js";
import { UrlView } from "../core/url_view.js";

const GAP = 24; // CSS pixels between the picture and the table
const TALL = 500; // CSS pixels of the table of maps

export class StageMaps extends Part {
  url = new UrlView({}, derive.RULES);
  // Everything below arrives with the first data
  /** @type {import("./derive.js").Layer[]} */ layers;
  /** @type {string[]} their names */ stages;
  /** @type {StageWall} */ wall;
  /** @type {Uint32Array} the picture without outlines */ still;
  /** @type {Scale[]} of each layer */ scales;

  constructor(parent) {
    super();
    this.held = ""; // the stage whose channels are all shown
    this.looked = { tile: 0, token: -1 };
    this.shape = ""; // the form of all maps: the selection stays while it is the same
    this.passing = new Passing(
      () => [this.looked.tile, this.looked.token, this.chosenTile, this.view.channel],
      ([tile, token]) => this.guard(() => this.look({ tile, token })),
    );
    this.words = { how: text(), picture: text() };
    const canvas = element("canvas", { role: "img", "aria-label": "The picture" });
    this.picture = { canvas, board: new Board(canvas) };
    this.legend = new Legend();
    this.wallHolder = element("div");
    this.channelsHolder = element("div.channels");
    const size = () => this.layers[this.view.layer].channels[this.view.stage];
    this.channels = new MapGrid(this.channelsHolder, {
      owner: this,
      hint: HINTS.above,
      // As small as their number requires.
      widthOfTile: () => (size() > 100 ? 40 : size() > 40 ? 56 : 84) * grown(),
      across: () => 7, // on a phone, each tile is as wide as a finger
      chose: (channel) =>
        this.guard(() => {
          this.view.channel = channel;
          this.changed();
        }),
    });
    this.mount(
      parent,
      "stage-maps",
      "stage_maps",
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
        element("h2", {}, "One channel of each row", element("small", {}, this.words.how)),
        this.wallHolder,
      ),
      this.channelsHolder,
    );
    Object.assign(this.root, { readStage: (layer, stage) => [...this.layers[layer].maps[stage]] }); // for tests
  }

  takeData() {
    const { header, arrays, shapes } = this;
    this.passing.keep();
    this.layers = derive.layersOf(header, arrays, shapes);
    this.stages = Object.keys(header.stages);
    const act = (act) => (found) => this.guard(() => act.call(this, found));
    this.wall = new StageWall({
      label: "One channel of each layer, stage by stage",
      rows: this.layers.length,
      columns: Object.values(header.stages),
      names: this.layers.map(({ title }) => title),
      cells: derive.boxesOf(this, 0).cells,
      edge: [],
      passing: this.passing,
      each: this.layers.flatMap(({ boxes }) => this.stages.map((stage) => boxes[stage].cells)),
      look: act(this.look),
      take: act(({ tile }) => this.choose(tile)),
      enter: (tile, taken) =>
        this.guard(() =>
          taken ? this.choose(tile) : this.look({ tile, token: derive.middle(derive.boxesOf(this, tile)) }),
        ),
    });
    this.wallHolder.replaceChildren(this.wall.element);
    this.takeView(this.layers);
    const shape = JSON.stringify(shapes);
    if (shape !== this.shape)
      this.looked = { tile: this.chosenTile, token: derive.middle(derive.boxesOf(this, this.chosenTile)) };
    this.shape = shape;
    this.held = ""; // the channels of another picture
  }

  // Actions of the visitor

  look(found) {
    if (found.tile === this.looked.tile && found.token === this.looked.token) return;
    this.looked = found;
    this.draw();
  }

  /** Show all channels of a stage. */
  choose(tile) {
    const [layer, stage] = derive.placeOf(this, tile);
    if (layer !== this.view.layer) this.view.channel = null;
    Object.assign(this.view, { layer, stage });
    this.changed();
  }

  get chosenTile() {
    return derive.tileOf(this);
  }

  /** The number of maps in the table. */
  get tiles() {
    return this.layers.length * this.stages.length;
  }

  // Layout and drawing

  takeColours() {
    const others = super.takeColours();
    if (others) this.held = ""; // the channels take theirs when they are redrawn
    return others;
  }

  layout(force = false) {
    const width = this.widthToFit(force);
    if (!width || !this.view) return;
    const narrow = this.nameWidth(width, 520, 900) === "narrow";
    const side = fitBoard(
      this.picture,
      derive.boxesOf(this, 0).pixels,
      narrow ? width * 0.5 : Math.min(260 * grown(), width / 4),
    );
    this.root.style.setProperty("--side", `${side}px`);
    this.wall.layout(narrow ? width : width - side - GAP, TALL * grown(), narrow);
    this.wall.board.clear(packed(this.theme.background));
    this.picture.board.paintPicture(0, this.arrays.picture, this.shapes.picture, this.inks);
    this.still = this.picture.board.pixels.slice();
    this.legend.layout();
    this.draw();
  }

  draw() {
    const { wall, theme, palettes, looked } = this;
    const halo = packed(theme.background);
    this.scales = derive.scalesOf(this);
    for (let tile = 0; tile < this.tiles; tile++) {
      const values = derive.valuesOf(this, tile);
      const indices = new Uint16Array(values.length);
      toIndices(values, 0, values.length, this.scales[derive.placeOf(this, tile)[0]], indices);
      wall.board.paint(tile, indices, 0, palettes.signed, packed(theme.text), packed(theme.edge));
      const { token, pooled } = derive.readOf(this, tile);
      if (pooled) wall.board.outlineBox(tile, pooled, packed(theme.edge), { halo });
      if (token >= 0) wall.board.outline(tile, token, packed(theme.text), { halo, strong: tile === looked.tile });
    }
    wall.board.flush();
    this.picture.board.pixels.set(this.still);
    const box = derive.boxesOf(this, looked.tile).of(looked.token);
    if (box) this.picture.board.outlineBox(0, box, packed(theme.text), { halo, strong: true });
    this.picture.board.flush();
    this.holdChannels();
    this.saySoon();
  }

  read() {
    const { view, layers, looked } = this;
    const tiles = Array.from({ length: this.tiles }, (_, tile) => tile);
    return {
      ...view,
      channels: layers.map((_, layer) => derive.channelOf(this, layer, view.stage)),
      ...looked,
      box: derive.boxesOf(this, looked.tile).of(looked.token),
      read: tiles.map((tile) => derive.readOf(this, tile)),
      values: tiles.map((tile) => derive.valueOf(this, tile)),
    };
  }

  /** Pass the chosen stage to the grid of all channels, if it has changed. */
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
      const count = this.layers[layer].channels[stage];
      const labels = Array.from({ length: count }, (_, channel) => `channel ${channel + 1}`);
      channels.mark(null);
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
          title: `All ${count} channels of ${lower(this.layers[layer].title)}, ${header.stages[stage]}`,
          note: null,
          origin: {
            ...header.origin,
            address: header.layers[layer].addresses[stage] ?? `${header.layers[layer].path}.after_${stage}`,
          },
        },
        arrays: { maps: this.layers[layer].maps[stage] },
        shapes: { maps: [count, cells.rows, cells.columns] },
      });
    }
    const chosen = derive.channelOf(this, layer, stage);
    if (key === before && channels.chosen === chosen) return; // only the pointer has moved
    channels.mark(chosen);
    if (key === before) channels.draw();
    else channels.refresh();
  }

  sayAll() {
    const { wall, looked, layers, words, header } = this;
    const [layer] = derive.placeOf(this, looked.tile);
    say(words.how, HINTS.channels);
    layers.forEach(({ channels, cut }, row) =>
      wall.sayLayer(
        row,
        `channel ${derive.channelOf(this, row, "relu") + 1} of ${channels.relu} \u00b7 ReLU sets ${percent(cut)} to 0`,
      ),
    );
    for (let tile = 0; tile < this.tiles; tile++) {
      const [row, stage] = derive.placeOf(this, tile);
      const same = stage === "pool" && !header.layers[row].boxes.pool;
      wall.sayRange(tile, same ? "not pooled" : this.rangeOf(tile));
    }
    wall.mark(this.chosenTile);
    const box = derive.boxesOf(this, looked.tile).of(looked.token);
    const [top, left, bottom, right] = box ?? [0, 0, 0, 0];
    say(
      words.picture,
      box
        ? `The value under the pointer is computed from the ${bottom - top} \u00d7 ${right - left} pixels inside ` +
            "the frame."
        : "",
    );
    this.legend.colour(this.palettes.signed);
    this.legend.say(this.scales[layer], `${lower(layers[layer].title)}: one scale for its stages`);
    this.legend.point(derive.valuesOf(this, looked.tile)[looked.token], this.scales[layer]);
    this.whenResting(() => this.sayAtRest());
  }

  /** The value below a map, and its channel if the stage lacks the chosen one. */
  rangeOf(tile) {
    const value = derive.valueOf(this, tile);
    const other = derive.otherChannelOf(this, tile);
    const where = other === null ? "" : `channel ${other + 1}: `;
    return where + (derive.readOf(this, tile).token < 0 ? "left out" : short(value, 3));
  }

  sayAtRest() {
    const { wall, looked } = this;
    const { stages } = this.header;
    for (let tile = 0; tile < this.tiles; tile++) wall.name(tile, derive.inWords(this, tile, stages));
    set(this.picture.canvas, "aria-label", `The picture. ${derive.inWords(this, looked.tile, stages)}`);
    this.announceDone(() => derive.inWords(this, this.chosenTile, stages));
  }

  leave() {
    super.leave();
    this.channels.leave();
  }
}

/** A title within a sentence. @param {string} title */
function lower(title) {
  return title[0].toLowerCase() + title.slice(1);
}

export default mountable(StageMaps);
