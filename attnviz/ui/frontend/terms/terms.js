// Terms that explain themselves: a dotted underline, and a sentence by pointer, tap and keyboard. The sentences come
// from docs/glossary.md; Python puts them into the head of the page (attnviz/ui/shared/glossary.py).

import { element } from "../core/dom.js";
import { picture } from "./term_pictures.js";

const AWAY = 6; // CSS pixels between a term and its sentence
const ROWS = 'li, tr, [role="row"]';
let count = 0;

/** @type {{sentences: Record<string, string>, pictures: Record<string, string>}} */
const NOTHING = { sentences: {}, pictures: {} };

function glossary() {
  const written = document.getElementById("attnviz-terms")?.textContent;
  return written ? /** @type {typeof NOTHING} */ (JSON.parse(written)) : NOTHING;
}

/** The sentence of a term, or "" if the page has none. @param {string} name such as "attention-head" */
export function sentenceOf(name) {
  return glossary().sentences[name] || "";
}

/** A sentence that floats next to its term, above everything else. */
export class Tip {
  /** @param {HTMLElement} trigger the word @param {string} name of the term @param {string} sentence */
  constructor(trigger, name, sentence) {
    this.trigger = trigger;
    this.stays = false; // whether it was opened by a tap or the keyboard rather than by hovering
    const shown = picture(glossary().pictures[name] ?? name);
    this.element = element(
      "span.term-tip",
      { role: "tooltip", popover: "manual", id: `term-tip-${++count}` },
      ...(shown ? [shown] : []),
      element("span", {}, sentence),
    );
    trigger.setAttribute("aria-describedby", this.element.id);
  }

  get open() {
    return this.element.matches(":popover-open");
  }

  show() {
    if (this.open) return;
    this.element.showPopover();
    const [word, tip] = [this.trigger.getBoundingClientRect(), this.element.getBoundingClientRect()];
    const row = this.trigger.closest(ROWS)?.getBoundingClientRect() ?? word; // the explained term, which stays visible
    const left = Math.max(8, Math.min(word.left, document.documentElement.clientWidth - tip.width - 8));
    const below = row.bottom + AWAY + tip.height < innerHeight;
    Object.assign(this.element.style, {
      left: `${left}px`,
      top: `${below ? row.bottom + AWAY : Math.max(8, row.top - AWAY - tip.height)}px`,
    });
  }

  hide() {
    this.stays = false;
    if (this.open) this.element.hidePopover();
  }

  /** Handle pointer, focus, tap and Escape, for a trigger that gets its own listeners. */
  listen() {
    const { trigger } = this;
    trigger.addEventListener("pointerenter", (event) => event.pointerType !== "touch" && this.show());
    trigger.addEventListener(
      "pointerleave",
      (event) => event.pointerType !== "touch" && trigger !== focusedOf(trigger) && this.hide(),
    );
    trigger.addEventListener("focus", () => this.show());
    trigger.addEventListener("blur", () => this.hide());
    trigger.addEventListener("click", () => this.toggle());
    trigger.addEventListener("keydown", (event) => {
      if (event.key !== "Escape" || !this.open) return;
      event.stopPropagation();
      this.hide();
    });
  }

  /** Handle a tap: the first shows the sentence, though focus may have shown it already, and the next one hides it. */
  toggle() {
    if (this.stays) this.hide();
    else {
      this.show();
      this.stays = true;
    }
  }
}

function focusedOf(node) {
  return node.getRootNode().activeElement;
}

/**
 * A term in a component. Without a glossary on the page, it is the plain word.
 * @param {string} name such as "attention-head"
 * @param {string|Node} words
 * @returns {HTMLElement}
 */
export function term(name, words) {
  const sentence = sentenceOf(name);
  if (!sentence) return element("span", {}, words);
  const trigger = element("button.term", { type: "button" }, words);
  const tip = new Tip(trigger, name, sentence);
  tip.listen();
  return element("span.term-holder", {}, trigger, tip.element);
}
