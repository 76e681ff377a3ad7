// The slider of a training's epochs. It is dragged, stepped with keys or played, every component of the page follows it
// (core/epoch.js), and Python receives its final position: attnviz/ui/components/epoch_slider.py.

import { settled } from "../core/at_rest.js";
import { element, say, set, svg, text } from "../core/dom.js";
import { followers, moveTo } from "../core/epoch.js";
import { mountable, Part } from "../core/part.js";
import { saversOf } from "../hands/controls.js";
import { besideOf, curvesOf, placeOf, wordsOf } from "./derive.js";

const STEP = 700; // milliseconds per epoch while playing
const SOON = 20; // milliseconds between two checks for a shown epoch
const PLAY = "Play";
const PAUSE = "Pause";

export class EpochSlider extends Part {
  constructor(parent) {
    super();
    this.at = -1;
    /** @type {ReturnType<typeof curvesOf>[0]} known with the first data */
    this.found = [];
    this.eager = false; // whether a hand has come near
    /** @type {ReturnType<typeof setTimeout>|undefined} */
    this.playing = undefined;
    this.words = { epoch: text(), of: text(), value: text(), second: text(), note: text(), play: text(PLAY) };
    this.player = this.button(this.words.play, () => this.play(), "button.act");
    this.input = element("input", {
      type: "range",
      min: 0,
      step: 1,
      "aria-label": "Epoch of the training",
      oninput: () => this.guard(() => this.take(Number(this.input.value))),
      onchange: () => this.guard(() => this.changed()),
    });
    this.curves = [svg("polyline"), svg("polyline", { class: "beside" })];
    this.cursor = element("i.cursor");
    this.dot = element("i.dot");
    this.ticks = element("div.ticks");
    const drawing = svg("svg", { viewBox: "0 0 1 1", preserveAspectRatio: "none" }, ...this.curves);
    this.graph = element("div.graph", { "aria-hidden": "true" }, this.ticks, drawing, this.cursor, this.dot);
    this.note = element("p.note", {}, this.words.note);
    this.second = element("small.second", {}, element("i.dashed"), this.words.second);
    this.savers = saversOf(this, {}, ["Film", "Strip"]);
    this.mount(
      parent,
      "epoch-slider",
      "epoch_slider",
      this.player,
      element("div.track", {}, this.input, this.graph),
      element(
        "p.now",
        {},
        element("b", {}, this.words.epoch),
        " ",
        element("span", {}, this.words.of),
        element("small", {}, this.words.value),
        this.second,
      ),
      this.savers.element,
      this.note,
    );
    this.sayPlay(PLAY);
    for (const near of ["pointerenter", "focusin", "touchstart"])
      this.root.addEventListener(near, () => this.guard(() => this.hurry()), { passive: true });
  }

  async files() {
    const { nameOf, saveGif, saveStrip } = await import("../export/epochs.js");
    const saved = (save) => async () => {
      const { frames, name } = await this.frames();
      await save(frames, nameOf(name));
    };
    return { Film: saved(saveGif), Strip: saved(saveStrip) };
  }

  /** Pictures of the view below, one per epoch. */
  async frames() {
    this.stop();
    this.hurry();
    const before = this.at;
    const [main] = [...followers()].sort((one, other) => one.top - other.top);
    const sent = main?.part.sent;
    const frames = [];
    let name = "";
    let stands = before; // the position set by this loop
    try {
      for (const place of this.header.points.keys()) {
        stands = place;
        this.move(place);
        const files = await this.filesAt(place, main);
        // A film never mixes two views: Python has sent the view of another URL.
        if (main.part.sent !== sent) throw new Error("another view was asked for meanwhile");
        if (!files) continue;
        const { epoch, of, value, second } = wordsOf(this.header, place);
        const title = [`${epoch} ${of}`.trim(), value, second].filter(Boolean).join(" \u00b7 ");
        frames.push({ sheet: files.sheet(), title });
        name = files.name();
      }
    } finally {
      if (!this.left && this.at === stands) this.move(before);
    }
    if (!frames.length) throw new Error("nothing below the slider can be saved");
    return { frames, name };
  }

  /**
   * The files of a view at an epoch, once all its data have arrived; null if it has no view of that epoch.
   * @param {number} place index of the epoch, at which the slider must stay meanwhile
   * @param {import("../core/epoch.js").Follower} main
   */
  async filesAt(place, main) {
    while (!main.isThere && !this.left) {
      if (main.isLost) throw new Error("the connection to the server is lost");
      await new Promise((done) => setTimeout(done, SOON));
    }
    const files = main.lacks ? null : await main.part.filesWhenAnswered();
    await settled(); // the URL may have changed meanwhile
    if (this.left || this.at !== place) throw new Error("the slider was moved meanwhile");
    return files;
  }

  takeData() {
    const { header } = this;
    const asked = this.asked("net");
    const count = header.points.length;
    this.input.max = String(count - 1);
    if (asked) this.stop();
    const place = asked ? placeOf(header, asked.value) : this.at;
    this.at = place < 0 || place >= count ? count - 1 : place;
    if (asked) this.noteSettled();
    this.ticks.replaceChildren(
      ...header.points.map((_, place) => element("i", { style: `left:${(100 * place) / (count - 1)}%` })),
    );
    const found = curvesOf(header);
    this.found = found[0];
    found.forEach((curve, i) =>
      this.curves[i].setAttribute("points", curve.map(({ along, down }) => `${along},${down}`).join(" ")),
    );
    say(this.words.note, header.note);
    this.note.hidden = !header.note;
    this.second.hidden = !header.beside;
    this.tell();
  }

  settled() {
    return { net: this.header.points[this.at].key };
  }

  /** Send the position to all followers. */
  tell() {
    const { at, eager, header } = this;
    moveTo({ nets: header.points.map(({ key }) => key), at, eager, beside: besideOf(header) });
  }

  /** A hand comes near: fetch the views of all epochs. */
  hurry() {
    if (this.eager) return;
    this.eager = true;
    this.tell();
  }

  /** Move to an epoch by hand, which stops playing. @param {number} at */
  take(at) {
    this.stop();
    this.move(at);
  }

  /** @param {number} at */
  move(at) {
    if (at === this.at) return;
    this.at = at;
    this.tell();
    this.draw();
  }

  /** Play from here, or from the first epoch if this is the last; or pause. */
  play() {
    if (this.playing !== undefined) {
      this.stop();
      return this.changed();
    }
    this.hurry();
    if (this.at === this.header.points.length - 1) this.move(0);
    this.sayPlay(PAUSE);
    this.later();
    return undefined;
  }

  later() {
    this.playing = setTimeout(() => this.guard(() => this.advance()), STEP);
  }

  /** Go on to the next epoch once this one is shown everywhere. */
  advance() {
    const last = this.header.points.length - 1;
    if ([...followers()].every(({ isThere }) => isThere)) this.move(Math.min(last, this.at + 1));
    if (this.at < last) return this.later();
    this.stop();
    return this.changed();
  }

  stop() {
    clearTimeout(this.playing);
    this.playing = undefined;
    this.sayPlay(PLAY);
  }

  /** Label the button; its full name distinguishes it from the page's other play buttons. */
  sayPlay(words) {
    say(this.words.play, words);
    set(this.player, "aria-label", `${words} the epochs`);
  }

  layout(force = false) {
    const width = this.widthToFit(force);
    if (!width || !this.header) return;
    this.nameWidth(width, 560, 900);
    this.draw();
  }

  draw() {
    const { header, at } = this;
    const epoch = header.points[at].epoch;
    const along = at / (header.points.length - 1);
    if (this.input.value !== String(at)) this.input.value = String(at);
    const here = this.found.find((one) => one.epoch === epoch);
    this.cursor.style.left = `${100 * along}%`;
    this.dot.hidden = !here;
    if (here) Object.assign(this.dot.style, { left: `${100 * along}%`, top: `${100 * here.down}%` });
    this.saySoon();
  }

  sayAll() {
    const { words, header, at } = this;
    const { epoch, of, value, second } = wordsOf(header, at);
    say(words.epoch, epoch);
    say(words.of, of);
    say(words.value, value);
    say(words.second, second);
    this.second.classList.toggle("silent", !second);
    const spoken = [[epoch, of, value].filter(Boolean).join(" "), second].filter(Boolean).join(", ");
    set(this.input, "aria-valuetext", spoken);
    this.announceDone(() => spoken);
  }

  read() {
    const { header, at, eager } = this;
    return { at, ...header.points[at], eager, playing: this.playing !== undefined };
  }

  declared() {
    const { header, at } = this;
    return { epoch: header.points[at].epoch, epochs: header.points[header.points.length - 1].epoch };
  }

  leave() {
    super.leave();
    this.stop();
    moveTo(null);
  }
}

export default mountable(EpochSlider);
