// All heads of a net over many pictures: a scatter of any two measures, a board of layers and heads, and the pictures
// that move the chosen head. Python's side is attnviz/ui/components/head_table.py.

import { css, packed } from "../core/colours.js";
import { element, grown, say, set, text } from "../core/dom.js";
import { mountable, Part } from "../core/part.js";
import { UrlView } from "../core/url_view.js";
import { Savers, whenWanted } from "../hands/controls.js";
import { pictureCanvas } from "../maps/paint.js";
import {
  axisOf,
  brushByKey,
  brushOf,
  colourScale,
  headByKey,
  indexOf,
  insideOf,
  inWords,
  meanWords,
  nearest,
  pointsOf,
  readBrush,
  RULES,
  sizeOf,
  summaryOf,
  valueWords,
  writeBrush,
} from "./derive.js";
import { boardColour, frameOf, mapCanvas, placeMark, Room, svg } from "./paint.js";

/** @typedef {{low: number, high: number, ticks: number[]}} Axis */

const NEAR = 18; // CSS pixels from a dot to the pointer that reads it
const STILL = 4; // CSS pixels that a pressed pointer may move before it brushes
const HOW =
  "Each dot is one attention head, its mean over all pictures; the thin lines are 95 % intervals. Choose a head to " +
  "see the pictures that move it.";

/** The component. */
export class HeadTable extends Part {
  url = new UrlView({}, RULES);
  // Known with the first data
  /** @type {import("./derive.js").Shown} */ shown;
  /** @type {Room} */ room;
  /** @type {any[]} */ points = [];
  /** @type {boolean[]} */ inside = [];
  /** @type {any[]} the marks of the heads */ dots = [];
  /** @type {any[]} and of those with random weights */ others = [];
  /** @type {HTMLButtonElement[]} of the board */ cells = [];
  /** @type {import("./derive.js").Brush|null} */ brush = null;

  constructor(parent) {
    super();
    this.looked = -1; // the head under the pointer
    this.explained = ""; // the measures that are explained
    this.laid = ""; // what the marks are laid out for
    this.coloured = ""; // the measure whose colours the board has
    this.words = { summary: text(), reading: text(), scale: [text(), text(), text()] };
    this.chooses = Object.fromEntries(
      ["across", "up", "colour"].map((name) => {
        const onchange = (event) => this.choose({ [name]: event.target.value });
        return [name, element("select", { onchange })];
      }),
    );
    this.random = element("input", { type: "checkbox", onchange: () => this.choose({ random: this.random.checked }) });
    this.randomLabel = element("label.beside", {}, this.random, " compare with random weights");
    this.frame = svg("g");
    this.marks = svg("g");
    this.brushed = svg("rect", { class: "brush", visibility: "hidden" });
    this.drawing = svg("svg", { "aria-hidden": "true" }, this.frame, this.brushed, this.marks);
    this.tip = element("div.tip", { hidden: true, "aria-hidden": "true" });
    this.scatter = element(
      "div.scatter",
      {
        tabindex: 0,
        role: "group",
        "aria-label":
          "Scatter of all heads. Enter marks a part of it, arrows move that part, Shift and arrows change its size, " +
          "Delete ends it.",
        onkeydown: (event) => this.guard(() => this.key(event)),
      },
      this.tip,
    );
    this.scatter.prepend(this.drawing);
    this.listen();
    this.board = element("div.board-of-heads", { role: "group", "aria-label": "All heads, a row for each layer" });
    this.bar = element("div.bar");
    const ticks = this.words.scale.map((tick) => element("span", {}, tick));
    this.about = element("dl.about");
    this.moved = element("div.moved");
    this.clear = element(
      "button.quiet",
      { type: "button", onclick: () => this.guard(() => this.take(null)) },
      "show all",
    );
    this.savers = new Savers(
      whenWanted(async () => (await import("./export.js")).files(this)),
      { link: () => this.url.link() },
      (happened) => this.announce(happened),
    );
    const choice = (words, name) => element("label.choice", {}, words, " ", this.chooses[name]);
    this.root = element(
      "div.attnviz.head-table",
      { "data-component": "head_table" },
      this.failure,
      this.url.complaint.element,
      element(
        "div.controls",
        {},
        choice("Across", "across"),
        choice("Up", "up"),
        this.randomLabel,
        this.savers.element,
      ),
      element(
        "div.both",
        {},
        this.scatter,
        element(
          "div.side",
          {},
          element("div.line", {}, choice("Colour", "colour")),
          this.board,
          element("div.scale-of-board", {}, this.bar, element("div.ticks", {}, ...ticks)),
          this.about,
        ),
      ),
      element("div.reading", {}, element("span.summary", {}, this.words.summary, " ", this.clear)),
      element("p.head", {}, this.words.reading),
      this.moved,
      this.liveRegion,
    );
    parent.append(this.root);
  }

  takeData() {
    const { header, arrays } = this;
    const figures = (before) => ({
      means: arrays[`${before}means`],
      lows: arrays[`${before}lows`],
      highs: arrays[`${before}highs`],
    });
    this.shown = { ...header, own: figures(""), random: arrays.random_means ? figures("random_") : null };
    this.takeView(this.shown);
    this.brush = readBrush(this.view.brush);
    this.looked = -1;
    this.laid = "";
    this.randomLabel.hidden = !this.shown.random;
    this.fillChoices();
    this.makeMarks();
    this.makeBoard();
    this.makeMoved();
  }

  /** A measure that no head has a number for is offered, and says why. */
  fillChoices() {
    for (const [name, made] of Object.entries(this.chooses)) {
      made.replaceChildren(
        ...this.shown.measures.map((one, at) =>
          element("option", { value: one.name, disabled: !axisOf(this.shown, at, false), title: one.about }, one.title),
        ),
      );
      made.value = this.view[name];
    }
    this.random.checked = this.view.random;
  }

  makeMarks() {
    const made = (kind) =>
      this.shown.heads.map(() => ({
        across: svg("line", { class: `interval ${kind}` }),
        up: svg("line", { class: `interval ${kind}` }),
        dot: svg("circle", { class: `dot ${kind}` }),
      }));
    this.dots = made("own");
    this.others = this.shown.random ? made("chance") : [];
    this.marks.replaceChildren(
      ...[...this.others, ...this.dots].flatMap(({ across, up }) => [across, up]),
      ...[...this.others, ...this.dots].map(({ dot }) => dot),
    );
  }

  makeBoard() {
    const { heads } = this.shown;
    const size = sizeOf(heads);
    this.coloured = "";
    this.board.style.gridTemplateColumns = `auto repeat(${size.heads}, minmax(0, 1fr))`;
    this.board.style.maxWidth = `calc(${size.heads * 46 + 70} * var(--px))`;
    this.cells = heads.map((_, head) =>
      element("button.cell", {
        type: "button",
        onclick: () => this.guard(() => this.choose({ head: head === this.view.head ? null : head })),
        onpointerenter: () => this.look(head),
        onpointerleave: () => this.look(-1),
        onfocus: () => this.look(head),
        onblur: () => this.look(-1),
        onkeydown: (event) => this.walk(event, head),
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
    this.board.replaceChildren(...parts);
    this.board.classList.toggle("many", size.heads > 12);
  }

  /** The pictures of the chosen head, in rows. */
  makeMoved() {
    const { moved } = this.header;
    if (!moved || !this.palettes) return this.moved.replaceChildren(); // the colours come after the first data
    const { shown, maps } = this.shapes;
    const [rows, columns, channels] = shown.slice(1);
    let at = 0;
    const parts = moved.rows.flatMap(({ title, count }) => {
      const tiles = Array.from({ length: count }, () => {
        const bytes = this.arrays.shown.slice(at * rows * columns * channels, (at + 1) * rows * columns * channels);
        const picture = pictureCanvas(bytes, [rows, columns, channels], moved.ink ? this.palettes.ink : null);
        const map = mapCanvas(this.arrays.maps, at, [maps[1], maps[2]], this.palettes);
        const words = moved.captions[at];
        const link = moved.links[at++];
        const attributes = link ? { href: link, target: "_top", "aria-label": `${words}: look at it` } : {};
        const inner = [element("span.pair", {}, picture, map), element("span.words", {}, words)];
        return link ? element("a.moved-tile", attributes, ...inner) : element("div.moved-tile", {}, ...inner);
      });
      return [
        element("h2", {}, title),
        element("div.tiles", moved.links.some(Boolean) ? {} : { tabindex: 0 }, ...tiles),
      ];
    });
    this.moved.replaceChildren(...parts);
  }

  listen() {
    const { scatter } = this;
    const place = (event) => {
      const box = scatter.getBoundingClientRect();
      return this.room.at([event.clientX - box.left, event.clientY - box.top]);
    };
    scatter.addEventListener("pointerdown", (event) => {
      if (event.button !== 0 || !this.room) return;
      this.pressed = { from: place(event), x: event.clientX, y: event.clientY, moved: false };
      if (event.pointerType === "mouse") scatter.setPointerCapture(event.pointerId);
    });
    scatter.addEventListener("pointermove", (event) =>
      this.guard(() => {
        if (!this.room) return;
        if (!event.buttons) this.pressed = undefined;
        const { pressed } = this;
        if (pressed && event.pointerType === "mouse") {
          pressed.moved ||= Math.hypot(event.clientX - pressed.x, event.clientY - pressed.y) > STILL;
          if (pressed.moved) {
            this.brush = brushOf(pressed.from, place(event));
            return this.draw();
          }
        }
        return this.look(this.headAt(place(event)));
      }),
    );
    scatter.addEventListener("pointerup", (event) =>
      this.guard(() => {
        const { pressed } = this;
        this.pressed = undefined;
        if (!pressed) return;
        if (pressed.moved) return this.take(this.brush);
        const head = this.headAt(place(event));
        if (head >= 0) return this.choose({ head: head === this.view.head ? null : head });
        if (this.brush) return this.take(null);
      }),
    );
    for (const end of ["pointercancel", "lostpointercapture"])
      scatter.addEventListener(end, () => (this.pressed = undefined));
    scatter.addEventListener("pointerleave", () => this.look(-1));
  }

  // What the visitor does

  headAt(place) {
    return nearest(this.points, place, this.room.size, NEAR);
  }

  look(head) {
    if (head === this.looked) return;
    this.looked = head;
    this.draw();
  }

  choose(change) {
    Object.assign(this.view, change);
    this.changed();
  }

  take(brush) {
    this.brush = brush;
    this.choose({ brush: writeBrush(brush) });
  }

  key(event) {
    if (event.altKey || event.metaKey || event.ctrlKey) return;
    const found = brushByKey(this.brush, event.key, event.shiftKey);
    if (!found) return;
    event.preventDefault();
    this.take(found.brush);
  }

  walk(event, head) {
    const next = event.altKey || event.metaKey || event.ctrlKey ? null : headByKey(this.shown.heads, head, event.key);
    if (next === null) return;
    event.preventDefault();
    this.cells[next].focus();
  }

  // Layout and drawing

  takeColours() {
    const others = super.takeColours();
    if (others && this.header) {
      this.coloured = "";
      this.makeMoved();
      if (this.room) this.draw();
    }
    return others;
  }

  layout(force = false) {
    if (!this.widthToFit(force) || !this.shown) return;
    this.nameWidth(this.root.clientWidth, 700, 1100);
    const width = Math.floor(this.scatter.clientWidth);
    const height = Math.round(Math.min(340 * grown(), Math.max(240, width * 0.75)));
    this.room = new Room({ width, height, px: grown() });
    this.scatter.style.height = `${height}px`;
    for (const [name, value] of Object.entries({ width, height, viewBox: `0 0 ${width} ${height}` }))
      set(this.drawing, name, String(value));
    this.draw();
  }

  /** The axis of the scatter of a field: which measure, and its ends; entropy where no head has such a number. */
  axis(field) {
    const wanted = indexOf(this.shown, this.view[field]);
    const axis = axisOf(this.shown, wanted, this.view.random);
    if (axis) return { at: wanted, axis };
    const at = indexOf(this.shown, "entropy");
    return { at, axis: /** @type {Axis} */ (axisOf(this.shown, at, this.view.random)) };
  }

  draw() {
    const { shown, room, view } = this;
    if (!room) return;
    for (const [name, made] of Object.entries(this.chooses)) made.value = view[name];
    this.random.checked = view.random;
    const [across, up] = [this.axis("across"), this.axis("up")];
    const laid = JSON.stringify([across, up, room.width, room.height, shown.pictures]);
    if (laid !== this.laid) this.lay(across, up);
    this.laid = laid;
    this.inside = insideOf(this.points, this.brush);
    this.dots.forEach(({ dot, across: one, up: other }, head) => {
      const kind = this.kindOf(head);
      set(dot, "class", `dot own${kind}`);
      for (const line of [one, other]) set(line, "class", `interval own${kind}`);
    });
    this.others.forEach(({ dot, across: one, up: other }) => {
      for (const part of [dot, one, other]) part.style.display = view.random ? "" : "none";
    });
    this.drawBrush();
    this.drawBoard();
    this.drawAbout();
    this.drawTip();
    this.saySoon();
  }

  /** Put everything where it belongs: only where axes, data or room have changed. */
  lay(across, up) {
    const { shown, room } = this;
    const titled = ({ at }) =>
      `${shown.measures[at].title}${shown.measures[at].unit ? `, ${shown.measures[at].unit}` : ""}`;
    this.frame.replaceChildren(...frameOf(room, across.axis, up.axis, [titled(across), titled(up)]));
    this.points = pointsOf(shown, shown.own, across, up);
    const size = (shown.heads.length > 100 ? 3.5 : 5) * room.px;
    this.dots.forEach((mark, head) => placeMark(mark, room, this.points[head], size));
    if (shown.random) {
      const chance = pointsOf(shown, shown.random, across, up);
      this.others.forEach((mark, head) => placeMark(mark, room, chance[head], size));
    }
  }

  drawBrush() {
    const { brush, brushed, room } = this;
    set(brushed, "visibility", brush ? "visible" : "hidden");
    if (!brush) return;
    const [left, right, low, high] = brush;
    const [width, height] = [room.x(right) - room.x(left), room.y(low) - room.y(high)];
    for (const [name, value] of Object.entries({ x: room.x(left), y: room.y(high), width, height }))
      set(brushed, name, value.toFixed(1));
  }

  drawBoard() {
    const { view, cells } = this;
    if (view.colour !== this.coloured) this.colourBoard();
    this.coloured = view.colour;
    cells.forEach((cell, head) => {
      cell.tabIndex = head === (view.head ?? 0) ? 0 : -1;
      set(cell, "aria-pressed", String(head === view.head));
      set(cell, "class", `cell${this.kindOf(head)}`);
    });
  }

  /** Colour and name the cells of the board: only where data, measure or theme have changed. */
  colourBoard() {
    const { shown, view, theme, palettes, cells } = this;
    const measure = indexOf(shown, view.colour);
    const scale = colourScale(shown, measure);
    const background = css(packed(theme.background));
    cells.forEach((cell, head) => {
      const value = shown.own.means[measure * shown.heads.length + head];
      cell.style.background = boardColour(palettes, scale, value, background);
      set(cell, "aria-label", `Head ${shown.heads[head].name}: ${meanWords(shown, shown.own, measure, head)}`);
    });
    const [low, high] = [scale.signed ? -scale.bound : 0, scale.bound];
    const palette = scale.signed ? palettes.signed : palettes.positive;
    const colours = [0, 0.25, 0.5, 0.75, 1].map((place) => css(palette[Math.round(254 * place)]));
    this.bar.style.background = `linear-gradient(to right, ${colours.join(", ")})`;
    [low, (low + high) / 2, high].forEach((value, at) =>
      say(this.words.scale[at], valueWords(shown.measures[measure], value)),
    );
  }

  /** What the measures on show are. */
  drawAbout() {
    const { shown, view } = this;
    const names = [...new Set([view.up, view.across, view.colour])];
    if (names.join() === this.explained) return;
    this.explained = names.join();
    const told = names.map((name) => shown.measures[indexOf(shown, name)]);
    this.about.replaceChildren(
      ...told.flatMap(({ title, about }) => [element("dt", {}, title), element("dd", {}, about)]),
    );
  }

  drawTip() {
    const { tip, looked, points, room, shown } = this;
    const point = points[looked];
    tip.hidden = !point || !Number.isFinite(point.x + point.y);
    if (tip.hidden) return;
    const [x, y] = [room.x(point.x), room.y(point.y)];
    tip.textContent = shown.heads[looked].name;
    Object.assign(tip.style, { left: `${x + 8}px`, top: `${y - 26}px` });
  }

  sayAll() {
    const { shown, inside, looked, view, words } = this;
    const summary = summaryOf(shown, inside);
    say(words.summary, summary);
    this.clear.style.visibility = this.brush ? "" : "hidden"; // its room stays
    const head = looked >= 0 ? looked : (view.head ?? -1);
    const said = head < 0 ? HOW : inWords(shown, head, [view.across, view.up, view.colour]);
    const chance = head < 0 ? "" : this.chanceOf(head);
    say(words.reading, said + chance);
    this.announceDone(() => (head < 0 ? summary : `${summary} ${said}`));
  }

  /** Describe the same head with random weights, if they are shown. */
  chanceOf(head) {
    const { shown, view } = this;
    if (!view.random || !shown.random) return "";
    const { random } = shown;
    const said = [...new Set([view.across, view.up])].map((name) =>
      meanWords(shown, random, indexOf(shown, name), head),
    );
    return ` With random weights: ${said.join("; ")}.`;
  }

  /** The classes of a head's marks, after the first. */
  kindOf(head) {
    const chosen = head === this.view.head ? " chosen" : "";
    return `${this.inside[head] ? "" : " out"}${head === this.looked ? " looked" : ""}${chosen}`;
  }

  /** What tests read. */
  read() {
    const { shown, inside, looked, view, points, brush } = this;
    const at = (head) => [this.room.x(points[head].x), this.room.y(points[head].y)];
    const tiles = [...this.moved.querySelectorAll(".moved-tile")].map((tile) => tile.textContent);
    return { heads: shown.heads.length, inside: [...inside], looked, view: { ...view }, brush, at, tiles };
  }

  /** Values that a lesson can ask for. */
  declared() {
    return {
      heads: this.shown.heads.length,
      pictures: this.shown.pictures,
      brushed: this.inside.filter(Boolean).length,
    };
  }
}

export default mountable(HeadTable);
