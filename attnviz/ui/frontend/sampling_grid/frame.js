// The elements of the sampling grid, made once; sampling_grid.js fills them and handles their events.

import { element, text } from "../core/dom.js";
import { saversOf, SegmentedControl } from "../hands/controls.js";
import { AnswerPanel } from "../live/answer.js";
import { LivePart } from "../live/live_part.js";
import { Board } from "../maps/paint.js";
import { DRAGS, FREE, GRIDS, RULES } from "./derive.js";
import { Scene } from "./scene.js";
import { Sliders } from "./sliders.js";
import { ThetaPanel } from "./theta.js";

const LOST =
  "The live connection is lost: the picture follows your hand, but the network\u2019s grid and its answer are still " +
  "the previous ones.";

export class SamplingFrame extends LivePart {
  /** @param {ShadowRoot} parent */
  constructor(parent) {
    super(RULES, LOST);
    this.words = { how: text(), answer: text(), reading: text(), verdict: text() };
    this.scene = new Scene();
    this.stage = element(
      "div.board.stage",
      { tabindex: 0, role: "application", "aria-roledescription": "picture with a grid" },
      this.scene.canvas,
    );
    const canvas = element("canvas", { "aria-hidden": "true" });
    this.seen = { canvas, board: new Board(canvas) };
    this.seenBoard = element(
      "div.board",
      { tabindex: 0, role: "application", "aria-roledescription": "picture" },
      canvas,
    );
    this.answer = new AnswerPanel();
    this.theta = new ThetaPanel({ type: (place, value) => this.guard(() => this.type(place, value)) });
    this.sliders = new Sliders((name, value) => this.guard(() => this.slide(name, value)));
    this.drags = new SegmentedControl("Drag", DRAGS, (drag) => this.guard(() => this.choose({ drag }, "drag")));
    this.grids = new SegmentedControl("Grid", GRIDS, (grid) =>
      this.guard(() => this.choose({ grid, theta: null }, "")),
    );
    this.undoer = this.button("Undo", () => this.undo());
    this.freer = this.button("Release all", () => this.choose(FREE, ""));
    this.savers = saversOf(this);
    this.mount(
      parent,
      "sampling-grid",
      "sampling_grid",
      element(
        "div.controls",
        {},
        this.drags.element,
        this.grids.element,
        element("span.undo", {}, this.undoer, this.freer),
        this.savers.element,
      ),
      element(
        "div.left",
        {},
        element("section.picture-part", {}, element("h2", {}, "The picture"), this.stage),
        element("section.move-part", { "aria-label": "Move the picture" }, ...this.sliders.rows),
      ),
      element(
        "div.middle-column",
        {},
        element(
          "section.seen-part",
          {},
          element("h2", {}, "What is classified"),
          this.seenBoard,
          element("p.verdict", {}, this.words.verdict),
        ),
        element("p.reading", {}, this.words.reading),
        element(
          "section.answer-part",
          { "aria-label": "The answer" },
          element("h2", {}, "The answer", element("small", {}, this.words.answer)),
          this.answer.holder,
        ),
      ),
      this.theta.element,
    );
  }

  /** Change the view deliberately. @param {any} _changes @param {string} _by the tool; "": a separate step */
  choose(_changes, _by) {}

  /** Called when a number of theta is typed. @param {number} _place @param {number} _value */
  type(_place, _value) {}

  /** Called for a move with a slider. @param {string} _name @param {number|null} _value null: released */
  slide(_name, _value) {}

  undo() {}
}
