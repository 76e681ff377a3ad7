// The epoch of a training that the page shows. The slider says it, and every component with a view follows
// (live/epoch_views.js). Each component has modules of its own, so what they share lies at the document.

const EPOCH = Symbol.for("attnviz.epoch");
const FOLLOWERS = Symbol.for("attnviz.epoch.followers");
const MOVED = "attnviz-epoch";

/**
 * Where the slider stands.
 * @typedef {{nets: string[], at: number, eager: boolean, beside?: string[]}} Epoch
 *   nets: the keys of all epochs, ascending; at: which of them is shown; eager: whether views of the others are fetched
 *   before they are wanted; beside: at each of them the key of a second training's net, "" where it has none there
 */

/** Where the slider of the page stands; null where there is none. @returns {Epoch|null} */
export function epochNow() {
  return document[EPOCH] ?? null;
}

/** Say where the slider stands. @param {Epoch|null} epoch null: there is none any more */
export function moveTo(epoch) {
  document[EPOCH] = epoch;
  document.dispatchEvent(new Event(MOVED));
}

/** Do something whenever the slider has moved. @param {() => void} act @returns {() => void} ends it */
export function whenMoved(act) {
  document.addEventListener(MOVED, act);
  return () => document.removeEventListener(MOVED, act);
}

/**
 * Who follows the slider.
 * @typedef {{isThere: boolean, lacks: boolean, isLost: boolean, top: number, part: import("./part.js").Part}} Follower
 *   isThere: whether it shows the epoch, or says why it cannot; lacks: that it cannot; isLost: whether it has no
 *   connection to the server; top: where it is in the window
 */

/** Who follows the slider. @returns {Set<Follower>} */
export function followers() {
  return (document[FOLLOWERS] ??= new Set());
}

/**
 * A link to what is shown, with the epoch at which the slider stands: the address of the page knows it once it rests.
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
 * @param {string} net whose view Python has sent
 * @returns {string|null} null where that is of another training, or there is no slider
 */
export function wantedOf(epoch, net) {
  return epoch?.nets.includes(net) ? epoch.nets[epoch.at] : null;
}

/**
 * The parameters of a view at the epoch of a net: in a view of two nets the second one goes along.
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
 * The epochs around one, the nearest first and of two the later one.
 * @param {number} count
 * @param {number} at
 * @returns {number[]} all but `at`
 */
export function around(count, at) {
  const others = Array.from({ length: count }, (_, other) => other).filter((other) => other !== at);
  return others.sort((a, b) => Math.abs(a - at) - Math.abs(b - at) || b - a);
}
