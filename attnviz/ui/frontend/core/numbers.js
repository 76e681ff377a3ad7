// Numbers for people to read: four digits at most. CSV files, copied text and the values for tests are exact.

const MINUS = "\u2212";
const RAISED = {
  "-": "\u207b",
  0: "\u2070",
  1: "\u00b9",
  2: "\u00b2",
  3: "\u00b3",
  4: "\u2074",
  5: "\u2075",
  6: "\u2076",
  7: "\u2077",
  8: "\u2078",
  9: "\u2079",
};

/**
 * Any number, such as 0.0049, 12.3, 1.2 × 10⁻⁷.
 * @param {number} value
 * @param {number} digits at most
 * @returns {string}
 */
export function short(value, digits = 4) {
  if (Number.isNaN(value)) return "NaN";
  if (!Number.isFinite(value)) return value > 0 ? "\u221e" : `${MINUS}\u221e`;
  if (value === 0) return "0";
  const size = Math.abs(value);
  const sign = value < 0 ? MINUS : "";
  if (size >= 1e5 || size < 1e-4) {
    const [digitsOf, power] = size.toExponential(Math.min(digits, 3) - 1).split("e");
    return `${sign}${digitsOf} \u00d7 10${[...String(Number(power))].map((sign) => RAISED[sign]).join("")}`;
  }
  return sign + size.toFixed(Math.max(0, digits - 1 - Math.floor(Math.log10(size))));
}

/** A number in a column: three decimal places, unless it is large or tiny. */
export function column(value) {
  if (!(Math.abs(value) < 1e4)) return short(value, 3);
  const places = Math.abs(value) >= 100 ? 1 : Math.abs(value) >= 10 ? 2 : 3;
  const shown = Math.abs(value).toFixed(places);
  return value < 0 && Number(shown) !== 0 ? MINUS + shown : shown;
}

/** A number in a narrow column: two decimal places, three if it is small. @param {number} value @returns {string} */
export function tight(value) {
  const size = Math.abs(value);
  if (!(size < 1000)) return short(value, 2);
  if (value === 0) return "0";
  if (size < 5e-4) return "\u2248 0";
  const places = size >= 99.95 ? 0 : size >= 9.995 ? 1 : size >= 0.0995 ? 2 : 3;
  return (value < 0 ? MINUS : "") + size.toFixed(places);
}

export const NEARLY_ZERO = "practically 0";

/**
 * A number without powers of ten, for readers who dislike them: a tiny number counts as 0.
 * @param {number} value
 * @param {number} tiny the absolute value below which a number is tiny
 * @returns {string}
 */
export function plain(value, tiny = 1e-6) {
  const size = Math.abs(value);
  if (size > 0 && size < tiny) return NEARLY_ZERO;
  if (!(size > 0 && size < 1e-4)) return short(value);
  return (value < 0 ? MINUS : "") + size.toFixed(1 - Math.floor(Math.log10(size)));
}

/** A multiple: 58, 4.5, 0.12. */
export function times(value) {
  if (!(Math.abs(value) < Infinity)) return short(value);
  if (value >= 10) return value < 1e5 ? value.toFixed(0) : short(value, 2);
  if (value >= 0.95) return value.toFixed(1);
  return value >= 0.01 || value === 0 ? value.toFixed(2).replace(/^0\.00$/, "0") : short(value, 2);
}

const ONE = 2 ** -25; // values closer to 1 than this equal 1 in single precision, which models use

/** A fraction as a percentage, like share() of ui/shared/wording.py: 99.5 %, > 99.99 %, 230 %. @param {number} value */
export function percent(value) {
  if (!Number.isFinite(value)) return short(value);
  if (value < 0) return `${MINUS}${(-100 * value).toFixed(1)} %`;
  if (value > 0.99995 && value <= 1 - ONE) return "> 99.99 %";
  if (value > 0 && value < 0.00005) return "< 0.01 %";
  const [whole, near] = [value === 0 || value > 1 - ONE, value > 0.9995 || value < 0.0005];
  return `${(100 * value).toFixed(whole ? 0 : near ? 2 : 1)} %`;
}

/** A fraction in a narrow column: 96 %, > 99 %. @param {number} value */
export function wholePercent(value) {
  if (value >= 0.995 && value < 1) return "> 99 %";
  return value > 0 && value < 0.005 ? "< 1 %" : `${Math.round(100 * value)} %`;
}

/**
 * A share of several values, in words: "nothing", "0.4 % of the values", "12 % of the values".
 * @param {number} share
 */
export function ofValues(share) {
  if (share === 0) return "nothing";
  if (share < 0.001) return "fewer than 0.1 % of the values";
  return `${(100 * share).toFixed(share < 0.0995 ? 1 : 0)} % of the values`;
}

/** A number in full precision, for programs: 0.1, NaN, -Infinity. */
export function full(value) {
  return Object.is(value, -0) ? "0" : String(value);
}

/** A count with its noun: "1 column", "2 columns". @param {number} count @param {string} noun */
export function counted(count, noun) {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

/**
 * The class with the largest probability; the first one in a tie.
 * @param {ArrayLike<number>} probabilities
 * @returns {number}
 */
export function best(probabilities) {
  return Array.from(probabilities).reduce((most, value, which, all) => (value > all[most] ? which : most), 0);
}

/** A value on one line, for the comment of a table. */
export function oneLine(value) {
  return (typeof value === "string" ? value : JSON.stringify(value)).replace(/[\r\n]+/g, " ");
}

/**
 * The values that lessons can ask for about an answer, compared with the one before a change.
 * @param {string[]} classes
 * @param {ArrayLike<number>} before probabilities of the classes
 * @param {ArrayLike<number>} now
 */
export function answers(classes, before, now) {
  const [was, is] = [best(before), best(now)];
  return {
    answer: classes[is],
    probability: now[is],
    answer_before: classes[was],
    probability_before: before[was],
  };
}
