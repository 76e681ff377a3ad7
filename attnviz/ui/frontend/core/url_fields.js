// The URL fields of a component's view, as Python declares them in attnviz/views/url_fields.py: read, and
// written into links in the same words. Numbers count from 0 in a view and from 1 in the URL.

/** @typedef {{name: string, kind: string, default: any, options: string[]}} Field */

/**
 * Which values of a view exist in a component.
 * @typedef {{exists: (field: Field, value: any, facts: any, asked: Record<string, any>) => boolean,
 *   there: (field: Field, facts: any) => string}} Rules
 *   exists: whether a position, head or number exists; there: those that exist, in words; facts: the component's data
 */

const LONGEST = 4000; // maximum number of characters of a word in a link

const fromOne = (number) => (Number.isInteger(number) ? number + 1 : number);
const numbers = (count) => (value) => Array.isArray(value) && value.length === count && value.every(Number.isInteger);
// A complaint quotes invalid values, too.
const plain = (value) => (Array.isArray(value) ? value.map(fromOne).join(",") : String(value));
const counted = (value) => plain(fromOne(value));

/**
 * How values of each kind are checked and written; a component adds its own kinds, here and in url_fields.py.
 * @type {Record<string, any>}
 */
export const KINDS = {
  choice: { holds: (value, options) => typeof value === "string" && options.includes(value), word: plain },
  text: { holds: (value) => typeof value === "string", word: plain },
  yes_no: {
    holds: (value) => typeof value === "boolean",
    word: (value) => (value === true ? "yes" : value === false ? "no" : plain(value)),
  },
  float: { holds: (value) => typeof value === "number", word: plain },
  number: { holds: Number.isInteger, word: counted },
  head: { holds: (value) => value === "mean" || Number.isInteger(value), word: counted },
  place: { holds: numbers(2), word: plain },
};

/** A kind of several tuples of numbers, such as "1.2,3.1". @param {number} together the number of values in a tuple */
export function tuples(together) {
  const one = (part) => (Array.isArray(part) ? part.map(fromOne).join(".") : part);
  return {
    holds: (value) => Array.isArray(value) && value.every(numbers(together)),
    word: (value) => plain(Array.isArray(value) ? value.map(one) : value),
  };
}

/**
 * Make a view from what the URL asks for.
 * @param {Field[]} fields
 * @param {Record<string, any>|null} asked any fields, with any values
 * @param {Rules} rules
 * @param {any} facts
 * @returns {{view: any, complaint: string}} every field filled; complaint: what was dropped and what exists, or ""
 */
export function readView(fields, asked, { exists, there }, facts) {
  const view = Object.fromEntries(fields.map((field) => [field.name, field.default]));
  /** @type {string[]} */
  const dropped = [];
  /** @type {string[]} */
  const known = [];
  for (const field of fields) {
    const value = asked?.[field.name];
    if (!asked || value === undefined || value === null) continue;
    if (KINDS[field.kind].holds(value, field.options) && exists(field, value, facts, asked)) view[field.name] = value;
    else {
      dropped.push(`${field.name} \u201c${wordOf(field, value).slice(0, 40)}\u201d`);
      known.push(`${field.name}: ${optionsOf(field) ?? there(field, facts)}`);
    }
  }
  const complaint = dropped.length
    ? `The URL asks for ${dropped.join(" and ")}, which does not exist here; you see the default instead. ` +
      `Valid values of ${known.join("; of ")}.`
    : "";
  return { view, complaint };
}

/**
 * The words that a field may have, if they can be listed; null for numbers.
 * @param {Field} field
 * @returns {string|null}
 */
function optionsOf({ kind, options }) {
  const words = kind === "choice" ? options : kind === "yes_no" ? ["yes", "no"] : null;
  return words && words.join(" or ");
}

/**
 * The URL of the page with a view in it; fields with their default values are left out.
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

/**
 * The URL's word for a value, even for an invalid one.
 * @param {Pick<Field, "kind">} field
 * @param {any} value
 * @returns {string}
 */
export function wordOf({ kind }, value) {
  return KINDS[kind].word(value).slice(0, LONGEST);
}
