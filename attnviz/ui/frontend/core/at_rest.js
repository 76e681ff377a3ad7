// When the page is at rest: its script is not running, and the visitor is neither acting nor holding the pointer down.
//
// Each report of a component starts a run, and every run begins with the browser's values of all widgets. A report sent
// too soon after a click elsewhere carries the values from before that click and would undo it. A run during a drag
// delays the answers to it.

const INPUTS = ["pointerdown", "pointerup", "keydown", "click"];
// Milliseconds after which a pressed pointer that does not move is no longer waited for: browsers do not report the end
// of some presses, such as those that open a menu or a list.
const HELD = 2000;
// time of the visitor's last action, performance.now(); known after the first query
let last = -Infinity;
// time of the last event of a pressed pointer; -Infinity after its release
let held = -Infinity;
let watching = false;

const [APP, STATE] = ['[data-testid="stApp"]', "data-test-script-state"];
const UNSETTLED = ["running", "rerunRequested"]; // states of Streamlit's script
const ARRIVED = "attnviz.arrived";
const LOOK = 50; // milliseconds between two checks of them
// Checks after a run's end until everything that it sent is drawn: Streamlit draws each component in its own task, the
// last one 110 ms after the end on a quiet machine. Checks are counted rather than time because each lets other tasks
// pass.
const QUIET = 5;
const OVERDUE = 20_000; // milliseconds to wait for a run that has not begun
const SELDOM = 1000; // milliseconds between two checks after that
/** @type {ReturnType<typeof setTimeout>|undefined} while waiting for the run after a change of the URL */
let following;
/** @type {MutationObserver|undefined} watches the script's state meanwhile */
let changes;
let begun = false; // whether that run has begun
let quiet = 0; // checks since it ended, or since data arrived after that
let overdue = false; // whether it is long overdue

/** Whether the page is at rest. @param {number} milliseconds the required time without any action of the visitor */
export function isAtRest(milliseconds) {
  watch();
  const now = performance.now();
  return !isRunning() && now - last >= milliseconds && now - held >= HELD;
}

/** Begin to watch the visitor's actions. */
export function watch() {
  if (watching) return;
  watching = true;
  addEventListener(ARRIVED, heard);
  addEventListener("popstate", () => follow(performance.now()));
  // A jump within the page also changes the URL, but starts no run.
  addEventListener("hashchange", ({ oldURL, newURL }) => {
    if (!begun && oldURL.split("#")[0] === newURL.split("#")[0]) end();
  });
  const listen = (kind, act) => addEventListener(kind, act, { capture: true, passive: true });
  for (const kind of INPUTS) listen(kind, (event) => (last = event.timeStamp));
  for (const kind of ["pointerdown", "pointermove"])
    listen(kind, ({ buttons, timeStamp }) => (held = buttons ? timeStamp : -Infinity));
  for (const kind of ["pointerup", "pointercancel"]) listen(kind, () => (held = -Infinity));
}

/** Whether the page's script is running: more data may come, however long it takes. */
export function isRunning() {
  return state() === "running";
}

function state() {
  return document.querySelector(APP)?.getAttribute(STATE);
}

// Between a change of the URL from outside (Back, a link, a step of a lesson) and the end of its run, name and link
// belong to the new view while the old one is still drawn.

/**
 * Whether the drawn view is that of the URL: no requested data are on their way.
 * @returns {boolean}
 */
export function isSettled() {
  return !following && !UNSETTLED.includes(state() ?? "");
}

/** The view in the URL has not come: the drawn view has another name and another link. */
export class NotShown extends Error {
  constructor() {
    super("the view that the URL asks for has not come; reload the page");
  }
}

/** Wait until the drawn view is that of the URL; fails with `NotShown` if that does not happen. */
export async function settled() {
  while (!isSettled()) {
    if (overdue) throw new NotShown();
    await new Promise((done) => setTimeout(done, LOOK));
  }
}

/**
 * Data have arrived, so a run that a busy browser never saw running has begun. Each component has its own copy of this
 * module: the others are notified by an event.
 */
export function arrived() {
  heard();
  globalThis.dispatchEvent?.(new Event(ARRIVED));
}

function heard() {
  begun = true;
  quiet = 0;
}

/** Whether the run that should draw the view in the URL has not begun for a long time and may never come. */
export function isOverdue() {
  return overdue;
}

/** Follow the run that a change of the URL starts until it has ended. @param {number} since in milliseconds */
function follow(since) {
  end();
  const runs = () => UNSETTLED.includes(state() ?? "");
  begun = runs();
  // A run may start and end between two checks.
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

/** Stop waiting for a run. */
function end() {
  clearTimeout(following);
  following = undefined;
  quiet = 0;
  changes?.disconnect();
  overdue = false;
}
