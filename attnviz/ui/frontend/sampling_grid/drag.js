// The effect of a drag or a key on a grid or a picture: handles, and the resulting theta or move. No document.

import { at, degrees, enlarged, rotated, turn } from "./affine.js";
import { STILL, asMove, asTheta, moveOf } from "./derive.js";

/** @typedef {import("./affine.js").Place} Place */
/** @typedef {import("./derive.js").Move} Move */
/** @typedef {import("./derive.js").Handle} Handle */

const KNOB = 1.28; // distance of a knob above the centre, in halves of the height

/** @type {Record<string, Place>} */
export const CORNERS = { nw: [-1, -1], ne: [1, -1], se: [1, 1], sw: [-1, 1] };

/**
 * The positions of a grid's handles on the picture.
 * @param {ArrayLike<number>} theta
 * @returns {Record<Handle, Place>}
 */
export function handlesOf(theta) {
  const corners = Object.entries(CORNERS).map(([name, corner]) => [name, at(theta, corner)]);
  return { ...Object.fromEntries(corners), middle: at(theta, [0, 0]), knob: at(theta, [0, -KNOB]) };
}

/** The theta whose grid is the frame of a moved picture. @param {Move} move @param {number[]} shape */
export function frameOf({ rotate, scale, across, down }, [rows, columns]) {
  const [cosine, sine] = turn(rotate).map((part) => part * scale);
  const ratio = rows / columns;
  return [cosine, sine * ratio, (2 * across) / columns, -sine / ratio, cosine, (2 * down) / rows];
}

/**
 * Theta after one of its handles was dragged: a corner deforms the grid while its centre and the other two corners
 * stay; the knob rotates it; the centre shifts it.
 * @param {ArrayLike<number>} theta theta at the start of the drag
 * @param {Handle} handle
 * @param {Place} from the start of the drag
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
 * The move of a picture after its frame was dragged: a corner scales it, the knob rotates it, the centre shifts it.
 * @param {Move} move the move at the start of the drag
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
 * Degrees clockwise as seen from one place to another, around the centre of a grid.
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
 * The handle for a place: the nearest one within reach, otherwise the centre.
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
 * The effect of a key on the picture's move or on theta. Arrows shift, [ and ] rotate, + and - scale.
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
 * The changes that a key makes in a view, or null.
 * @param {any} view
 * @param {ArrayLike<number>} used the theta in use
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

/** The changes of a view when the object with handles is released. @param {any} view */
export function letGo({ drag }) {
  return drag === "grid" ? { grid: "own", theta: null } : STILL;
}
