// The elements around the panels of the draw page, made once; cards.js fills them and handles their events.

import { Savers, SegmentedControl } from "../hands/controls.js";
import { element, text } from "../core/dom.js";
import { Legend } from "../maps/legend.js";
import { toSave } from "./maps_note.js";
import { whenAnswered } from "./waiting.js";

/** @param {import("./cards.js").Cards} cards handles their events */
export function makeFrame(cards) {
  const { pin } = cards;
  const words = { begin: text(), none: text() };
  const kinds = new SegmentedControl(
    "Map",
    { attention: "attention", jacobian: "Jacobian of the shown answer" },
    (map) =>
      cards.guard(() => {
        cards.showMaps(/** @type {"attention"|"jacobian"} */ (map));
        cards.chosen();
      }),
  );
  const grid = element("div.card-grid");
  const legend = new Legend();
  const savers = new Savers(
    async () => {
      const { files } = await import("./export.js");
      // Last, so that nothing can be requested between the answers and the saving.
      if (!(await whenAnswered(cards))) throw new Error("the models have not answered to what is drawn");
      return files(() => toSave(cards));
    },
    {},
    cards.announce,
  );
  savers.element.setAttribute("aria-label", "Save the panels");
  savers.element.setAttribute("role", "group");
  const root = element(
    "div.draw-cards",
    {},
    element(
      "div.bar-of-cards",
      {},
      element("p.begin", {}, words.begin, element("span", {}, words.none)),
      cards.training.element,
      element("span.pinned", {}, kinds.element, pin.maps.element, pin.picture, savers.element, pin.button),
    ),
    legend.element,
    cards.complaint.element,
    grid,
  );
  return { root, words, kinds, grid, legend };
}
