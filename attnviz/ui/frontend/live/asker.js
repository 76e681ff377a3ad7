// A component's requests on the live channel: it connects on the first request, a slow answer turns the old one pale,
// an answer to an outdated request is ignored, and problems are shown.

import { Live } from "./live.js";

const SLOW = 200; // milliseconds of waiting after which the old answer turns pale
const SOON = 20; // milliseconds between two checks for a pending answer

export class Asker {
  /**
   * @param {object} owner
   * @param {(act: () => void) => void} owner.guard runs a function and reports its failure
   * @param {{say: (sentence: string) => void}} [owner.complaint] shows a problem; "" clears it
   * @param {string} [owner.lost] the sentence shown while the connection is lost
   * @param {() => void} [owner.dim] turns parts that wait for an answer pale
   * @param {(state: string) => void} [owner.changed] called when the state of the connection changes
   * @param {boolean} [owner.each] whether the owner itself reports the failure of one ask of several
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
    /** @type {any} the subject that an answer must match; others are ignored */
    this.subject = undefined;
    this.pending = false; // whether an answer is pending
    this.refused = false; // whether the last request failed
    this.complained = false; // whether the present complaint is from this asker: others share the element
  }

  /** Connect, unless connected. @returns {Live} */
  open() {
    return (this.live ??= new Live((state) =>
      this.guard(() => {
        this.complain(state === "lost" ? this.lost : "");
        this.changed(state);
      }),
    ));
  }

  /** Show a problem; "" clears a problem shown from here. @param {string} sentence */
  complain(sentence) {
    if (sentence || this.complained) this.complaint.say(sentence);
    this.complained = sentence !== "";
  }

  get isOpen() {
    return this.live !== null;
  }

  /**
   * Ask, like `Live`; the answer is pending until `rest`.
   * @param {any} subject subject of the question: the answer is ignored if another subject has been asked about since
   * @param {Parameters<Live["ask"]>[0]} request
   * @param {(answer: any) => void} hear called with an answer, or with an error, which is already shown
   * @param {string} [digest] digest of the weights that must give the answer; any by default
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

  /** Resolve once nothing is pending. @returns {Promise<boolean>} false if the last request has failed */
  async whenAnswered() {
    while (this.pending) {
      if (this.live?.state === "lost") return false; // it may take hours to come back
      await new Promise((done) => setTimeout(done, SOON));
    }
    return !this.refused;
  }

  /** Stop waiting; a late answer is ignored. */
  rest() {
    clearTimeout(this.slow);
    this.slow = undefined;
    this.subject = undefined;
    this.pending = this.refused = false;
  }

  /** Close the connection; late answers are ignored. */
  close() {
    this.rest();
    this.live?.close();
    this.live = null;
  }
}
