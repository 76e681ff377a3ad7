// How far a reader is: whether a task is done, and what this browser keeps of it. No document.

const KEPT = "attnviz.lessons"; // in localStorage: name of a lesson -> how far the reader is

/**
 * Whether the conditions of a task hold.
 * @param {string[][]} check each [name, relation, value], as attnviz/lessons/conditions.py reads it
 * @param {(name: string) => any} find a field of the URL, or what a component declares; undefined for nothing
 * @param {(name: string) => any} before the same, when the step began
 */
export function holds(check, find, before) {
  return check.every(([name, relation, value]) => {
    const found = find(name);
    const missing = found === undefined || found === null || found === "";
    if (relation === "is set") return !missing;
    if (relation === "is not set") return missing;
    if (missing) return false;
    if (relation === "changed") return before(name) !== undefined && String(found) !== String(before(name));
    if (relation === "contains") return String(found).split(",").includes(value);
    const same = typeof found === "number" ? found === Number(value) : String(found) === value;
    if (relation === "is") return same;
    if (relation === "is not") return !same;
    const [one, other] = [Number(found), Number(value)];
    return { "<": one < other, ">": one > other, "<=": one <= other, ">=": one >= other }[relation] ?? false;
  });
}

/** @typedef {{decimal: string, group: string}} Numbers how a language writes them */
/** @type {Numbers} */
const ENGLISH = { decimal: ".", group: "," };

/**
 * A value as the lesson writes it: with as many decimals, and in percent where it does that.
 * @param {any} value that a component declares
 * @param {string} written in the lesson
 * @param {Numbers} language
 */
export function asWritten(value, written, { decimal, group } = ENGLISH) {
  if (typeof value !== "number") return value === undefined || value === null ? written : String(value);
  const decimals = /^\d+/.exec(written.split(decimal)[1] ?? "")?.[0].length ?? 0;
  const percent = /(\s?)%$/.exec(written);
  const shown = Math.abs(percent ? 100 * value : value).toFixed(decimals);
  const sign = value < 0 && Number(shown) !== 0 ? "\u2212" : /^\+/.test(written) ? "+" : "";
  const [whole, part] = shown.split(".");
  const grouped = written.includes(group) ? whole.replace(/\B(?=(\d{3})+$)/g, group) : whole;
  return `${sign}${grouped}${part ? `${decimal}${part}` : ""}${percent ? `${percent[1]}%` : ""}`;
}

/**
 * Whether a URL is that of a step: between a click on *Next step* and the run that it starts, the step before is still
 * here, and must not be judged by what the new URL says.
 * @param {string} search of the URL
 * @param {{name: string, step: number}} lesson
 */
export function isStepOf(search, { name, step }) {
  const words = new URLSearchParams(search);
  return words.get("lesson") === name && (words.get("step") ?? "1") === String(step + 1);
}

/** Words with what is to be put into them. @param {string} words @param {Record<string, any>} parts */
export function filled(words, parts) {
  return words.replace(/\{(\w+)\}/g, (whole, name) => String(parts[name] ?? whole));
}

/** Whether an answer is right. @param {string} typed @param {string} right @param {number} within */
export function isRight(typed, right, within) {
  const number = Number(typed.trim().replace(",", ".").replace("\u2212", "-"));
  return typed.trim() !== "" && Math.abs(number - Number(right)) <= within + 1e-9;
}

/** How far the reader is in a lesson. @param {string} name @returns {{step: number, of: number, done: number[]}} */
export function kept(name) {
  try {
    return { step: 0, of: 0, done: [], ...JSON.parse(localStorage.getItem(KEPT) ?? "{}")[name] };
  } catch {
    return { step: 0, of: 0, done: [] };
  }
}

/** @param {string} name @param {{step?: number, of?: number, done?: number[]}} news */
export function keep(name, news) {
  try {
    const all = JSON.parse(localStorage.getItem(KEPT) ?? "{}");
    localStorage.setItem(KEPT, JSON.stringify({ ...all, [name]: { ...kept(name), ...news } }));
  } catch {
    // A browser that keeps nothing: the URL still says where one is.
  }
}
