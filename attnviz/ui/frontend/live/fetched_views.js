// Views of a component that are fetched over the live channel when they are wanted, and kept: of the epochs of a
// training (epoch_views.js), of the layers of a model (pixel_viewer/layers.js). One is fetched at a time.

import { Complaint } from "../core/complaint.js";
import { headerOf } from "../core/payload.js";
import { Live } from "./live.js";

const BYTES = 96 << 20; // of the views that are kept
const SLOW = 200; // milliseconds after which a view that is still awaited makes the old one pale

/** Views by name, the latest used last, of so many bytes at most. */
export class Views {
  /** @param {number} most bytes */
  constructor(most = BYTES) {
    this.most = most;
    this.size = 0;
    /** @type {Map<string, Uint8Array>} */
    this.found = new Map();
  }

  /** @param {string} name @returns {Uint8Array|undefined} */
  get(name) {
    const bytes = this.found.get(name);
    if (!bytes) return undefined;
    this.found.delete(name);
    this.found.set(name, bytes);
    return bytes;
  }

  has(name) {
    return this.found.has(name);
  }

  /** Whether one more as large as the last would fit without loss. */
  get hasRoom() {
    return this.size + this.size / Math.max(1, this.found.size) <= this.most;
  }

  /** @param {string} name @param {Uint8Array} bytes */
  set(name, bytes) {
    this.size += bytes.length - (this.found.get(name)?.length ?? 0);
    this.found.delete(name);
    this.found.set(name, bytes);
    for (const [oldest, { length }] of this.found) {
      if (this.size <= this.most || oldest === name) break;
      this.found.delete(oldest);
      this.size -= length;
    }
  }
}

/**
 * What the header of a view lacks: what Python has added to its own, with the net's key in the place of the other.
 * @param {Uint8Array} view of a net
 * @param {any} header of what Python has sent last
 * @returns {Record<string, any>}
 */
export function lacking(view, header) {
  const own = headerOf(view).header;
  const renamed = (value) => {
    if (value === header.request.checkpoint) return own.request.checkpoint;
    if (Array.isArray(value)) return value.map(renamed);
    if (value === null || typeof value !== "object") return value;
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, renamed(one)]));
  };
  const added = Object.entries(header).filter(([name]) => !(name in own));
  // What the visitor has chosen stays: Python asks for nothing that it has not asked for already.
  return { ...renamed(Object.fromEntries(added)), ...(header.state ? { state: header.state } : {}) };
}

export class FetchedViews {
  /**
   * @param {import("../core/part.js").Part} part that shows the views
   * @param {string} kind of what each view is, in the sentence about a lost connection: "epoch"
   * @param {Complaint} complaint says what is wrong, at the beginning of the part
   */
  constructor(part, kind, complaint = new Complaint()) {
    this.part = part;
    this.lost = `The live connection is lost. This ${kind} is shown as soon as it is back.`;
    this.views = new Views();
    /** @type {any} of what Python has sent last */
    this.header = null;
    /** @type {string|null} whose view the part shows; null while none can be shown */
    this.shown = null;
    /** @type {string|null} whose view is being fetched */
    this.fetched = null;
    /** @type {Map<string, string>} those whose views could not be had, and why */
    this.refused = new Map();
    /** @type {Live|null} */
    this.live = null;
    this.complaint = complaint;
  }

  /** Show the view that is wanted now; once it is shown, fetch others ahead. */
  follow() {
    throw new Error("Each kind of views says which one is wanted.");
  }

  /** Whether the part shows what is wanted. */
  get isThere() {
    return true;
  }

  /** Whether the part cannot show what is wanted. */
  get lacks() {
    return false;
  }

  /** Whether the connection is lost over which views come. */
  get isLost() {
    return this.live?.state === "lost";
  }

  /** The net and the parameters of a view. @param {string} _ @returns {{checkpoint: string, parameters: any}} */
  asked(_) {
    throw new Error("Each kind of views says what it asks for.");
  }

  /** Show a view, or fetch it, or say why it cannot be had. @param {string} wanted */
  settle(wanted) {
    const view = this.views.get(this.name(wanted));
    const refused = this.refused.get(wanted);
    if (wanted === this.shown) this.rest();
    else if (view) this.show(wanted, view);
    else if (refused) this.lack(refused);
    else this.ask(wanted);
  }

  /** Fetch the first that is not there yet, while there is room. @param {string[]} others */
  ahead(others) {
    if (!this.views.hasRoom) return;
    const next = others.find((one) => !this.views.has(this.name(one)) && !this.refused.has(one));
    if (next !== undefined) this.fetch(next);
  }

  /** @param {string} one @param {Uint8Array} view */
  show(one, view) {
    this.shown = one;
    this.rest();
    this.part.guard(() => this.part.receive(view, lacking(view, this.header)));
  }

  /** Nothing is awaited, and nothing is wrong. */
  rest() {
    clearTimeout(this.slow);
    this.slow = undefined;
    this.complain("");
    this.part.root.classList.remove("awaits-view");
  }

  /** Fetch what is to be shown at once. @param {string} one */
  ask(one) {
    this.slow ??= setTimeout(() => this.part.root.classList.add("awaits-view"), SLOW);
    this.fetch(one);
  }

  /** Fetch a view, unless another is on its way: `follow` looks again once that is here. @param {string} one */
  fetch(one) {
    if (this.fetched !== null) return;
    this.fetched = one;
    this.live ??= new Live((state) => this.part.guard(() => this.connected(state)));
    const { derived, picture } = this.header.request;
    const { checkpoint, parameters } = this.asked(one);
    const name = this.name(one);
    const asks = [{ checkpoint, wanted: { view: { derived, parameters } } }];
    this.live.ask({ pictures: [picture], asks }, (answer) => {
      if (answer.done) this.fetched = null;
      if (answer.error) this.refused.set(one, answer.error);
      else this.views.set(name, answer.arrays.view);
      if (answer.done) this.part.guard(() => this.follow());
    });
  }

  /** What is wanted cannot be had. @param {string} sentence */
  lack(sentence) {
    this.complain(sentence);
  }

  /** Say what is wrong, at the beginning of the part; or with "" that nothing is. @param {string} sentence */
  complain(sentence) {
    this.complaint.say(sentence);
    if (sentence) this.part.root.prepend(this.complaint.element);
    else this.complaint.element.remove();
  }

  /** How the connection fares; once it is back, what could not be had is asked for again. @param {string} state */
  connected(state) {
    if (state === "lost" && !this.isThere) this.complain(this.lost);
    if (state !== "ready" || !this.refused.size) return;
    this.refused.clear();
    this.follow();
  }

  /** By which a view is kept. @param {string} one */
  name(one) {
    return JSON.stringify({ ...this.header.request, ...this.asked(one) });
  }

  leave() {
    clearTimeout(this.slow);
    this.live?.close();
    this.live = null;
    this.fetched = null;
  }
}
