// The view: what is locked and what is shown, as the address, Python and the controls say it.
// Rows, columns and heads count from 0 here and from 1 wherever a person reads them (see pixel_viewer.py).

export const DEFAULTS = { query: null, key: null, head: 0, show: "weights", direction: "from", scale: "share" };

export const CHOICES = {
  show: { weights: "Weights", scores: "Scores", carried: "Weight \u00d7 value" },
  direction: { from: "Takes from", to: "Gives to", received: "Received from all" },
  scale: { share: "Even share", all: "All maps", map: "This map" },
};

/**
 * Make a view out of what an address asks for.
 * @param {object|null} wish any fields, with any values
 * @param {{cells: import("./paint.js").Cells, heads: number}} facts what there is
 * @returns {{view: object, complaint: string}} every field filled; complaint: a sentence about what was dropped, or ""
 */
export function readView(wish, { cells, heads }) {
  const view = { ...DEFAULTS };
  const dropped = [];
  for (const name of Object.keys(DEFAULTS)) {
    const value = wish?.[name];
    if (value === undefined || value === null) continue;
    if (isGood(name, value, cells, heads)) view[name] = value;
    else dropped.push(`${name} \u201c${say(name, value)}\u201d`);
  }
  const complaint = dropped.length
    ? `The address asks for ${dropped.join(" and ")}, which is not here; you see the default instead.` : "";
  return { view, complaint };
}

/** Keep of a view what still fits after the picture or the model has changed. */
export function fitView(view, facts) {
  return readView(Object.fromEntries(Object.entries(view)), facts).view;
}

/**
 * The address of the page with a view in it.
 * @param {string} address
 * @param {object} view
 * @returns {string}
 */
export function addressOf(address, view) {
  const url = new URL(address);
  for (const [name, otherwise] of Object.entries(DEFAULTS)) {
    const value = view[name];
    if (value === otherwise) url.searchParams.delete(name);
    else url.searchParams.set(name, say(name, value));
  }
  return url.href;
}

function isGood(name, value, cells, heads) {
  if (name in CHOICES) return typeof value === "string" && Object.hasOwn(CHOICES[name], value);
  if (name === "head") return (value === "mean" && heads > 1) || (Number.isInteger(value) && value >= 0 && value < heads);
  return Array.isArray(value) && value.length === 2 && value.every(Number.isInteger) && cells.at(value) >= 0;
}

function say(name, value) {
  if (Array.isArray(value)) return value.map((part) => (Number.isInteger(part) ? part + 1 : part)).join(",").slice(0, 40);
  return String(name === "head" && Number.isInteger(value) ? value + 1 : value).slice(0, 40);
}
