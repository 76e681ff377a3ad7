// How long a renderer of another package may block the page.
//
// A renderer runs on the page's thread: while it computes, no pen is followed and nothing is painted. A slow one is
// switched off after a few drawings. One that never returns cannot be stopped: the browser offers to close the page.

export const SLOW = 100; // milliseconds of one drawing, noticeable to a moving hand
export const TIMES = 3; // slow drawings in a row: a single one may be due to the machine

/** Counts the slow drawings of one renderer. */
export class Patience {
  constructor() {
    this.slow = 0;
  }

  /** Record the time of a drawing, and return whether to stop drawing. @param {number} milliseconds */
  after(milliseconds) {
    this.slow = milliseconds > SLOW ? this.slow + 1 : 0;
    return this.slow >= TIMES;
  }
}
