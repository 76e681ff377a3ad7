// Where a pointer is on an element. `offsetX` differs between canvas and SVG once the page is zoomed by CSS, and the
// rectangles of the window are zoomed where the lengths of the element are not: every component asks here.

/** @typedef {{clientX: number, clientY: number}} Pointer an event, or a touch */

/**
 * The place of a pointer in CSS pixels of an element, from the inner edge of its border.
 * @param {Element} target
 * @param {Pointer} pointer
 * @returns {{x: number, y: number}}
 */
export function placeIn(target, { clientX, clientY }) {
  const { left, top } = target.getBoundingClientRect();
  const zoom = zoomOf(target);
  return { x: (clientX - left) / zoom - target.clientLeft, y: (clientY - top) / zoom - target.clientTop };
}

/**
 * The place of a pointer as a share of an element's width and height inside its border: 0..1, beyond it outside.
 * @param {Element} target
 * @param {Pointer} pointer
 * @param {DOMRect} [box] of the target, where many pointers are asked for at once
 * @returns {{x: number, y: number}}
 */
export function shareIn(target, { clientX, clientY }, box = target.getBoundingClientRect()) {
  const [across, down] = [target.clientLeft, target.clientTop].map((border) => border * zoomOf(target));
  return {
    x: (clientX - box.left - across) / (box.width - 2 * across),
    y: (clientY - box.top - down) / (box.height - 2 * down),
  };
}

/** By how much CSS zooms an element; browsers that do not know have no such zoom. @param {any} target */
function zoomOf(target) {
  return target.currentCSSZoom ?? 1;
}
