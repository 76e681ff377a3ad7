// Paths that did not come with the data, over the live channel: another draw, or with glimpses moved elsewhere.

import { PatientLive } from "../shared/patient.js";
import { locationsOf, pathOf } from "./path.js";

const LOST = "The live connection is lost: the boxes follow your hand, but the rest of the path and the belief are the previous ones.";

/** The paths of one picture that are known, and the connection that brings others. */
export class LivePaths {
  /** @param {import("./glimpse_player.js").GlimpsePlayer} player */
  constructor(player) {
    this.player = player;
    this.pending = false;
    this.subject = ""; // whose paths these are
    /** @type {Map<string, import("./path.js").Path>} */
    this.own = new Map(); // without anything moved, by draw
    /** @type {import("./path.js").Path|null} */
    this.moved = null;
    this.channel = new PatientLive({
      guard: (act) => player.guard(act), complain: (sentence) => player.complain(sentence), lost: LOST,
      dim: () => player.root.classList.toggle("waiting", this.pending),
    });
  }

  /** Take the path that came with the data. */
  take() {
    const { header, arrays } = this.player;
    const subject = JSON.stringify([header.origin, header.ask, header.forced]);
    if (subject !== this.subject) {
      this.own.clear();
      this.moved = null;
    }
    this.subject = subject;
    this.own.set(String(header.draw), pathOf(arrays));
  }

  /** Of which random numbers the view's path is; null for the means. @returns {number|null} */
  get draw() {
    const { view, header } = this.player;
    if (!header.parts.includes("player")) return header.draw;
    return view.locations === "means" ? null : view.draw;
  }

  /** The path that the model chooses itself; null where it is not here yet. */
  get chosen() {
    return this.own.get(String(this.draw)) ?? null;
  }

  /** What an answer must belong to in order to be shown. */
  get question() {
    return JSON.stringify([this.subject, this.draw, this.player.view.moved]);
  }

  /** Ask for what the view shows, unless it is here. */
  ask() {
    const { header, view, facts } = this.player;
    this.moved = null;
    const { draw, question } = this;
    /** @param {(number[]|null)[]} locations */
    const one = (locations) => ({
      checkpoint: header.checkpoint, ...(draw === null ? {} : { seed: draw }),
      wanted: { path: { derived: "glimpses", parameters: { locations } } },
    });
    const own = this.chosen ? [] : [one([])];
    const asks = [...own, ...(view.moved.length ? [one(locationsOf(view.moved, facts))] : [])];
    if (!asks.length) {
      this.rest();
      return;
    }
    this.pending = true;
    this.channel.ask({ pictures: [header.ask], asks }, (answer) => this.heard(answer, question, own.length));
  }

  /** @param {any} answer @param {string} question @param {number} own how many of the asks are without moves */
  heard({ error, ask, done, digest, arrays }, question, own) {
    if (question !== this.question) return; // of an earlier picture or place: it is not shown
    if (error) {
      this.player.complain(error);
      this.rest();
      return;
    }
    if (digest !== this.player.header.origin.digest) return;
    this.player.complain("");
    const path = pathOf(arrays, "path.");
    if (ask < own) this.own.set(String(this.draw), path);
    else this.moved = path;
    if (done) this.rest();
    this.player.answered();
  }

  /** Nothing is awaited any more. */
  rest() {
    this.pending = false;
    this.channel.rest();
    this.player.root.classList.remove("waiting");
  }

  leave() {
    this.channel.close();
  }
}
