// What the browser keeps of drawings, and nobody else: the one on the pad, for this tab, and the last ten of this
// browser. Storage can be refused or full: then nothing is kept, and that is all.

import { decode, encode, packBase, unpackBase } from "../hands/strokes.js";

const HERE = "attnviz.drawing";
const LAST = "attnviz.drawings";
export const MOST = 10;

/** @typedef {{id: string, base: Base|null, strokes: Stroke[]}} Drawing */

function plain({ id, base, strokes }) {
  return { id, base: packBase(base), strokes: encode(strokes) };
}

/** @returns {Drawing|null} null for what is damaged, or was written by another version */
function drawing(came) {
  try {
    return { id: String(came.id), base: unpackBase(came.base), strokes: decode(came.strokes) };
  } catch {
    return null;
  }
}

/**
 * Keep what is on the pad, so that it is there again after a reload, or after a look at another page.
 * @param {Drawing} now
 * @param {Record<string, any>} more plain values beside it
 */
export function keepHere(now, more) {
  try {
    sessionStorage.setItem(HERE, JSON.stringify({ ...more, drawing: plain(now) }));
  } catch {
    // Refused or full: a reload then begins with what the URL says.
  }
}

/**
 * @returns {{drawing: Drawing, centred: boolean, known: any, pending?: any[]}|null} what `keepHere` kept, with the
 *   values beside it
 */
export function here() {
  try {
    const came = JSON.parse(sessionStorage.getItem(HERE) ?? "null");
    const found = drawing(came.drawing);
    return found && { ...came, drawing: found };
  } catch {
    return null;
  }
}

/**
 * Keep a drawing among the last ones, the newest first; one that is among them already is renewed in its place.
 * @param {Drawing} now
 * @returns {boolean} whether that was possible
 */
export function keepLast(now) {
  try {
    // Read again each time: another tab may have written meanwhile.
    const others = read();
    const place = others.findIndex(({ id }) => id === now.id);
    if (place >= 0) others[place] = plain(now);
    else others.unshift(plain(now));
    return write(others.slice(0, MOST));
  } catch {
    return false;
  }
}

/** Whether the browser keeps anything here. */
export function canKeep() {
  try {
    return Boolean(localStorage);
  } catch {
    return false;
  }
}

/** The last drawings of this browser, the newest first. @returns {Drawing[]} */
export function last() {
  try {
    return read()
      .map(drawing)
      .filter((one) => one !== null)
      .slice(0, MOST);
  } catch {
    return [];
  }
}

/** Forget the last drawings. */
export function forget() {
  try {
    localStorage.removeItem(LAST);
  } catch {
    // Nothing was kept.
  }
}

function read() {
  /** @type {any} */
  let came = null;
  try {
    came = JSON.parse(localStorage.getItem(LAST) ?? "null");
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  return Array.isArray(came) ? came.filter((one) => typeof one?.id === "string") : [];
}

/** Where there is no room for all, the oldest go. */
function write(drawings) {
  for (let count = drawings.length; count > 0; count--) {
    try {
      localStorage.setItem(LAST, JSON.stringify(drawings.slice(0, count)));
      return true;
    } catch {
      // Full: with one less.
    }
  }
  return false;
}
