// The Jacobian of each model's answer, asked for when the hand rests (attnviz/ui/live/jacobian.py): over a connection
// of its own, so that the next stroke does not wait for it; when that begins the connection is closed, which ends the
// work.

import { Asker } from "../live/asker.js";

/** The Jacobians of one picture at a time: of that to which the models have answered. */
export class Jacobians {
  /** @type {any} the question that they have answered while the hand rests */ rested = null;
  /** @type {number|null} of the question whose Jacobians all are there */ turn = null;

  /**
   * @param {object} owner
   * @param {(act: () => void) => void} owner.guard runs what must not fail
   * @param {() => import("./card.js").Card[]} owner.cards
   * @param {(turn: number|null) => void} owner.came one is there; turn: of the question, once all of them are
   */
  constructor({ guard, cards, came }) {
    this.cards = cards;
    this.came = came;
    this.asker = new Asker({ guard });
  }

  /** They are of a picture that is not looked at any more, or not wanted. @param {number} turn that is */
  forget(turn) {
    if (this.rested?.turn !== turn) this.rested = null;
    this.cancel();
    for (const card of this.cards()) card.takeJacobian(null);
    this.turn = null;
  }

  /** Ask for those of all answers: the derivatives as one map, or why there is none. */
  askAll() {
    if (!this.rested) return;
    const { pictures, prepare, turn } = this.rested;
    const answered = this.cards().filter(({ current }) => current);
    const asked = answered.filter(({ model }) => !model.missing);
    const took = (all) => {
      if (all) this.turn = turn;
      this.came(all ? turn : null);
    };
    for (const card of answered) card.takeJacobian(card.model.missing ? { why: card.model.missing } : null);
    this.cancel();
    if (!asked.length) {
      took(true);
      return;
    }
    const asks = asked.map(({ net }) => ({ checkpoint: net, wanted: { jacobian: { derived: "jacobian" } } }));
    this.asker.ask(asks, { pictures, prepare, asks }, ({ ask, error, arrays, shapes, done }) => {
      if (ask === undefined) return;
      asked[ask].takeJacobian(error ? { why: error } : summed(arrays.jacobian, shapes.jacobian));
      if (done) this.cancel();
      took(done);
    });
  }

  /** Whether there is no connection over which what was asked for could come. */
  get lost() {
    return this.asker.live?.state === "lost";
  }

  /** What has not come is not wanted any more. */
  cancel() {
    this.asker.close();
  }
}

/** What a change of all channels together does at each place. */
function summed(values, [, channels, rows, columns]) {
  const cells = rows * columns;
  const found = new Float32Array(cells);
  for (let channel = 0; channel < channels; channel++)
    for (let at = 0; at < cells; at++) found[at] += values[channel * cells + at];
  return { values: found, shape: [rows, columns] };
}
