// A component that gets answers over the live channel while the visitor changes something in it.

import { Part } from "../core/part.js";
import { UrlView } from "../core/url_view.js";
import { Asker } from "./asker.js";

/** A component with live answers; its own class implements the methods that `Part` leaves open. */
export class LivePart extends Part {
  /**
   * @param {import("../core/url_fields.js").Rules} rules of the view that stands in the URL
   * @param {string} lost the sentence shown while the connection is lost
   */
  constructor(rules, lost) {
    super();
    this.url = new UrlView({}, rules);
    this.subject = ""; // the shown net and example
    this.asker = new Asker({
      guard: (act) => this.guard(act),
      complaint: this.url.complaint,
      lost,
      dim: () => this.root.classList.add("waiting"),
    });
  }

  /** Take net and example of the data. @returns {boolean} whether they have changed; then nothing is pending */
  takeSubject() {
    const { header } = this;
    const subject = JSON.stringify([header.origin, header.classes]);
    if (subject === this.subject) return false;
    this.subject = subject;
    this.rest();
    return true;
  }

  /** Stop waiting for an answer. */
  rest() {
    this.asker.rest();
    this.root.classList.remove("waiting");
  }
}
