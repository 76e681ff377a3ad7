// Changes from layer to layer, one row each: the answer if it were the last layer, and one dot per head.

import { element, say, set, text } from "../core/dom.js";
import { percent, short } from "../core/numbers.js";
import { term } from "../terms/terms.js";

/** @type {Record<string, [string, string, string]>} array -> title, unit, words for screen readers */
const STRIPS = {
  distance: ["Distance", "pixels", "mean distance in pixels"],
  entropy: ["Entropy", "bits", "entropy in bits"],
  nowhere: ["", "", "share that goes to tokens without a position"],
};

export class OverLayers {
  constructor() {
    this.element = element("div.over-layers");
    /** @type {HTMLElement[]} */ this.rows = [];
    /** @type {HTMLElement[][][]} by layer, strip, head */ this.dots = [];
  }

  /**
   * Build the rows for new data.
   * @param {any} header
   * @param {Record<string, any>} arrays NaN belongs to a layer that has not arrived
   * @param {number} heads
   * @param {([string, number]|null)[]} answers class and probability if each layer were the last; empty if unknown
   */
  take({ layers, even, prefix, names }, arrays, heads, answers) {
    const most = Object.fromEntries(
      Object.keys(STRIPS).map((name) => [name, Math.max(even[name], ...arrays[name].filter(Number.isFinite)) || 1]),
    );
    const strips = Object.keys(STRIPS).filter((name) => name !== "nowhere" || prefix > 0);
    const title = (name) =>
      name === "nowhere"
        ? `On ${names.length > 1 ? "tokens without a position" : `the ${names[0]}`}`
        : `${STRIPS[name][0]}, ${STRIPS[name][1]}`;
    this.element.style.setProperty("--strips", String(strips.length));
    this.element.classList.toggle("without-answers", !answers.length);
    const head = element(
      "div.layer-row.heading",
      { "aria-hidden": "true" },
      element("span.layer-name"),
      ...(answers.length ? [element("span.if-last", {}, "Answer if last")] : []),
      ...strips.map((name) => element("span.strip", { title: `0 to ${short(most[name], 2)}` }, title(name))),
    );
    this.dots = [];
    this.rows = Array.from({ length: layers }, (_, layer) => {
      const drawn = strips.map((name) => {
        const values = Array.from(arrays[name].subarray(layer * heads, (layer + 1) * heads));
        const dots = values.map((value, number) =>
          element("i.dot", {
            hidden: !Number.isFinite(value),
            style: `left:${((100 * value) / most[name]).toFixed(2)}%`,
            title: `head ${number + 1}: ${short(value, 3)}`,
          }),
        );
        const tick = element("i.even", {
          style: `left:${((100 * even[name]) / most[name]).toFixed(2)}%`,
          title: `if all were equal: ${short(even[name], 3)}`,
        });
        const words = values.map((one) => short(one, 3)).join(", ");
        const said = `Layer ${layer + 1}, ${STRIPS[name][2]}, head by head: ${words}`;
        const ends = [element("small.low", {}, "0"), element("small.high", {}, short(most[name], 2))];
        const marks = [tick, ...dots, ...(layer === layers - 1 ? ends : [])];
        return { dots, element: element("span.strip", { role: "img", "aria-label": said }, ...marks) };
      });
      this.dots.push(drawn.map(({ dots }) => dots));
      return element(
        "div.layer-row",
        {},
        element("span.layer-name", {}, `Layer ${layer + 1}`),
        ...(answers.length ? [ifLast(answers[layer])] : []),
        ...drawn.map((strip) => strip.element),
      );
    });
    this.note = text();
    say(
      this.note,
      "Each dot is a head; the line is where it would be if it took the same from all tokens." +
        (answers.length
          ? " The answers before the last layer use the last norm and head, which were not trained for them."
          : ""),
    );
    const note = element("p.note", {}, term("even-share", "Even share"), ": ", this.note);
    this.element.replaceChildren(head, ...this.rows, note);
  }

  /**
   * Put each row next to its row of maps, or below if space is short.
   * @param {import("../maps/tiles.js").TileWall|null} wall
   * @param {boolean} beside
   */
  layout(wall, beside) {
    this.element.classList.toggle("beside", beside);
    this.rows.forEach((row, layer) => {
      const frame = wall && beside ? wall.frames[layer * (wall.table?.columns ?? 1)] : null;
      const map = /** @type {HTMLElement|null} */ (frame?.firstElementChild ?? null);
      row.style.top = frame ? frame.style.top : "";
      row.style.height = map ? map.style.height : "";
    });
  }

  /** Mark the chosen head. @param {number} layer @param {number} head an invalid one for the mean */
  mark(layer, head) {
    this.rows.forEach((row, number) => {
      if (row.classList.contains("chosen") !== (number === layer)) row.classList.toggle("chosen", number === layer);
    });
    this.dots.forEach((strips, number) =>
      strips.forEach((dots) =>
        dots.forEach((dot, which) => {
          const chosen = number === layer && which === head;
          if (dot.classList.contains("chosen") !== chosen) dot.classList.toggle("chosen", chosen);
        }),
      ),
    );
    set(this.element, "data-layer", String(layer + 1));
  }
}

/**
 * The answer if a layer were the last one; empty until it has arrived.
 * @param {[string, number]|null} answer class and probability
 */
function ifLast(answer) {
  if (!answer) return element("span.if-last");
  const [name, share] = answer;
  return element(
    "span.if-last",
    {},
    element("b", { title: name }, name),
    element("span.percent", {}, percent(share)),
    element("span.share-bar", { style: `--share:${share.toFixed(4)}` }),
  );
}
