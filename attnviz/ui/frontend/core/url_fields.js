// The URL fields of a component's view, as Python declares them in attnviz/ui/components/url_fields.py: read, and written
// into links in the same words. Numbers count from 0 in a view and from 1 in the URL.

/** @typedef {{name: string, kind: string, default: any, options: string[]}} Field */

const LONGEST = 400; // characters of a word that is quoted or linked

/**
 * Make a view from what the URL asks for.
 * @param {Field[]} fields
 * @param {Record<string, any>|null} asked any fields, with any values
 * @param {(field: Field, value: any) => boolean} exists whether there is such a place, head or number here
 * @param {(field: Field) => string} there which places, heads or numbers there are, in words
 * @returns {{view: any, complaint: string}} every field filled; complaint: what was dropped and what there is, or ""
 */
export function readView(fields, asked, exists, there) {
  const view = Object.fromEntries(fields.map((field) => [field.name, field.default]));
  /** @type {string[]} */
  const dropped = [];
  /** @type {string[]} */
  const known = [];
  for (const field of fields) {
    const value = asked?.[field.name];
    if (value === undefined || value === null) continue;
    if (hasKind(field, value) && exists(field, value)) view[field.name] = value;
    else {
      dropped.push(`${field.name} \u201c${wordOf(field, value).slice(0, 40)}\u201d`);
      known.push(`${field.name}: ${optionsOf(field) ?? there(field)}`);
    }
  }
  const complaint = dropped.length
    ? `The URL asks for ${dropped.join(" and ")}, which does not exist here; you see the default instead. Valid values of ${known.join("; of ")}.`
    : "";
  return { view, complaint };
}

/** The words that a field may have, where these are a few; null for numbers. @param {Field} field @returns {string|null} */
function optionsOf({ kind, options }) {
  const words = kind === "choice" ? options : kind === "yes_no" ? ["yes", "no"] : null;
  return words && words.join(" or ");
}

/**
 * The URL of the page with a view in it; a field that has its default is left out.
 * @param {string} url
 * @param {Field[]} fields
 * @param {Record<string, any>} view
 * @returns {string}
 */
export function urlOf(url, fields, view) {
  const made = new URL(url);
  for (const field of fields) {
    const value = view[field.name];
    if (JSON.stringify(value) === JSON.stringify(field.default)) made.searchParams.delete(field.name);
    else made.searchParams.set(field.name, wordOf(field, value));
  }
  return made.href;
}

/** The word of the URL for a value, nonsense included. @param {Pick<Field, "kind">} field @param {any} value @returns {string} */
export function wordOf({ kind }, value) {
  if (kind === "yes_no" && typeof value === "boolean") return value ? "yes" : "no";
  if ((kind === "heads" || kind === "moves") && Array.isArray(value))
    return value
      .map((one) => (Array.isArray(one) ? one.map(fromOne).join(".") : one))
      .join(",")
      .slice(0, LONGEST);
  if (Array.isArray(value)) return value.map(fromOne).join(",").slice(0, LONGEST);
  return String(kind === "number" || kind === "head" ? fromOne(value) : value).slice(0, LONGEST);
}

function fromOne(number) {
  return Number.isInteger(number) ? number + 1 : number;
}

function hasKind({ kind, options }, value) {
  if (kind === "choice") return typeof value === "string" && options.includes(value);
  if (kind === "text") return typeof value === "string";
  if (kind === "yes_no") return typeof value === "boolean";
  if (kind === "float") return typeof value === "number";
  if (kind === "number") return Number.isInteger(value);
  if (kind === "head") return value === "mean" || Number.isInteger(value);
  if (kind === "heads") return Array.isArray(value) && value.every(isPair);
  if (kind === "moves") return Array.isArray(value) && value.every((move) => isWhole(move, 3));
  return isPair(value);
}

function isPair(value) {
  return isWhole(value, 2);
}

/** Whether it is a list of so many whole numbers. @param {any} value @param {number} count */
function isWhole(value, count) {
  return Array.isArray(value) && value.length === count && value.every(Number.isInteger);
}
