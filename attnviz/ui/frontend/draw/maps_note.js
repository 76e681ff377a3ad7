// What the maps of the panels show, in words: under the legend and in what is saved.

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

/**
 * The legend of what panels show, and of nothing else.
 * @param {string[]} renderers of the panels
 * @param {{slopes: boolean, change: boolean, ink: boolean}} how slopes: Jacobians in place of the maps; change: how the
 *   maps differ from the pinned ones; ink: whether what they look at is ink on paper
 * @returns {{kind: "share"|"signed"|null, ends: string[]|null, note: string}} kind: of the scale; null for no legend
 */
export function legendOf(renderers, { slopes, change, ink }) {
  if (slopes) return { kind: "signed", ends: ENDS.jacobian, note: SLOPES };
  const shown = new Set(renderers);
  const share = shown.has("share");
  const values = ["signed", "stages", ...(change ? ["ink"] : [])].filter((name) => shown.has(name));
  const kind = share ? "share" : values.length ? "signed" : null;
  const sentences = change
    ? [share && CHANGED.share, values.length > 0 && CHANGED.values]
    : ["share", ...values].map((name) => shown.has(name) && SAYS[name]);
  const outlined = ink && OUTLINED.some((name) => shown.has(name));
  return {
    kind,
    ends: kind === "signed" ? ENDS.signed : null,
    note: [...sentences, outlined && SAYS.outline].filter(Boolean).join(" "),
  };
}

/** @param {import("./cards.js").Cards} cards */
function legendBy({ cards, ink, map, pin }) {
  const renderers = cards.map((card) => (card.unable ? "ink" : card.model.renderer));
  return legendOf(renderers, { slopes: map === "jacobian", change: pin.change, ink });
}

/** Say what the colours mean. @param {import("./cards.js").Cards} cards */
export function sayLegend(cards) {
  const { kind, ends, note } = legendBy(cards);
  const { legend } = cards.frame;
  legend.element.hidden = kind === null;
  if (kind === null) return;
  const scale = makeScale(kind);
  if (cards.look) legend.colour(cards.look.palettes[scale.palette]);
  legend.say(scale, note, ends);
}

/** What is saved of the panels: what they show, and where it comes from. @param {import("./cards.js").Cards} owner */
export function toSave(owner) {
  const {
    cards,
    look,
    pin,
    questions: { showing },
  } = owner;
  const { kind, ends, note } = legendBy(owner);
  const slopes = owner.map === "jacobian";
  const change = pin.change && !slopes; // a Jacobian stands in place of the change
  const origin = {
    models: cards.map(({ net }) => net).join(" "),
    shows: slopes ? "the Jacobian of the shown answer" : change ? "change since pinned" : "the answer to what is drawn",
    scale: "of shares, log2 of the multiple of an even share, -4 to 4; of signed values, each panel its own",
    counted: "rows, columns and heads from 1, from the top left",
    page: owner.url() ?? location.href,
  };
  const sentence = showing?.empty ? "A sample, before anything is drawn" : headline(owner).sentence;
  return { cards, headline: sentence, look, kind, ends, note, origin, change };
}
