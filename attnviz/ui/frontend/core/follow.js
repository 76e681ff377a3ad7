// Scroll to an element and keep it in view while the page is still arriving. A page comes in parts, and each part,
// above or below, can move the element.

import { isRunning } from "./at_rest.js";

const CALM = 4000; // milliseconds without a movement, after the page's script has ended, because modules may come later
const LONGEST = 30_000; // milliseconds
const STEP = 50; // milliseconds
const OURS = 1; // CSS pixels of rounding error in a position

/**
 * Scroll to an element, and follow it until nothing moves any more or the visitor does something else.
 * @param {() => Element|null} find the element, which may not be there yet
 * @param {"start"|"nearest"} block where in the window it should be
 */
export function follow(find, block) {
  const begin = performance.now();
  const end = new AbortController();
  for (const kind of ["wheel", "touchstart", "pointerdown", "keydown"])
    addEventListener(kind, () => end.abort(), { capture: true, signal: end.signal });
  let moved = begin;
  /** @type {ReturnType<typeof placeOf>|null} */
  let left = null; // where the element was after the last step
  const step = () => {
    const now = performance.now();
    if (isRunning()) moved = now;
    if (now - moved > CALM || now - begin > LONGEST) end.abort();
    const element = end.signal.aborted ? null : find();
    if (element?.isConnected) {
      const found = placeOf(element);
      if (left && scrolled(left, found)) end.abort();
      else {
        element.scrollIntoView({ block, behavior: "instant" });
        const placed = placeOf(element);
        if (!left || away(found.top, left.top) || away(placed.top, left.top)) moved = now;
        left = placed;
      }
    }
    if (!end.signal.aborted) setTimeout(step, STEP);
  };
  step();
}

/** The position of an element in the window, and the scroll offset of its container. */
function placeOf(element) {
  let around = element.parentElement;
  while (
    around &&
    !(around.scrollHeight > around.clientHeight && /auto|scroll/.test(getComputedStyle(around).overflowY))
  )
    around = around.parentElement;
  const { scrollTop = 0, scrollHeight = 0 } = around ?? {};
  return { top: element.getBoundingClientRect().top, scrollTop, scrollHeight };
}

/** Whether somebody scrolled: the container is as high as before, and the element moved with it. */
function scrolled(before, now) {
  return (
    before.scrollHeight === now.scrollHeight &&
    away(before.scrollTop, now.scrollTop) &&
    !away(now.top - before.top, before.scrollTop - now.scrollTop)
  );
}

function away(one, other) {
  return Math.abs(one - other) > OURS;
}
