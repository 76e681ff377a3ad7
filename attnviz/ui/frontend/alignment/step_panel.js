// One step of the answer: its prediction and confidence, its attention, the slider that moves its weights, and the
// buttons that go from step to step.

import { element, say, set, text } from "../core/dom.js";
import { counted } from "../core/numbers.js";
import { HeldValue } from "../hands/held_value.js";
import { AnswerPanel } from "../live/answer.js";
import { movedBy } from "./derive.js";

export class StepPanel {
  /**
   * @param {object} on callbacks for the visitor's actions
   * @param {(step: number) => void} on.choose
   * @param {() => void} on.play plays, or pauses
   * @param {(by: number) => void} on.move moves the weights of the step
   * @param {() => void} on.free releases everything
   */
  constructor(on) {
    this.words = { step: text(), says: text(), where: text(), how: text() };
    this.panel = new AnswerPanel();
    this.step = 0;
    const button = (words, label, act) =>
      element("button.act", { type: "button", "aria-label": label, onclick: act }, words);
    this.buttons = {
      back: button("\u2039", "Previous step", () => on.choose(this.step - 1)),
      play: button("Play", "Play", on.play),
      on: button("\u203a", "Next step", () => on.choose(this.step + 1)),
    };
    this.slider = element("input", { type: "range", min: 1, max: 1, step: 1, "aria-label": "Step of the answer" });
    this.slider.addEventListener("input", () => on.choose(Number(this.slider.value) - 1));
    this.mover = new HeldValue({
      label: "Move the weights of this step",
      range: [-1, 1],
      step: 1,
      free: "release",
      turn: (by) => on.move(by ?? 0),
    });
    this.freer = element("button.quiet", { type: "button", onclick: on.free }, "Release all");
    this.moverPart = element(
      "div.mover",
      {},
      element("b", {}, "Weights moved by"),
      element("span", {}, this.mover.words),
      this.mover.element,
    );
    const { back, play, on: forward } = this.buttons;
    this.element = element(
      "section.step-part",
      { "aria-label": "This step" },
      element("div.player", {}, back, play, forward, this.slider, element("output", {}, this.words.step)),
      element("h2", {}, this.words.says, element("small", {}, this.words.how)),
      this.panel.holder,
      element("p.where", {}, this.words.where),
      this.moverPart,
      this.freer,
    );
  }

  /** Make a line for each symbol. @param {string[]} classes */
  name(classes) {
    this.panel.name([...classes], null);
  }

  /**
   * @param {import("./shown.js").Shown} shown
   * @param {Float64Array} row the weights of the step
   * @param {boolean} playing
   */
  show(shown, row, playing) {
    const { words, moverPart, freer } = this;
    const { now, before } = shown.answer;
    this.panel.show({ probabilities: now }, { probabilities: before ?? now });
    say(words.says, shown.says);
    say(words.how, shown.how);
    say(words.where, shown.where(row));
    this.showPlayer(shown, playing);
    moverPart.hidden = !shown.moves;
    if (shown.moves) this.showMover(shown);
    set(freer, "aria-disabled", String(!shown.changedByHand));
    freer.hidden = moverPart.hidden && !shown.masked;
  }

  showMover(shown) {
    const { view, header } = shown.state;
    const by = movedBy(view.moved, shown.step);
    const [least, most] = shown.reachOf(shown.step);
    Object.assign(this.mover.slider, { min: String(least), max: String(most) });
    const digits = Math.abs((by * header.pitch) / shown.geometry.side).toFixed(1);
    const way = `${counted(Math.abs(by), "column")} to the ${by > 0 ? "right" : "left"} (${digits} digit widths)`;
    this.mover.show(by, by ? way : "nothing", by !== 0);
  }

  showPlayer(shown, playing) {
    const { buttons, slider, words } = this;
    const { steps } = shown;
    this.step = shown.state.view.at;
    set(slider, "max", String(steps));
    if (Number(slider.value) !== this.step + 1) slider.value = String(this.step + 1);
    say(words.step, `step ${this.step + 1} of ${steps}`);
    const does = playing ? "Pause" : "Play";
    set(buttons.play, "aria-label", does);
    say(buttons.play.firstChild, does);
    buttons.back.disabled = this.step === 0;
    buttons.on.disabled = this.step >= steps - 1;
  }

  /** The contents of the panel, in a sentence. */
  get spoken() {
    const { says, how, where } = this.words;
    return `${says.data}, ${how.data}. ${where.data}`;
  }
}
