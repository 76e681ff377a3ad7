// When the page is at rest: its script does not run, and the visitor has just done nothing.
//
// What a component reports starts a run, and every run begins with the values of all widgets as the browser knows them.
// A report that follows a click elsewhere too soon brings the values of before that click, and so would undo it.

const INPUTS = ["pointerdown", "pointerup", "keydown", "click"];
// when the visitor did something, in milliseconds of performance.now(); known from the first question on
let last = -Infinity;
let watching = false;

/** Whether the page is at rest. @param {number} milliseconds how long the visitor must have done nothing */
export function isAtRest(milliseconds) {
  watch();
  return !isRunning() && performance.now() - last >= milliseconds;
}

/** Begin to notice what the visitor does. */
export function watch() {
  if (watching) return;
  watching = true;
  for (const kind of INPUTS)
    addEventListener(
      kind,
      (event) => {
        last = event.timeStamp;
      },
      { capture: true, passive: true },
    );
}

/** Whether the page's script is running: more may come, however long it takes. */
export function isRunning() {
  return document.querySelector('[data-testid="stApp"]')?.getAttribute("data-test-script-state") === "running";
}
