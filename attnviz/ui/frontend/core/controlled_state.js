// Who owns a visitor's choice in a component: the browser, until Python asks for something else. Each request of Python
// has a revision and is taken once, when it is new; each report names the last known revision. Python's side, which
// explains the reasons, is attnviz/ui/components/state.py.

// The last reports, by key: Streamlit remounts a component when something above it appears or disappears.
const last = new Map();

/** A single choice in a component. */
export class ControlledState {
  constructor() {
    this.revision = 0; // before the first request
    this.key = ""; // key of the kept report, once Python has asked
    this.known = undefined; // reported to Python since that revision, as JSON
  }

  /**
   * The value that Python asks for, the first time that it asks. In a remounted component, the value that the visitor
   * has chosen since then.
   * @param {{value: any, revision: number, key: string}} asked
   * @returns {{value: any}|null} null if the visitor's choice stays
   */
  take({ value, revision, key }) {
    if (revision === this.revision) return null;
    const before = this.revision ? null : last.get(key);
    Object.assign(this, { revision, key, known: undefined });
    return before?.revision === revision ? { value: before.value } : { value };
  }

  /** Treat the present choice as known to Python. @param {any} value serialisable as JSON */
  note(value) {
    this.known = JSON.stringify(value);
  }

  /** The report to send, or null if Python already knows the value. @param {any} value serialisable as JSON */
  report(value) {
    const written = JSON.stringify(value);
    if (written === this.known) return null;
    this.known = written;
    const news = { value: JSON.parse(written), revision: this.revision };
    if (this.key) last.set(this.key, news);
    return news;
  }
}
