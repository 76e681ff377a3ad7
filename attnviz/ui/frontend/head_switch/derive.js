// The requests and contents of the head switch, from the states of the heads and its data. It does not access the page.

const NEXT = { on: "off", off: "uniform", uniform: "on" };

/** @typedef {{logits: ArrayLike<number>, probabilities: ArrayLike<number>}} Answer */

/** The states after one head is advanced to its next state. @param {string[]} states @param {number} head */
export function turned(states, head) {
  return states.map((state, other) => (other === head ? NEXT[state] : state));
}

/** The heads in a state. @param {string[]} states @param {string} wanted @returns {number[]} */
export function headsIn(states, wanted) {
  return states.flatMap((state, head) => (state === wanted ? [head] : []));
}

/** The states as edits of a request; `edits_of` of head_switch.py writes the same. */
export function editsOf(states, address) {
  return ["off", "uniform"]
    .map((edit) => ({ edit, address, index: { head: headsIn(states, edit) } }))
    .filter(({ index }) => index.head.length);
}

/**
 * The note under the tile of a head; the attention of a head that is not on is veiled.
 * @param {string} state
 * @param {number} entropy in bits
 * @param {boolean} looked whether a pixel of the tiles is selected
 */
export function noteOf(state, entropy, looked) {
  const value = state !== "on" ? state : looked ? null : ""; // null: its value is already there
  return { state, value, range: `${entropy.toFixed(2)} bits` };
}

/**
 * The log-odds of each class.
 * @param {ArrayLike<number>} logits one number (the log-odds of the last of two classes), or one per class
 * @returns {number[]} log(p / (1 - p)) of each class
 */
export function logOdds(logits) {
  if (logits.length === 1) return [-logits[0], logits[0]];
  return Array.from(logits, (own, which) => {
    const others = Array.from(logits).filter((_, other) => other !== which);
    const most = Math.max(...others);
    return own - most - Math.log(others.reduce((sum, other) => sum + Math.exp(other - most), 0));
  });
}

/**
 * A row for each class: its name, its probability before and now, its log-odds before and now.
 * @param {string[]} classes
 * @param {Answer} now
 * @param {Answer} before
 * @returns {[string, number, number, number, number][]}
 */
export function rowsOf(classes, now, before) {
  const [was, is] = [logOdds(before.logits), logOdds(now.logits)];
  return classes.map((name, i) => [name, before.probabilities[i], now.probabilities[i], was[i], is[i]]);
}

/**
 * The URL of the page with the heads in these states, as read by head_switch.py.
 * @param {string} url
 * @param {string[]} states
 */
export function linkTo(url, states) {
  const made = new URL(url);
  for (const state of ["off", "uniform"]) {
    const heads = headsIn(states, state).map((head) => head + 1);
    if (heads.length) made.searchParams.set(state, heads.join(","));
    else made.searchParams.delete(state);
  }
  return made.href;
}
