// A picture as a word of a URL, and links to the pages that look into a model. The word is specified in
// attnviz/data/inputs/drawing.py.

import { toBase64Url } from "../core/base64.js";
import { greyOf } from "../panels/face.js";
import { ALL } from "./training.js";

export const VERSION = "2"; // maximum length of a link, as in url_state.py
const USUAL = 28; // rows and columns of a picture whose word does not contain them
const COLOURS = 3; // bytes per pixel in colour
const KEPT = 8; // number of cached words: undo and redo return to earlier pictures
const words = new Map();

/**
 * @typedef {{heads: Record<string, number>, map: string, change: boolean, trained: number|null, pin_trained:
 *   number|null, pin: {drawing: string, base: string|null, centred: boolean}|null}} Shown as `Shown` of drawn.py
 */

/**
 * The word of a picture. If all its colours are grey, it is that of the grey picture, which is equivalent for a model
 * of colour pictures.
 * @param {{values: Uint8Array, shape: number[]}} seen values: row by row, 0 is paper; shape: rows, columns, channels
 * @returns {Promise<string>}
 */
export async function wordOf(seen) {
  const [rows, columns, channels] = seen.shape;
  const coloured = channels === COLOURS && seen.values.some((value, at) => value !== seen.values[at - (at % COLOURS)]);
  const picture = coloured ? seen.values : greyOf(seen);
  const key = `${rows} ${columns} ${coloured} ${picture.join()}`;
  if (!words.has(key)) {
    if (words.size === KEPT) words.delete(words.keys().next().value);
    const size = [rows, columns, ...(coloured ? [COLOURS] : [])].join("x");
    const shape = size === `${USUAL}x${USUAL}` ? "" : `${size}.`;
    words.set(
      key,
      packed(picture).then((written) => shape + written),
    );
  }
  return words.get(key);
}

/**
 * The words of several pictures, by picture; none in an old browser, where the cards have no links.
 * @param {any[]} seen
 */
export async function wordsOf(seen) {
  const found = new Map();
  try {
    for (const one of seen) found.set(one, await wordOf(one));
  } catch (error) {
    console.warn("attnviz:", error);
  }
  return found;
}

/**
 * The word of the picture that represents the models' inputs from a drawing: one of the size of the data set's
 * pictures, if any, because the links below the panels are for models of that size; otherwise the first.
 * @param {Map<{shape: number[]}, string>} words from `wordsOf`
 * @param {number[]} size rows, columns
 * @returns {string} "" for none
 */
export function wordOfAll(words, [rows, columns]) {
  const fits = ({ shape }) => shape[0] === rows && shape[1] === columns;
  const [, word] = [...words].find(([seen]) => fits(seen)) ?? [...words][0] ?? [];
  return word ?? "";
}

async function packed(picture) {
  const stream = new Blob([picture]).stream().pipeThrough(new CompressionStream("deflate")); // the zlib format
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  return toBase64Url(bytes);
}

/**
 * The link of a card.
 * @param {string} page the URL of the page
 * @param {string} checkpoint
 * @param {string} word the picture's word
 * @param {number|null} head the card's head, from 0; null if there is only one
 * @returns {string} relative to the draw page, and so valid below any base path
 */
export function linkTo(page, checkpoint, word, head) {
  const query = new URLSearchParams({ v: VERSION, model: checkpoint, drawing: word });
  if (head !== null) query.set("head", String(head + 1));
  return `${page}?${query}`;
}

/**
 * The contents of the panels, as reported to Python and encoded in a link.
 * @param {Pick<import("./cards.js").Cards, "cards"|"map"|"pin"|"trained">} owner
 * @returns {Shown}
 */
export function shownBy({ cards, map, trained, pin: { change, showing } }) {
  const chosen = cards.filter(({ head }) => head !== null);
  const another = Boolean(showing?.drawn) && showing.trained !== trained;
  return {
    heads: Object.fromEntries(chosen.map(({ model, head }) => [model.checkpoint, head])),
    map,
    change: change && Boolean(showing?.drawn),
    trained,
    pin_trained: another ? (showing.trained ?? ALL) : null,
    pin: showing?.drawn ?? null,
  };
}

/**
 * The fields of a link that reproduce the panels, without the drawing.
 * @param {import("./cards.js").Cards} owner
 * @returns {{models: string, heads: string, map: string, change: boolean, trained: string, pin_trained: string,
 *   pin: Shown["pin"], left: boolean}}
 *   left: whether a pin does not fit into a link
 */
export function panelsInLink(owner) {
  const { showing } = owner.pin;
  const { heads, trained, pin_trained: then, ...shown } = shownBy(owner);
  return {
    models: owner.cards.map(({ model }) => model.checkpoint).join(),
    heads: Object.entries(heads)
      .map(([name, head]) => `${name}:${head + 1}`)
      .join(),
    ...shown,
    trained: trained === null ? "" : String(trained),
    pin_trained: then === null ? "" : String(then),
    left: showing !== null && !showing.drawn,
  };
}
