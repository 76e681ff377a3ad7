// Playing: a component advances by one step a beat until the last step.

export class Playing {
  /**
   * @param {object} how
   * @param {number} how.beat milliseconds per step
   * @param {(act: () => void) => void} how.guard runs a function and reports its failure
   * @param {() => void} how.next goes to the next step
   * @param {() => boolean} how.isLast whether this is the last step
   * @param {() => void} how.ended called after the last step
   */
  constructor(how) {
    this.how = how;
    this.on = false;
    /** @type {ReturnType<typeof setTimeout>|undefined} */
    this.timer = undefined;
  }

  begin() {
    this.on = true;
    this.wait();
  }

  wait() {
    const { beat, guard, next, isLast, ended } = this.how;
    const step = () => {
      if (!isLast()) next();
      if (!isLast()) this.wait();
      else {
        this.stop();
        ended();
      }
    };
    this.timer = setTimeout(() => guard(step), beat);
  }

  stop() {
    clearTimeout(this.timer);
    this.on = false;
  }
}
