// Element-wise attention: every stage of every layer, and the steps of one pixel. Python's side is
// attnviz/ui/components/stage_grid.py; the stages are computed in stages.js, so following a pointer or a switch needs
// no request to the server.

import { answers } from "../core/numbers.js";
import { UrlView } from "../core/url_view.js";
import { Cells, inkEdge } from "../maps/cells.js";
import { mountable } from "../core/part.js";
import { Passing } from "../hands/passing.js";
import { PixelPart } from "../hands/pixel_part.js";
import { StageWall } from "../maps/stage_wall.js";
import { TileWall } from "../maps/tiles.js";
import * as derive from "./derive.js";
import { LiveAnswer } from "./live_answer.js";
import { makeFrame } from "./frame.js";
import { fitTo } from "./layout.js";
import { Painter } from "./paint.js";
import { netStages, Placement } from "./stages.js";
import { fieldsHere, isSwitched, RULES } from "./view.js";
import { sayAll, STAGE_NAMES } from "./words.js";
import { STEPS } from "./pixel_steps.js";

const TAPS = Object.fromEntries(STEPS.map(([tap, name]) => [tap, name]));

export class StageGrid extends PixelPart {
  exporting = () => import("./export.js");
  url = new UrlView({ closes: true }, RULES);
  // Everything below arrives with the first data
  /** @type {import("./stages.js").Layer[]} */ layers;
  /** @type {Placement} */ placement;
  /** @type {Cells} those of the picture in all maps */ cells;
  /** @type {InkEdge} */ edge;
  /** @type {string[]} the taps shown side by side */ columns;
  /** @type {boolean} */ coloured;
  /** @type {StageWall} */ wall;
  /** @type {TileWall} */ inside;
  /** @type {Record<string, Float64Array>[]} of each layer */ stages;
  /** @type {number[]} of each layer */ cut;
  /** @type {number[]} of each layer */ gain;
  /** @type {import("./derive.js").Tile[]} the maps of all stages */ tiles;
  /** @type {boolean} whether those must be derived and painted again */ stale;
  /** @type {ReturnType<typeof derive.insideOf>} */ insideMaps;
  /** @type {number} the head with detailed numbers */ head;
  /** @type {ReturnType<typeof derive.pixelStepsOf>} the steps of the pixel */ found;

  constructor(parent) {
    super();
    this.at = [0, 0]; // the selected pixel
    this.tile = 0;
    this.passing = new Passing(
      () => [...this.at, this.tile, `${this.view.pixel}`],
      ([row, column, tile]) => this.guard(() => this.look([row, column], tile)),
    );
    /** @type {{number: number, stages: Record<string, Float64Array>[]}} the stages of another picture, by its number */
    this.other = { number: -1, stages: [] };
    this.painter = new Painter();
    this.insideOf = ""; // layer and head of `insideMaps`
    this.frame = makeFrame(this, parent);
    this.answer = new LiveAnswer(this);
    this.asker = this.answer.asker;
    Object.assign(this.root, { readStage: (layer, name) => this.stages[layer][name] }); // for tests
  }

  // Data from Python

  takeData() {
    const { header, arrays } = this;
    this.passing.keep();
    this.layers = header.layers.map((one, number) =>
      derive.layerOf(one, (name) => arrays[`${number}.${name}`] ?? null),
    );
    this.placement = new Placement(this.layers[0], header.block);
    const { rows, columns, planes } = this.placement;
    this.cells = new Cells(rows, columns);
    this.edge = header.ink ? inkEdge(this.placement.plane(arrays.input, 0), rows, columns) : [];
    this.columns = derive.columnsOf(header.columns, header.layers);
    this.other = { number: -1, stages: [] }; // of these layers none is computed yet
    this.coloured = planes === 3;
    const shape = [this.layers.length, this.columns.join(), rows, columns, this.coloured, header.ink].join(" ");
    if (shape !== this.shape || header.ink) this.build();
    this.shape = shape;
    this.takeAsked();
    this.answer.take();
  }

  /** Rebuild the tables of maps after a change of their number or shape. */
  build() {
    const { cells, edge, frame, layers } = this;
    const hand = (act) => (found) => this.guard(() => act.call(this, found));
    this.wall = new StageWall({
      label: "Every stage of every layer",
      rows: layers.length,
      columns: this.columns.map((tap) => TAPS[tap]),
      cells,
      edge,
      passing: this.passing,
      look: hand(({ tile, token }) => this.look(this.cells.place(token), tile)),
      take: hand(({ tile, token }) => this.take(this.cells.place(token), tile)),
      enter: (tile, taken) => this.guard(() => (taken ? this.take(this.at, tile) : this.look(this.at, tile, true))),
    });
    this.inside = new TileWall({
      label: "Inside one head",
      cells,
      edges: derive.INSIDE.map(() => edge),
      ranges: true,
      passing: this.passing,
      tiles: derive.INSIDE.map((tap) => ({ name: STAGE_NAMES[tap], spoken: STAGE_NAMES[tap] })),
      look: hand(({ token }) => this.look(this.cells.place(token), this.tile)),
      take: hand(({ token }) => this.take(this.cells.place(token), this.tile)),
    });
    frame.wallHolder.replaceChildren(this.wall.element);
    frame.insideHolder.replaceChildren(this.inside.element);
    this.size = undefined;
  }

  takeAsked() {
    const { layers, cells } = this;
    const { rows, columns } = cells;
    const facts = { layers: layers.length, heads: layers[0].heads, rows, columns, stages: this.columns };
    const first = this.view === null;
    this.header.fields = fieldsHere(this.header.fields, this.arrays);
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
      (first || !this.fits(this.at) ? derive.brightest(this.placement.plane(this.arrays.input, 0), cells) : this.at);
    this.tile = derive.tileOf(this);
    this.frame.fill(this);
    this.compute();
  }

  /** @param {number[]} pixel */
  fits([row, column]) {
    return row < this.cells.rows && column < this.cells.columns;
  }

  // Computing: after a change of the data or a switch

  compute() {
    Object.assign(
      this,
      derive.stagesOf(
        this,
        derive.replacedRelevance(this, () => this.stagesOfOther()),
      ),
    );
    this.stale = true;
  }

  /** The stages of another picture in the trained model. */
  stagesOfOther() {
    const { number } = this.header.other;
    if (this.other.number !== number)
      this.other = { number, stages: netStages(this.layers, this.arrays["other.input"]) };
    return this.other.stages;
  }

  // Actions of the visitor

  /** Handle the pointer over a pixel of a map, or of the picture (the tile stays). */
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
    this.view.stage = this.columns[tile % this.columns.length];
    const layer = Math.floor(tile / this.columns.length);
    if (layer === this.view.layer) return;
    this.view.layer = layer;
    this.frame.sayControls(this);
    if (this.view.pixel) this.settle();
  }

  /** Handle a click on a pixel: lock it, or release it if it is the locked one. */
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

  /** Handle the use of a control. */
  choose(name, value) {
    this.view[name] = value;
    if (["off", "eps", "skip", "relevance"].includes(name)) {
      this.answer.ask(); // first: the server computes meanwhile
      this.compute();
    }
    if (name === "layer") this.tile = derive.tileOf(this);
    this.stale = true;
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

  /** Restore the trained model. */
  restore() {
    Object.assign(this.view, { off: [], eps: null, skip: true });
    this.choose("relevance", "learnt");
  }

  /** The cursor on the picture or, with Shift, on the stages. @param {KeyboardEvent} event */
  cursorOf(event) {
    const path = event.composedPath();
    const onPicture = path.includes(this.frame.picture.element);
    if (!onPicture && !(event.shiftKey && path.includes(this.wall.element))) return null;
    const [row, column] = this.at;
    const { rows, columns } = this.cells;
    const take = onPicture ? () => this.take(this.at) : null;
    return { row, column, rows, columns, move: (to) => this.step(to), take };
  }

  /** Move the pixel by keyboard, even if it is locked. @param {number[]} place */
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
    const width = this.widthToFit(force);
    if (!width || !this.view) return;
    fitTo(this, width);
    this.stale = true;
    this.draw();
  }

  // Drawing: `draw` runs at every move of the pointer; the layer below the outlines is painted only after changes

  draw() {
    const { view, painter } = this;
    if (this.stale) {
      this.stale = false;
      this.tiles = derive.tilesOf(this);
      this.insideOf = "";
      painter.stages(this);
    }
    this.head = derive.headOf(this);
    const inside = `${view.layer} ${this.head}`;
    if (this.showsInside && inside !== this.insideOf) {
      this.insideMaps = derive.insideOf(this, this.head);
      this.insideOf = inside;
      painter.inside(this);
    }
    painter.outline(this);
    this.found = derive.pixelStepsOf(this, this.head);
    this.saySoon();
  }

  /** Whether the arrays of the head have arrived and are open. */
  get showsInside() {
    return this.header.inside && this.view.inside;
  }

  read() {
    const { at, view, head, found, cut, gain, tiles } = this;
    return {
      pixel: at,
      locked: view.pixel !== null,
      layer: view.layer,
      stage: view.stage,
      head,
      place: derive.placeOf(this),
      steps: found,
      cut,
      gain,
      switched: isSwitched(view),
      ranges: tiles.map(({ extent: { low, high } }) => [low, high]),
      answer: this.answer.read(),
    };
  }

  declared() {
    const { at, view, head, answer, header, cut, gain } = this;
    if (answer.pending) return {};
    return {
      ...answers(header.classes, answer.before.probabilities, answer.now.probabilities),
      pixel: at.map((/** @type {number} */ part) => part + 1).join(","),
      layer: view.layer + 1,
      head: head + 1,
      cut: cut[view.layer],
      gain: gain[view.layer],
    };
  }

  sayAll() {
    sayAll(this);
  }

  /** The value of a tile at the selected pixel. */
  valueAt(tile, plane = 0) {
    const { raw } = this.tiles[tile];
    return raw[Math.min(plane, raw.length - 1)][this.cells.at(this.at)];
  }
}

export default mountable(StageGrid);
