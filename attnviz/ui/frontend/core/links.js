// Links in a page's own text. One to an experiment of the page opens its row and scrolls to it; one to another page
// opens in the same tab, where Streamlit would open a new one; one declines the offer of a lesson. Python's sides are
// attnviz/ui/shared/page.py and attnviz/ui/lessons/offer.py.

import { follow } from "./follow.js";

const EXPERIMENT = "#experiment-";
const DECLINED = "#lessons-declined";
const BEGUN = "attnviz.lessons"; // in localStorage, as lesson_bar.js keeps it
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
    if (!link || ctrlKey || metaKey || shiftKey || altKey) return; // these ask for another tab
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

/** Open the row of an experiment; a row that opens is scrolled to by its own component. @param {string} name */
function open(name) {
  const row = document.querySelector(`.st-key-experiment_of_${CSS.escape(name)}`);
  const details = row?.querySelector("details");
  if (!row || !details) return;
  if (details.open) follow(() => row, "start");
  else details.querySelector("summary")?.click();
}

/** Offer the first lesson to those who have neither begun one nor declined it: page.css hides the line for others. */
function noteOffer() {
  try {
    document.documentElement.toggleAttribute(
      "data-no-offer",
      Boolean(localStorage.getItem(NO_OFFER) ?? localStorage.getItem(BEGUN)),
    );
  } catch {
    // A browser that keeps nothing is offered it again.
  }
}

function decline() {
  document.documentElement.toggleAttribute("data-no-offer", true);
  try {
    localStorage.setItem(NO_OFFER, "yes");
  } catch {
    // For this page it is declined.
  }
}
