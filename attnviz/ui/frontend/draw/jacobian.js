// The Jacobian of each model's answer, asked for when the hand rests (attnviz/ui/live/jacobian.py): over a connection of
// its own, so that the next stroke does not wait for it; when that begins the connection is closed, which ends the work.

import { Asker } from "../live/asker.js";

/** The Jacobians of one picture at a time. */
export class Jacobians {
  /** @param {(act: () => void) => void} guard runs what must not fail */
  constructor(guard) {
    this.asker = new Asker({ guard });
  }

  /**
   * Ask for them.
   * @param {{pictures: any, prepare: any}} showing as in a request of the live channel
   * @param {string[]} checkpoints
   * @param {(number: number, slopes: {values: Float32Array, shape: number[]}|null, error: string, done: boolean) => void} hear called for each, by its
   *   place: the derivatives as one map, or null and why there is none; and whether it was the last
   */
  ask({ pictures, prepare }, checkpoints, hear) {
    this.cancel();
    const asks = checkpoints.map((checkpoint) => ({ checkpoint, wanted: { jacobian: { derived: "jacobian" } } }));
    this.asker.ask(asks, { pictures, prepare, asks }, ({ ask, error, arrays, shapes, done }) => {
      if (ask === undefined) return;
      hear(ask, error ? null : summed(arrays.jacobian, shapes.jacobian), error ?? "", done);
      if (done) this.cancel();
    });
  }

  /**
   * Ask for those of all cards that have an answer, and give each its own: the map, or why there is none.
   * @param {{pictures: any, prepare: any}} showing
   * @param {import("./card.js").Card[]} cards
   * @param {(all: boolean) => void} came called after each, and whether all are there
   */
  askFor(showing, cards, came) {
    const answered = cards.filter(({ answer }) => answer);
    for (const card of answered) card.jacobian = card.model.missing ? { why: card.model.missing } : null;
    const asked = answered.filter(({ model }) => !model.missing);
    if (!asked.length) return came(true);
    this.ask(
      showing,
      asked.map(({ model }) => model.checkpoint),
      (at, map, why, last) => {
        asked[at].jacobian = map ?? { why };
        asked[at].dirty = true;
        came(last);
      },
    );
    return undefined;
  }

  /** Take them off the cards, and what has not come is not wanted any more. @param {import("./card.js").Card[]} cards */
  forget(cards) {
    this.cancel();
    for (const card of cards) {
      if (card.jacobian) card.dirty = true;
      card.jacobian = null;
    }
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
