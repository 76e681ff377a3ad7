// The draw page: a pad, and beside it the cards of the models that look at what is drawn. They are one component, as
// the cards follow every movement of the hand. Python's side is attnviz/ui/drawing_pad.py.
//
//     Pad       pad.js          what is drawn: it asks nobody and waits for nobody
//     Cards     draw_cards.js   asks the models over the live channel, and shows their answers

import { palettes, readTheme } from "./colours.js";
import { element, say, set, text } from "./dom.js";
import { Cards } from "./draw_cards.js";
import { Pad } from "./pad.js";
import { canKeep, forget, here, keepHere, keepLast, last } from "./pad_memory.js";
import { PadShare } from "./pad_share.js";
import { Seen, Thumbs, Ways } from "./pad_side.js";
import { mountable, Part } from "./part.js";
import { BadDrawing } from "./strokes.js";

const SAMPLE = /^\w+\.\d+$/; // of a data set, such as strokes.12: such a base may stand in an address
const OPENING = 3000; // milliseconds in which all of it has come
const EMPTY = { base: null, strokes: [] };
const NOTHING = { drawing: "", base: null, centred: true }; // of an address without words

// What was on the pad when the visitor went to another page, and what could be undone.
let left = null;

/**
 * Bring into view what has been opened above the pad. It comes in parts, and the browser then keeps in its place what it
 * shows, which is below; so for a moment it is followed, unless the visitor does something else.
 */
function showAbove() {
  const until = performance.now() + OPENING;
  const end = new AbortController();
  for (const kind of ["wheel", "touchstart", "pointerdown", "keydown"]) addEventListener(kind, () => end.abort(), { capture: true, signal: end.signal });
  const follow = () => {
    if (performance.now() > until) end.abort();
    if (end.signal.aborted) return;
    document.querySelector(".st-key-other_inputs")?.scrollIntoView({ block: "nearest" });
    requestAnimationFrame(follow);
  };
  follow();
}

/** The component. */
export class DrawingPad extends Part {
  constructor(parent) {
    super();
    this.centred = true;
    this.wish = null;
    this.words = { complaint: text(), told: text(), kept: text() };
    this.complaint = element("p.complaint", { hidden: true, role: "alert" }, this.words.complaint);
    this.told = element("p.told", { role: "status" }, this.words.told);
    const pad = element("section.draw", { "aria-label": "Pad" });
    this.pad = new Pad(pad, { changed: (complete) => this.guard(() => this.changed(complete)), tell: (words) => this.announce(words) });
    this.seen = new Seen((centred) => this.guard(() => this.centre(centred)));
    this.starts = new Thumbs("Digits to start from", (start) => this.guard(() => this.start(start)));
    this.ways = new Ways((way) => this.guard(() => this.openWay(way)));
    this.lasts = new Thumbs("Your last drawings", (kept) => this.guard(() => this.pad.open(kept)));
    this.share = new PadShare({
      drawing: () => this.pad.now,
      values: () => this.pad.raster().values,
      link: () => this.link(),
      open: (drawing) => this.pad.open(drawing),
      say: (words) => say(this.words.told, words),
    });
    this.forgetter = element("button.quiet", { type: "button", onclick: () => this.guard(() => this.forget()) }, "Forget them");
    this.keeping = element("div.last", {}, element("h2", {}, "Your last drawings", element("span.end", {}, this.forgetter)),
      this.lasts.element, element("p.note", {}, this.words.kept));
    this.cardsRoom = element("section.cards", { "aria-label": "Models" });
    this.cards = null; // a page may have none
    pad.append(this.seen.element);
    this.root = element("div.attnviz.drawing-pad", { "data-component": "drawing_pad" },
      this.failure, this.complaint, pad, this.cardsRoom,
      element("section.more", {},
        element("div.start", {}, element("span.lead", {}, "or start from"), this.starts.element, this.ways.element),
        element("div.share", {}, this.share.element, this.told),
        this.keeping),
      this.liveRegion);
    this.root.readRaster = () => this.pad.raster().values;
    this.root.readDrawing = () => this.pad.now;
    this.root.readSeen = () => this.seen.picture;
    this.root.addEventListener("keydown", (event) => this.guard(() => this.key(event)));
    parent.append(this.root);
  }

  receive(bytes) {
    this.takeNew(bytes);
    if (this.away) this.look(true); // mounted anew, in the same place
    this.away = false;
    this.watch();
    const theme = readTheme(this.root);
    if (JSON.stringify(theme) !== JSON.stringify(this.theme)) {
      this.theme = theme;
      const { ink } = palettes(theme);
      for (const part of [this.pad, this.seen, this.starts, this.lasts]) part.colour(ink);
      this.cards?.colour(theme);
    }
    this.layout();
  }

  takeData() {
    const { header, arrays } = this;
    const names = header.samples.map(({ name }) => name).join();
    if (names !== this.sampled) {
      this.sampled = names;
      const values = (i) => arrays.samples.slice(784 * i, 784 * (i + 1));
      this.starts.show(header.samples.map(({ name, label }, i) => ({
        base: { name, side: 28, values: values(i) }, strokes: [], words: `Start from a drawn ${label}`,
      })));
    }
    this.ways.show(header.ways, header.way);
    if (header.way && header.way === this.opening) {
      this.opening = "";
      showAbove();
    }
    if (header.cards.models) this.takeModels();
    if (this.wish === null) this.begin();
    else if (header.wish !== this.wish) this.follow();
    if (header.wish !== this.wish) this.followed();
    this.known = header.address;
    this.keep();
    if (header.cards.settled !== this.wanted) this.settle(); // the page has begun to want to know what was seen, or ceased to
    this.wanted = header.cards.settled;
  }

  takeModels() {
    const { header, arrays } = this;
    if (!this.cards) {
      this.cards = new Cards(this.cardsRoom, {
        heard: ({ picture, words }) => this.seen.show(picture, words),
        settled: (word) => this.saw(word),
        announce: (words) => this.announce(words),
        guard: (act) => this.guard(act),
      });
      if (this.theme) this.cards.colour(this.theme);
    }
    this.cards.take(header.cards, arrays.card_sample);
  }

  /** The hand rests, and the models have answered. @param {string} word of the picture that they saw */
  saw(word) {
    this.word = word;
    if (this.header.cards.settled) this.settle();
  }

  /** Let the models look. @param {boolean} complete false within a stroke */
  look(complete) {
    const { pad, cards, centred } = this;
    cards?.open();
    cards?.show(pad.raster(), { centred, settled: complete, empty: pad.empty });
  }

  /** The first time on this page: what the address says, unless this tab has drawn on since. */
  begin() {
    const { address } = this.header;
    const kept = here() ?? left;
    const same = (one, other) => JSON.stringify(one) === JSON.stringify(other);
    this.lastSettled = { drawn: JSON.stringify({ ...address, wish: this.header.wish }), seen: JSON.stringify("") };
    if (kept && (same(address, NOTHING) || same(address, kept.known))) {
      this.setCentred(kept.centred);
      this.pad.memory = left?.drawing.id === kept.drawing.id ? left.memory : { past: [], now: kept.drawing, future: [] };
    } else {
      this.follow();
      this.pad.begin();
    }
  }

  /** Show what the address asks for; an undo leads back. */
  follow() {
    const { header, arrays } = this;
    const { drawing, base, centred } = header.asked;
    this.setCentred(centred);
    let problem = "";
    try {
      this.pad.load(drawing, base && { name: base, side: header.side, values: arrays.base.slice() });
    } catch (error) {
      if (!(error instanceof BadDrawing)) throw error;
      problem = `The drawing in this link cannot be read: ${error.message}. The pad is empty.`;
      this.pad.open(EMPTY);
    }
    this.complain(problem);
  }

  /**
   * The pad shows what Python asked for, which need not be told again: that would be sent with the address of before, and
   * could undo what the visitor has clicked meanwhile. Of a picture from outside Python waits to hear that it came.
   */
  followed() {
    const first = this.wish === null;
    const { base } = this.pad.now;
    this.wish = this.header.wish;
    if (!first && (!base || SAMPLE.test(base.name))) this.lastSettled.drawn = JSON.stringify(this.settled().drawn);
  }

  // What the visitor does

  /** What is drawn has changed. */
  changed(complete) {
    this.look(complete);
    if (!complete) return;
    this.complain("");
    say(this.words.told, "");
    this.keep();
    this.settle();
  }

  centre(centred) {
    this.setCentred(centred);
    this.changed(true);
    this.announce(centred ? "The drawing is centred for the models." : "The models see the canvas as it is.");
  }

  setCentred(centred) {
    this.centred = centred;
    this.seen.set(centred);
  }

  start(drawing) {
    this.pad.open(drawing);
    this.announce(`${drawing.words}. It can be drawn on and erased.`);
  }

  /** Have the page open a way to another picture, above the pad; "" closes it. */
  openWay(way) {
    this.opening = way;
    this.wishFor("way", way);
    if (way) this.announce("What to start from can be chosen above the pad.");
  }

  forget() {
    forget();
    this.saySoon();
    this.announce("This browser has forgotten your last drawings.");
    this.pad.sheet.focus();
  }

  key(event) {
    const letter = event.key.toLowerCase();
    if (!(event.ctrlKey || event.metaKey) || event.altKey || event.target === this.share.field) return;
    if (letter === "z" && !event.shiftKey) this.pad.undo();
    else if (letter === "y" || letter === "z") this.pad.redo();
    else return;
    event.preventDefault();
  }

  // What is kept

  keep() {
    const { pad, centred, known, wish } = this;
    if (wish === null) return; // it has not begun: what was kept is still to be read
    keepHere(pad.now, { centred, known });
    // Only what a hand has drawn: a sample that was looked at is there to be looked at again.
    if (pad.now.strokes.length && !pad.empty) this.refused = !keepLast(pad.now);
    this.saySoon();
  }

  showLast() {
    const drawings = last();
    const written = JSON.stringify(drawings.map(({ id, strokes }) => [id, strokes.length]));
    this.keeping.hidden = !drawings.length && canKeep() && !this.refused;
    this.forgetter.hidden = !drawings.length;
    say(this.words.kept, canKeep() && !this.refused ? "Kept in this browser only." : "This browser keeps no drawings: its storage is full, or refused.");
    if (written !== this.writtenLast) this.lasts.show(drawings.map((one, i) => ({ ...one, words: `Drawing ${i + 1} of ${drawings.length}` })));
    this.writtenLast = written;
    this.lasts.mark(drawings.findIndex(({ id }) => id === this.pad.now.id));
  }

  /** The drawing as it may stand in the address; "" if it is empty or too long. */
  get short() {
    const written = this.pad.state();
    return written.length <= this.header.longest ? written : "";
  }

  settled() {
    const { base } = this.pad.now;
    const seen = (this.header.cards.settled && this.word) || ""; // else each stroke would be told twice
    return { drawn: { drawing: this.short, base: base?.name ?? null, centred: this.centred, wish: this.wish }, seen };
  }

  /** A link to what is drawn, made here: the page's own address follows a moment later. */
  link() {
    const { base, strokes } = this.pad.now;
    if (strokes.length && !this.short) return { address: null, long: true };
    if (base && !SAMPLE.test(base.name)) return { address: null, long: false };
    const address = new URL(location.href);
    const words = { strokes: this.short, start: base?.name, centred: this.centred ? "" : "no" };
    for (const [name, word] of Object.entries(words)) {
      if (word) address.searchParams.set(name, word);
      else address.searchParams.delete(name);
    }
    return { address: address.href, long: false };
  }

  // Drawing

  layout() {
    this.pad.layout();
    this.cards?.layout();
  }

  complain(sentence) {
    say(this.words.complaint, sentence);
    this.complaint.hidden = !sentence;
  }

  sayAll() {
    const { pad, centred } = this;
    const reading = { drawing: pad.state(), base: pad.now.base?.name ?? null, strokes: pad.now.strokes.length, empty: pad.empty, centred };
    set(this.root, "data-reading", JSON.stringify(reading));
    this.showLast();
  }

  leave() {
    super.leave();
    left = { drawing: this.pad.now, memory: this.pad.memory, centred: this.centred, known: this.known };
    this.cards?.close();
    this.away = true;
  }
}

export default mountable(DrawingPad);
