// How a model looks at a picture, glimpse by glimpse: boxes, what the retina sees, and the belief. Python's side is
// attnviz/ui/components/glimpse_player.py. One path comes with the data; others come over the live channel
// (live_path.js).

import { element, say, set } from "../core/dom.js";
import { best } from "../core/numbers.js";
import { mountable, Part } from "../core/part.js";
import { UrlView } from "../core/url_view.js";
import { HINTS } from "../hands/hints.js";
import { Playing } from "../hands/playing.js";
import { makeFrame } from "./frame.js";
import { listen, pressed } from "./hands.js";
import { LivePaths } from "./live_path.js";
import { answersOf, beliefOf, boxesOf, factsOf, hasMoved, moveTo, patchOf, pixelOf, shifted } from "./derive.js";
import { MOST_DRAWS, RULES } from "./view.js";
import { changeWords, glimpseWords, manyWords, placeWords, policyWords, readWords } from "./words.js";

const STEP = 900; // milliseconds per glimpse while playing

export class GlimpsePlayer extends Part {
  exporting = () => import("./animation.js");
  url = new UrlView({ closes: true }, RULES);

  /** @param {ShadowRoot} parent */
  constructor(parent) {
    super();
    this.player = new Playing({
      beat: STEP,
      guard: (act) => this.guard(act),
      next: () => this.turnTo(this.view.glimpse + 1),
      isLast: () => this.view.glimpse >= this.facts.glimpses - 1,
      ended: () => {
        this.toAnnounce = true;
        this.draw();
      },
    });
    /** @type {import("./derive.js").Facts} */
    this.facts = { glimpses: 0, scales: 0, size: 0, rows: 1, columns: 1, classes: 0 };
    /** @type {import("./derive.js").Path} the shown path */
    this.path = /** @type {any} */ (null);
    /** @type {import("./derive.js").Path|null} the model's own path, if a glimpse has been moved */
    this.before = null;
    this.frame = makeFrame(this, parent);
    this.scene = this.frame.scene;
    this.paths = new LivePaths(this);
    this.asker = this.paths.asker;
    /** @param {number} glimpse @param {number} scale */
    const readPatch = (glimpse, scale) => [...patchOf(this.path, glimpse, scale, this.facts)];
    Object.assign(this.root, { readPatch }); // for tests
    listen(this, this.frame.stage);
  }

  // Data from Python

  receive(bytes, added) {
    this.takeColours();
    this.takeNew(bytes, added);
    this.watch();
    this.scene.paint(this.arrays.picture, this.shapes.picture, this.palettes.ink);
    this.layout(true);
  }

  takeData() {
    const { header, shapes, frame } = this;
    const facts = factsOf(shapes);
    const shape = JSON.stringify([facts, header.classes, header.label]);
    if (shape !== this.shape) {
      this.facts = facts;
      this.scene.build(facts);
      frame.retina.build(facts);
      frame.belief.build(header.classes, header.label, facts.glimpses);
      this.size = "";
    }
    this.shape = shape;
    const subject = JSON.stringify([header.origin, header.ask]);
    const changed = subject !== this.subject && this.subject !== undefined;
    this.subject = subject;
    this.paths.take();
    this.takeView(this.facts, (asked) => {
      if (changed && !asked) this.view.moved = []; // moves on another picture do not apply to this one
      if (changed) this.pause();
      frame.fill();
      this.path = this.paths.chosen ?? [...this.paths.own.values()][0];
      this.before = null;
      this.ask();
    });
  }

  // Paths

  /** Show the requested view: at once if it is known, otherwise when it arrives. */
  ask() {
    this.paths.ask();
    const { chosen } = this.paths;
    if (chosen && !this.view.moved.length) {
      this.path = chosen;
      this.before = null;
    }
  }

  answered() {
    const { chosen, moved } = this.paths;
    const wanted = this.view.moved.length ? moved : chosen;
    if (!wanted) return;
    const [glimpse, ...pixel] = this.view.moved.at(-1) ?? [];
    // the hand may have moved by now
    this.path = this.view.moved.length ? shifted(wanted, glimpse, pixel, this.facts) : wanted;
    this.before = this.view.moved.length ? chosen : null;
    this.draw();
  }

  // Actions of the visitor

  /** @param {KeyboardEvent} event */
  key(event) {
    if (!pressed(this, event)) return;
    event.preventDefault();
    event.stopPropagation();
  }

  /** Many paths at once, if they are wanted and available. */
  get many() {
    return this.paths.wantsMany ? this.paths.many : null;
  }

  /** Whether there is only a picture and nothing can be chosen. */
  get still() {
    return !(this.header?.parts.includes("player") ?? false);
  }

  /** Whether a glimpse can be moved: the following ones must be computed somewhere. */
  get canMove() {
    return !this.still && this.header.checkpoint !== null;
  }

  /** The position of a glimpse on the picture, as a pixel. @param {number} glimpse */
  pixel(glimpse) {
    const [row, column] = pixelOf(this.path, glimpse, this.facts);
    return [Math.min(row, this.facts.rows - 1), Math.min(column, this.facts.columns - 1)];
  }

  /** Select a glimpse. @param {number} glimpse @param {boolean} [byKey] */
  choose(glimpse, byKey = false) {
    this.pause();
    this.turnTo(glimpse);
    if (byKey) this.toAnnounce = true;
  }

  /** @param {number} glimpse */
  turnTo(glimpse) {
    this.view.glimpse = glimpse;
    this.settle();
    this.draw();
  }

  /** Move a glimpse to another pixel. @param {number} glimpse @param {number[]} to @param {boolean} [byKey] */
  move(glimpse, to, byKey = false) {
    const { facts, view } = this;
    const pixel = [facts.rows, facts.columns].map((side, axis) => Math.min(side - 1, Math.max(0, to[axis])));
    const [row, column] = this.pixel(glimpse);
    if (pixel[0] === row && pixel[1] === column) return;
    this.pause();
    this.before ??= this.paths.chosen;
    view.glimpse = glimpse;
    view.moved = moveTo(view.moved, glimpse, pixel);
    this.path = shifted(this.path, glimpse, pixel, facts);
    if (byKey) this.toAnnounce = true;
    this.ask(); // first: the server computes meanwhile
    this.settle();
    this.drawPath(); // the retina's patches and the belief come with the answer
  }

  /** Return to the model's own path. @returns {boolean} whether anything was moved */
  restore() {
    if (!this.view.moved.length) return false;
    this.view.moved = [];
    this.changed();
    return true;
  }

  /** @param {string} locations */
  chooseLocations(locations) {
    this.view.locations = locations;
    this.view.moved = [];
    this.changed();
  }

  drawAgain() {
    this.view.draw = (this.view.draw + 1) % MOST_DRAWS;
    this.view.moved = [];
    this.changed();
  }

  changed() {
    this.pause();
    this.ask();
    super.changed();
  }

  // Playing

  togglePlay() {
    if (this.playing) this.pause();
    else {
      this.player.begin();
      if (this.view.glimpse === this.facts.glimpses - 1) this.view.glimpse = 0;
    }
    this.draw();
  }

  get playing() {
    return this.player.on;
  }

  pause() {
    this.player.stop();
  }

  // Layout

  layout(force = false) {
    const { root, frame, facts } = this;
    const width = this.widthToFit(force);
    if (!width || !this.view) return;
    const { still } = this;
    const kind = this.nameWidth(still ? 0 : width, 560, 940);
    const across =
      kind === "broad" ? Math.min(720, Math.max(300, width * 0.36)) : kind === "middle" ? width * 0.5 : width;
    const high = still ? 320 : kind === "broad" ? Math.max(300, innerHeight - 330) : Math.max(280, innerHeight * 0.62);
    this.scene.layout(Math.floor(across), high);
    root.style.setProperty("--side", this.scene.element.style.width);
    root.style.setProperty("--patches", String(facts.scales));
    const longest = Math.max(...this.header.classes.map(/** @param {string} name */ (name) => name.length));
    frame.belief.table.classList.toggle("long", longest > 3);
    this.draw();
  }

  // Drawing

  draw() {
    const { view, facts, frame, path } = this;
    this.scene.drawMany(this.many, view.glimpse, this.theme.violet[1]);
    frame.retina.paint(path, view.glimpse, facts, this.palettes.ink);
    frame.belief.show(path, this.before, view.glimpse, facts);
    this.root.classList.toggle("fifty", this.many !== null);
    this.drawPath();
  }

  /** Draw the boxes and the lines that join them. */
  drawPath() {
    const { view, header, path } = this;
    const moved = view.moved.map(/** @param {number[]} move */ ([glimpse]) => glimpse);
    const drawn = header.policy === "learnt" && view.glimpse > 0 && !header.forced.length;
    this.scene.draw(path, { glimpse: view.glimpse, before: this.before, moved, policy: drawn ? header : null });
    this.root.classList.toggle("playing", this.playing);
    this.saySoon();
  }

  read() {
    const { path, facts, view, paths } = this;
    const each = Array.from({ length: facts.glimpses }, (_, glimpse) => glimpse);
    return {
      pending: paths.pending,
      glimpse: view.glimpse,
      draw: paths.draw,
      moved: view.moved,
      playing: this.playing,
      locations: each.map((glimpse) => [...path.location.subarray(2 * glimpse, 2 * glimpse + 2)]),
      boxes: each.map((glimpse) => boxesOf(path, glimpse, facts).map(({ top, left, side }) => [top, left, side])),
      beliefs: each.map((glimpse) => [...beliefOf(path, glimpse, facts)]),
      ...(this.many ? { many: answersOf(this.many.belief, facts.classes) } : {}),
    };
  }

  declared() {
    const { path, facts, view, header, paths } = this;
    if (paths.pending) return {};
    const [now, last] = [view.glimpse, facts.glimpses - 1].map((glimpse) => beliefOf(path, glimpse, facts));
    return {
      answer: header.classes[best(now)],
      probability: now[best(now)],
      last_answer: header.classes[best(last)],
      last_probability: last[best(last)],
      glimpse: view.glimpse + 1,
      glimpses: facts.glimpses,
      moved: view.moved.length,
    };
  }

  sayAll() {
    const { view, facts, header, frame, path } = this;
    const { glimpse } = view;
    frame.sayControls();
    const line = glimpseWords(path, glimpse, facts, header.classes, hasMoved(view.moved, glimpse));
    set(frame.slider, "aria-valuetext", line);
    const keys = this.canMove ? HINTS.keys : "";
    set(frame.stage, "aria-label", `The picture, ${facts.rows} rows, ${facts.columns} columns. ${line}${keys}`);
    frame.retina.say(`What the retina sees at glimpse ${glimpse + 1}`, readWords(path, glimpse, facts));
    const { policy, std, squash, centre } = header;
    const how = { policy, std, squash, centre, draw: this.paths.draw, moved: hasMoved(view.moved, glimpse) };
    say(frame.words.policy, policyWords(path, glimpse, facts, how));
    say(frame.words.many, this.many ? manyWords(this.many, glimpse, facts, header.classes) : "");
    frame.manyPart.hidden = !this.many;
    const change = this.before ? changeWords(path, this.before, facts, header.classes) : "";
    say(frame.words.change, change);
    frame.changePart.hidden = !change;
    const right = header.label === null ? "" : `the picture shows ${header.label}`;
    frame.belief.say(right);
    this.announceDone(() => [line, change, frame.words.many.data].filter(Boolean).join(" "));
    this.whenResting(() => this.sayPath());
  }

  /** Announce the path to screen readers once the hand rests. */
  sayPath() {
    const { facts, header, frame, path, view } = this;
    const lines = Array.from({ length: facts.glimpses }, (_, glimpse) =>
      glimpseWords(path, glimpse, facts, header.classes, hasMoved(view.moved, glimpse)),
    );
    frame.spoken.replaceChildren(...lines.map((line) => element("li", {}, line)));
    if (this.still)
      set(
        frame.stage,
        "aria-label",
        `A path of ${facts.glimpses} glimpses, from ${placeWords(pixelOf(path, 0, facts))} to ` +
          `${placeWords(pixelOf(path, facts.glimpses - 1, facts))}.`,
      );
  }

  leave() {
    super.leave();
    this.pause();
  }
}

export default mountable(GlimpsePlayer);
