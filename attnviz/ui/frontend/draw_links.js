// A picture of 28 x 28 as a word of an address, and links to the pages that look into a model. The word is that of
// attnviz/data/drawing.py, which says how it is made.

const KEPT = 8; // words of pictures that are remembered: undo and redo come back to them
const words = new Map();

/**
 * The word of a picture.
 * @param {Uint8Array} picture of 28 x 28, 0 is paper
 * @returns {Promise<string>}
 */
export async function wordOf(picture) {
  const key = picture.join();
  if (!words.has(key)) {
    if (words.size === KEPT) words.delete(words.keys().next().value);
    words.set(key, packed(picture));
  }
  return words.get(key);
}

async function packed(picture) {
  const stream = new Blob([picture]).stream().pipeThrough(new CompressionStream("deflate")); // which is zlib's format
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  return btoa(String.fromCharCode(...bytes)).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

/**
 * Where a card leads.
 * @param {string} page address of the page
 * @param {string} checkpoint
 * @param {string} word of the picture
 * @param {number|null} head that the card shows, from 0; null where there are not several
 * @returns {string} relative to the draw page, and so right below any base path
 */
export function linkTo(page, checkpoint, word, head) {
  return `${page}?${new URLSearchParams({ model: checkpoint, drawing: word, ...(head === null ? {} : { head: head + 1 }) })}`;
}
