// When to paint: once for several answers that arrive together, but without waiting for slow ones.

const PATIENCE = 50; // milliseconds for which the answers of one turn may wait for each other

export class Frames {
  /** @param {() => void} paint */
  constructor(paint) {
    this.paint = paint;
    /** @type {ReturnType<typeof setTimeout>|undefined} */
    this.early = undefined;
    /** @type {number|undefined} */
    this.painted = undefined;
  }

  /** Paint with the browser's next frame. */
  soon() {
    clearTimeout(this.early);
    this.early = undefined;
    this.painted ??= requestAnimationFrame(() => {
      this.painted = undefined;
      this.paint();
    });
  }

  /** Paint soon, together with answers that are about to arrive. */
  patiently() {
    this.early ??= setTimeout(() => this.soon(), PATIENCE);
  }

  /** Paint now, while the browser waits for its next frame, which then has less to do. */
  now() {
    this.stop();
    this.paint();
  }

  /** Cancel pending painting. */
  stop() {
    clearTimeout(this.early);
    if (this.painted !== undefined) cancelAnimationFrame(this.painted);
    this.early = this.painted = undefined;
  }
}
