// The view of a component: the part of its state that stands in the URL. Only this class reads it, writes it, and
// complains about invalid requests in the URL.

import { Complaint } from "./complaint.js";
import { atEpoch } from "./epoch.js";
import { readView, urlOf } from "./url_fields.js";

/** @typedef {import("./url_fields.js").Field} Field */

/** @type {import("./url_fields.js").Rules} */
const ALL = { exists: () => true, there: () => "" };

export class UrlView {
  /**
   * @param {ConstructorParameters<typeof Complaint>[0]} how options of the complaint
   * @param {import("./url_fields.js").Rules} [rules] which values of a view exist
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
   * Take a requested view and complain about values that do not exist; without a request, keep the values that exist.
   * @param {Field[]} fields
   * @param {{value: any}|null} asked any fields, with any values
   * @param {any} facts the component's data, for the rules
   */
  take(fields, asked, facts) {
    const { view, complaint } = readView(fields, asked ? asked.value : this.now, this.rules, facts);
    this.fields = fields;
    this.now = view;
    if (asked) this.complaint.say(complaint);
  }

  /** The URL of the page with a view in it, the present one by default. @param {Record<string, any>} view */
  link(view = this.now, fields = this.fields) {
    return atEpoch(urlOf(location.href, fields, view));
  }
}
