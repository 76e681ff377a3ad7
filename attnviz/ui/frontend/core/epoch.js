// The epoch of a training that the page shows. The slider sets it, and every component with a view follows
// (live/epoch_views.js). Each component has its own copies of modules, so shared state is kept on the document.

const EPOCH = Symbol.for("attnviz.epoch");
const FOLLOWERS = Symbol.for("attnviz.epoch.followers");
const MOVED = "attnviz-epoch";

/**
 * The position of the slider.
 * @typedef {{nets: string[], at: number, eager: boolean, beside?: string[]}} Epoch
 *   nets: the keys of all epochs, ascending; at: index of the one shown; eager: whether views of the others are fetched
 *   ahead; beside: the key of a second training's net at each epoch, or "" if it has none
 */

/** The position of the page's slider, or null if there is none. @returns {Epoch|null} */
export function epochNow() {
  return document[EPOCH] ?? null;
}

/** Set the position of the slider. @param {Epoch|null} epoch null if it has been removed */
export function moveTo(epoch) {
  document[EPOCH] = epoch;
  document.dispatchEvent(new Event(MOVED));
}

/** Call a function whenever the slider has moved. @param {() => void} act @returns {() => void} stops the calls */
export function whenMoved(act) {
  document.addEventListener(MOVED, act);
  return () => document.removeEventListener(MOVED, act);
}

/**
 * A component that follows the slider.
 * @typedef {{isThere: boolean, lacks: boolean, isLost: boolean, top: number, part: import("./part.js").Part}} Follower
 *   isThere: whether it shows the epoch, or says why it cannot; lacks: whether it cannot show it; isLost: whether it
 *   has no connection to the server; top: its position in the window
 */

/** The components that follow the slider. @returns {Set<Follower>} */
export function followers() {
  return (document[FOLLOWERS] ??= new Set());
}

/**
 * A link to the present view with the epoch of the slider: the page's URL has it only once the slider rests.
 * @param {string} url
 * @returns {string}
 */
export function atEpoch(url) {
  const epoch = epochNow();
  const made = new URL(url);
  if (!epoch?.nets.includes(made.searchParams.get("model") ?? "")) return url;
  made.searchParams.set("model", epoch.nets[epoch.at]);
  return made.href;
}

/**
 * The net whose view is wanted.
 * @param {Epoch|null} epoch
 * @param {string} net the net whose view Python has sent
 * @returns {string|null} null if that net is from another training, or if there is no slider
 */
export function wantedOf(epoch, net) {
  return epoch?.nets.includes(net) ? epoch.nets[epoch.at] : null;
}

/**
 * The parameters of a view at the epoch of a net: in a view of two nets, the second net changes with the first.
 * @param {Epoch|null} epoch
 * @param {string} net the first one
 * @param {Record<string, any>} parameters of the view that Python has sent
 * @returns {Record<string, any>}
 */
export function parametersAt(epoch, net, parameters) {
  const place = epoch?.nets.indexOf(net) ?? -1;
  if (!epoch?.beside || place < 0 || parameters.second === undefined) return parameters;
  return { ...parameters, second: epoch.beside[place] };
}

/**
 * The other epochs, the nearest first and the later one first among equals.
 * @param {number} count
 * @param {number} at
 * @returns {number[]} all but `at`
 */
export function around(count, at) {
  const others = Array.from({ length: count }, (_, other) => other).filter((other) => other !== at);
  return others.sort((a, b) => Math.abs(a - at) - Math.abs(b - at) || b - a);
}
