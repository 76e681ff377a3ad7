// Links in a page's own text. One to an experiment of the page opens its row and scrolls to it; one to another page
// opens in the same tab, where Streamlit would open a new one. Python's side is attnviz/ui/shared/page.py.

import { follow } from "./follow.js";

const EXPERIMENT = "#experiment-";

document.addEventListener(
  "click",
  (event) => {
    const { target, ctrlKey, metaKey, shiftKey, altKey } = event;
    /** @type {HTMLAnchorElement|null} */
    const link =
      target instanceof Element
        ? target.closest('[data-testid="stMarkdownContainer"] a[href]:not([href^="#term-"])')
        : null;
    if (!link || ctrlKey || metaKey || shiftKey || altKey) return; // these ask for another tab
    const leads = String(link.getAttribute("href"));
    if (leads.startsWith(EXPERIMENT)) {
      event.preventDefault();
      open(leads.slice(EXPERIMENT.length));
    } else if (link.origin === location.origin && link.target === "_blank") {
      event.preventDefault();
      location.assign(link.href);
    }
  },
  { capture: true },
);

/** Open the row of an experiment; a row that opens is scrolled to by its own component. @param {string} name */
function open(name) {
  const row = document.querySelector(`.st-key-experiment_of_${CSS.escape(name)}`);
  const details = row?.querySelector("details");
  if (!row || !details) return;
  if (details.open) follow(() => row, "start");
  else details.querySelector("summary")?.click();
}
