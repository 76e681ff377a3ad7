// The contents of parallel coordinates, derived from their view and their data. It does not access the page.

/**
 * An axis. ticks: their positions, 0..1 from bottom to top; choices: whether only the values at the ticks occur.
 * @typedef {{name: string, title: string, choices: boolean, ticks: {place: number, words: string}[]}} Axis
 */

/** @typedef {{number: number, why: string, words: string[]}} Trial */

/**
 * The shown data, a line for each trial. places: (trial, axis), 0..1, NaN beyond the end of a line.
 * @typedef {{title: string, axes: Axis[], trials: Trial[], places: Float64Array, values: Float64Array,
 *   measure: string, better: string}} Shown
 */

/**
 * The brushed range of each axis, 0..1 from the bottom; null for the whole axis.
 * @typedef {([number, number]|null)[]} Brushes
 */

const CLEAR = 0.06; // minimum distance of a brush's edge from the next choice, as a fraction of an axis
const STEP = 0.05; // fraction of an axis per press of a key

/**
 * Which values of a view exist: numbers of trials, and brushes on existing axes.
 * @type {import("../core/url_fields.js").Rules}
 */
export const RULES = {
  exists({ kind }, value, shown) {
    if (kind === "number") return shown.trials.some(({ number }) => number === value);
    return value === "" || readBrushes(value, shown.axes) !== null;
  },
  there: ({ kind }, { trials, axes }) =>
    kind === "number"
      ? `1 to ${trials.length}`
      : `ranges such as ${axes[0]?.name ?? "heads"}:0.5-1, from 0 at the bottom to 1 at the top`,
};

/**
 * The brushes of a word in the URL; null if the word is invalid.
 * @param {string} word
 * @param {Axis[]} axes
 * @returns {Brushes|null}
 */
export function readBrushes(word, axes) {
  /** @type {Brushes} */
  const brushes = axes.map(() => null);
  for (const part of word ? word.split(";") : []) {
    const found = /^([a-z_]+):(\d(?:\.\d{1,3})?)-(\d(?:\.\d{1,3})?)$/.exec(part);
    const axis = found ? axes.findIndex(({ name }) => name === found[1]) : -1;
    const [low, high] = found ? [Number(found[2]), Number(found[3])] : [1, 0];
    if (axis < 0 || low > high || high > 1) return null;
    brushes[axis] = [low, high];
  }
  return brushes;
}

/** The word for brushes in the URL. @param {Brushes} brushes @param {Axis[]} axes */
export function writeBrushes(brushes, axes) {
  const round = (place) => String(Math.round(1000 * place) / 1000);
  return brushes
    .map((range, axis) => (range ? `${axes[axis].name}:${round(range[0])}-${round(range[1])}` : ""))
    .filter(Boolean)
    .join(";");
}

/** Whether each trial lies inside all brushes. @param {Shown} shown @param {Brushes} brushes @returns {boolean[]} */
export function insideOf({ trials, places, axes }, brushes) {
  return trials.map((_, trial) =>
    brushes.every((range, axis) => {
      const place = places[trial * axes.length + axis];
      return !range || (place >= range[0] - reach(axes[axis]) && place <= range[1] + reach(axes[axis]));
    }),
  );
}

/** The spread of trials around a choice. @param {Axis} axis */
function reach({ choices }) {
  return choices ? CLEAR : 1e-9;
}

/**
 * A brush between two positions, which snaps to choices on an axis of choices; null if it covers the whole axis.
 * @param {Axis} axis
 * @param {number} from
 * @param {number} to
 * @returns {[number, number]|null}
 */
export function brushOf(axis, from, to) {
  let [low, high] = [Math.min(from, to), Math.max(from, to)].map((place) => Math.min(1, Math.max(0, place)));
  if (axis.choices) {
    const covered = axis.ticks
      .map(({ place }) => place)
      .filter((place) => place >= low - CLEAR && place <= high + CLEAR);
    const nearest = axis.ticks.reduce(
      (best, { place }) => (Math.abs(place - to) < Math.abs(best - to) ? place : best),
      9,
    );
    [low, high] = covered.length ? [Math.min(...covered), Math.max(...covered)] : [nearest, nearest];
  }
  return low <= 0 && high >= 1 ? null : [low, high];
}

/**
 * The brush after a key has moved one of its ends; null for another key.
 * @param {Axis} axis
 * @param {[number, number]|null} range
 * @param {number} end 0: the lower end, 1: the upper end
 * @param {string} key
 * @returns {{range: [number, number]|null}|null}
 */
export function moved(axis, range, end, key) {
  const ends = /** @type {[number, number]} */ ([...(range ?? [0, 1])]);
  const up = { ArrowUp: 1, ArrowRight: 1, PageUp: 4, ArrowDown: -1, ArrowLeft: -1, PageDown: -4 }[key];
  if (key === "Home" || key === "End") ends[end] = key === "Home" ? (end ? ends[0] : 0) : end ? 1 : ends[1];
  else if (key === "Delete" || key === "Backspace") return { range: null };
  else if (up === undefined) return null;
  else if (axis.choices) {
    const places = axis.ticks.map(({ place }) => place);
    const at = places.reduce(
      (best, place, i) => (Math.abs(place - ends[end]) < Math.abs(places[best] - ends[end]) ? i : best),
      0,
    );
    ends[end] = places[Math.min(places.length - 1, Math.max(0, at + up))];
  } else ends[end] += up * STEP;
  ends[end] = end ? Math.min(1, Math.max(ends[0], ends[1])) : Math.max(0, Math.min(ends[0], ends[1]));
  return { range: ends[0] <= 0 && ends[1] >= 1 ? null : ends };
}

/**
 * The trial inside the brushes whose line is nearest to a point; -1 if none is near.
 * @param {Shown} shown
 * @param {boolean[]} inside
 * @param {number} along position across the axes, 0 at the first, 1 at the second, ...
 * @param {number} place 0..1 from the bottom to the top
 * @param {number} near maximum distance, as a fraction of an axis
 */
export function nearest({ trials, places, axes }, inside, along, place, near) {
  const from = Math.min(axes.length - 2, Math.max(0, Math.floor(along)));
  const part = Math.min(1, Math.max(0, along - from));
  let [found, least] = [-1, near];
  for (let trial = 0; trial < trials.length; trial++) {
    const start = places[trial * axes.length + from];
    const away = Math.abs(start + part * (places[trial * axes.length + from + 1] - start) - place);
    if (inside[trial] && away <= least) [found, least] = [trial, away];
  }
  return found;
}

/**
 * The strength of each trial's colour, 0..1 from the worst to the best; NaN for a trial without a value.
 * @param {Pick<Shown, "values"|"better">} shown
 * @returns {number[]}
 */
export function strengths({ values, better }) {
  const finite = Array.from(values).filter(Number.isFinite);
  const [low, high] = [Math.min(...finite), Math.max(...finite)];
  return Array.from(values, (value) => {
    const part = high > low ? (value - low) / (high - low) : 1;
    return better === "higher" || Number.isNaN(part) ? part : 1 - part;
  });
}

/**
 * The trials in the order of painting and of the keys: those without a value first, then from the worst to the
 * best.
 * @param {Pick<Shown, "values"|"better">} shown
 * @returns {number[]}
 */
export function ordered(shown) {
  const strong = strengths(shown).map((part) => (Number.isNaN(part) ? -1 : part));
  return strong.map((_, trial) => trial).sort((one, other) => strong[one] - strong[other] || one - other);
}

/** A trial in words. @param {Shown} shown @param {number} trial -1 for none */
export function inWords({ trials, axes, values, measure }, trial) {
  if (trial < 0) return "";
  const { number, why, words } = trials[trial];
  const said = words.map((word, axis) => `${axes[axis].title} ${word}`).join(", ");
  const value = Number.isFinite(values[trial]) ? `${measure} ${values[trial].toFixed(4)}` : `ended early: ${why}`;
  return `Trial ${number + 1}: ${said}; ${value}`;
}

/** The trials inside the brushes, in words. @param {Shown} shown @param {boolean[]} inside */
export function summaryOf({ trials, values, measure }, inside) {
  const left = inside.filter(Boolean).length;
  const known = Array.from(values).filter((value, trial) => inside[trial] && Number.isFinite(value));
  const all = left === trials.length ? `All ${left} trials` : `${left} of ${trials.length} trials`;
  if (!known.length) return `${all}.`;
  known.sort((one, other) => one - other);
  const middle = (known[(known.length - 1) >> 1] + known[known.length >> 1]) / 2;
  const [low, high, median] = [known[0], known[known.length - 1], middle].map((value) => value.toFixed(4));
  return `${all}; ${measure} ${low} to ${high}, median ${median}.`;
}

/** The position of a brush's end, in words. @param {Axis} axis @param {number} place */
export function placeWords(axis, place) {
  const tick = axis.ticks.find((tick) => Math.abs(tick.place - place) < 1e-3);
  return tick ? tick.words : `${Math.round(100 * place)} % of the way up from ${axis.ticks[0].words}`;
}

/** The numbers of all trials, for a CSV file. @param {Shown} shown @param {boolean[]} inside */
export function tableOf({ trials, axes, values, measure }, inside) {
  return {
    head: ["trial", ...axes.slice(0, -1).map(({ name }) => name), measure, "ended early", "brushed"],
    rows: trials.map(({ number, words, why }, trial) => [
      number + 1,
      ...words,
      values[trial],
      why,
      inside[trial] ? "yes" : "no",
    ]),
  };
}
