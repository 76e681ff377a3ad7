// The views of a component at the epochs of a training: fetched over the live channel, kept, and shown as the slider
// moves, without a run of the page. An epoch whose view cannot be had says so; the view of another never stands for it.

import { Complaint } from "../core/complaint.js";
import { around, epochNow, followers, parametersAt, wantedOf, whenMoved } from "../core/epoch.js";
import { headerOf, withHeader } from "../core/payload.js";
import { Live } from "./live.js";

const BYTES = 96 << 20; // of the views that are kept
const SLOW = 200; // milliseconds after which a view that is still awaited makes the old one pale
const LOST = "The live connection is lost. This epoch is shown as soon as it is back.";

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
 * A view as the component takes it: with what Python has added to its own, and the net's key in the place of the other.
 * @param {Uint8Array} view of a net
 * @param {any} header of what Python has sent last
 * @returns {Uint8Array}
 */
export function completed(view, header) {
  const own = headerOf(view).header;
  const renamed = (value) => {
    if (value === header.request.checkpoint) return own.request.checkpoint;
    if (Array.isArray(value)) return value.map(renamed);
    if (value === null || typeof value !== "object") return value;
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, renamed(one)]));
  };
  const added = Object.entries(header).filter(([name]) => !(name in own));
  // What the visitor has chosen stays: Python asks for nothing that it has not asked for already.
  return withHeader(view, { ...renamed(Object.fromEntries(added)), ...(header.state ? { state: header.state } : {}) });
}

export class EpochViews {
  /**
   * @param {import("../core/part.js").Part} part that shows the views
   * @param {Complaint} complaint says what is wrong, at the beginning of the part
   */
  constructor(part, complaint = new Complaint()) {
    this.part = part;
    this.views = new Views();
    /** @type {any} of what Python has sent last */
    this.header = null;
    /** @type {string|null} whose view the part shows; null while that of the epoch cannot be had */
    this.shown = null;
    /** @type {string|null} whose view is being fetched */
    this.fetched = null;
    /** @type {Map<string, string>} nets whose views could not be had, and why */
    this.refused = new Map();
    /** @type {Live|null} */
    this.live = null;
    this.complaint = complaint;
    this.unfollow = whenMoved(() => part.guard(() => this.follow()));
    followers().add(this);
  }

  /** Whether the part shows the epoch that is wanted, or is of another training. */
  get isThere() {
    const wanted = this.header && wantedOf(epochNow(), this.header.request.checkpoint);
    return !wanted || wanted === this.shown || this.refused.has(wanted);
  }

  /** Whether the part cannot show the epoch that is wanted. */
  get lacks() {
    return this.shown === null;
  }

  /** Whether the connection is lost over which views come. */
  get isLost() {
    return this.live?.state === "lost";
  }

  /** Where the part is in the window, pixels. */
  get top() {
    return this.part.root.getBoundingClientRect().top;
  }

  /** Python has sent this, and the part shows it. @param {Uint8Array} bytes */
  take(bytes) {
    this.header = headerOf(bytes).header;
    this.shown = this.header.request.checkpoint;
    this.refused.clear();
    this.views.set(JSON.stringify(this.header.request), bytes);
    this.follow();
  }

  /** Show the epoch at which the slider stands; where it is shown, fetch those around it. */
  follow() {
    const epoch = epochNow();
    const net = wantedOf(epoch, this.header.request.checkpoint);
    if (net === null) return this.rest();
    const view = this.views.get(this.name(net));
    const refused = this.refused.get(net);
    if (net === this.shown) this.rest();
    else if (view) this.show(net, view);
    else if (refused) this.lack(refused);
    else this.ask(net);
    if (!this.isThere || !epoch?.eager || !this.views.hasRoom) return undefined;
    const others = around(epoch.nets.length, epoch.at).map((one) => epoch.nets[one]);
    const next = others.find((one) => !this.views.has(this.name(one)) && !this.refused.has(one));
    if (next) this.fetch(next);
    return undefined;
  }

  /** @param {string} net @param {Uint8Array} view */
  show(net, view) {
    this.shown = net;
    this.rest();
    this.part.guard(() => this.part.receive(completed(view, this.header)));
  }

  /** Nothing is awaited, and nothing is wrong. */
  rest() {
    clearTimeout(this.slow);
    this.slow = undefined;
    this.complain("");
    this.part.root.classList.remove("awaits-epoch", "lacks-epoch");
  }

  /** Fetch what is to be shown at once. @param {string} net */
  ask(net) {
    this.part.root.classList.remove("lacks-epoch");
    this.slow ??= setTimeout(() => this.part.root.classList.add("awaits-epoch"), SLOW);
    this.fetch(net);
  }

  /** Fetch a view, unless another one is on its way: then this is looked at again once that is here. */
  fetch(net) {
    if (this.fetched !== null) return;
    this.fetched = net;
    this.live ??= new Live((state) => this.part.guard(() => this.connected(state)));
    const { derived, picture } = this.header.request;
    const parameters = this.parameters(net);
    const name = this.name(net);
    const asks = [{ checkpoint: net, wanted: { view: { derived, parameters } } }];
    this.live.ask({ pictures: [picture], asks }, (answer) => {
      if (answer.done) this.fetched = null;
      if (answer.error) this.refused.set(net, answer.error);
      else this.views.set(name, answer.arrays.view);
      if (answer.done) this.part.guard(() => this.follow());
    });
  }

  /** The view of the epoch cannot be had: nothing else is shown in its place. @param {string} sentence */
  lack(sentence) {
    this.rest();
    this.shown = null;
    this.complain(sentence);
    this.part.root.classList.add("lacks-epoch");
  }

  /** Say what is wrong, at the beginning of the part; or with "" that nothing is. @param {string} sentence */
  complain(sentence) {
    this.complaint.say(sentence);
    if (sentence) this.part.root.prepend(this.complaint.element);
    else this.complaint.element.remove();
  }

  /** How the connection fares; once it is back, what could not be had is asked for again. @param {string} state */
  connected(state) {
    if (state === "lost" && !this.isThere) this.complain(LOST);
    if (state !== "ready" || !this.refused.size) return;
    this.refused.clear();
    this.follow();
  }

  /** By which a view is kept. @param {string} net */
  name(net) {
    return JSON.stringify({ ...this.header.request, parameters: this.parameters(net), checkpoint: net });
  }

  /** Of the view of a net. @param {string} net */
  parameters(net) {
    return parametersAt(epochNow(), net, this.header.request.parameters);
  }

  /** Unmounted. */
  leave() {
    this.rest();
    this.unfollow();
    followers().delete(this);
    this.live?.close();
  }
}
