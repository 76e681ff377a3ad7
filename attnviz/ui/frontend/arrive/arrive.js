// What a page does without drawing anything: it scrolls to where this component stands, so that what a click elsewhere
// has opened is in view; or completes the page's URL. Python's side is attnviz/ui/components/arrive.py and
// shared/url_state.py.

import { follow } from "../core/follow.js";
import { unpack } from "../core/payload.js";

const arrived = new WeakMap(); // element -> the number of the last arrival there

export default function ({ data, parentElement }) {
  const { number, words } = unpack(data).header;
  if (words) complete(words);
  else arrive(parentElement.host ?? parentElement, number);
}

function arrive(element, number) {
  if (arrived.get(element) === number) return;
  arrived.set(element, number);
  follow(() => element, "start");
}

/** Write into the URL what it leaves open, as no step of its own: *Back* goes where it went before. */
function complete(words) {
  const url = new URL(location.href);
  for (const [name, word] of Object.entries(words)) if (!url.searchParams.has(name)) url.searchParams.set(name, word);
  if (url.href !== location.href) history.replaceState(history.state, "", url);
}
