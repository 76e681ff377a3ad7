// The views of a component at the epochs of a training, shown as the slider moves, without a run of the page. If the
// view of an epoch is unavailable, the component says so and never shows another in its place.

import { Complaint } from "../core/complaint.js";
import { around, epochNow, followers, parametersAt, wantedOf, whenMoved } from "../core/epoch.js";
import { headerOf } from "../core/payload.js";
import { FetchedViews } from "./fetched_views.js";

export class EpochViews extends FetchedViews {
  /**
   * @param {import("../core/part.js").Part} part that shows the views
   * @param {Complaint} complaint shows problems at the beginning of the part
   */
  constructor(part, complaint = new Complaint()) {
    super(part, "epoch", complaint);
    this.unfollow = whenMoved(() => part.guard(() => this.follow()));
    followers().add(this);
  }

  /** Whether the part shows the wanted epoch, or another training. */
  get isThere() {
    const wanted = this.header && wantedOf(epochNow(), this.header.request.checkpoint);
    return !wanted || wanted === this.shown || this.refused.has(wanted);
  }

  /** Whether the part cannot show the wanted epoch. */
  get lacks() {
    return this.shown === null;
  }

  /** The position of the part in the window, pixels. */
  get top() {
    return this.part.root.getBoundingClientRect().top;
  }

  /** Cache the data from Python, which the part shows. @param {Uint8Array} bytes */
  take(bytes) {
    this.header = headerOf(bytes).header;
    this.shown = this.header.request.checkpoint;
    this.refused.clear();
    this.views.set(JSON.stringify(this.header.request), bytes);
    this.follow();
  }

  /** Show the epoch of the slider, then fetch those around it. */
  follow() {
    const epoch = epochNow();
    const net = wantedOf(epoch, this.header.request.checkpoint);
    if (net === null) return this.rest();
    this.settle(net);
    if (this.isThere && epoch?.eager) this.ahead(around(epoch.nets.length, epoch.at).map((one) => epoch.nets[one]));
    return undefined;
  }

  rest() {
    super.rest();
    this.part.root.classList.remove("lacks-epoch");
  }

  /** @param {string} net */
  ask(net) {
    this.part.root.classList.remove("lacks-epoch");
    super.ask(net);
  }

  /** Handle an unavailable epoch: nothing else is shown in its place. @param {string} sentence */
  lack(sentence) {
    this.rest();
    this.shown = null;
    this.complain(sentence);
    this.part.root.classList.add("lacks-epoch");
  }

  /** @param {string} net */
  asked(net) {
    return { checkpoint: net, parameters: parametersAt(epochNow(), net, this.header.request.parameters) };
  }

  leave() {
    this.rest();
    this.unfollow();
    followers().delete(this);
    super.leave();
  }
}
