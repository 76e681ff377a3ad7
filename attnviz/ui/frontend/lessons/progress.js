// A reader's progress: whether a task is done, and what this browser stores of it. No document.

const KEPT = "attnviz.lessons"; // in localStorage: name of a lesson -> the reader's progress

/**
 * Whether the conditions of a task hold.
 * @param {string[][]} check each [name, relation, value], as in attnviz/lessons/conditions.py
 * @param {(name: string) => any} find a field of the URL, or a value declared by a component; undefined if missing
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

/** @typedef {{decimal: string, group: string}} Numbers the separators of a language */
/** @type {Numbers} */
const ENGLISH = { decimal: ".", group: "," };

/**
 * A value in the format of the lesson: with the same number of decimals, and in percent if the lesson uses percent.
 * @param {any} value declared by a component
 * @param {string} written the number in the lesson
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
 * Whether a URL is that of a step: between a click on *Next step* and the run that it starts, the previous step is
 * still shown, and must not be judged by the new URL.
 * @param {string} search of the URL
 * @param {{name: string, step: number}} lesson
 */
export function isStepOf(search, { name, step }) {
  const words = new URLSearchParams(search);
  return words.get("lesson") === name && (words.get("step") ?? "1") === String(step + 1);
}

/** Words with their placeholders filled. @param {string} words @param {Record<string, any>} parts */
export function filled(words, parts) {
  return words.replace(/\{(\w+)\}/g, (whole, name) => String(parts[name] ?? whole));
}

/** Whether an answer is right. @param {string} typed @param {string} right @param {number} within */
export function isRight(typed, right, within) {
  const number = Number(typed.trim().replace(",", ".").replace("\u2212", "-"));
  return typed.trim() !== "" && Math.abs(number - Number(right)) <= within + 1e-9;
}

/** The reader's progress in a lesson. @param {string} name @returns {{step: number, of: number, done: number[]}} */
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
    // Without storage, the URL still contains the position.
  }
}
