// The view of the stage grid: locks, choices and switches. Its fields and options are declared in
// attnviz/ui/components/stage_grid.py; this file has the labels of the options, and the rules for existing values.

import { KINDS, tuples } from "../core/url_fields.js";

KINDS.heads = tuples(2); // of [layer, head]

export const CHANNELS = ["red", "green", "blue"];
export const LABELS = {
  channel: { colour: "Colour", red: "Red", green: "Green", blue: "Blue" },
  scale: { map: "This map", all: "All maps" },
  relevance: {
    learnt: "As learnt",
    mean: "Its mean map",
    one: "1 everywhere",
    other: "Another picture\u2019s",
    zero: "0 (off)",
  },
};
export const LEAST_EPS = 1e-14;
export const MOST_EPS = 1;

const below = (number, end) => number >= 0 && number < end;

/** Which values of a view exist. @type {import("../core/url_fields.js").Rules} */
export const RULES = {
  exists({ kind, name }, value, { layers, heads, rows, columns, stages }) {
    if (name === "stage") return stages.includes(value);
    if (kind === "number") return below(value, layers);
    if (kind === "head") return value === "mean" || below(value, heads);
    if (kind === "float") return value >= LEAST_EPS && value <= MOST_EPS;
    if (kind === "heads") return value.every(([layer, head]) => below(layer, layers) && below(head, heads));
    if (kind === "place") return below(value[0], rows) && below(value[1], columns);
    return true;
  },
  there: ({ kind }, { layers, heads, rows, columns }) =>
    ({
      number: `1 to ${layers}`,
      head: `1 to ${heads} or mean`,
      float: `${LEAST_EPS} to ${MOST_EPS}`,
      heads: `layer.head, of layers 1 to ${layers} and heads 1 to ${heads}`,
      place: `row 1 to ${rows}, column 1 to ${columns}`,
    })[kind] ?? "",
};

/** The missing sources of relevance: a drawing has no other picture. @param {Record<string, any>} arrays */
export function missingRelevances(arrays) {
  return [...(arrays["0.mean"] ? [] : ["mean"]), ...(arrays["other.input"] ? [] : ["other"])];
}

/**
 * The fields without unavailable options, so that a complaint does not offer them.
 * @param {import("../core/url_fields.js").Field[]} fields
 * @param {Record<string, any>} arrays
 */
export function fieldsHere(fields, arrays) {
  const missing = missingRelevances(arrays);
  return fields.map((field) =>
    field.name === "relevance" ? { ...field, options: field.options.filter((one) => !missing.includes(one)) } : field,
  );
}

/** Whether any switch makes the stages differ from those of the trained model. */
export function isSwitched({ off, eps, skip, relevance }) {
  return off.length > 0 || eps !== null || !skip || relevance !== "learnt";
}
