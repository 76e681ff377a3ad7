// What a visitor chooses in a component: taken from Python where it asks for something new, and told to Python once it
// has settled. What of it stands in the URL is the view.

import { isAtRest } from "./at_rest.js";
import { ControlledState } from "./controlled_state.js";

export const REST = 120; // milliseconds without a change after which a view has settled

/** A component in which something can be chosen. */
export class Chooser {
  /** @type {import("./url_view.js").UrlView} of a component whose view stands in the URL */ url;
  /** @type {any} what Python sent, as the component's Python side describes it */ header = null;
  /** @type {Record<string, ControlledState>} by name: what the visitor can choose */ controlled = {};
  /** @type {(name: string, value: any) => void} tells Python */ report = () => {};
  /** @type {ReturnType<typeof setTimeout>|undefined} */ settling;

  /** What the visitor has settled on, by name. @returns {Record<string, any>} */
  settled() {
    return this.url ? { view: this.view } : {};
  }

  /** What of the component stands in the URL; null before the first data. @returns {any} */
  get view() {
    return this.url?.now ?? null;
  }

  /**
   * Take the view that Python asks for, if that is new; else keep what of the present one exists here.
   * @param {any} facts what there is
   * @param {(asked: boolean) => void} fit adapts it further
   */
  takeView(facts, fit = () => {}) {
    const asked = this.asked("view");
    this.url.take(this.header.fields, asked, facts);
    fit(asked !== null);
    if (asked) this.noteSettled();
    else this.settle();
  }

  /** Tell Python, once the page has come to rest, what is not as it was told last. */
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

  /** What the visitor can choose under a name. @returns {ControlledState} */
  state(name) {
    return (this.controlled[name] ??= new ControlledState());
  }

  /**
   * What Python asks for under a name, if that is new; a component within another one is asked for nothing.
   * @param {string} name
   * @returns {{value: any}|null}
   */
  asked(name) {
    const asked = this.header.state?.[name];
    return asked ? this.state(name).take(asked) : null;
  }

  /** Take what is settled now as known to Python. */
  noteSettled() {
    for (const [name, value] of Object.entries(this.settled())) this.state(name).note(value);
  }
}
