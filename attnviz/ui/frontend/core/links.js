// Links in a page's own text. A link to an experiment of the page opens its row and scrolls to it; a link to another
// page opens in the same tab, while Streamlit would open a new one; another link declines the offer of a lesson. The
// Python sides are attnviz/ui/shared/page.py and attnviz/ui/lessons/offer.py.

import { follow } from "./follow.js";

const EXPERIMENT = "#experiment-";
const DECLINED = "#lessons-declined";
const BEGUN = "attnviz.lessons"; // in localStorage, as used by lesson_bar.js
const NO_OFFER = "attnviz.no_lesson_offered";

noteOffer();

document.addEventListener(
  "click",
  (event) => {
    const { target, ctrlKey, metaKey, shiftKey, altKey } = event;
    /** @type {HTMLAnchorElement|null} */
    const link =
      target instanceof Element
        ? target.closest('[data-testid="stMarkdownContainer"] a[href]:not([href^="#term-"])')
        : null;
    if (!link || ctrlKey || metaKey || shiftKey || altKey) return; // these request another tab
    const leads = String(link.getAttribute("href"));
    if (leads === DECLINED) {
      event.preventDefault();
      decline();
    } else if (leads.startsWith(EXPERIMENT)) {
      event.preventDefault();
      open(leads.slice(EXPERIMENT.length));
    } else if (link.origin === location.origin && link.target === "_blank") {
      event.preventDefault();
      location.assign(link.href);
    }
  },
  { capture: true },
);

/** Open the row of an experiment; its own component scrolls to it. @param {string} name */
function open(name) {
  const row = document.querySelector(`.st-key-experiment_of_${CSS.escape(name)}`);
  const details = row?.querySelector("details");
  if (!row || !details) return;
  if (details.open) follow(() => row, "start");
  else details.querySelector("summary")?.click();
}

/** Offer the first lesson to visitors who have neither begun nor declined it: page.css hides the line from others. */
function noteOffer() {
  try {
    document.documentElement.toggleAttribute(
      "data-no-offer",
      Boolean(localStorage.getItem(NO_OFFER) ?? localStorage.getItem(BEGUN)),
    );
  } catch {
    // Without storage, a browser offers it again.
  }
}

function decline() {
  document.documentElement.toggleAttribute("data-no-offer", true);
  try {
    localStorage.setItem(NO_OFFER, "yes");
  } catch {
    // It is declined at least for this page.
  }
}
