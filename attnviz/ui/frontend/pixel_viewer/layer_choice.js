// The choice of a layer among the controls. It is present from the first drawing, so that the module that fetches
// layers moves nothing when it loads; until then it is disabled.

import { element } from "../core/dom.js";

/**
 * Fill the choice with the layers of a model, and add it to the controls if it is missing.
 * @param {any} controls of the viewer
 * @param {{ paths: { path: string, title: string, refused: string }[], request: any }} header
 * @returns {HTMLSelectElement}
 */
export function layerChoice(controls, { paths, request }) {
  let select = controls.querySelector(".layer-choice select");
  if (!select) {
    select = element("select", { "aria-label": "Layer", disabled: true });
    controls.prepend(element("label.layer-choice", {}, "Layer", select));
  }
  const options = paths.map(({ path, title, refused }) =>
    Object.assign(new Option(title, path), { disabled: Boolean(refused), title: refused }),
  );
  select.replaceChildren(...options);
  select.value = request.parameters.layer;
  return select;
}
