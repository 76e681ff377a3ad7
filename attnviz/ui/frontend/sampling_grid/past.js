// Views that an undo leads back to.

const DEEP = 100; // so many steps can be undone

/** What was, one step after the other. */
export class Past {
  constructor() {
    /** @type {any[]} */
    this.views = [];
    this.doing = ""; // what the last change was made with: what follows from the same hand is one step
  }

  get length() {
    return this.views.length;
  }

  /** Keep a view that is about to change, unless it has been changed with the same as before.
   * @param {any} view
   * @param {string} by with what; "": a step of its own
   */
  keep(view, by) {
    if (by && by === this.doing) return;
    this.doing = by;
    this.views = [...this.views.slice(1 - DEEP), { ...view }];
  }

  /** The view before the last step, which is taken back; undefined where there is none. */
  back() {
    this.doing = "";
    return this.views.pop();
  }

  /** The hand rests: a step that changed nothing is none. @param {any} view as it is now */
  end(view) {
    this.doing = "";
    if (JSON.stringify(this.views.at(-1)) === JSON.stringify(view)) this.views.pop();
  }

  /** Forget it all: what the hand does next is a step of its own. */
  clear() {
    this.views = [];
    this.doing = "";
  }
}
