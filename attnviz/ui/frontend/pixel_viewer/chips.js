// A button for each token without a position on the picture: class token, registers, learned queries.

import { element, set } from "../core/dom.js";

const FEW = 8; // maximum number of buttons with full names; beyond that they show the last word, a number

export class Chips {
  /** @param {import("./pixel_viewer.js").Viewer} viewer changed by the buttons */
  constructor(viewer) {
    this.viewer = viewer;
    this.element = element("div.chips", { role: "group", "aria-label": "Tokens that are no patches", hidden: true });
    /** @type {HTMLElement[]} */
    this.buttons = [];
  }

  /** Take the names of the tokens. @param {string[]} names */
  take(names) {
    const { viewer } = this;
    this.buttons = names.map((name, token) =>
      element(
        "button.chip",
        {
          type: "button",
          "aria-pressed": "false",
          onpointerenter: () => viewer.guard(() => viewer.look(token)),
          onclick: () => viewer.guard(() => viewer.take(token)),
          "aria-label": name,
        },
        names.length > FEW ? name.replace(/^.* /, "") : name.replace("register", "reg."),
      ),
    );
    this.element.replaceChildren(...this.buttons);
    this.element.hidden = !names.length;
  }

  /** Mark query, key and locks. */
  mark() {
    const { view, reading } = this.viewer;
    this.buttons.forEach((button, token) => {
      const role = ["query", "key"].find((name) => view[name]?.[0] === -1 && view[name][1] === token);
      set(button, "aria-pressed", String(Boolean(role)));
      const now = reading.query === token ? "query" : reading.key === token ? "key" : "";
      set(button, "data-role", now);
    });
  }
}
