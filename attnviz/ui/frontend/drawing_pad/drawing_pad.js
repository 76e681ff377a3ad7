// The draw page: a pad, and next to it the panels of the models that classify the drawing. They are one component
// because the panels follow every movement of the hand. Python's side is attnviz/ui/components/drawing_pad.py.
//
//     Pad       pad.js             the drawing: it needs no server and never waits
//     Cards     ../draw/cards.js   asks the models over the live channel, and shows their answers

import { say } from "../core/dom.js";
import { Cards } from "../draw/cards.js";
import { panelsInLink, shownBy, VERSION } from "../draw/links.js";
import { fromLink, pinnedAgain } from "../draw/pin.js";
import { follow } from "../core/follow.js";
import * as derive from "./derive.js";
import { PadFrame } from "./frame.js";
import { here, keepHere } from "./memory.js";
import { mountable } from "../core/part.js";
import { BadDrawing } from "../hands/strokes.js";

const EMPTY = { base: null, strokes: [] };
const INPUTS = 200; // maximum number of drawings whose inputs are remembered
const PENDING = 20; // maximum number of drawings reported to Python while its answer is pending

// The state stored when the visitor went to another page.
/** @type {import("./memory.js").Kept|null} */
let left = null;

/** Each drawing's last input to the models, by its id. @type {Map<string, string>} */
const inputs = new Map();

export class DrawingPad extends PadFrame {
  constructor(parent) {
    super(parent);
    this.cards = null; // a page may have no panels
    this.centred = true;
    this.begun = false;
    /** @type {any[]} states possibly reported since Python's last answer, the newest at the end */
    this.pending = [];
  }

  receive(bytes) {
    this.takeNew(bytes);
    if (this.away) {
      this.look(true); // remounted in the same place
      this.saySoon();
    }
    this.away = false;
    this.watch();
    if (this.takeColours()) {
      for (const part of [this.pad, this.seen, this.starts, this.lasts]) part.colour(this.palettes.ink);
      this.cards?.colour(this.theme);
    }
    this.layout();
  }

  takeData() {
    const { header, arrays } = this;
    const names = header.samples.map(({ name }) => name).join();
    if (names !== this.sampled) {
      this.sampled = names;
      this.starts.show(derive.startsOf(header.samples, arrays.samples, header.sheet.side, header.sheet.centres));
    }
    this.pad.take(header.sheet);
    this.seen.offer(header.sheet.centres);
    const laid = JSON.stringify([names, header.sheet]);
    const another = laid !== this.laid; // different pictures to start from, sample, perhaps canvas
    this.laid = laid;
    this.inputs.show(header.inputs, header.input);
    if (header.input && header.input === this.opening) {
      this.opening = "";
      follow(() => document.querySelector(".st-key-other_inputs"), "nearest");
    }
    if (header.cards.models) this.takeModels();
    const asked = this.asked("drawn");
    if (asked && !this.begun) this.begin(asked.value);
    else if (asked) this.follow(asked.value);
    if (asked) this.followed();
    else if (another && this.begun) this.look(true);
    this.known = header.url;
    // The URL will never show anything reported before this; if the page asks for other data, nothing at all.
    this.pending = asked ? [] : derive.pendingAfter(this.pending, header.url);
    this.keep();
    // the page has started or stopped asking for the models' input
    if (header.cards.settled !== this.wanted) this.settle();
    this.wanted = header.cards.settled;
  }

  takeModels() {
    const { header, arrays, shapes } = this;
    if (!this.cards) {
      this.cards = new Cards(this.cardsRoom, {
        heard: ({ seen, words }) => this.seen.show(seen, words),
        settled: (word) => this.saw(word),
        chosen: () => {
          this.keep();
          this.settle();
        },
        announce: (words) => this.announce(words),
        guard: (act) => this.guard(act),
        url: () => this.link().url,
      });
      if (this.theme) this.cards.colour(this.theme);
    }
    this.cards.take(header.cards, { values: arrays.card_sample, shape: shapes.card_sample });
    const asked = this.asked("panels");
    if (!asked) return;
    this.state("panels").note(asked.value);
    if (!this.followKept()) this.followPanels(asked.value);
  }

  /** Show the panels' view in the URL. @param {any} asked */
  followPanels(asked) {
    const { pin } = asked;
    const { header, arrays } = this;
    const base = pin?.base ? { name: pin.base, side: header.pin_side, values: arrays.pin_base.slice() } : null;
    let pinned = null;
    try {
      pinned = pin && fromLink({ ...pin, base }, header.sheet, asked);
    } catch (error) {
      if (!(error instanceof BadDrawing)) throw error;
      this.url.complaint.say(`The pinned drawing in this link cannot be read: ${error.message}. Nothing is pinned.`);
    }
    /** @type {Cards} */ (this.cards).follow(asked, pinned);
  }

  /**
   * On the first visit to this page, show this tab's stored view of the panels, if it is newer.
   * @returns {boolean} whether it is newer
   */
  followKept() {
    const kept = this.begun ? null : this.kept();
    if (!kept?.panels || !derive.isNewer(kept, this.header.url) || !derive.panelsNewer(kept.panels, this.header.panels))
      return false;
    const { now, pinned } = kept.panels;
    const again = pinned && pinnedAgain(pinned.now, pinned.centred, now.pin, this.header.sheet, pinned.trained);
    /** @type {Cards} */ (this.cards).follow(now, again);
    return true;
  }

  /** This tab's stored state: complete when coming from another page, or from a reload. */
  kept() {
    return left ?? here();
  }

  /** Called when the hand rests and the models have answered. @param {string} word that of their input */
  saw(word) {
    inputs.delete(this.pad.now.id);
    inputs.set(this.pad.now.id, word);
    if (inputs.size > INPUTS) inputs.delete(/** @type {string} */ (inputs.keys().next().value));
    if (this.header.cards.settled) this.settle();
  }

  /** Ask the models. @param {boolean} complete false within a stroke */
  look(complete) {
    const { pad, cards } = this;
    const centred = this.centred && this.header.sheet.centres;
    cards?.open();
    const drawn = complete ? this.drawn() : null;
    cards?.show(pad.raster(), { centred, settled: complete, empty: pad.empty, now: pad.now, drawn });
  }

  /** On the first visit to this page, show the URL's drawing, unless this tab has a later state. */
  begin(asked) {
    const { url } = this.header;
    const kept = this.kept();
    this.state("drawn").note(url);
    this.state("seen").note(null);
    if (kept && derive.isNewer(kept, url)) {
      this.setCentred(kept.centred);
      this.pad.memory = kept.history ?? { past: [], now: kept.drawing, future: [] };
    } else {
      this.follow(asked);
      this.pad.begin();
    }
  }

  /** Show the drawing requested by the URL; an undo restores the old one. */
  follow({ drawing, base, centred }) {
    const { header, arrays } = this;
    this.setCentred(centred);
    let problem = "";
    try {
      this.pad.load(drawing, base && { name: base, side: header.side, values: arrays.base.slice() });
    } catch (error) {
      if (!(error instanceof BadDrawing)) throw error;
      problem = `The drawing in this link cannot be read: ${error.message}. The pad is empty.`;
      this.pad.open(EMPTY);
    }
    this.unreadable = problem !== "";
    this.url.complaint.say(problem);
  }

  /**
   * The pad shows Python's drawing, which need not be reported: the report would carry the old URL and could undo the
   * visitor's clicks since then. Python is told when a picture comes from outside. An unreadable link stays in the URL:
   * told of the empty pad, Python would remove it, as a step for *Back*.
   */
  followed() {
    const first = !this.begun;
    const { base } = this.pad.now;
    this.begun = true;
    if ((!first || this.unreadable) && derive.fitsLink(base)) this.state("drawn").note(this.settled().drawn);
  }

  // Actions of the visitor

  changed(complete) {
    this.look(complete);
    if (!complete) return;
    this.url.complaint.say("");
    say(this.words.told, "");
    if (this.begun) this.pending = [...this.pending, this.settled().drawn].slice(-PENDING);
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
    this.announce(`${drawing.words}. You can draw on it and erase it.`);
  }

  openInput(name) {
    this.opening = name;
    this.trigger("input", name);
    if (name) this.announce("You can choose a starting picture above the pad.");
  }

  forgotten() {
    this.pad.own.clear(); // the drawing on the pad, too, until a hand draws on it
    this.saySoon();
    this.announce("Your last drawings were deleted from this browser.");
    this.pad.sheet.focus();
  }

  key(event) {
    const step = derive.stepOf(event);
    if (!step || event.target === this.share.field) return;
    this.pad[step]();
    event.preventDefault();
  }

  // Storage

  keep() {
    const { pad } = this;
    if (!this.begun) return; // it has not begun: the stored state has not been read yet
    keepHere(this.toKeep());
    // Only drawings made by hand: a sample can be opened again anyway.
    if (pad.now.strokes.length && !pad.empty) this.lasts.keep(pad.now, pad.own.has(pad.now.id));
    this.saySoon();
  }

  /** The state that survives a reload. @returns {import("./memory.js").Kept} */
  toKeep() {
    const { pad, cards, centred, known, pending, header } = this;
    const pinned = cards?.pin.showing;
    const panels = cards && {
      now: shownBy(cards),
      known: header.panels,
      pinned: pinned ? { now: pinned.now, centred: pinned.prepare.centred, trained: pinned.trained } : null,
    };
    return { drawing: pad.now, history: pad.memory, centred, known, pending, panels };
  }

  /** The drawing encoded for the URL; "" if it is empty or too long. */
  get short() {
    const written = this.pad.state();
    return written.length <= this.header.longest ? written : "";
  }

  settled() {
    const { id, base, cleared = [] } = this.pad.now;
    const input = (of) => inputs.get(of) ?? "";
    // A page may skip a report if another one follows, so each contains all drawings that were cleared.
    const seen = { word: input(id), cleared: cleared.map((one) => [one.step, input(one.id)]) };
    return {
      drawn: { drawing: this.short, base: base?.name ?? null, centred: this.centred },
      seen: this.header.cards.settled ? seen : null, // otherwise each stroke would be reported twice
      ...(this.cards ? { panels: shownBy(this.cards) } : {}),
    };
  }

  /** The drawing encoded for a link; null if it does not fit. */
  drawn() {
    return this.pad.empty || derive.obstacleOf(this.pad.now, this.short) ? null : this.settled().drawn;
  }

  /** A link to the present view, made here: the page’s own URL follows a moment later. */
  link() {
    const obstacle = derive.obstacleOf(this.pad.now, this.short);
    if (obstacle) return { url: null, long: obstacle === "strokes" };
    const { left = false, ...panels } = this.cards ? panelsInLink(this.cards) : {};
    const url = new URL(this.url.link(derive.linkedOf(this.settled().drawn, panels), this.header.fields));
    url.searchParams.set("v", VERSION);
    return { url: url.href, long: false, left };
  }

  // Drawing

  layout() {
    this.pad.layout();
    this.cards?.layout();
  }

  read() {
    const { pad, centred } = this;
    return {
      drawing: pad.state(),
      base: pad.now.base?.name ?? null,
      strokes: pad.now.strokes.length,
      empty: pad.empty,
      centred,
    };
  }

  declared() {
    const { pad } = this;
    return { strokes: pad.now.strokes.length, ...this.cards?.declared() };
  }

  sayAll() {
    this.lasts.show(this.pad.now.id);
  }

  leave() {
    super.leave();
    left = this.toKeep();
    this.cards?.close();
    this.away = true;
  }
}

export default mountable(DrawingPad);
