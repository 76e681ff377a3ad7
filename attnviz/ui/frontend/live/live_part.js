// A component that is answered over the live channel while something in it is changed by hand.

import { Part } from "../core/part.js";
import { UrlView } from "../core/url_view.js";
import { Asker } from "./asker.js";

/** A component; its own class says what `Part` leaves to it, and asks. */
export class LivePart extends Part {
  /**
   * @param {import("../core/url_fields.js").Rules} rules of the view that stands in the URL
   * @param {string} lost what it says while the connection is lost
   */
  constructor(rules, lost) {
    super();
    this.url = new UrlView({}, rules);
    this.subject = ""; // net and example that are shown
    this.asker = new Asker({
      guard: (act) => this.guard(act),
      complaint: this.url.complaint,
      lost,
      dim: () => this.root.classList.add("waiting"),
    });
  }

  /** Take net and example that the data are of. @returns {boolean} whether they are other ones: nothing is awaited */
  takeSubject() {
    const { header } = this;
    const subject = JSON.stringify([header.origin, header.classes]);
    if (subject === this.subject) return false;
    this.subject = subject;
    this.rest();
    return true;
  }

  /** No answer is awaited any more. */
  rest() {
    this.asker.rest();
    this.root.classList.remove("waiting");
  }
}
