// What a drag or a key does to a grid or to a picture: handles, and theta or a move afterwards. No document.

import { at, degrees, enlarged, rotated, turn } from "./affine.js";
import { STILL, asMove, asTheta, moveOf } from "./derive.js";

/** @typedef {import("./affine.js").Place} Place */
/** @typedef {import("./derive.js").Move} Move */
/** @typedef {import("./derive.js").Handle} Handle */

const KNOB = 1.28; // how far above the middle a knob stands, in halves of the height

/** @type {Record<string, Place>} */
export const CORNERS = { nw: [-1, -1], ne: [1, -1], se: [1, 1], sw: [-1, 1] };

/**
 * Where the handles of a grid stand on the picture.
 * @param {ArrayLike<number>} theta
 * @returns {Record<Handle, Place>}
 */
export function handlesOf(theta) {
  const corners = Object.entries(CORNERS).map(([name, corner]) => [name, at(theta, corner)]);
  return { ...Object.fromEntries(corners), middle: at(theta, [0, 0]), knob: at(theta, [0, -KNOB]) };
}

/** The theta whose grid is the frame of a picture that is moved. @param {Move} move @param {number[]} shape */
export function frameOf({ rotate, scale, across, down }, [rows, columns]) {
  const [cosine, sine] = turn(rotate).map((part) => part * scale);
  const ratio = rows / columns;
  return [cosine, sine * ratio, (2 * across) / columns, -sine / ratio, cosine, (2 * down) / rows];
}

/**
 * Theta after one of its handles was dragged: a corner takes the grid along and leaves its middle and the other two
 * corners where they are; the knob rotates it; the middle shifts it.
 * @param {ArrayLike<number>} theta when the drag began
 * @param {Handle} handle
 * @param {Place} from where it began
 * @param {Place} to
 * @param {number[]} shape rows and columns
 * @returns {number[]}
 */
export function draggedGrid(theta, handle, from, to, shape) {
  if (handle === "middle")
    return [theta[0], theta[1], theta[2] + to[0] - from[0], theta[3], theta[4], theta[5] + to[1] - from[1]];
  if (handle === "knob") return rotated(theta, angleBetween(theta, from, to, shape), shape);
  const [across, down] = CORNERS[handle];
  const corner = [across * theta[0] + down * theta[1], across * theta[3] + down * theta[4]]; // from the middle
  const beside = [across * theta[0] - down * theta[1], across * theta[3] - down * theta[4]];
  const now = [corner[0] + to[0] - from[0], corner[1] + to[1] - from[1]];
  const column = (one, other) => [(one[0] + other[0]) / 2, (one[1] + other[1]) / 2];
  const [x, y] = [column(now, beside), column(now, [-beside[0], -beside[1]])];
  return [x[0] * across, y[0] * down, theta[2], x[1] * across, y[1] * down, theta[5]];
}

/**
 * The move of a picture after its frame was dragged: a corner scales it, the knob rotates it, the middle shifts it.
 * @param {Move} move when the drag began
 * @param {Handle} handle
 * @param {Place} from
 * @param {Place} to
 * @param {number[]} shape
 * @returns {Move}
 */
export function draggedPicture(move, handle, from, to, shape) {
  const [rows, columns] = shape;
  const frame = frameOf(move, shape);
  if (handle === "middle")
    return asMove(
      {
        ...move,
        across: move.across + ((to[0] - from[0]) * columns) / 2,
        down: move.down + ((to[1] - from[1]) * rows) / 2,
      },
      shape,
    );
  if (handle === "knob") return asMove({ ...move, rotate: move.rotate - angleBetween(frame, from, to, shape) }, shape);
  const far = ([x, y]) => Math.hypot((x - frame[2]) * columns, (y - frame[5]) * rows);
  return asMove({ ...move, scale: (move.scale * far(to)) / (far(from) || 1) }, shape);
}

/**
 * Degrees clockwise as seen from one place to another, around the middle of a grid.
 * @param {ArrayLike<number>} theta
 * @param {Place} from
 * @param {Place} to
 * @param {number[]} shape
 */
function angleBetween(theta, from, to, [rows, columns]) {
  const angle = ([x, y]) => Math.atan2((y - theta[5]) * rows, (x - theta[2]) * columns);
  return degrees(angle(to) - angle(from));
}

/**
 * The handle that is meant at a place: the nearest one within reach, else the middle.
 * @param {ArrayLike<number>} theta
 * @param {Place} place
 * @param {number} reach in pixels of the picture
 * @param {number[]} shape
 * @returns {Handle}
 */
export function handleAt(theta, place, reach, [rows, columns]) {
  const far = ([x, y]) => Math.hypot(((x - place[0]) * columns) / 2, ((y - place[1]) * rows) / 2);
  const near = Object.entries(handlesOf(theta))
    .filter(([name, handle]) => name !== "middle" && far(handle) <= reach)
    .sort(([, one], [, other]) => far(one) - far(other));
  return /** @type {Handle} */ (near[0]?.[0] ?? "middle");
}

/**
 * What a key does to what is held: a move of the picture, or theta. Arrows shift, [ and ] rotate, + and - scale.
 * @param {string} key
 * @param {boolean} large with Shift
 * @returns {{rotate?: number, factor?: number, across?: number, down?: number}|null} rotate: degrees counter-clockwise;
 *   across, down: pixels
 */
export function byKey(key, large) {
  const pixels = large ? 4 : 1;
  const angle = large ? 30 : 5;
  const steps = {
    ArrowLeft: { across: -pixels },
    ArrowRight: { across: pixels },
    ArrowUp: { down: -pixels },
    ArrowDown: { down: pixels },
    "[": { rotate: angle },
    "{": { rotate: 30 },
    "]": { rotate: -angle },
    "}": { rotate: -30 },
    "+": { factor: 1.05 },
    "=": { factor: 1.05 },
    "-": { factor: 1 / 1.05 },
    _: { factor: 1 / 1.05 },
  };
  return Object.hasOwn(steps, key) ? steps[key] : null;
}

/**
 * What a key changes in a view; null where it changes nothing.
 * @param {any} view
 * @param {ArrayLike<number>} used the theta that is used
 * @param {ReturnType<typeof byKey>} by
 * @param {number[]} shape
 */
export function keyed(view, used, by, shape) {
  if (!by) return null;
  const { rotate = 0, factor = 1, across = 0, down = 0 } = by;
  if (view.drag === "picture") {
    const move = moveOf(view);
    const to = { rotate: move.rotate + rotate, across: move.across + across, down: move.down + down };
    return asMove({ ...to, scale: move.scale * factor }, shape);
  }
  const theta = enlarged(rotated(used, -rotate, shape), factor);
  theta[2] += (2 * across) / shape[1];
  theta[5] += (2 * down) / shape[0];
  return { grid: "own", theta: asTheta(theta) };
}

/** What changes where that which can be dragged is let go. @param {any} view */
export function letGo({ drag }) {
  return drag === "grid" ? { grid: "own", theta: null } : STILL;
}
