// How long a renderer of another package may keep the page from doing anything else.
//
// A renderer runs where the page runs: while it computes, no pen is followed and nothing is painted. One that is slow
// is switched off after a few drawings. One that never returns cannot be stopped: the browser offers to close the page.

export const SLOW = 100; // milliseconds of one drawing, which are noticed in a moving hand
export const TIMES = 3; // slow drawings in a row: a single one can be the machine's fault

/** Counts the slow drawings of one renderer. */
export class Patience {
  constructor() {
    this.slow = 0;
  }

  /** Note how long a drawing took, and say whether the next one is to be left out. @param {number} milliseconds */
  after(milliseconds) {
    this.slow = milliseconds > SLOW ? this.slow + 1 : 0;
    return this.slow >= TIMES;
  }
}
