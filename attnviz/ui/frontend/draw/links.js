// A picture as a word of a URL, and links to the pages that look into a model. The word is that of
// attnviz/data/inputs/drawing.py, which says how it is made.

import { greyOf } from "../panels/face.js";

export const VERSION = "2"; // of a link: as url_state.py has it
const USUAL = 28; // rows and columns of a picture whose word does not say them
const KEPT = 8; // words of pictures that are remembered: undo and redo come back to them
const words = new Map();

/**
 * The word of a picture.
 * @param {Uint8Array} picture row by row, 0 is paper
 * @param {number[]} shape its rows and columns
 * @returns {Promise<string>}
 */
export async function wordOf(picture, [rows, columns]) {
  const key = `${rows} ${columns} ${picture.join()}`;
  if (!words.has(key)) {
    if (words.size === KEPT) words.delete(words.keys().next().value);
    const shape = rows === USUAL && columns === USUAL ? "" : `${rows}x${columns}.`;
    words.set(
      key,
      packed(picture).then((written) => shape + written),
    );
  }
  return words.get(key);
}

/**
 * The words of several pictures, by picture; none in an old browser, where the cards lead nowhere.
 * @param {any[]} seen
 */
export async function wordsOf(seen) {
  const found = new Map();
  try {
    for (const one of seen) found.set(one, await wordOf(greyOf(one), one.shape));
  } catch (error) {
    console.warn("attnviz:", error);
  }
  return found;
}

async function packed(picture) {
  const stream = new Blob([picture]).stream().pipeThrough(new CompressionStream("deflate")); // which is zlib's format
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  return btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replace(/=+$/, "");
}

/**
 * Where a card leads.
 * @param {string} page URL of the page
 * @param {string} checkpoint
 * @param {string} word of the picture
 * @param {number|null} head that the card shows, from 0; null where there are not several
 * @returns {string} relative to the draw page, and so right below any base path
 */
export function linkTo(page, checkpoint, word, head) {
  return `${page}?${new URLSearchParams({ v: VERSION, model: checkpoint, drawing: word, ...(head === null ? {} : { head: String(head + 1) }) })}`;
}

/**
 * What a link needs to show the same panels, beside the drawing.
 * @param {import("./cards.js").Cards} owner
 * @returns {{models: string, heads: string, map: string, pin: {drawing: string, base: string|null, centred:
 *   boolean}|null, left: boolean}} left: something is pinned that fits into no link
 */
export function panelsInLink({ cards, map, pin: { showing } }) {
  return {
    models: cards.map(({ model }) => model.checkpoint).join(),
    heads: cards.flatMap(({ model, head }) => (head === null ? [] : [`${model.checkpoint}:${head + 1}`])).join(),
    map,
    pin: showing?.drawn ?? null,
    left: showing !== null && !showing.drawn,
  };
}
