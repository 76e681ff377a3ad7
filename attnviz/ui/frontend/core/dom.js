// A minimal way to build a page: data become text nodes and attributes, never markup.

/**
 * Make an element.
 * @template {string} Tag
 * @param {Tag} tag its name, with classes after dots: "div.panel"
 * @param {Record<string, any>} attributes attributes; `onclick` and the like are listeners; null and false are left out
 * @param {...(Node|string)} children
 * @returns {Made<Tag>}
 */
export function element(tag, attributes = {}, ...children) {
  const [name, ...classes] = tag.split(".");
  const made = document.createElement(name);
  if (classes.length) made.className = classes.join(" ");
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else if (value !== null && value !== false) made.setAttribute(key, value === true ? "" : value);
  }
  made.append(...children);
  return /** @type {any} */ (made);
}

const SVG = "http://www.w3.org/2000/svg";

/**
 * Make an SVG element.
 * @param {string} tag
 * @param {Record<string, any>} attributes
 * @param {...(Node|string)} children
 * @returns {SVGElement}
 */
export function svg(tag, attributes = {}, ...children) {
  const made = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, String(value));
  made.append(...children);
  return made;
}

/** The focused element in the tree that a node belongs to. @param {Node} node @returns {any} */
export function focused(node) {
  return /** @type {Document|ShadowRoot} */ (node.getRootNode()).activeElement;
}

/** Make a text node that `say` changes without causing any other layout. */
export function text(content = "") {
  return document.createTextNode(content);
}

/**
 * Make text nodes, by name.
 * @template {string} Name
 * @param {...Name} names
 * @returns {Record<Name, Text>}
 */
export function texts(...names) {
  return /** @type {any} */ (Object.fromEntries(names.map((name) => [name, text()])));
}

/** The 2D context of a canvas. @param {HTMLCanvasElement} canvas @returns {CanvasRenderingContext2D} */
export function context2d(canvas) {
  return /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
}

/** Change a text node, but only if its text differs. */
export function say(node, content) {
  if (node.data !== content) node.data = content;
}

/** Change an attribute, but only if its value differs. */
export function set(node, name, value) {
  if (node.getAttribute(name) !== value) node.setAttribute(name, value);
}

/** The factor by which the design is enlarged: 1, and more in wide windows (page.css). */
export function grown() {
  return Number.parseFloat(getComputedStyle(document.documentElement).fontSize) / 16 || 1;
}
