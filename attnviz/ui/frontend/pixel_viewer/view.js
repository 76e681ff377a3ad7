// The view: locks and choices. Its fields and options are declared in attnviz/ui/components/pixel_viewer.py; this file
// has the labels of the options, and the rules for existing values.

export const LABELS = {
  show: { weights: "Weights", scores: "Scores", carried: "Weight \u00d7 value" },
  direction: { from: "Takes from", to: "Gives to", received: "Received from all" },
  scale: { share: "Even share", all: "All maps", map: "This map" },
  map: { attention: "Attention", jacobian: "Jacobian" }, // of the shown answer
};

/** Which values of a view exist. @type {import("../core/url_fields.js").Rules} */
export const RULES = {
  exists({ kind }, value, { cells, heads }) {
    if (kind === "place") return cells.at(value) >= 0;
    if (kind === "head") return value === "mean" ? heads > 1 : value >= 0 && value < heads;
    return true;
  },
  there: ({ kind }, { cells, heads }) =>
    kind === "head"
      ? `1 to ${heads}${heads > 1 ? " or mean" : ""}`
      : `row 1 to ${cells.rows}, column 1 to ${cells.columns}`,
};
