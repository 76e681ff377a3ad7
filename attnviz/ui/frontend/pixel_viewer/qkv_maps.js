// Query, key and value of the chosen head, and the output after attention: one small map per component.

import { MEAN } from "../maps/attention.js";
import { extent } from "../maps/extremes.js";
import { makeScale, packed, toIndices } from "../core/colours.js";
import { element, say, text } from "../core/dom.js";
import { column, short } from "../core/numbers.js";
import { TileWall } from "../maps/tiles.js";
import { GAP } from "./layout.js";

const TITLES = { query: "Query", key: "Key", value: "Value", output: "Output after attention" };
const ROOM = 76; // wanted width of a tile, CSS pixels
const ALONE = 168; // that of a single tile

/** Four walls. They are painted only while they are on the screen. */
export class QkvMaps {
  /** @type {import("./pixel_viewer.js").Viewer} known with the first data */ viewer;
  /** @type {any[]} */ parts;

  constructor() {
    this.element = element("div.qkv-maps", { role: "group", "aria-label": "Query, key, value and output" });
    this.visible = false;
    this.watcher = new IntersectionObserver((entries) => {
      this.visible = entries[entries.length - 1].isIntersecting;
      if (this.visible && this.viewer?.reading) this.viewer.guard(() => this.say(this.viewer.reading));
    });
    this.watcher.observe(this.element);
  }

  /** Build the walls for data of a new form. @param {import("./pixel_viewer.js").Viewer} viewer their owner */
  build(viewer) {
    this.viewer = viewer;
    const { shapes, cells, edge, attention } = viewer;
    const sizes = { query: attention.size, key: attention.size, value: shapes.value?.[2], output: shapes.output?.[1] };
    const there = Object.keys(TITLES).filter((name) => sizes[name]);
    this.parts = there.map((name) => {
      const tiles = Array.from({ length: sizes[name] }, (_, i) => ({
        name: String(i + 1),
        spoken: `${name} ${i + 1}`,
      }));
      const wall = new TileWall({
        label: name,
        tiles,
        cells,
        edge,
        room: Math.max(ROOM, ALONE / sizes[name]),
        ranges: true,
        passing: viewer.passing,
        look: ({ token }) => viewer.guard(() => viewer.lookAtMap(token)),
      });
      const [title, how] = [text(), text()];
      const count = sizes[name];
      return {
        name,
        wall,
        title,
        how,
        count,
        values: /** @type {Float64Array|null} */ (null),
        indices: new Uint16Array(count * cells.tokens),
        element: element(
          `div.${name}${name === "output" && count > 6 ? ".wide" : ""}`,
          {},
          element(`h2.${name}`, {}, title, element("small", {}, how)),
          wall.element,
        ),
      };
    });
    for (const part of this.parts) say(part.title, TITLES[part.name]);
    this.element.classList.toggle("few", sizes.output <= 6);
    this.element.parentElement?.toggleAttribute("hidden", there.length === 0);
    this.element.replaceChildren(...this.parts.map((part) => part.element));
  }

  /** Lay out the walls. @param {number} width in total, CSS pixels @param {boolean} narrow on a phone */
  layout(width, narrow) {
    const inRow = narrow ? 1 : this.element.classList.contains("few") ? 4 : 3;
    for (const part of this.parts) {
      part.wall.layout(part.element.classList.contains("wide") ? width : (width - (inRow - 1) * GAP) / inRow, narrow);
      part.wall.board.clear(packed(this.viewer.theme.background));
    }
    this.painted = null;
  }

  /** Show the selected head, and the values at its query and key. */
  say(reading) {
    if (!this.visible || !this.parts) return;
    if (this.painted !== reading.head) this.prepare(reading.head);
    for (const part of this.parts) {
      const role = reading.query !== null && (part.name === "query" || part.name === "output") ? "query" : "key";
      this.sayPart(part, reading[role], role, reading.head);
    }
  }

  /** Signed; each map is centred on zero with its own scale because components have no common unit. */
  prepare(head) {
    this.painted = head;
    for (const part of this.parts) {
      part.values = this.valuesOf(part, head);
      for (let i = 0; part.values && i < part.count; i++) {
        const { tokens } = this.viewer.cells;
        const scale = makeScale("signed", extent(part.values, i * tokens, tokens).most);
        part.wall.sayRange(i, `\u00b1 ${short(scale.high, 3)}`);
        toIndices(part.values, i * tokens, tokens, scale, part.indices);
      }
      part.element.hidden = !part.values;
    }
  }

  /** A part's values, component by component: (component, token). */
  valuesOf({ name, count }, head) {
    const {
      arrays,
      cells: { tokens },
    } = this.viewer;
    if (name !== "output" && head === MEAN) return null;
    const start = name === "output" ? 0 : head * tokens * count;
    const values = new Float64Array(count * tokens);
    for (let token = 0; token < tokens; token++) {
      for (let i = 0; i < count; i++) values[i * tokens + token] = arrays[name][start + token * count + i];
    }
    return values;
  }

  sayPart(part, token, role, head) {
    if (!part.values) return;
    const { theme, palettes, cells } = this.viewer;
    const { board } = part.wall;
    const colour = packed(role === "query" ? theme.orange : theme.blue);
    for (let i = 0; i < part.count; i++) {
      board.paint(i, part.indices, i * cells.tokens, palettes.signed, packed(theme.text), packed(theme.edge));
      board.outline(i, token, colour, { halo: packed(theme.background), corners: role === "key" });
      part.wall.say(i, column(part.values[i * cells.tokens + token]));
    }
    board.flush();
    const whose = this.viewer.attention.heads > 1 ? ` of head ${head + 1}` : "";
    say(part.title, TITLES[part.name] + (part.name === "output" ? "" : whose));
    say(part.how, part.name === "output" ? "own scale" : `at the ${role} \u00b7 own scale`);
  }
}
