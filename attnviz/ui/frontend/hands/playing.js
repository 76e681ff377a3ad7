// Playing: a component goes on by itself, a step a beat, until it is at the last step.

export class Playing {
  /**
   * @param {object} how
   * @param {number} how.beat milliseconds of a step
   * @param {(act: () => void) => void} how.guard runs what must not fail
   * @param {() => void} how.next goes one step on
   * @param {() => boolean} how.isLast whether there is no step after this one
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
