// All heads of a net over many pictures: a scatter of any two measures, a board of layers and heads, and the pictures
// with extreme values of the chosen head. Python's side is attnviz/ui/components/head_table.py.

import { element, say, text } from "../core/dom.js";
import { mountable, Part } from "../core/part.js";
import { UrlView } from "../core/url_view.js";
import { saversOf } from "../hands/controls.js";
import { pictureCanvas } from "../maps/paint.js";
import { Board } from "./board.js";
import { axesOf, axisOf, indexOf, inWords, meanWords, readBrush, RULES, summaryOf, writeBrush } from "./derive.js";
import { mapCanvas } from "./paint.js";
import { Scatter } from "./scatter.js";

const SMALL = 64; // maximum number of rows of a picture with visible pixels

const HOW =
  "Each dot is one attention head, its mean over all pictures; the thin lines are 95 % intervals. Choose a head to " +
  "see the pictures that move it.";

export class HeadTable extends Part {
  exporting = () => import("./export.js");
  url = new UrlView({}, RULES);
  /** @type {import("./derive.js").Shown} known with the first data */ shown;

  constructor(parent) {
    super();
    this.looked = -1; // the head under the pointer
    this.explained = ""; // the explained measures
    this.words = { summary: text(), reading: text() };
    this.chooses = Object.fromEntries(
      ["across", "up", "colour"].map((name) => {
        const onchange = (event) => this.choose({ [name]: event.target.value });
        return [name, element("select", { onchange })];
      }),
    );
    this.random = element("input", { type: "checkbox", onchange: () => this.choose({ random: this.random.checked }) });
    this.randomLabel = element("label.beside", {}, this.random, " compare with random weights");
    const told = {
      guard: (act) => this.guard(act),
      look: (head) => this.look(head),
      choose: (head) => this.guard(() => this.choose({ head: head === this.view.head ? null : head })),
      brushing: () => this.drawSoon(),
      take: (brush) => this.take(brush),
    };
    this.scatter = new Scatter(told);
    this.board = new Board(told);
    this.about = element("dl.about");
    this.moved = element("div.moved");
    this.clear = this.button("show all", () => this.take(null));
    this.savers = saversOf(this);
    const choice = (words, name) => element("label.choice", {}, words, " ", this.chooses[name]);
    this.mount(
      parent,
      "head-table",
      "head_table",
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
        this.scatter.element,
        element(
          "div.side",
          {},
          element("div.line", {}, choice("Colour", "colour")),
          this.board.grid,
          this.board.scale,
          this.about,
        ),
      ),
      element("div.reading", {}, element("span.summary", {}, this.words.summary, " ", this.clear)),
      element("p.head", {}, this.words.reading),
      this.moved,
    );
  }

  /** Whether all requested pictures have been measured. */
  get isThere() {
    return super.isThere && !this.header.measuring;
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
    this.scatter.take(readBrush(this.view.brush));
    this.board.take(this.shown);
    this.looked = -1;
    this.randomLabel.hidden = !this.shown.random;
    this.fillChoices();
    this.makeMoved();
  }

  /** Offer all measures; those without a value are disabled, with a tooltip. */
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

  /** Show the pictures of the chosen head, in rows. */
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
        if (rows > SMALL) picture.style.imageRendering = "auto"; // a photograph is scaled down smoothly
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

  // Actions of the visitor

  look(head) {
    if (head === this.looked) return;
    this.looked = head;
    this.drawSoon();
  }

  choose(change) {
    Object.assign(this.view, change);
    this.changed();
  }

  take(brush) {
    this.scatter.brush = brush;
    this.choose({ brush: writeBrush(brush) });
  }

  // Layout and drawing

  takeColours() {
    const others = super.takeColours();
    if (others && this.header) {
      this.board.forget();
      this.makeMoved();
      this.draw();
    }
    return others;
  }

  layout(force = false) {
    if (!this.widthToFit(force) || !this.shown) return;
    this.nameWidth(this.root.clientWidth, 700, 1100);
    this.scatter.layout();
    this.draw();
  }

  /** Draw once in the next frame, however often the pointer moves until then. */
  drawSoon() {
    this.frame ??= requestAnimationFrame(() => {
      this.frame = undefined;
      this.guard(() => this.draw());
    });
  }

  leave() {
    super.leave();
    cancelAnimationFrame(this.frame);
    this.frame = undefined;
  }

  draw() {
    const { shown, scatter, view, looked, theme } = this;
    if (!scatter.room) return;
    for (const [name, made] of Object.entries(this.chooses)) if (made.value !== view[name]) made.value = view[name];
    this.random.checked = view.random;
    scatter.draw(shown, axesOf(shown, view), { looked, chosen: view.head ?? -1, random: view.random, theme });
    this.board.draw(shown, view, (head) => this.kindOf(head), this);
    this.drawAbout();
    this.saySoon();
  }

  /** Explain the shown measures. */
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

  sayAll() {
    const { shown, scatter, looked, view, words } = this;
    const summary = summaryOf(shown, scatter.inside);
    say(words.summary, summary);
    this.clear.style.visibility = scatter.brush ? "" : "hidden"; // its space stays
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

  /** The further CSS classes of a head's cell. */
  kindOf(head) {
    const chosen = head === this.view.head ? " chosen" : "";
    return `${this.scatter.inside[head] ? "" : " out"}${head === this.looked ? " looked" : ""}${chosen}`;
  }

  read() {
    const { shown, scatter, looked, view } = this;
    const at = (head) => scatter.at(head);
    const tiles = [...this.moved.querySelectorAll(".moved-tile")].map((tile) => tile.textContent);
    const { inside, brush } = scatter;
    return { heads: shown.heads.length, inside: [...inside], looked, view: { ...view }, brush, at, tiles };
  }

  declared() {
    return {
      heads: this.shown.heads.length,
      pictures: this.shown.pictures,
      brushed: this.scatter.inside.filter(Boolean).length,
    };
  }
}

export default mountable(HeadTable);
