// What a component asks the live channel: it connects when first asked, an answer that takes long makes the old one
// pale, an answer to what is no longer asked is not heard, and what is wrong is complained of.

import { Live } from "./live.js";

const SLOW = 200; // milliseconds after which an answer that is still awaited makes the old one pale
const SOON = 20; // milliseconds between two looks at whether one is still awaited

export class Asker {
  /**
   * @param {object} owner
   * @param {(act: () => void) => void} owner.guard runs what must not fail
   * @param {{say: (sentence: string) => void}} [owner.complaint] says what is wrong, or with "" that nothing is
   * @param {string} [owner.lost] what it says while the connection is lost
   * @param {() => void} [owner.dim] makes what still awaits an answer pale
   * @param {(state: string) => void} [owner.changed] hears how the connection fares
   * @param {boolean} [owner.each] whether the owner itself says what is wrong with one ask of several
   */
  constructor({ guard, complaint, lost, dim, changed, each }) {
    this.guard = guard;
    this.complaint = complaint ?? { say() {} };
    this.lost = lost ?? "";
    this.dim = dim ?? (() => {});
    this.changed = changed ?? (() => {});
    this.each = each ?? false;
    /** @type {Live|null} */
    this.live = null;
    /** @type {ReturnType<typeof setTimeout>|undefined} */
    this.slow = undefined;
    /** @type {any} what an answer must belong to in order to be heard */
    this.subject = undefined;
    this.pending = false; // whether an answer is awaited
    this.refused = false; // whether what was asked for last cannot be had
    this.complained = false; // whether the complaint that stands is its own: others share the place
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

  /** Say what is wrong, or with "" take back what was said here. @param {string} sentence */
  complain(sentence) {
    if (sentence || this.complained) this.complaint.say(sentence);
    this.complained = sentence !== "";
  }

  get isOpen() {
    return this.live !== null;
  }

  /**
   * Ask, as `Live` does; what is asked is awaited until `rest`.
   * @param {any} subject of the question: an answer is heard while this has been asked about last
   * @param {Parameters<Live["ask"]>[0]} request
   * @param {(answer: any) => void} hear an answer, or what is wrong, which has been complained of
   * @param {string} [digest] of the weights that an answer must be of; by default of any
   */
  ask(subject, request, hear, digest) {
    const live = this.open();
    this.subject = subject;
    this.pending = true;
    this.slow ??= setTimeout(
      () =>
        this.guard(() => {
          this.slow = undefined;
          this.dim();
        }),
      SLOW,
    );
    live.ask(request, (answer) =>
      this.guard(() => {
        const { error, ask } = answer;
        if (subject !== this.subject || (!error && digest && answer.digest !== digest)) return;
        if (!error || !this.each || ask === undefined) this.complain(error ?? "");
        hear(answer);
        if (error) this.refused = true;
      }),
    );
  }

  /** Come back once nothing is awaited. @returns {Promise<boolean>} whether what was asked for has come, if anything */
  async whenAnswered() {
    while (this.pending) {
      if (this.live?.state === "lost") return false; // it may take hours to come back
      await new Promise((done) => setTimeout(done, SOON));
    }
    return !this.refused;
  }

  /** Nothing is awaited any more, and nothing heard. */
  rest() {
    clearTimeout(this.slow);
    this.slow = undefined;
    this.subject = undefined;
    this.pending = this.refused = false;
  }

  /** Close the connection; nothing is heard afterwards. */
  close() {
    this.rest();
    this.live?.close();
    this.live = null;
  }
}
