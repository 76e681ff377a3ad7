// What the maps of the panels show, in words: under the legend and in what is saved.

import { makeScale } from "../core/colours.js";
import { headline } from "./verdict.js";

const NOTE =
  "Multiples of an even share; the thin line is the outline of the ink. Where a panel shows what each pixel adds, violet speaks for the answer and ochre against it.";
const SLOPES =
  "Per unit of intensity: violet where more ink raises the answer\u2019s logit, ochre where it lowers it. Each panel has its own scale, and is computed when the pen rests.";
const CHANGE =
  "Multiples of the pinned share. Where a panel shows what each pixel adds, or the digit itself, violet is more than before and ochre is less.";

/**
 * @param {import("./cards.js").Cards} cards
 * @returns {{slopes: boolean, note: string}} slopes: the maps are Jacobians
 */
function shownBy({ map, pin }) {
  const slopes = map === "jacobian";
  return { slopes, note: slopes ? SLOPES : pin.change ? CHANGE : NOTE };
}

/** Say what the colours mean. @param {import("./cards.js").Cards} cards */
export function sayLegend(cards) {
  const { slopes, note } = shownBy(cards);
  const scale = makeScale(slopes ? "signed" : "share");
  const { legend } = cards.frame;
  if (cards.look) legend.colour(cards.look.palettes[scale.palette]);
  legend.say(scale, note, slopes ? ["lowers it", "", "0", "", "raises it"] : null);
}

/** What is saved of the panels: what they show, and where it comes from. @param {import("./cards.js").Cards} owner */
export function toSave(owner) {
  const {
    cards,
    look,
    pin: { change },
    showing,
  } = owner;
  const { slopes, note } = shownBy(owner);
  const origin = {
    models: cards.map(({ model }) => model.checkpoint).join(" "),
    shows: slopes ? "the Jacobian of the shown answer" : change ? "change since pinned" : "the answer to what is drawn",
    scale: "of shares, log2 of the multiple of an even share, -4 to 4; of signed values, each panel its own",
    counted: "rows, columns and heads from 1, from the top left",
    page: owner.url() ?? location.href,
  };
  const sentence = showing?.empty ? "A sample, before anything is drawn" : headline(owner).sentence;
  return { cards, headline: sentence, look, slopes, note, origin };
}
