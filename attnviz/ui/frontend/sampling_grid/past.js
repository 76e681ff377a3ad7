// The history of views, for undo.

const DEEP = 100; // maximum number of steps that can be undone

/** Earlier views, one per step. */
export class Past {
  constructor() {
    /** @type {any[]} */
    this.views = [];
    this.doing = ""; // the tool of the last change: further changes with it are the same step
  }

  get length() {
    return this.views.length;
  }

  /** Store a view before a change, unless the last change was made with the same tool.
   * @param {any} view
   * @param {string} by the tool; "": a separate step
   */
  keep(view, by) {
    if (by && by === this.doing) return;
    this.doing = by;
    this.views = [...this.views.slice(1 - DEEP), { ...view }];
  }

  /** Undo the last step and return the view before it, or undefined if there is none. */
  back() {
    this.doing = "";
    return this.views.pop();
  }

  /** Called when the hand rests: drop a step that changed nothing. @param {any} view the present one */
  end(view) {
    this.doing = "";
    if (JSON.stringify(this.views.at(-1)) === JSON.stringify(view)) this.views.pop();
  }

  /** Forget everything: the next change is a separate step. */
  clear() {
    this.views = [];
    this.doing = "";
  }
}
