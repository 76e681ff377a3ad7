// A description of the panels' maps, under the legend and in saved files.

import { makeScale } from "../core/colours.js";
import { headline } from "./verdict.js";

const OUTLINED = ["share", "signed", "stages"]; // renderers that draw the outline of the ink over their maps
const SAYS = {
  share: "Multiples of an even share.",
  signed: "What a pixel adds: violet speaks for the answer, ochre against it.",
  stages: "Stages of a layer: violet is above zero, ochre below; each map has its own scale.",
  outline: "The thin line is the outline of the ink.",
};
const SLOPES =
  "Violet where more intensity raises the answer\u2019s logit, ochre where it lowers it, per unit of intensity. " +
  "Each panel has its own scale, and is computed when the pen rests. Where a max-pooling has no derivative, as " +
  "on flat background, one of its two slopes is shown.";
const CHANGED = { share: "Multiples of the pinned share.", values: "Violet is more than before, ochre is less." };
const ENDS = {
  jacobian: ["lowers it", "", "0", "", "raises it"],
  signed: ["below 0", "", "0", "", "above 0"],
};
const SHOWS = {
  jacobian: "the Jacobian of the shown answer",
  change: "change since pinned",
  map: "the answer to what is drawn",
};

/**
 * The contents of a panel: its map, its difference from the pinned one, or the Jacobian.
 * @typedef {keyof typeof SHOWS} Shows
 */

/**
 * The legend of the panels' contents.
 * @param {{renderer: string, shows: Shows}[]} panels
 * @param {boolean} ink whether their input is ink on paper
 * @returns {{kind: "share"|"signed"|null, ends: string[]|null, unit: string, note: string}} kind: that of the scale,
 *   null for no legend; unit: the unit of a share
 */
export function legendOf(panels, ink) {
  const drawn = (/** @type {Shows} */ which) =>
    new Set(panels.filter(({ shows }) => shows === which).map(({ renderer }) => renderer));
  const [maps, changes] = [drawn("map"), drawn("change")];
  const slopes = drawn("jacobian").size > 0;
  const share = maps.has("share") || changes.has("share");
  const values = ["signed", "stages"].filter((name) => maps.has(name));
  const changed = ["signed", "stages", "ink"].some((name) => changes.has(name));
  const kind = !slopes && share ? "share" : slopes || changed || values.length ? "signed" : null;
  const outlined = ink && OUTLINED.some((name) => maps.has(name) || changes.has(name));
  const sentences = [
    slopes && SLOPES,
    maps.has("share") && SAYS.share,
    changes.has("share") && CHANGED.share,
    ...values.map((name) => SAYS[name]),
    changed && CHANGED.values,
    outlined && SAYS.outline,
  ];
  return {
    kind,
    ends: kind === "signed" ? (slopes ? ENDS.jacobian : ENDS.signed) : null,
    unit: changes.has("share") && !maps.has("share") ? "the pinned share" : "an even share",
    note: sentences.filter(Boolean).join(" "),
  };
}

/**
 * The contents that a panel has while the pen rests: the words above the panels do not change with each stroke.
 * @param {import("./card.js").Card} card
 * @param {Pick<import("./card_wall.js").CardWall, "map"|"pin">} owner
 * @returns {Shows}
 */
function chosenFor({ model, comparable }, { map, pin }) {
  if (map === "jacobian" && !model.missing) return "jacobian";
  return pin.change && comparable ? "change" : "map";
}

/** The present contents of a panel. @type {typeof chosenFor} */
function shownBy({ jacobian, comparable }, { pin }) {
  if (jacobian?.values) return "jacobian";
  return pin.change && comparable ? "change" : "map";
}

/** @param {import("./card.js").Card} card @param {Shows} shows */
function described(card, shows) {
  return { renderer: card.unable ? "ink" : card.model.renderer, shows };
}

/** Explain the colours. @param {import("./card_wall.js").CardWall} owner */
export function sayLegend(owner) {
  const panels = owner.cards.map((card) => described(card, chosenFor(card, owner)));
  const { kind, ends, note } = legendOf(panels, owner.ink);
  const { legend } = owner.frame;
  legend.element.hidden = kind === null;
  if (kind === null) return;
  const scale = makeScale(kind);
  if (owner.look) legend.colour(owner.look.palettes[scale.palette]);
  legend.say(scale, note, ends);
}

/** The data to save from the panels: their contents and their origin. @param {import("./cards.js").Cards} owner */
export function toSave(owner) {
  const {
    look,
    questions: { showing },
  } = owner;
  const panels = owner.cards.filter(({ current }) => current).map((card) => ({ card, shows: shownBy(card, owner) }));
  const legend = legendOf(
    panels.map(({ card, shows }) => described(card, shows)),
    owner.ink,
  );
  const kinds = Object.keys(SHOWS).filter((kind) => panels.some(({ shows }) => shows === kind));
  const origin = {
    models: panels.map(({ card }) => card.current?.net).join(" "),
    shows: kinds.map((kind) => SHOWS[kind]).join("; "),
    scale: "of shares, log2 of the multiple of an even share, -4 to 4; of signed values, each panel its own",
    counted: "rows, columns and heads from 1, from the top left",
    page: owner.url() ?? location.href,
  };
  const sentence = showing?.empty ? "A sample, before anything is drawn" : headline(owner).sentence;
  return { panels, headline: sentence, look, legend, origin };
}
