// Who owns what a visitor chooses in a component: the browser, until Python asks for something else. What Python asks
// for has a revision, which is taken when it is new; what is reported names the revision that was known. Python's side,
// which says why, is attnviz/ui/components/state.py.

// What was reported last, by key: Streamlit mounts a component anew where something above it comes or goes.
const last = new Map();

/** One thing that can be chosen in a component. */
export class ControlledState {
  constructor() {
    this.revision = 0; // before the first one
    this.key = ""; // by which what was reported is kept, once Python has asked
    this.known = undefined; // to Python since that revision, as JSON
  }

  /**
   * What Python asks for, if that is new; asked again, it no longer is. In a component that is mounted anew, what the
   * visitor has chosen since Python asked.
   * @param {{value: any, revision: number, key: string}} asked
   * @returns {{value: any}|null} null where what the visitor has chosen stays
   */
  take({ value, revision, key }) {
    if (revision === this.revision) return null;
    const before = this.revision ? null : last.get(key);
    Object.assign(this, { revision, key, known: undefined });
    return before?.revision === revision ? { value: before.value } : { value };
  }

  /** Take what is chosen now as known to Python. @param {any} value JSON can say it */
  note(value) {
    this.known = JSON.stringify(value);
  }

  /** What is to be reported; null where Python knows it. @param {any} value JSON can say it */
  report(value) {
    const written = JSON.stringify(value);
    if (written === this.known) return null;
    this.known = written;
    const news = { value: JSON.parse(written), revision: this.revision };
    if (this.key) last.set(this.key, news);
    return news;
  }
}
