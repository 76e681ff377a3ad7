// Terms in a page's own text: links to #term-NAME, which `term` in attnviz/ui/shared/glossary.py writes. Streamlit
// redraws them often, so the listeners are on the page, and a sentence is made when its term is first visited.

import { sentenceOf, Tip } from "./terms.js";

const TERM = 'a[href^="#term-"]';
/** @type {Map<Element, Tip>} */
const tips = new Map();

/** The sentence of the event's term, or undefined. @param {Event} event @returns {Tip|undefined} */
function tipOf(event) {
  const trigger = event.target instanceof Element ? event.target.closest(TERM) : null;
  if (!trigger) return undefined;
  if (!tips.has(trigger)) {
    const name = String(trigger.getAttribute("href")).slice("#term-".length);
    const sentence = sentenceOf(name);
    if (!sentence) return undefined;
    const tip = new Tip(/** @type {HTMLElement} */ (trigger), name, sentence);
    for (const [gone, old] of tips) {
      if (gone.isConnected) continue; // Streamlit has redrawn the text
      old.element.remove();
      tips.delete(gone);
    }
    (trigger.closest('[data-testid="stMain"]') ?? document.body).append(tip.element);
    tips.set(trigger, tip);
  }
  return tips.get(trigger);
}

function show(tip) {
  // Outside a component the theme's variables are missing, but Streamlit's frame has its colours.
  const { color, backgroundColor, fontFamily } = getComputedStyle(
    document.querySelector('[data-testid="stApp"]') ?? document.body,
  );
  Object.assign(tip.element.style, { color, backgroundColor, fontFamily });
  tip.show();
}

document.addEventListener("pointerover", (event) => {
  const tip = event.pointerType === "touch" ? undefined : tipOf(event);
  if (tip) show(tip);
});
document.addEventListener("pointerout", (event) => {
  const tip = event.pointerType === "touch" ? undefined : tipOf(event);
  if (tip && tip.trigger !== document.activeElement && !tip.trigger.contains(/** @type {Node} */ (event.relatedTarget)))
    tip.hide();
});
document.addEventListener("focusin", (event) => {
  const tip = tipOf(event);
  if (tip) show(tip);
});
document.addEventListener("focusout", (event) => tipOf(event)?.hide());
document.addEventListener(
  "click",
  (event) => {
    const tip = tipOf(event);
    if (!tip) return;
    event.preventDefault(); // the link has no target
    event.stopPropagation();
    show(tip);
    tip.toggle();
  },
  { capture: true },
);
document.addEventListener(
  "keydown",
  (event) => {
    if (event.key === "Escape") tipOf(event)?.hide();
  },
  { capture: true },
);
