// When the page is at rest: its script does not run, and the visitor has just done nothing and holds nothing.
//
// What a component reports starts a run, and every run begins with the values of all widgets as the browser knows them.
// A report that follows a click elsewhere too soon brings the values of before that click, and so would undo it.

const INPUTS = ["pointerdown", "pointerup", "keydown", "click"];
// when the visitor did something, in milliseconds of performance.now(); known from the first question on
let last = -Infinity;
// the pointers that are pressed: whoever drags and pauses goes on, and a run would delay the answers to that
/** @type {Set<number>} */
const pressed = new Set();
let watching = false;

/** Whether the page is at rest. @param {number} milliseconds how long the visitor must have done nothing */
export function isAtRest(milliseconds) {
  watch();
  return !isRunning() && !pressed.size && performance.now() - last >= milliseconds;
}

/** Begin to notice what the visitor does. */
export function watch() {
  if (watching) return;
  watching = true;
  const listen = (kind, act) => addEventListener(kind, act, { capture: true, passive: true });
  for (const kind of INPUTS) listen(kind, (event) => (last = event.timeStamp));
  listen("pointerdown", ({ pointerId, isPrimary }) => {
    if (isPrimary) pressed.clear(); // no other is pressed then: the end of one was not heard
    pressed.add(pointerId);
  });
  for (const kind of ["pointerup", "pointercancel"]) listen(kind, ({ pointerId }) => pressed.delete(pointerId));
  // Some are pressed before anybody watches, or let go over a list of the browser's, which keeps that to itself.
  listen("pointermove", ({ pointerId, buttons }) => (buttons ? pressed.add(pointerId) : pressed.delete(pointerId)));
}

/** Whether the page's script is running: more may come, however long it takes. */
export function isRunning() {
  return document.querySelector('[data-testid="stApp"]')?.getAttribute("data-test-script-state") === "running";
}
