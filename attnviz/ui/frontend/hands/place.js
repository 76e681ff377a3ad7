// Where a pointer is on an element. If CSS zooms the page, `offsetX` differs between canvas and SVG, and client
// rectangles are zoomed while the lengths of an element are not, so every component uses these functions.

/** @typedef {{clientX: number, clientY: number}} Pointer an event, or a touch */

/**
 * The position of a pointer in CSS pixels of an element, from the inner edge of its border.
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
 * The position of a pointer as a fraction of an element's width and height inside its border: 0..1 inside.
 * @param {Element} target
 * @param {Pointer} pointer
 * @param {DOMRect} [box] the target's box, if it is known already
 * @returns {{x: number, y: number}}
 */
export function shareIn(target, { clientX, clientY }, box = target.getBoundingClientRect()) {
  const [across, down] = [target.clientLeft, target.clientTop].map((border) => border * zoomOf(target));
  return {
    x: (clientX - box.left - across) / (box.width - 2 * across),
    y: (clientY - box.top - down) / (box.height - 2 * down),
  };
}

/** The factor by which CSS zooms an element; 1 in browsers that cannot report it. @param {any} target */
function zoomOf(target) {
  return target.currentCSSZoom ?? 1;
}
