// Scrolls the page to where this component stands: what a click elsewhere has opened is then in view. It draws nothing.
// Python's side is attnviz/ui/arrive.py.

import { unpack } from "./payload.js";

const arrived = new WeakMap(); // element -> the number of the last arrival there

export default function ({ data, parentElement }) {
  const element = parentElement.host ?? parentElement;
  const { number } = unpack(data).header;
  if (arrived.get(element) === number) return;
  arrived.set(element, number);
  const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
  requestAnimationFrame(() => element.scrollIntoView({ behavior: calm ? "instant" : "smooth", block: "start" }));
}
