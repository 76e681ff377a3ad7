// A picture with the grid at which a network samples it, what it samples, and its answer; picture and grid can be moved
// by hand. Python's side is attnviz/ui/components/sampling_grid.py, which also says how the view stands in the URL.

import { answers } from "../core/numbers.js";
import { packed } from "../core/colours.js";
import { grown, say, set } from "../core/dom.js";
import { mountable } from "../core/part.js";
import { fitBoard } from "../maps/paint.js";
import { Cells } from "../maps/cells.js";
import { decomposed, gridOf, sampled, toBytes } from "./affine.js";
import * as derive from "./derive.js";
import { draggedGrid, draggedPicture, frameOf } from "./drag.js";
import { SamplingFrame } from "./frame.js";
import { anywhere, listen } from "./hands.js";
import { Past } from "./past.js";

const PICTURE = 312; // pixels of the design: the picture with what is around it
const SEEN = 208; // what is sampled from it
const MIDDLE = 240; // the column of what is sampled
const GAP = 24;
const PLOT = 196; // the height of the plot of angles

/**
 * An answer, and what it belongs to.
 * @typedef {Answered & {picture: Uint8Array, theta: ArrayLike<number>, move: import("./derive.js").Move}} Found
 */

export class SamplingGrid extends SamplingFrame {
  exporting = () => import("./export.js");
  // All that comes with the first data
  /** @type {Found} of the picture as it is, with the net's theta */ before;
  /** @type {Found} of the picture as it is moved, with the theta that is used */ answered;
  /** @type {Uint8Array} as it is moved */ picture;
  /** @type {Float64Array} what is sampled */ values;
  /** @type {ReturnType<typeof decomposed>} */ parts;

  constructor(parent) {
    super(parent);
    this.looked = -1; // pixel of what is sampled that is pointed at
    this.failed = false; // whether the last question came to nothing: then the answer that is shown is an older one
    this.toRead = false; // whether that was done last, and with keys: then it is said, and not the answer
    this.past = new Past();
    /** @type {{handle: any, from: any}|null} */
    this.held = null;
    listen(this);
  }

  takeData() {
    const { header, arrays } = this;
    this.before = {
      logits: arrays.logits,
      probabilities: arrays.probabilities,
      picture: arrays.picture,
      theta: arrays.theta,
      move: derive.STILL,
    };
    const shaped = String(this.shapes.picture);
    if (shaped !== this.shaped) this.looked = -1; // that pixel is another one now, if there is one
    this.shaped = shaped;
    if (this.takeSubject()) {
      this.past.clear();
      this.answer.name(header.classes, header.label);
      this.sliders.fit(this.shapes.picture);
      this.answered = this.before;
    }
    this.takeView({ shape: this.shapes.picture });
    this.follow();
  }

  // What the hands do

  key(event) {
    anywhere(this, event);
  }

  /** Theta of what has handles. */
  get frame() {
    return this.view.drag === "grid" ? this.used : frameOf(derive.moveOf(this.view), this.shapes.picture);
  }

  /** The theta that is used now; while the net's is awaited, the last one. */
  get used() {
    return derive.heldTheta(this.view, this.arrays.mean) ?? this.answered.theta;
  }

  /** Whose theta is used, in words. */
  get kind() {
    const { view, header } = this;
    if (view.theta) return "set by hand";
    return { own: "as computed", identity: "the identity", mean: `the mean over ${header.many}` }[view.grid];
  }

  begin(handle) {
    this.held = { handle, from: this.view.drag === "grid" ? Array.from(this.used) : derive.moveOf(this.view) };
    this.past.keep(this.view, "");
    this.past.doing = "drag";
  }

  drag(from, to) {
    if (!this.held) return;
    const { handle, from: start } = this.held;
    const shape = this.shapes.picture;
    if (this.view.drag === "grid")
      this.change({ grid: "own", theta: derive.asTheta(draggedGrid(start, handle, from, to, shape)) });
    else this.change(draggedPicture(start, handle, from, to, shape));
  }

  end() {
    this.held = null;
    this.past.end(this.view); // a click that moved nothing
    this.changed();
  }

  slide(name, value) {
    const move = { ...derive.moveOf(this.view), [name]: value ?? derive.STILL[name] };
    this.choose(derive.asMove(move, this.shapes.picture), value === null ? "" : name);
  }

  type(place, value) {
    const theta = derive.asTheta(this.used);
    theta[place] = value;
    this.choose({ grid: "own", theta: derive.asTheta(theta) }, `theta ${place}`);
  }

  /** Change the view on purpose. @param {any} changes @param {string} by with what; "": a step of its own */
  choose(changes, by) {
    if (!derive.differs(this.view, changes)) return;
    this.past.keep(this.view, by);
    this.change(changes);
    this.changed();
  }

  change(changes) {
    Object.assign(this.view, changes);
    this.follow();
    this.draw();
  }

  undo() {
    const last = this.past.back();
    if (!last) return;
    this.theta.rewrite(); // also the number that was being typed
    this.change(last);
    this.changed();
  }

  changed() {
    this.toRead = false;
    super.changed();
  }

  /** Look at a pixel of what is sampled. @param {number} pixel */
  look(pixel) {
    if (pixel === this.looked) return;
    this.looked = pixel;
    this.draw();
  }

  // The answer

  /** Move the picture, and ask what the net makes of it. */
  follow() {
    const { view, arrays, shapes, header } = this;
    const move = derive.moveOf(view);
    const known = this.movedTo === JSON.stringify([this.subject, move]);
    if (!known) this.picture = derive.moved(arrays.picture, shapes.picture, move);
    this.movedTo = JSON.stringify([this.subject, move]);
    if ((!derive.isMoved(move) && !derive.isHeld(view)) || !header.checkpoint) {
      this.rest();
      this.answered = this.before;
      return;
    }
    const of = { picture: this.picture, move };
    const pictures = derive.isMoved(move) ? { values: of.picture, shape: shapes.picture } : [header.asked];
    const request = derive.requestOf(header, pictures, derive.heldTheta(view, arrays.mean));
    this.asker.ask(this.question, request, (answer) => this.hear(answer, of), header.origin.digest);
  }

  /** What an answer must belong to in order to be shown. */
  get question() {
    const { grid, theta } = this.view;
    return JSON.stringify([this.movedTo, grid, theta]);
  }

  /**
   * Take an answer, or note that there is none.
   * @param {any} answer
   * @param {{picture: Uint8Array, move: import("./derive.js").Move}} of what was asked about
   */
  hear({ error, arrays }, of) {
    this.rest();
    this.failed = Boolean(error);
    if (error) this.root.classList.add("waiting");
    else this.answered = { logits: arrays.logits, probabilities: arrays.probabilities, theta: arrays.theta, ...of };
    this.draw();
  }

  rest() {
    super.rest();
    this.failed = false;
  }

  /**
   * By how much the picture and its grid are rotated. The grid that the net computes is that of the picture which was
   * answered last, and so are both angles; null where nothing has come of a question since.
   */
  get dot() {
    const { view, answered, header, parts } = this;
    if (!header.angles || (this.failed && !derive.isHeld(view))) return null;
    return derive.dotOf(header.angles.here, derive.isHeld(view) ? derive.moveOf(view) : answered.move, parts);
  }

  // Layout and drawing

  layout(force = false) {
    const width = this.widthToFit(force);
    if (!width || !this.view) return;
    const kind = this.nameWidth(width, 560, 980);
    const half = Math.floor((width - 8) / 2) - 2;
    const [stage, seen] = kind === "narrow" ? [half, half] : [PICTURE * grown(), SEEN * grown()];
    const { shapes } = this;
    this.scene.layout(shapes.picture, stage);
    fitBoard(this.seen, new Cells(shapes.picture[0], shapes.picture[1]), seen);
    const rest = width - (PICTURE + MIDDLE) * grown() - 2 * GAP;
    this.plotSize = [kind === "broad" ? Math.min(rest - 25, 520 * grown()) : Math.min(width, 520), PLOT * grown()];
    this.draw();
  }

  draw() {
    const { view, theme, shapes, header, arrays, scene, seen } = this;
    if (!view || !theme || !this.plotSize) return;
    const { inks, used: theta } = this;
    const shape = shapes.picture;
    scene.paint(
      { picture: this.picture, move: derive.moveOf(view), theta, drag: view.drag, looked: this.looked },
      theme,
      inks,
    );
    // What the net sampled: of a picture whose theta is awaited, that of the last answer
    const source = derive.isHeld(view) ? this.picture : this.answered.picture;
    this.values = sampled(source, shape, theta);
    this.parts = decomposed(theta, shape);
    seen.board.paintPicture(0, toBytes(this.values), shape, inks);
    if (this.looked >= 0)
      seen.board.outline(0, this.looked, packed(theme.text), { halo: packed(theme.background), strong: true });
    seen.board.flush();
    if (header.angles)
      this.theta.paint(
        { picture: arrays["angles.picture"], grid: arrays["angles.grid"] },
        header.angles,
        this.dot,
        this.plotSize,
        theme,
      );
    this.answer.show(this.answered, this.before);
    this.saySoon();
  }

  read() {
    const { view, answered, before, asker, parts, values, picture, shapes, looked } = this;
    const theta = Array.from(this.used);
    return {
      ...view,
      pending: asker.pending,
      failed: this.failed,
      used: theta,
      grid_points: Array.from(gridOf(theta, shapes.picture)),
      parts,
      picture: Array.from(picture),
      values: Array.from(values),
      looked,
      undos: this.past.length,
      before: [...before.probabilities],
      now: [...answered.probabilities],
    };
  }

  declared() {
    const { view, answered, before, asker, header, parts } = this;
    if (asker.pending || this.failed) return {};
    return {
      ...answers(header.classes, before.probabilities, answered.probabilities),
      rotate: view.rotate,
      grid: view.theta ? "own" : view.grid,
      angle: -parts.angle, // counter-clockwise, as the page says it
      shear: parts.shear,
    };
  }

  sayAll() {
    const { view, words, header, sliders, shapes } = this;
    const move = derive.moveOf(view);
    sliders.show(view);
    this.drags.show(view.drag);
    this.grids.show(view.theta ? "" : view.grid);
    set(this.undoer, "aria-disabled", String(this.past.length === 0));
    const changed = derive.isMoved(move) || derive.isHeld(view);
    set(this.freer, "aria-disabled", String(!changed));
    this.root.classList.toggle("switched", changed);
    this.theta.show(this.used, this.parts, this.kind);
    this.theta.tell(header.angles, this.dot, header.many, this.failed);
    say(words.answer, changed ? this.answer.change(this.answered, this.before) : "");
    say(words.verdict, this.answer.words(this.answered));
    const what = view.drag === "grid" ? "the grid" : "the picture";
    set(
      this.stage,
      "aria-label",
      `The picture with its grid. Arrow keys shift ${what}, [ and ] rotate it, ` +
        "+ and \u2212 scale it, Delete releases it.",
    );
    say(words.reading, derive.reading(this.looked, this.used, this.values, shapes.picture));
    set(this.seenBoard, "aria-label", `What is classified. Arrow keys read it. ${words.reading.data}`);
    if (!this.asker.pending && !this.failed)
      this.announceDone(() => (this.toRead ? words.reading.data : this.answer.summary(this.answered, this.before)));
  }
}

export default mountable(SamplingGrid);
