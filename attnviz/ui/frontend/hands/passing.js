// What a pointer passes and what it rests on. A map shows at once what is under the pointer; but who leaves the map, on
// the way to the words about what they looked at, passes other cells, and those were not meant.

// A pointer has rested where it is still found so many milliseconds later, give or take so many CSS pixels: hands
// tremble, and who reads cell after cell never quite stops. Who sets out moves further in that time, however near the
// edge of a cell they were.
const REST = 120;
const NEAR = 4;

/** Brings back what the pointer rested on last, once it has left. One for all maps that show the same pair or pixel. */
export class Passing {
  /**
   * @param {() => (string|number|boolean|null)[]} now what is looked at: the same values mean the same
   * @param {(state: any[]) => void} back shows again what `now` gave
   */
  constructor(now, back) {
    this.now = now;
    this.back = back;
    this.keep();
  }

  /** What is looked at was chosen on purpose, or belongs to something new: it stays. */
  keep() {
    /** @type {any[]|null} what was rested on last; null while no pointer is over a map */
    this.kept = null;
    /** @type {any[]|null} what the pointer's last move led to */
    this.seen = null;
    /** @type {{time: number, x: number, y: number, state: any[]}[]} where it has been since then, by time */
    this.passed = [];
    /** @type {{x: number, y: number}|null} where it is, as far as is known */
    this.last = null;
  }

  /**
   * The pointer has moved over a map.
   * @param {{time: number, x: number, y: number}} to milliseconds, and CSS pixels of the window
   * @param {(() => void)|null} look shows what is under it; null where that is between two maps
   */
  move({ time, x, y }, look) {
    if (x === this.last?.x && y === this.last.y) return; // the page has moved, not the pointer, and it is said late
    this.waited(time);
    this.last = { x, y };
    if (!look) return;
    const before = this.now();
    // What changed without the pointer was chosen, by a key or a button: that is what stays.
    if (!this.kept || !same(before, this.seen)) [this.kept, this.passed] = [before, []];
    look();
    this.seen = this.now();
    this.passed.push({ time, x, y, state: this.seen });
  }

  /** The pointer has left the map: what it only passed is looked at no more. @param {number} time milliseconds */
  leave(time) {
    this.waited(time);
    const { kept, seen } = this;
    this.keep();
    if (kept && same(this.now(), seen) && !same(kept, seen)) this.back(kept);
  }

  /** Until now the pointer has been where its last move led. @param {number} time */
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
