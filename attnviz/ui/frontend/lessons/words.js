// The words of a lesson as elements: text nodes, never markup.

import { element, text } from "../core/dom.js";
import { linkTo } from "./on_page.js";

const AGAIN = 250; // milliseconds between two checks for a formula
const ROLES = { query: "orange", key: "blue", value: "green" };

/** Makes elements from the output of attnviz/lessons/reader.py, and stores the numbers shown in them. */
export class Words {
  /** @type {{node: Text, written: string, target: string}[]} */ shown = [];

  blocks(blocks) {
    return blocks.map(([kind, content, more]) => {
      if (kind === "p") return element("p", {}, ...this.inlines(content));
      if (kind === "ul" || kind === "ol")
        return element(kind, {}, ...content.map((item) => element("li", {}, ...this.blocks(item))));
      if (kind === "quote") return element("blockquote", {}, ...this.blocks(content));
      if (kind === "part") return element("section.lesson-part", {}, element("h3", {}, content), ...this.blocks(more));
      if (kind === "math") return element("p.lesson-formula", {}, this.formula(content));
      return element("pre", {}, element("code", {}, content));
    });
  }

  inlines(inlines) {
    return inlines.map(([kind, content, more]) => {
      if (kind === "em" || kind === "strong") return element(kind, {}, ...this.inlines(content));
      if (kind === "code") return element("code", {}, content);
      if (kind === "role") return element(`span.lesson-${ROLES[content]}`, {}, more);
      if (kind === "term") return element(`a.lesson-${ROLES[content] ?? "term"}`, { href: `#term-${content}` }, more);
      if (kind === "math") return this.formula(content);
      if (kind === "link")
        return /^https?:/.test(content)
          ? element("a", { href: content, target: "_blank", rel: "noreferrer" }, ...this.inlines(more))
          : linkTo(new URL(content, location.href).href, {}, ...this.inlines(more));
      if (kind === "shown") {
        const node = text(content);
        this.shown.push({ node, written: content, target: more });
        return element("b.lesson-shown", { "data-written": content, "data-target": more }, node);
      }
      return text(content);
    });
  }

  /** A formula, which Streamlit draws in a hidden element: it is copied from there once it is drawn. */
  formula(number) {
    const holder = element("span");
    const copy = (/** @type {number} */ tries) => {
      const drawn = document.querySelectorAll(".st-key-lesson_formulas .katex")[number];
      if (drawn) holder.replaceChildren(drawn.cloneNode(true));
      else if (tries) setTimeout(() => copy(tries - 1), AGAIN);
    };
    copy(100);
    return holder;
  }
}
