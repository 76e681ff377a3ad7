// Maps that are computed here (derive.js) while a hand moves a handle or points at positions. Python's side is
// attnviz/ui/components/moving_maps.py.

import { element, say, set, text } from "../core/dom.js";
import { MapGrid } from "../map_grid/map_grid.js";
import { KINDS, panesOf } from "./derive.js";
import { mountable, Part } from "../core/part.js";

const DIGITS = 10; // precision of a handle's position, as in the URL

/** The component: a handle (for some kinds), words, and one grid of maps per pane. */
export class MovingMaps extends Part {
  constructor(parent) {
    super();
    this.at = null;
    this.grids = [];
    this.words = { title: text(), value: text() };
    this.slider = element("input", {
      type: "range",
      oninput: () => this.guard(() => this.move(Number(this.slider.value))),
      onchange: () => this.settle(),
    });
    this.stops = element("span.stops");
    this.handle = element(
      "div.handle",
      {},
      element("label", {}, element("span", {}, this.words.title), this.slider),
      this.stops,
      element("output", {}, this.words.value),
    );
    this.lines = element("div.lines");
    this.panes = element("div.panes");
    this.mount(parent, "moving", "moving_maps", this.handle, this.lines, this.panes);
  }

  receive(bytes, added) {
    this.takeNew(bytes, added);
    this.failure.hidden = true;
    this.grids.forEach((grid) => grid.refresh());
    this.draw();
  }

  takeData() {
    const { header } = this;
    this.kind = KINDS[header.kind];
    const asked = this.asked("at");
    if (asked) this.at = asked.value ?? header.start;
    this.takeHandle();
    while (this.grids.length > header.panes.length) this.grids.pop().leave();
    while (this.grids.length < header.panes.length) this.grids.push(this.makeGrid());
    this.panes.replaceChildren(...this.grids.map((grid) => grid.holder));
    panesOf(this, this.kind.compute(this, this.at).panes).forEach((pane, i) => {
      this.grids[i].holder.classList.toggle("wide", pane.header.labels.length > 6);
      this.grids[i].hold(this.data, pane);
    });
    if (asked && header.kind === "places") this.hold(asked.value);
    if (asked) this.noteSettled(); // otherwise the next choice, while a hand moves, would be lost
  }

  takeHandle() {
    const { handle } = this.header;
    this.handle.hidden = !handle;
    if (!handle) return;
    say(this.words.title, handle.title);
    Object.assign(this.slider, { min: handle.low, max: handle.high, step: handle.step, value: this.at });
    this.stops.replaceChildren(
      ...handle.stops.map(([name, at]) =>
        element(
          "button.quiet",
          {
            type: "button",
            onclick: () =>
              this.guard(() => {
                this.slider.value = at;
                this.move(at);
                this.settle();
              }),
          },
          name,
        ),
      ),
    );
  }

  makeGrid() {
    const holder = element("div.pane");
    const grid = new MapGrid(holder, { owner: this, drawn: () => this.guard(() => this.follow(grid)) });
    return grid;
  }

  // Actions of the visitor

  move(at) {
    this.at = at;
    this.draw();
  }

  /**
   * Positions are chosen in the first and the last pane. These follow each other, and the pane between follows both.
   */
  follow(grid) {
    if (this.header.kind !== "places" || grid === this.grids[1] || this.following) return;
    const [picture, , code] = this.grids;
    const other = grid === picture ? code : picture;
    const at = grid.shown < 0 ? this.at : grid.shown;
    const same = at === this.at && other.cell === grid.cell;
    if (same) return;
    this.following = true;
    other.point(at, grid.cell !== null);
    other.draw();
    this.move(at);
    this.following = false;
    this.settle();
  }

  /** Lock the position in the URL, or none. */
  hold(at) {
    const [picture, , code] = this.grids;
    for (const grid of [picture, code]) grid.point(this.at, at !== null, 0);
  }

  settled() {
    return { at: this.header.kind === "places" ? this.grids[0].cell : Number(this.at.toPrecision(DIGITS)) };
  }

  layout() {}

  leave() {
    super.leave();
    this.grids.forEach((grid) => grid.leave());
  }

  // Drawing: runs at every move of the pointer

  draw() {
    const { header, kind, grids, at } = this;
    const { panes, lines } = kind.compute(this, at);
    panes.forEach((maps, i) => {
      if (!maps) return;
      grids[i].renew(maps, ...(header.kind === "places" ? [[at]] : []));
    });
    this.written = lines;
    this.saySoon();
  }

  read() {
    return { at: this.at, lines: this.written };
  }

  sayAll() {
    const { kind, written, at, lines } = this;
    while (lines.children.length > written.length) lines.lastElementChild?.remove();
    while (lines.children.length < written.length) lines.append(element("p", {}, text()));
    written.forEach((line, i) => say(lines.children[i].firstChild, line));
    if (!kind.say) return;
    say(this.words.value, kind.say(at));
    set(this.slider, "aria-valuetext", kind.say(at));
  }
}

export default mountable(MovingMaps);
