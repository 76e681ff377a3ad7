// Views of a component that are fetched over the live channel on demand and cached: the epochs of a training
// (epoch_views.js), the layers of a model (pixel_viewer/layers.js). They are fetched one at a time.

import { Complaint } from "../core/complaint.js";
import { headerOf } from "../core/payload.js";
import { Live } from "./live.js";

const BYTES = 96 << 20; // of the cached views
const SLOW = 200; // milliseconds of waiting after which the old view turns pale

/** Views by name, the most recently used last, up to a total number of bytes. */
export class Views {
  /** @param {number} most maximum total size, bytes */
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

  /** Whether another view as large as the last one would fit without evicting any. */
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
 * The entries that a view's header lacks: those that Python has added to its own, with the net's key replaced.
 * @param {Uint8Array} view of a net
 * @param {any} header the header of the last data from Python
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
  // The visitor's choices stay: Python makes no request that it has not made already.
  return { ...renamed(Object.fromEntries(added)), ...(header.state ? { state: header.state } : {}) };
}

export class FetchedViews {
  /**
   * @param {import("../core/part.js").Part} part that shows the views
   * @param {string} kind what a view shows, for the sentence about a lost connection: "epoch"
   * @param {Complaint} complaint shows problems at the beginning of the part
   */
  constructor(part, kind, complaint = new Complaint()) {
    this.part = part;
    this.lost = `The live connection is lost. This ${kind} is shown as soon as it is back.`;
    this.views = new Views();
    /** @type {any} the header of the last data from Python */
    this.header = null;
    /** @type {string|null} the name of the shown view; null while none can be shown */
    this.shown = null;
    /** @type {string|null} the name of the view that is being fetched */
    this.fetched = null;
    /** @type {Map<string, string>} the views that are unavailable, and why */
    this.refused = new Map();
    /** @type {Live|null} */
    this.live = null;
    this.complaint = complaint;
  }

  /** Show the wanted view, then fetch others ahead. */
  follow() {
    throw new Error("A subclass must name the wanted view.");
  }

  /** Whether the part shows the wanted view. */
  get isThere() {
    return true;
  }

  /** Whether the part cannot show the wanted view. */
  get lacks() {
    return false;
  }

  /** Whether the connection that brings the views is lost. */
  get isLost() {
    return this.live?.state === "lost";
  }

  /** The net and the parameters of a view. @param {string} _ @returns {{checkpoint: string, parameters: any}} */
  asked(_) {
    throw new Error("A subclass must describe the request for a view.");
  }

  /** Show a view, fetch it, or explain why it is unavailable. @param {string} wanted */
  settle(wanted) {
    const view = this.views.get(this.name(wanted));
    const refused = this.refused.get(wanted);
    if (wanted === this.shown) this.rest();
    else if (view) this.show(wanted, view);
    else if (refused) this.lack(refused);
    else this.ask(wanted);
  }

  /** Fetch the first view that is not cached yet, if there is room. @param {string[]} others */
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

  /** Stop waiting and clear the complaint. */
  rest() {
    clearTimeout(this.slow);
    this.slow = undefined;
    this.complain("");
    this.part.root.classList.remove("awaits-view");
  }

  /** Fetch a view to show it at once. @param {string} one */
  ask(one) {
    this.slow ??= setTimeout(() => this.part.root.classList.add("awaits-view"), SLOW);
    this.fetch(one);
  }

  /** Fetch a view, unless another is on its way: `follow` is called again when that arrives. @param {string} one */
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

  /** Handle a wanted view that is unavailable. @param {string} sentence */
  lack(sentence) {
    this.complain(sentence);
  }

  /** Show a problem at the beginning of the part; "" clears it. @param {string} sentence */
  complain(sentence) {
    this.complaint.say(sentence);
    if (sentence) this.part.root.prepend(this.complaint.element);
    else this.complaint.element.remove();
  }

  /** Handle a changed connection; once it is back, request unavailable views again. @param {string} state */
  connected(state) {
    if (state === "lost" && !this.isThere) this.complain(this.lost);
    if (state !== "ready" || !this.refused.size) return;
    this.refused.clear();
    this.follow();
  }

  /** The cache key of a view. @param {string} one */
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
