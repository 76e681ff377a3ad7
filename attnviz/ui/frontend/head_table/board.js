// The board of all heads: a row for each layer and a button for each head, coloured by a measure.

import { css, packed } from "../core/colours.js";
import { element, say, set, text } from "../core/dom.js";
import { colourScale, headByKey, indexOf, meanWords, sizeOf, valueWords } from "./derive.js";
import { boardColour } from "./paint.js";

const MANY = 12; // heads in a row; beyond that, cells are small
const LARGEST = 46; // CSS pixels of a cell
const HIGH = 320; // CSS pixels of a board of many layers, if its cells stay large enough
const SMALLEST = 24;

export class Board {
  /** @type {HTMLButtonElement[]} a cell for each head */ cells = [];
  /** @type {string[]} the classes of each */ kinds = [];

  /** @param {{look: (head: number) => void, choose: (head: number) => void}} told called by pointer and keys */
  constructor(told) {
    this.told = told;
    this.coloured = ""; // the measure that colours the cells
    /** @type {number|null|undefined} */
    this.chosen = undefined;
    this.words = [text(), text(), text()];
    this.bar = element("div.bar");
    this.grid = element("div.board-of-heads", { role: "group", "aria-label": "All heads, a row for each layer" });
    const ticks = this.words.map((tick) => element("span", {}, tick));
    this.scale = element("div.scale-of-board", {}, this.bar, element("div.ticks", {}, ...ticks));
  }

  /** Make the cells anew. @param {import("./derive.js").Shown} shown */
  take({ heads }) {
    const size = sizeOf(heads);
    this.forget();
    this.chosen = undefined;
    this.kinds = [];
    this.grid.style.gridTemplateColumns = `auto repeat(${size.heads}, minmax(0, 1fr))`;
    const cell = Math.max(SMALLEST, Math.min(LARGEST, HIGH / size.layers));
    this.grid.style.maxWidth = `calc(${Math.round(size.heads * cell + 70)} * var(--px))`;
    this.cells = heads.map((_, head) =>
      element("button.cell", {
        type: "button",
        onclick: () => this.told.choose(head),
        onpointerenter: () => this.told.look(head),
        onpointerleave: () => this.told.look(-1),
        onfocus: () => this.told.look(head),
        onblur: () => this.told.look(-1),
        onkeydown: (event) => this.walk(event, heads, head),
      }),
    );
    const parts = [];
    heads.forEach(({ layer, number }, head) => {
      if (number === 0)
        parts.push(
          element("span.layer", { style: `grid-row: ${layer + 1}` }, size.layers > 1 ? `layer ${layer + 1}` : "heads"),
        );
      this.cells[head].style.gridArea = `${layer + 1} / ${number + 2}`;
      parts.push(this.cells[head]);
    });
    this.grid.replaceChildren(...parts);
    this.grid.classList.toggle("many", size.heads > MANY);
  }

  walk(event, heads, head) {
    const next = event.altKey || event.metaKey || event.ctrlKey ? null : headByKey(heads, head, event.key);
    if (next === null) return;
    event.preventDefault();
    this.cells[next].focus();
  }

  /** Discard the colours after a change of theme. */
  forget() {
    this.coloured = "";
  }

  /**
   * @param {import("./derive.js").Shown} shown
   * @param {Record<string, any>} view
   * @param {(head: number) => string} kindOf the classes of a head's cell, after the first
   * @param {{theme: Theme, palettes: Palettes}} colours
   */
  draw(shown, view, kindOf, colours) {
    if (view.colour !== this.coloured) this.colour(shown, view, colours);
    this.coloured = view.colour;
    this.cells.forEach((cell, head) => {
      const kind = kindOf(head);
      if (kind !== this.kinds[head]) cell.className = `cell${kind}`;
      this.kinds[head] = kind;
    });
    if (view.head === this.chosen) return;
    this.chosen = view.head;
    this.cells.forEach((cell, head) => {
      cell.tabIndex = head === (view.head ?? 0) ? 0 : -1;
      set(cell, "aria-pressed", String(head === view.head));
    });
  }

  /** Colour and name the cells, after a change of data, measure or theme. */
  colour(shown, view, { theme, palettes }) {
    const measure = indexOf(shown, view.colour);
    const scale = colourScale(shown, measure);
    const background = css(packed(theme.background));
    this.cells.forEach((cell, head) => {
      const value = shown.own.means[measure * shown.heads.length + head];
      cell.style.backgroundColor = boardColour(palettes, scale, value, background);
      set(cell, "aria-label", `Head ${shown.heads[head].name}: ${meanWords(shown, shown.own, measure, head)}`);
    });
    const [low, high] = [scale.signed ? -scale.bound : 0, scale.bound];
    const palette = scale.signed ? palettes.signed : palettes.positive;
    const colours = [0, 0.25, 0.5, 0.75, 1].map((place) => css(palette[Math.round(254 * place)]));
    this.bar.style.background = `linear-gradient(to right, ${colours.join(", ")})`;
    [low, (low + high) / 2, high].forEach((value, at) =>
      say(this.words[at], valueWords(shown.measures[measure], value)),
    );
  }
}
