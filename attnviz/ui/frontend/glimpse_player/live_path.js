// Paths beyond the one in the data, over the live channel: another draw, or with moved glimpses.

import { Asker } from "../live/asker.js";
import { locationsOf, pathOf } from "./derive.js";

export const PATHS = 50; // drawn at once
const LOST =
  "The live connection is lost: the boxes follow your hand, but the rest of the path and the belief are the " +
  "previous ones.";

const DIM = { path: "waiting", many: "waiting-many" }; // the root's class while one of these takes long

/** The known paths of one picture, and the connection for others. */
export class LivePaths {
  /** @param {import("./glimpse_player.js").GlimpsePlayer} player */
  constructor(player) {
    this.player = player;
    /** @type {("path"|"many"|null)[]} the result of each ask, in order; null once it has arrived */
    this.awaited = [];
    this.asked = 0; // how often
    this.subject = ""; // net and example of these paths
    /** @type {Map<string, import("./derive.js").Path>} */
    this.own = new Map(); // without moves, by draw
    /** @type {import("./derive.js").Path|null} */
    this.moved = null;
    /** @type {import("./derive.js").Many|null} */
    this.many = null;
    this.manyOf = ""; // with moves
    this.asker = new Asker({
      guard: (act) => player.guard(act),
      complaint: player.url.complaint,
      lost: LOST,
      dim: () => this.dim(),
    });
  }

  /** Take the path from the data. */
  take() {
    const { header, arrays } = this.player;
    const subject = JSON.stringify([header.origin, header.ask, header.forced]);
    if (subject !== this.subject) {
      this.own.clear();
      this.moved = this.many = null;
      this.manyOf = "";
    }
    this.subject = subject;
    this.own.set(String(header.draw), pathOf(arrays));
  }

  /** Whether anything is pending. */
  get pending() {
    return this.awaited.some(Boolean);
  }

  /** The draw of the view's path; null for the means, -1 for unknown random numbers. @returns {number|null} */
  get draw() {
    const { view, header } = this.player;
    if (!this.player.canMove) return header.draw; // no other one can be computed
    return view.locations === "means" ? null : view.draw;
  }

  /** Whether many paths are wanted at once. */
  get wantsMany() {
    const { view, header, canMove } = this.player;
    return canMove && view.locations === "fifty" && header.policy !== "fixed";
  }

  /** The model's own path; null if it has not arrived. */
  get chosen() {
    return this.own.get(String(this.draw)) ?? null;
  }

  /** The subject that an answer must match to be shown: a glimpse may have been dragged since. */
  get question() {
    const { moved } = this.player.view;
    const which = moved.map(/** @param {number[]} move */ ([glimpse]) => glimpse);
    return JSON.stringify([this.subject, this.draw, which, moved.slice(0, -1), this.wantsMany]);
  }

  /** Request the view's paths, unless they are known. */
  ask() {
    const { header, view, facts } = this.player;
    this.moved = null;
    const { draw, question } = this;
    const moved = JSON.stringify(view.moved);
    const locations = locationsOf(view.moved, facts);
    /** @param {number|null} seed @param {Record<string, any>} parameters */
    const one = (seed, parameters) => ({
      checkpoint: header.checkpoint,
      ...(seed === null ? {} : { seed }),
      wanted: { path: { derived: "glimpses", parameters } },
    });
    /** @type {[what: "path"|"many", ask: any, take: (arrays: Record<string, any>) => void][]} */
    const wanted = [];
    if (!this.chosen)
      wanted.push([
        "path",
        one(draw, { locations: [] }),
        (arrays) => this.own.set(String(draw), pathOf(arrays, "path.")),
      ]);
    if (locations.length)
      wanted.push(["path", one(draw, { locations }), (arrays) => (this.moved = pathOf(arrays, "path."))]);
    if (this.wantsMany && !(this.many && this.manyOf === moved)) {
      wanted.push([
        "many",
        one(0, { locations, paths: PATHS }),
        (arrays) => {
          this.many = { corner: arrays["path.corner"], belief: arrays["path.belief"] };
          this.manyOf = moved;
        },
      ]);
    }
    if (!wanted.length) {
      this.rest();
      return;
    }
    this.awaited = wanted.map(([what]) => what);
    this.asked += 1;
    const { asked } = this;
    const takes = wanted.map(([, , take]) => take);
    const request = { pictures: [header.ask], asks: wanted.map(([, ask]) => ask) };
    this.asker.ask(
      question,
      request,
      (answer) => this.heard(answer, takes, asked === this.asked),
      header.origin.digest,
    );
  }

  /**
   * @param {any} answer
   * @param {((arrays: Record<string, any>) => void)[]} takes the handlers of the answer to each ask
   * @param {boolean} newest whether this is the newest request
   */
  heard({ error, ask, done, arrays }, takes, newest) {
    if (error) {
      this.rest();
      return;
    }
    takes[ask](arrays);
    if (newest) {
      this.awaited[ask] = null;
      if (done) this.rest();
      else this.brighten();
    }
    this.player.answered();
  }

  /** Stop waiting for answers. */
  rest() {
    this.awaited = [];
    this.asker.rest();
    this.brighten();
  }

  /** Turn pending parts pale. */
  dim() {
    for (const what of this.awaited) if (what) this.player.root.classList.add(DIM[what]);
  }

  /** Restore the parts that are not pending. */
  brighten() {
    for (const what of /** @type {const} */ (["path", "many"]))
      if (!this.awaited.includes(what)) this.player.root.classList.remove(DIM[what]);
  }
}
