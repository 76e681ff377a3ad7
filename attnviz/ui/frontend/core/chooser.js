// The visitor's choices in a component: taken from Python when it asks for a new value, and reported to Python once
// they have settled. The part of them that stands in the URL is the view.

import { isAtRest } from "./at_rest.js";
import { ControlledState } from "./controlled_state.js";

export const REST = 120; // milliseconds without a change after which a view has settled

/** A component in which the visitor can choose something. */
export class Chooser {
  /** @type {import("./url_view.js").UrlView} of a component whose view stands in the URL */ url;
  /** @type {any} the data from Python, as described on the component's Python side */ header = null;
  /** @type {Record<string, ControlledState>} the visitor's choices, by name */ controlled = {};
  /** @type {(name: string, value: any) => void} reports a choice to Python */ report = () => {};
  /** @type {ReturnType<typeof setTimeout>|undefined} */ settling;

  /** The settled choices, by name. @returns {Record<string, any>} */
  settled() {
    return this.url ? { view: this.view } : {};
  }

  /** The part of the component's state that stands in the URL; null before the first data. @returns {any} */
  get view() {
    return this.url?.now ?? null;
  }

  /**
   * Take the view that Python asks for, if it is new; otherwise keep those parts of the present view that exist here.
   * @param {any} facts the data that the view must fit
   * @param {(asked: boolean) => void} fit adapts it further
   */
  takeView(facts, fit = () => {}) {
    const asked = this.asked("view");
    this.url.take(this.header.fields, asked, facts);
    fit(asked !== null);
    if (asked) this.noteSettled();
    else this.settle();
  }

  /** Report to Python, once the page has come to rest, the choices that differ from the last report. */
  settle() {
    clearTimeout(this.settling);
    this.settling = setTimeout(() => {
      if (!isAtRest(REST)) return this.settle();
      for (const [name, value] of Object.entries(this.settled())) {
        const news = this.state(name).report(value);
        if (news) this.report(name, news);
      }
    }, REST);
  }

  /** The choice with a name. @returns {ControlledState} */
  state(name) {
    return (this.controlled[name] ??= new ControlledState());
  }

  /**
   * Python's new value for a name, if any; a component within another one is never asked for anything.
   * @param {string} name
   * @returns {{value: any}|null}
   */
  asked(name) {
    const asked = this.header.state?.[name];
    return asked ? this.state(name).take(asked) : null;
  }

  /** Treat the settled choices as known to Python. */
  noteSettled() {
    for (const [name, value] of Object.entries(this.settled())) this.state(name).note(value);
  }
}
