// The views of a component at the epochs of a training, shown as the slider moves, without a run of the page. An epoch
// whose view cannot be had says so; the view of another never stands for it.

import { Complaint } from "../core/complaint.js";
import { around, epochNow, followers, parametersAt, wantedOf, whenMoved } from "../core/epoch.js";
import { headerOf } from "../core/payload.js";
import { FetchedViews } from "./fetched_views.js";

export class EpochViews extends FetchedViews {
  /**
   * @param {import("../core/part.js").Part} part that shows the views
   * @param {Complaint} complaint says what is wrong, at the beginning of the part
   */
  constructor(part, complaint = new Complaint()) {
    super(part, "epoch", complaint);
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

  /** The view of the epoch cannot be had: nothing else is shown in its place. @param {string} sentence */
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
