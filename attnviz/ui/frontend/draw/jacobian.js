// The Jacobian of each model's answer, asked for when the hand rests (attnviz/ui/live/jacobian.py): over a connection
// of its own, so that the next stroke does not wait for it; when that begins the connection is closed, which ends the
// work.

import { Asker } from "../live/asker.js";

/** The Jacobians of one picture at a time. */
export class Jacobians {
  /** @param {(act: () => void) => void} guard runs what must not fail */
  constructor(guard) {
    this.asker = new Asker({ guard });
  }

  /**
   * Ask for those of several models.
   * @param {{pictures: any, prepare: any}} showing as in a request of the live channel
   * @param {string[]} checkpoints
   * @param {(number: number, jacobian: {values: Float32Array, shape: number[]}|{why: string}, last: boolean) => void}
   *   hear called for each, by its place: the derivatives as one map, or why there is none
   */
  ask({ pictures, prepare }, checkpoints, hear) {
    this.cancel();
    const asks = checkpoints.map((checkpoint) => ({ checkpoint, wanted: { jacobian: { derived: "jacobian" } } }));
    this.asker.ask(asks, { pictures, prepare, asks }, ({ ask, error, arrays, shapes, done }) => {
      if (ask === undefined) return;
      hear(ask, error ? { why: error } : summed(arrays.jacobian, shapes.jacobian), done);
      if (done) this.cancel();
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
