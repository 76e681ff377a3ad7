// A lesson's access to the page below it, and its links to other views.

import { element } from "../core/dom.js";

/** The drawn components of the page. @returns {any[]} */
export function components() {
  const found = [];
  for (const one of document.querySelectorAll('[data-testid^="stBidiComponent"]'))
    for (const root of one.shadowRoot?.querySelectorAll("[data-drawn]") ?? []) found.push(root);
  return found;
}

/** A part of the page, by the key of a container, COMPONENT, or COMPONENT.CLASS. @param {string} name */
export function partOf(name) {
  const [component, inside] = name.split(".");
  const root = components().find((one) => one.dataset.component === component);
  if (root) return inside ? root.querySelector(`.${CSS.escape(inside)}`) : root;
  return document.querySelector(`.st-key-${CSS.escape(name)}`);
}

/** Reads fields of the URL and declared values, each component once. */
export function reader() {
  const words = new URLSearchParams(location.search);
  const roots = components();
  const known = new Map();
  return (/** @type {string} */ name) => {
    const [component, value] = name.split(".");
    if (!value) return words.get(name) ?? undefined;
    if (!known.has(component)) {
      const root = roots.find((one) => one.dataset.component === component && one.declared);
      known.set(component, root?.declared() ?? {});
    }
    return known.get(component)[value];
  };
}

/** Go to another view, like *Back*: Streamlit runs the page that the URL names. @param {string} href */
export function go(href) {
  history.pushState(null, "", href);
  dispatchEvent(new PopStateEvent("popstate"));
}

/**
 * The URL of a view in a lesson.
 * @param {string} name of the lesson
 * @param {{page: string, words: Record<string, string>}} view
 * @param {number} step from 0
 */
export function hrefOf(name, { page, words }, step) {
  const fields = new URLSearchParams({ ...words, lesson: name, step: String(step + 1) });
  const only = new URLSearchParams(location.search).get("only");
  if (only) fields.set("only", only);
  return new URL(`${page || "./"}?${fields}`, location.href).href;
}

/** A link that calls `go`. @param {string} href @param {any} more @param {...(Node|string)} words */
export function linkTo(href, more, ...words) {
  const onclick = (/** @type {MouseEvent} */ event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    go(href);
  };
  return element("a", { href, onclick, ...more }, ...words);
}
