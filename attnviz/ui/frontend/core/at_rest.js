// When the page is at rest: its script does not run, and the visitor has just done nothing and holds nothing.
//
// What a component reports starts a run, and every run begins with the values of all widgets as the browser knows them.
// A report that follows a click elsewhere too soon brings the values of before that click, and so would undo it. And a
// run in the middle of a drag delays the answers to it.

const INPUTS = ["pointerdown", "pointerup", "keydown", "click"];
// Milliseconds after which a pressed pointer that does not move is no longer waited for: browsers keep the end of some
// presses to themselves, such as of one that opens a menu or a list.
const HELD = 2000;
// when the visitor did something, in milliseconds of performance.now(); known from the first question on
let last = -Infinity;
// when a pressed pointer was last heard of; -Infinity once it was let go
let held = -Infinity;
let watching = false;

const [APP, STATE] = ['[data-testid="stApp"]', "data-test-script-state"];
const UNSETTLED = ["running", "rerunRequested"]; // states of Streamlit's script
const ARRIVED = "attnviz.arrived";
const LOOK = 50; // milliseconds between two looks at them
// Looks after a run's end until all that it sent is drawn: Streamlit draws each component in a task of its own, the
// last one 110 ms after the end on a quiet machine. Looks are counted, not time, as each lets other tasks pass.
const QUIET = 5;
const OVERDUE = 20_000; // milliseconds after which nobody should wait any longer for a run that has not begun
const SELDOM = 1000; // milliseconds between two looks from then on
/** @type {ReturnType<typeof setTimeout>|undefined} while the run after a change of the URL is awaited */
let following;
/** @type {MutationObserver|undefined} of the script's state, meanwhile */
let changes;
let begun = false; // whether that run has
let quiet = 0; // looks since it ended, or since data arrived after that
let overdue = false; // whether it should have long ago

/** Whether the page is at rest. @param {number} milliseconds how long the visitor must have done nothing */
export function isAtRest(milliseconds) {
  watch();
  const now = performance.now();
  return !isRunning() && now - last >= milliseconds && now - held >= HELD;
}

/** Begin to notice what the visitor does. */
export function watch() {
  if (watching) return;
  watching = true;
  addEventListener(ARRIVED, heard);
  addEventListener("popstate", () => follow(performance.now()));
  // Another place on the same page comes as a change of the URL, too, and starts no run.
  addEventListener("hashchange", ({ oldURL, newURL }) => {
    if (!begun && oldURL.split("#")[0] === newURL.split("#")[0]) end();
  });
  const listen = (kind, act) => addEventListener(kind, act, { capture: true, passive: true });
  for (const kind of INPUTS) listen(kind, (event) => (last = event.timeStamp));
  for (const kind of ["pointerdown", "pointermove"])
    listen(kind, ({ buttons, timeStamp }) => (held = buttons ? timeStamp : -Infinity));
  for (const kind of ["pointerup", "pointercancel"]) listen(kind, () => (held = -Infinity));
}

/** Whether the page's script is running: more may come, however long it takes. */
export function isRunning() {
  return state() === "running";
}

function state() {
  return document.querySelector(APP)?.getAttribute(STATE);
}

// Between a change of the URL from outside (Back, a link, a step of a lesson) and the end of the run that it starts,
// name and link are those of the new view, and what is drawn is still the old one.

/**
 * Whether what is drawn is what the URL says: no data that the page was asked for are on their way.
 * @returns {boolean}
 */
export function isSettled() {
  return !following && !UNSETTLED.includes(state() ?? "");
}

/** What the URL asks for has not come: what is drawn has another name and another link. */
export class NotShown extends Error {
  constructor() {
    super("the view that the URL asks for has not come; reload the page");
  }
}

/** Wait until what is drawn is what the URL says; fails with `NotShown` where that does not come. */
export async function settled() {
  while (!isSettled()) {
    if (overdue) throw new NotShown();
    await new Promise((done) => setTimeout(done, LOOK));
  }
}

/**
 * Data have arrived: a run that busy browsers have never seen running has begun, too.
 *
 * Each component has this module for itself: the others hear of it by an event.
 */
export function arrived() {
  heard();
  globalThis.dispatchEvent?.(new Event(ARRIVED));
}

function heard() {
  begun = true;
  quiet = 0;
}

/** Whether the run that should draw what the URL says has not begun for long: what is drawn may be all that comes. */
export function isOverdue() {
  return overdue;
}

/** After a change of the URL: until the run that it starts has ended. @param {number} since in milliseconds */
function follow(since) {
  end();
  const runs = () => UNSETTLED.includes(state() ?? "");
  begun = runs();
  // A run may be over between two looks.
  const app = document.querySelector(APP);
  changes = new MutationObserver((seen) => (begun ||= seen.some((one) => UNSETTLED.includes(one.oldValue ?? ""))));
  if (app) changes.observe(app, { attributeFilter: [STATE], attributeOldValue: true });
  const look = () => {
    begun ||= runs();
    overdue = !begun && performance.now() - since > OVERDUE;
    quiet = begun && !runs() ? quiet + 1 : 0;
    if (quiet === QUIET) end();
    else following = setTimeout(look, overdue ? SELDOM : LOOK);
  };
  following = setTimeout(look, LOOK);
}

/** No run is awaited any more. */
function end() {
  clearTimeout(following);
  following = undefined;
  quiet = 0;
  changes?.disconnect();
  overdue = false;
}
