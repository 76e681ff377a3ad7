// Element-wise attention: every stage of every layer, and the steps of one pixel. Python's side is attnviz/ui/components/stage_grid.py;
// the stages are computed in stages.js, so nothing that follows a pointer or a switch waits for the server.

import { packed, TOP } from "../core/colours.js";
import { grown } from "../core/dom.js";
import { UrlView } from "../core/url_view.js";
import { Cells, fitBoard, inkEdge } from "../maps/paint.js";
import { mountable } from "../core/part.js";
import { PixelPart } from "../hands/pixel_part.js";
import { StageWall } from "../maps/stage_wall.js";
import { TileWall } from "../maps/tiles.js";
import { cutShare, gain, netStages, PER_HEAD, Placement, way } from "./stages.js";
import { LiveAnswer } from "./live_answer.js";
import { makeFrame } from "./frame.js";
import { brightest, layerOf } from "./maps.js";
import { paintInside, paintStages } from "./painting.js";
import { CHANNELS, isSwitched, RULES } from "./view.js";
import { INSIDE, sayAll, STAGE_NAMES } from "./words.js";
import { STEPS } from "./way.js";

const TAPS = Object.fromEntries(STEPS.map(([tap, name]) => [tap, name]));

/** The component. */
export class StageGrid extends PixelPart {
  url = new UrlView({ closes: true }, RULES);
  // All that comes with the first data
  /** @type {import("./stages.js").Layer[]} */ layers;
  /** @type {Placement} */ placement;
  /** @type {Cells} of the picture, as all maps show it */ cells;
  /** @type {InkEdge} */ edge;
  /** @type {string[]} the taps that stand beside one another */ columns;
  /** @type {boolean} */ coloured;
  /** @type {StageWall} */ wall;
  /** @type {TileWall} */ inside;
  /** @type {Record<string, Float64Array>[]} of each layer */ stages;
  /** @type {number[]} of each layer */ cut;
  /** @type {number[]} of each layer */ gain;
  /** @type {boolean} whether the maps of all stages are painted */ prepared;
  /** @type {ReturnType<typeof way>} the steps of the pixel */ found;

  constructor(parent) {
    super();
    this.at = [0, 0]; // the pixel that is looked at
    this.tile = 0;
    /** @type {{number: number, stages: Record<string, Float64Array>[]}|null} the stages of another picture, by its number */
    this.other = null;
    // What painting.js leaves for the outlines and the words
    /** @type {{raw: Float64Array[], drawn: Float64Array[], kind: "excess"|"signed", extent: any, own: any, scale?: any}[]} */
    this.tiles = [];
    /** @type {Uint32Array[]} */
    this.stills = [];
    /** @type {Uint32Array|null} */
    this.insideStill = null;
    /** @type {Float64Array[]} */
    this.insideMaps = [];
    this.preparedInside = "";
    this.frame = makeFrame(this);
    this.root = this.frame.root;
    this.answer = new LiveAnswer(this);
    Object.assign(this.root, { readStage: (layer, name) => this.stages[layer][name] }); // for tests
    this.root.addEventListener("keydown", (event) => this.guard(() => this.key(event)));
    parent.append(this.root);
  }

  // What Python sends

  takeData() {
    const { header, arrays } = this;
    this.layers = header.layers.map((one, number) => layerOf(one, (name) => arrays[`${number}.${name}`] ?? null));
    this.placement = new Placement(this.layers[0], header.block);
    const { rows, columns, planes } = this.placement;
    this.cells = new Cells(rows, columns);
    this.edge = header.ink ? inkEdge(this.placement.plane(arrays.input, 0), rows, columns) : [];
    this.columns = header.columns;
    this.other = null; // of these layers none is computed yet
    this.coloured = planes === 3;
    const shape = [this.layers.length, header.columns.join(), rows, columns, this.coloured, header.ink].join(" ");
    if (shape !== this.shape || header.ink) this.build();
    this.shape = shape;
    this.takeAsked();
    this.answer.take();
  }

  /** Make the tables of maps anew: their number or their shape has changed. */
  build() {
    const { cells, edge, frame, layers } = this;
    const hand = (act) => (found) => this.guard(() => act.call(this, found));
    this.wall = new StageWall({
      label: "Every stage of every layer",
      rows: layers.length,
      columns: this.columns.map((tap) => TAPS[tap]),
      cells,
      edge,
      look: hand(({ tile, token }) => this.look(this.cells.place(token), tile)),
      take: hand(({ tile, token }) => this.take(this.cells.place(token), tile)),
      enter: (tile, taken) => this.guard(() => (taken ? this.take(this.at, tile) : this.look(this.at, tile, true))),
    });
    this.inside = new TileWall({
      label: "Inside one head",
      cells,
      edges: INSIDE.map(() => edge),
      ranges: true,
      tiles: INSIDE.map((tap) => ({ name: STAGE_NAMES[tap], spoken: STAGE_NAMES[tap] })),
      look: hand(({ token }) => this.look(this.cells.place(token), this.tile)),
      take: hand(({ token }) => this.take(this.cells.place(token), this.tile)),
    });
    frame.wallRoom.replaceChildren(this.wall.element);
    frame.insideRoom.replaceChildren(this.inside.element);
    this.size = undefined;
  }

  takeAsked() {
    const { layers, cells } = this;
    const facts = { layers: layers.length, heads: layers[0].heads, rows: cells.rows, columns: cells.columns };
    const first = this.view === null;
    this.takeView(facts, () => this.fitView(first));
  }

  /** @param {boolean} first whether nothing was shown before */
  fitView(first) {
    const { layers, cells } = this;
    if (!this.coloured) this.view.channel = "colour";
    if (!layers.some((layer) => layer.norm)) this.view.eps = null;
    if (!layers.some((layer) => layer.skip)) this.view.skip = true;
    this.at =
      this.view.pixel ??
      (first || !this.fits(this.at) ? brightest(this.placement.plane(this.arrays.input, 0), cells) : this.at);
    this.tile = Math.min(this.tile, layers.length * this.columns.length - 1);
    if (Math.floor(this.tile / this.columns.length) !== this.view.layer)
      this.tile = this.view.layer * this.columns.length;
    this.frame.fill(this);
    this.compute();
  }

  /** @param {number[]} pixel */
  fits([row, column]) {
    return row < this.cells.rows && column < this.cells.columns;
  }

  // Computing: when the data or a switch have changed

  /** What is switched, as `netStages` takes it. */
  get switches() {
    const { view, layers, arrays, header } = this;
    const { eps, skip, off } = view;
    if (view.relevance === "learnt") return { eps, skip, off };
    const given = { one: 1, zero: 0 }[view.relevance];
    if (given !== undefined)
      return { eps, skip, off, relevance: layers.map((layer) => new Float64Array(layer.xWeights.length).fill(given)) };
    if (view.relevance === "mean")
      return { eps, skip, off, relevance: layers.map((_, number) => arrays[`${number}.mean`]) };
    const { number } = header.other;
    const other =
      this.other && this.other.number === number ? this.other : { number, stages: netStages(layers, arrays.other) };
    this.other = other;
    return { eps, skip, off, relevance: other.stages.map((stages) => stages.normed_relevance) };
  }

  compute() {
    this.stages = netStages(this.layers, this.arrays.input, this.switches);
    this.cut = this.stages.map(cutShare);
    this.gain = this.stages.map(gain);
    this.prepared = false;
  }

  // What the visitor does

  /** The pointer is over a pixel of a map, or of the picture (the tile stays). */
  look(place, tile = this.tile, byKey = false) {
    const { view } = this;
    const moved = !view.pixel && (place[0] !== this.at[0] || place[1] !== this.at[1]);
    if (!moved && tile === this.tile) return;
    if (moved) this.at = place;
    if (tile !== this.tile) this.turnTo(tile);
    if (byKey) this.toAnnounce = true;
    this.draw();
  }

  turnTo(tile) {
    this.tile = tile;
    const layer = Math.floor(tile / this.columns.length);
    if (layer === this.view.layer) return;
    this.view.layer = layer;
    this.frame.sayControls(this);
    if (this.view.pixel) this.settle();
  }

  /** A pixel is clicked: lock it, or let it go where it is the one that is locked. */
  take(place, tile = this.tile) {
    const { view } = this;
    const same = view.pixel && view.pixel[0] === place[0] && view.pixel[1] === place[1] && tile === this.tile;
    this.at = place;
    this.turnTo(tile);
    view.pixel = same ? null : place;
    this.changed();
  }

  release() {
    if (!this.view.pixel) return false;
    this.view.pixel = null;
    this.changed();
    return true;
  }

  /** A control was used. */
  choose(name, value) {
    this.view[name] = value;
    if (["off", "eps", "skip", "relevance"].includes(name)) {
      this.answer.ask(); // first: the server computes meanwhile
      this.compute();
    }
    if (name === "layer") this.tile = value * this.columns.length + (this.tile % this.columns.length);
    this.prepared = false;
    this.frame.sayControls(this);
    this.changed();
  }

  switchHead(layer, head) {
    const { off } = this.view;
    const rest = off.filter(([of, which]) => of !== layer || which !== head);
    this.choose(
      "off",
      rest.length < off.length ? rest : [...off, [layer, head]].sort((one, two) => one[0] - two[0] || one[1] - two[1]),
    );
  }

  /** Everything as it was trained. */
  restore() {
    Object.assign(this.view, { off: [], eps: null, skip: true });
    this.choose("relevance", "learnt");
  }

  /** On the picture, or with Shift on the stages, whose tiles the arrows alone choose. @param {KeyboardEvent} event */
  cursorOf(event) {
    const path = event.composedPath();
    const onPicture = path.includes(this.frame.picture.element);
    if (!onPicture && !(event.shiftKey && path.includes(this.wall.element))) return null;
    const {
      at: [row, column],
      cells: { rows, columns },
    } = this;
    return {
      row,
      column,
      rows,
      columns,
      move: (to) => this.step(to),
      take: onPicture ? () => this.take(this.at) : null,
    };
  }

  /** The keyboard moves the pixel, also where it is locked. @param {number[]} place */
  step(place) {
    this.at = place;
    if (this.view.pixel) {
      this.view.pixel = place;
      this.settle();
    }
    this.draw();
  }

  // Layout: never while the pointer moves

  layout(force = false) {
    const { root, frame } = this;
    const width = this.widthToFit(force);
    if (!width || !this.view) return;
    const kind = this.nameWidth(width, 520, 960);
    const side = fitBoard(
      frame.picture,
      this.cells,
      kind === "narrow"
        ? Math.min(136, width * 0.4)
        : kind === "middle"
          ? 132
          : Math.min(300, Math.max(168, width * 0.145)),
    );
    root.style.setProperty("--side", `${side}px`);
    const type = grown();
    const wayWidth = Math.min(480 * type, Math.max(340 * type, width * 0.3));
    root.style.setProperty("--way", `${wayWidth}px`);
    const beside =
      kind === "narrow" ? width : kind === "middle" ? width - side - 24 : width - side - wayWidth - 2 * 24 - 24;
    this.wall.layout(
      Math.floor(beside),
      kind === "narrow" ? Infinity : Math.max(220, innerHeight - type * (this.layers.length > 2 ? 285 : 330)),
      kind === "narrow",
    );
    this.inside.across = kind === "narrow" ? 3 : 6;
    this.inside.room = kind === "narrow" ? (width - 2 * 5) / 3 : Math.max(84, Math.min(260, (width - 5 * 8) / 6));
    this.inside.layout(width, kind === "narrow");
    frame.legend.layout();
    this.prepared = false;
    this.draw();
  }

  // Drawing: `draw` runs at every move of the pointer; what is behind the outlines is painted when it has changed

  /** The plane whose numbers are spelled out: of a colour picture shown in colour, the red one. */
  get plane() {
    return Math.max(0, CHANNELS.indexOf(this.view.channel));
  }

  /** The head whose numbers are spelled out: where the mean is shown, the one that says most about this pixel. */
  get head() {
    if (this.view.head !== "mean") return this.view.head;
    const { layer, place } = this.looked();
    const { attended } = this.stages[this.view.layer];
    const one = layer.channels * layer.rows * layer.columns;
    const here = (place.channel * layer.rows + place.row) * layer.columns + place.column;
    let most = 0;
    for (let head = 1; head < layer.heads; head++)
      if (Math.abs(attended[head * one + here]) > Math.abs(attended[most * one + here])) most = head;
    return most;
  }

  looked() {
    return { layer: this.layers[this.view.layer], place: this.placement.of(this.plane, ...this.at) };
  }

  /** One map of a stage: one plane, as the picture has it. */
  map(layer, tap, plane = this.plane, head = this.view.head) {
    const { heads, channels, rows, columns } = this.layers[layer];
    const values =
      tap === "x_weights"
        ? this.layers[layer].xWeights
        : tap === "y_weights"
          ? this.layers[layer].yWeights
          : this.stages[layer][tap];
    const one = channels * rows * columns;
    if (!PER_HEAD.includes(tap) && !tap.endsWith("_weights")) return this.placement.plane(values, plane);
    if (head !== "mean") return this.placement.plane(values, plane, head * one);
    const mean = new Float64Array(one);
    for (let i = 0; i < heads * one; i++) mean[i % one] += values[i] / heads;
    return this.placement.plane(mean, plane);
  }

  draw() {
    const { view, wall, inside, cells, frame, theme } = this;
    paintStages(this);
    if (this.header.inside) paintInside(this);
    const token = cells.at(this.at);
    const how = { halo: packed(theme.background), strong: view.pixel !== null };
    const shown = [
      [wall.board, this.stills[0]],
      [frame.picture.board, this.stills[1]],
    ];
    if (this.header.inside) shown.push([inside.board, this.insideStill]);
    shown.forEach(([board, still]) => {
      board.pixels.set(still);
      board.tiles.forEach((_, tile) => board.outline(tile, token, packed(theme.text), how));
      board.flush();
    });
    const { layer, place } = this.looked();
    const off = view.off.filter(([of]) => of === view.layer).map(([, head]) => head);
    const { eps, skip, relevance } = this.switchesNow;
    this.found = way(layer, this.stages[view.layer], place, this.head, { eps, skip, off, relevance });
    this.root.dataset.reading = JSON.stringify({
      pixel: this.at,
      locked: view.pixel !== null,
      layer: view.layer,
      head: this.head,
      place,
      way: this.found,
      cut: this.cut,
      gain: this.gain,
      switched: isSwitched(view),
      ranges: this.tiles.map(({ extent: { low, high } }) => [low, high]),
    });
    this.saySoon();
  }

  /** The switches as the layer that is looked at has them, without computing another picture's relevance again. */
  get switchesNow() {
    const { eps, skip, relevance } = this.view;
    return { eps, skip, relevance: relevance === "learnt" ? null : true };
  }

  sayAll() {
    sayAll(this);
  }

  /** The colour of a value between -1 and 1, for the panel. */
  colourOf(value) {
    const index = Math.round(((Math.max(-1, Math.min(1, value)) + 1) / 2) * TOP);
    return this.palettes.signed[index];
  }

  /** The value of a tile at the pixel that is looked at. */
  valueAt(tile, plane = 0) {
    const { raw } = this.tiles[tile];
    return raw[Math.min(plane, raw.length - 1)][this.cells.at(this.at)];
  }

  leave() {
    super.leave();
    this.answer.leave();
  }
}

export default mountable(StageGrid);
