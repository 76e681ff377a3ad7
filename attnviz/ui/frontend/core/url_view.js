// The view of a component: what of it stands in the URL. This class alone reads it, writes it, and complains about what
// the URL asks for.

import { Complaint } from "./complaint.js";
import { atEpoch } from "./epoch.js";
import { readView, urlOf } from "./url_fields.js";

/** @typedef {import("./url_fields.js").Field} Field */

/** @type {import("./url_fields.js").Rules} */
const ALL = { exists: () => true, there: () => "" };

export class UrlView {
  /**
   * @param {ConstructorParameters<typeof Complaint>[0]} how the complaint is
   * @param {import("./url_fields.js").Rules} [rules] what of a view exists
   */
  constructor(how, rules = ALL) {
    this.rules = rules;
    this.complaint = new Complaint(how);
    /** @type {Field[]} as Python declares them */
    this.fields = [];
    /** @type {any} the values of all fields; null before the first data */
    this.now = null;
  }

  /**
   * Take what is asked for, and complain about what does not exist; where nothing is asked, keep what exists.
   * @param {Field[]} fields
   * @param {{value: any}|null} asked any fields, with any values
   * @param {any} facts what there is, for the rules
   */
  take(fields, asked, facts) {
    const { view, complaint } = readView(fields, asked ? asked.value : this.now, this.rules, facts);
    this.fields = fields;
    this.now = view;
    if (asked) this.complaint.say(complaint);
  }

  /** The URL of the page with a view in it, by default the present one. @param {Record<string, any>} view */
  link(view = this.now, fields = this.fields) {
    return atEpoch(urlOf(location.href, fields, view));
  }
}
