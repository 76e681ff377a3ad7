// Tells the cells that a pointer passes from those on which it rests. A map responds at once to the pointer; but a
// pointer that leaves the map, towards the words about a cell, passes other cells that were not meant.

// A pointer has rested if it is within this many CSS pixels after this many milliseconds: hands tremble, and a visitor
// who reads cell after cell never quite stops. A pointer on its way out moves further in that time, even from the edge
// of a cell.
const REST = 120;
const NEAR = 4;

/** Restores the last selection on which a pointer rested, once it has left. Maps of the same pair or pixel share it. */
export class Passing {
  /**
   * @param {() => (string|number|boolean|null)[]} now the present selection, as values to compare
   * @param {(state: any[]) => void} back restores a selection returned by `now`
   */
  constructor(now, back) {
    this.now = now;
    this.back = back;
    this.keep();
  }

  /** Keep a selection that was chosen on purpose or belongs to new data. */
  keep() {
    /** @type {any[]|null} the last selection on which the pointer rested; null while it is over no map */
    this.kept = null;
    /** @type {any[]|null} the selection after the pointer's last move */
    this.seen = null;
    /** @type {{time: number, x: number, y: number, state: any[]}[]} its positions since then, by time */
    this.passed = [];
    /** @type {{x: number, y: number}|null} its last known position */
    this.last = null;
  }

  /**
   * Handle a move of the pointer over a map.
   * @param {{time: number, x: number, y: number}} to milliseconds, and CSS pixels of the window
   * @param {(() => void)|null} look selects the cell under it; null between two maps
   */
  move({ time, x, y }, look) {
    if (x === this.last?.x && y === this.last.y) return; // the page has moved, not the pointer: the event is late
    this.waited(time);
    this.last = { x, y };
    if (!look) return;
    const before = this.now();
    // A selection that changed without the pointer was chosen by a key or a button: it stays.
    if (!this.kept || !same(before, this.seen)) [this.kept, this.passed] = [before, []];
    look();
    this.seen = this.now();
    this.passed.push({ time, x, y, state: this.seen });
  }

  /** Handle the pointer leaving the map: cells that it only passed are deselected. @param {number} time milliseconds */
  leave(time) {
    this.waited(time);
    const { kept, seen } = this;
    this.keep();
    if (kept && same(this.now(), seen) && !same(kept, seen)) this.back(kept);
  }

  /** Note that the pointer has not moved until now. @param {number} time */
  waited(time) {
    while (this.passed.length && time - this.passed[0].time >= REST) {
      const [{ x, y, state }, last] = [/** @type {any} */ (this.passed.shift()), /** @type {any} */ (this.last)];
      if (Math.hypot(last.x - x, last.y - y) <= NEAR) this.kept = state;
    }
  }
}

function same(one, other) {
  return one.length === other?.length && one.every((value, i) => value === other[i]);
}
