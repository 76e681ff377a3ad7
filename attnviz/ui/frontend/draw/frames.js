// When to paint: once for several answers that come together, and not later than a slow one allows.

const PATIENCE = 50; // milliseconds that the answers of one turn may wait for one another

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

  /** Paint soon, but let the answers that are about to come be painted too. */
  patiently() {
    this.early ??= setTimeout(() => this.soon(), PATIENCE);
  }

  /** Paint while the browser waits for its next frame: that then has less to do. */
  now() {
    this.stop();
    this.paint();
  }

  /** Paint nothing that was still to be painted. */
  stop() {
    clearTimeout(this.early);
    if (this.painted !== undefined) cancelAnimationFrame(this.painted);
    this.early = this.painted = undefined;
  }
}
