// What a page does without drawing a picture: it scrolls to where this component stands, so that what a click elsewhere
// has opened is in view; or completes the page's URL; or opens the bar of a lesson, or a link to it. Python's side is
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

/** Show a step of a lesson; what is returned closes the bar. Its module is fetched when the first one is opened. */
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

/** Write into the URL what it leaves open, as no step of its own: *Back* goes where it went before. */
function complete(words) {
  const url = new URL(location.href);
  for (const [name, word] of Object.entries(words)) if (!url.searchParams.has(name)) url.searchParams.set(name, word);
  if (url.href !== location.href) history.replaceState(history.state, "", url);
}
