// The reader's position in a lesson, as stored in this browser: a link on the page that lists all lessons.

import { element } from "../core/dom.js";
import { hrefOf, linkTo } from "./on_page.js";
import { kept } from "./progress.js";

/**
 * Draw the link, if the lesson has been begun.
 * @param {ParentNode} parent
 * @param {{name: string, views: any[], tasks: number}} lesson
 */
export function resume(parent, { name, views, tasks }) {
  const { step, done } = kept(name);
  const said = done.length ? `${Math.min(done.length, tasks)} of ${tasks} tasks done` : "";
  const href = step > 0 && step < views.length ? hrefOf(name, views[step], step) : "";
  const style = "font: 400 1rem/1.5rem var(--st-font); color: var(--st-text-color); margin: 0";
  const link = linkTo(href, { style: "color: var(--st-link-color)" }, `Go on at step ${step + 1}`);
  parent.querySelector("p")?.remove();
  parent.append(element("p", { style }, ...(href ? [link] : []), href && said ? " \u00b7 " : "", said));
}
