// The Jacobian of each model's answer, requested when the hand rests (attnviz/ui/live/jacobian.py), over its own
// connection, so that the next stroke need not wait for it; a new stroke closes the connection, which ends the work.

import { Asker } from "../live/asker.js";

/** The Jacobians of one picture at a time: the one to which the models have responded. */
export class Jacobians {
  /** @type {any} the question answered while the hand rests */ rested = null;
  /** @type {number|null} the turn with all its Jacobians */ turn = null;

  /**
   * @param {object} owner
   * @param {(act: () => void) => void} owner.guard runs a function and reports its failure
   * @param {() => import("./card.js").Card[]} owner.cards
   * @param {(turn: number|null) => void} owner.came called for each one; turn: that of the question, once it has all of
   *   them
   */
  constructor({ guard, cards, came }) {
    this.cards = cards;
    this.came = came;
    this.asker = new Asker({ guard });
  }

  /** Drop Jacobians that are outdated or not wanted. @param {number} turn the present one */
  forget(turn) {
    if (this.rested?.turn !== turn) this.rested = null;
    this.cancel();
    for (const card of this.cards()) card.takeJacobian(null);
    this.turn = null;
  }

  /** Request those of all answers: the derivatives as one map, or why there is none. */
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

  /** Whether the connection is lost. */
  get lost() {
    return this.asker.live?.state === "lost";
  }

  /** Cancel the pending Jacobians. */
  cancel() {
    this.asker.close();
  }
}

/** The effect of changing all channels together, at each position. */
function summed(values, [, channels, rows, columns]) {
  const cells = rows * columns;
  const found = new Float32Array(cells);
  for (let channel = 0; channel < channels; channel++)
    for (let at = 0; at < cells; at++) found[at] += values[channel * cells + at];
  return { values: found, shape: [rows, columns] };
}
