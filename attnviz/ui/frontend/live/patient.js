// The live channel as a component uses it: it connects when first asked, an answer that takes long makes the old one
// pale, and a lost connection is said.

import { Live } from "./live.js";

const SLOW = 200; // milliseconds after which an answer that is still awaited makes the old one pale

export class PatientLive {
  /**
   * @param {object} owner
   * @param {(act: () => void) => void} owner.guard runs what must not fail
   * @param {(sentence: string) => void} owner.complain says what is wrong, or with "" that nothing is
   * @param {string} owner.lost what it says while the connection is lost
   * @param {() => void} owner.dim makes what still awaits an answer pale
   * @param {(state: string) => void} [owner.changed] hears how the connection fares
   */
  constructor({ guard, complain, lost, dim, changed = () => {} }) {
    this.guard = guard;
    this.complain = complain;
    this.lost = lost;
    this.dim = dim;
    this.changed = changed;
    /** @type {Live|null} */
    this.live = null;
    /** @type {ReturnType<typeof setTimeout>|undefined} */
    this.slow = undefined;
  }

  /** Connect, unless it is connected. @returns {Live} */
  open() {
    return (this.live ??= new Live((state) =>
      this.guard(() => {
        this.complain(state === "lost" ? this.lost : "");
        this.changed(state);
      }),
    ));
  }

  get isOpen() {
    return this.live !== null;
  }

  /**
   * Ask, as `Live` does; what is asked is awaited until `rest`.
   * @param {Parameters<Live["ask"]>[0]} request
   * @param {Parameters<Live["ask"]>[1]} hear
   */
  ask(request, hear) {
    const live = this.open();
    this.slow ??= setTimeout(
      () =>
        this.guard(() => {
          this.slow = undefined;
          this.dim();
        }),
      SLOW,
    );
    live.ask(request, (answer) => this.guard(() => hear(answer)));
  }

  /** Nothing is awaited any more. */
  rest() {
    clearTimeout(this.slow);
    this.slow = undefined;
  }

  /** Close the connection; nothing is heard afterwards. */
  close() {
    this.rest();
    this.live?.close();
    this.live = null;
  }
}
