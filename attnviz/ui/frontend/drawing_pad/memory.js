// Drawings stored in the browser only: the one on the pad, for this tab, and the last ten of this browser. If storage
// is refused or full, nothing is kept and nothing else fails.

import { BadDrawing, decode, encode, packBase, unpackBase } from "../hands/strokes.js";

const HERE = "attnviz.drawing";
const LAST = "attnviz.drawings";
export const MOST = 10;

/**
 * A drawing. `cleared` are those that Clear removed before it, until a reload: the id of the empty drawing that
 * followed, and that of the drawing removed.
 * @typedef {{id: string, base: Base|null, strokes: Stroke[], cleared?: {step: string, id: string}[]}} Drawing
 */

/** @typedef {{past: Drawing[], now: Drawing, future: Drawing[]}} History the steps of undo and redo */

/**
 * @typedef {object} Kept
 * @property {Drawing} drawing the drawing on the pad
 * @property {History|null} [history]
 * @property {boolean} centred
 * @property {any} known the words of the URL for it
 * @property {any[]} [pending] its states reported to Python since then
 * @property {{now: any, known: any, pinned: {now: {base: Base|null, strokes: Stroke[]}, centred: boolean, trained:
 *   number|null}|null}|null} [panels]
 *   their view, the words of the URL for it, and the pinned drawing
 */

function plain({ id, base, strokes }) {
  return { id, base: packBase(base), strokes: encode(strokes) };
}

/** @returns {Drawing|null} null if it is damaged or was written by another version */
function drawing(stored) {
  try {
    return { id: String(stored.id), base: unpackBase(stored.base), strokes: decode(stored.strokes) };
  } catch {
    return null;
  }
}

/** Store the state of the pad and the panels for the next reload. @param {Kept} kept */
export function keepHere(kept) {
  const least = { ...kept, history: null, drawing: plain(kept.drawing), panels: packPanels(kept.panels) };
  try {
    sessionStorage.setItem(HERE, JSON.stringify({ ...least, history: kept.history && packHistory(kept.history) }));
  } catch {
    try {
      sessionStorage.setItem(HERE, JSON.stringify(least)); // the steps of many large pictures may not fit
    } catch {
      // Refused or full: a reload then begins with the drawing in the URL.
    }
  }
}

/** @returns {Kept|null} the state stored by `keepHere` */
export function here() {
  try {
    const stored = JSON.parse(sessionStorage.getItem(HERE) ?? "null");
    const found = drawing(stored.drawing);
    return (
      found && {
        ...stored,
        drawing: found,
        history: unpackHistory(stored.history),
        panels: unpackPanels(stored.panels),
      }
    );
  } catch {
    return null;
  }
}

function packPanels(panels) {
  if (!panels?.pinned) return panels;
  const { now, ...how } = panels.pinned;
  return { ...panels, pinned: { now: plain({ id: "", ...now }), ...how } };
}

function unpackPanels(stored) {
  if (!stored?.pinned) return stored ?? null;
  const now = drawing(stored.pinned.now);
  const { centred, trained = null } = stored.pinned;
  return now && { ...stored, pinned: { now, centred: centred !== false, trained } };
}

/** Steps share their strokes and pictures: each is written once. @param {History} history */
export function packHistory({ past, now, future }) {
  const [bases, strokes] = [new Map(), new Map()];
  const place = (known, one) => known.get(one) ?? (known.set(one, known.size), known.size - 1);
  const steps = [...past, now, ...future].map(({ id, base, strokes: drawn }) => ({
    id,
    base: base && place(bases, base),
    strokes: drawn.map((one) => place(strokes, one)),
  }));
  return {
    at: past.length,
    bases: [...bases.keys()].map(packBase),
    strokes: [...strokes.keys()].map((one) => encode([one])),
    steps,
  };
}

/** Undo `packHistory`. @returns {History|null} null if it is damaged */
export function unpackHistory(stored) {
  try {
    const bases = stored.bases.map(unpackBase);
    const strokes = stored.strokes.map((one) => decode(one)[0]);
    const there = (list, at) => list[at] ?? raise();
    const steps = stored.steps.map(({ id, base, strokes: drawn }) => ({
      id: String(id),
      base: base === null ? null : there(bases, base),
      strokes: drawn.map((at) => there(strokes, at)),
    }));
    return { past: steps.slice(0, stored.at), now: there(steps, stored.at), future: steps.slice(stored.at + 1) };
  } catch {
    return null;
  }
}

function raise() {
  throw new BadDrawing("a step of it is missing");
}

/**
 * Store a drawing among the last ones, the newest first; a stored drawing is updated in its position, and one that
 * looks the same, such as one brought back by a link, is left out.
 * @param {Drawing} now
 * @param {boolean} own whether a hand has drawn on it here: the drawing of a link is stored where it came from
 * @returns {boolean} whether it could be stored
 */
export function keepLast(now, own) {
  try {
    // Read again each time because another tab may have written meanwhile.
    const others = read();
    const written = plain(now);
    const place = others.findIndex(({ id }) => id === now.id);
    if (place >= 0) others[place] = written;
    else if (own) others.unshift(written);
    else return true;
    const shows = ({ base, strokes }) => JSON.stringify([base, strokes]);
    const once = others.filter((one) => one === written || shows(one) !== shows(written));
    return write(once.slice(0, MOST));
  } catch {
    return false;
  }
}

/** Whether the browser stores anything here. */
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
    // Nothing was stored.
  }
}

function read() {
  /** @type {any} */
  let stored = null;
  try {
    stored = JSON.parse(localStorage.getItem(LAST) ?? "null");
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  return Array.isArray(stored) ? stored.filter((one) => typeof one?.id === "string") : [];
}

/** If not all fit, the oldest are left out. */
function write(drawings) {
  for (let count = drawings.length; count > 0; count--) {
    try {
      localStorage.setItem(LAST, JSON.stringify(drawings.slice(0, count)));
      return true;
    } catch {
      // Full: try with one less.
    }
  }
  return false;
}
