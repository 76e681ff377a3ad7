// Paths that did not come with the data, over the live channel: another draw, or with glimpses moved elsewhere.

import { Asker } from "../live/asker.js";
import { locationsOf, pathOf } from "./derive.js";

export const PATHS = 50; // drawn at once
const LOST =
  "The live connection is lost: the boxes follow your hand, but the rest of the path and the belief are the " +
  "previous ones.";

const DIM = { path: "waiting", many: "waiting-many" }; // what the root is called while one of these takes long

/** The paths of one picture that are known, and the connection that brings others. */
export class LivePaths {
  /** @param {import("./glimpse_player.js").GlimpsePlayer} player */
  constructor(player) {
    this.player = player;
    /** @type {("path"|"many"|null)[]} what each ask brings, in their order; null once it is here */
    this.awaited = [];
    this.asked = 0; // how often
    this.subject = ""; // whose paths these are
    /** @type {Map<string, import("./derive.js").Path>} */
    this.own = new Map(); // without anything moved, by draw
    /** @type {import("./derive.js").Path|null} */
    this.moved = null;
    /** @type {import("./derive.js").Many|null} */
    this.many = null;
    this.manyOf = ""; // with what moved
    this.asker = new Asker({
      guard: (act) => player.guard(act),
      complaint: player.url.complaint,
      lost: LOST,
      dim: () => this.dim(),
    });
  }

  /** Take the path of the data. */
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

  /** Whether anything is awaited. */
  get pending() {
    return this.awaited.some(Boolean);
  }

  /** Of which random numbers the view's path is; null for the means, -1 for unknown ones. @returns {number|null} */
  get draw() {
    const { view, header } = this.player;
    if (!this.player.canMove) return header.draw; // nobody computes another one
    return view.locations === "means" ? null : view.draw;
  }

  /** Whether many paths are to be drawn at once. */
  get wantsMany() {
    const { view, header, canMove } = this.player;
    return canMove && view.locations === "fifty" && header.policy !== "fixed";
  }

  /** The path that the model chooses itself; null where it is not here yet. */
  get chosen() {
    return this.own.get(String(this.draw)) ?? null;
  }

  /** What an answer must belong to in order to be shown: a glimpse may have been dragged on since. */
  get question() {
    const { moved } = this.player.view;
    const which = moved.map(/** @param {number[]} move */ ([glimpse]) => glimpse);
    return JSON.stringify([this.subject, this.draw, which, moved.slice(0, -1), this.wantsMany]);
  }

  /** Ask for what the view shows, unless it is here. */
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
   * @param {((arrays: Record<string, any>) => void)[]} takes what takes the answer to each ask
   * @param {boolean} newest whether nothing has been asked since
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

  /** Nothing is awaited any more. */
  rest() {
    this.awaited = [];
    this.asker.rest();
    this.brighten();
  }

  /** Make what is still awaited pale. */
  dim() {
    for (const what of this.awaited) if (what) this.player.root.classList.add(DIM[what]);
  }

  /** Nothing that is not awaited is pale. */
  brighten() {
    for (const what of /** @type {const} */ (["path", "many"]))
      if (!this.awaited.includes(what)) this.player.root.classList.remove(DIM[what]);
  }
}
