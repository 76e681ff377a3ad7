// A picture with the grid at which a network samples it, the sampled picture, and the answer; picture and grid can be
// moved by hand. Python's side is attnviz/ui/components/sampling_grid.py, which also describes the view in the URL.

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

const PICTURE = 312; // pixels of the design: the picture with its surroundings
const SEEN = 208; // the sampled picture
const MIDDLE = 240; // the column of the sampled picture
const GAP = 24;
const PLOT = 196; // the height of the plot of angles

/**
 * An answer and its subject.
 * @typedef {Answered & {picture: Uint8Array, theta: ArrayLike<number>, move: import("./derive.js").Move}} Found
 */

export class SamplingGrid extends SamplingFrame {
  exporting = () => import("./export.js");
  // Everything below arrives with the first data
  /** @type {Found} for the original picture, with the net's theta */ before;
  /** @type {Found} for the moved picture, with the theta in use */ answered;
  /** @type {Uint8Array} the moved picture */ picture;
  /** @type {Float64Array} the sampled values */ values;
  /** @type {ReturnType<typeof decomposed>} */ parts;

  constructor(parent) {
    super(parent);
    this.looked = -1; // the sampled pixel under the pointer
    this.failed = false; // whether the last request failed: then the shown answer is older
    this.toRead = false; // whether that was the last action, by keys: then it is announced instead of the answer
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

  // Actions of the hand

  key(event) {
    anywhere(this, event);
  }

  /** Theta of the object with handles. */
  get frame() {
    return this.view.drag === "grid" ? this.used : frameOf(derive.moveOf(this.view), this.shapes.picture);
  }

  /** The theta in use; while the net's is pending, the last one. */
  get used() {
    return derive.heldTheta(this.view, this.arrays.mean) ?? this.answered.theta;
  }

  /** The origin of the theta in use, in words. */
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

  /** Change the view deliberately. @param {any} changes @param {string} by the tool; "": a separate step */
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
    this.theta.rewrite(); // including the number that was being typed
    this.change(last);
    this.changed();
  }

  changed() {
    this.toRead = false;
    super.changed();
  }

  /** Look at a sampled pixel. @param {number} pixel */
  look(pixel) {
    if (pixel === this.looked) return;
    this.looked = pixel;
    this.draw();
  }

  // The answer

  /** Move the picture, and request the net's response to it. */
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

  /** The subject that an answer must match to be shown. */
  get question() {
    const { grid, theta } = this.view;
    return JSON.stringify([this.movedTo, grid, theta]);
  }

  /**
   * Take an answer, or note that there is none.
   * @param {any} answer
   * @param {{picture: Uint8Array, move: import("./derive.js").Move}} of the subject of the request
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
   * The rotations of the picture and of its grid. The net's grid belongs to the last answered picture, and so do both
   * angles; null if a later request has failed.
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
    // The net's sampled picture: while theta is pending, that of the last answer
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
      angle: -parts.angle, // counter-clockwise, as on the page
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
