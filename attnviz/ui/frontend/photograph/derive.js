// Boxes on a photograph, in its pixels: [top, left, bottom, right].

/** @typedef {[number, number, number, number]} Box */

const STEP = 0.02; // fraction of the longer side per press of an arrow key

/**
 * The box between two points, inside the photograph; null if it is too small to contain a digit.
 * @param {{row: number, column: number}} one
 * @param {{row: number, column: number}} other
 * @param {{rows: number, columns: number, least: number}} photograph
 * @returns {Box|null}
 */
export function boxBetween(one, other, { rows, columns, least }) {
  const within = (at, most) => Math.round(Math.min(Math.max(at, 0), most));
  const [top, bottom] = [one.row, other.row].map((at) => within(at, rows)).sort((a, b) => a - b);
  const [left, right] = [one.column, other.column].map((at) => within(at, columns)).sort((a, b) => a - b);
  return bottom - top < least || right - left < least ? null : [top, left, bottom, right];
}

/**
 * A box after an arrow key: moved, or with Shift resized at its lower right corner.
 * @param {Box} box
 * @param {string} key
 * @param {boolean} resizes
 * @param {{rows: number, columns: number, least: number}} photograph
 * @returns {Box|null} null for another key
 */
export function boxAfterKey([top, left, bottom, right], key, resizes, { rows, columns, least }) {
  const step = Math.max(Math.round(STEP * Math.max(rows, columns)), 1);
  const [down, across] =
    { ArrowUp: [-step, 0], ArrowDown: [step, 0], ArrowLeft: [0, -step], ArrowRight: [0, step] }[key] ?? [];
  if (down === undefined || across === undefined) return null;
  const within = (at, low, high) => Math.min(Math.max(at, low), high);
  if (resizes)
    return [top, left, within(bottom + down, top + least, rows), within(right + across, left + least, columns)];
  const [moved, aside] = [within(down, -top, rows - bottom), within(across, -left, columns - right)];
  return [top + moved, left + aside, bottom + moved, right + aside];
}

/** A box in words. @param {Box} box @param {{rows: number, columns: number}} photograph */
export function inWords([top, left, bottom, right], { rows, columns }) {
  const part = (at, whole) => `${Math.round((100 * at) / whole)}`;
  return (
    `rows ${part(top, rows)} to ${part(bottom, rows)} % and columns ${part(left, columns)} to ` +
    `${part(right, columns)} % of the picture`
  );
}
