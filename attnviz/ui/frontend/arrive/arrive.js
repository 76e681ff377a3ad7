// A component without a picture. It scrolls to its own position, so that a part opened by a click elsewhere is in view;
// or completes the page's URL; or opens the bar of a lesson or a link to it. The Python sides are
// attnviz/ui/components/arrive.py, shared/url_state.py and lessons/bar.py.

import { follow } from "../core/follow.js";
import { unpack } from "../core/payload.js";

const arrived = new WeakMap(); // element -> the number of the last arrival there

export default function ({ data, parentElement }) {
  const { number, words, lesson, begun } = unpack(data).header;
  const host = parentElement.host ?? parentElement;
  if (lesson) return showLesson(lesson, host);
  if (begun) import("../lessons/resume.js").then(({ resume }) => resume(parentElement, begun));
  else if (words) complete(words);
  else arrive(host, number);
  return undefined;
}

/** Show a step of a lesson, and return a function that closes the bar. The module is fetched on first use. */
function showLesson(lesson, host) {
  const loading = import("../lessons/lesson_bar.js");
  loading.then(({ open }) => host.isConnected && open(lesson, host));
  return () => loading.then(({ close }) => close());
}

function arrive(element, number) {
  if (arrived.get(element) === number) return;
  arrived.set(element, number);
  follow(() => element, "start");
}

/** Add missing words to the URL without a new history entry: *Back* still leads to the previous page. */
function complete(words) {
  const url = new URL(location.href);
  for (const [name, word] of Object.entries(words)) if (!url.searchParams.has(name)) url.searchParams.set(name, word);
  if (url.href !== location.href) history.replaceState(history.state, "", url);
}
