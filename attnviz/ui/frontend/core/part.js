// What every component shares: how Streamlit mounts it, what happens when it fails, when it tells Python, and when its
// words follow its maps.

import { arrived, watch } from "./at_rest.js";
import { Chooser, REST } from "./chooser.js";
import { palettes, readTheme } from "./colours.js";
import { element, say, text } from "./dom.js";
import { atEpoch, epochNow, whenMoved } from "./epoch.js";
import { unpack } from "./payload.js";

const SOON = 20; // milliseconds between two looks at whether a view is still on its way

/**
 * Make the function that Streamlit calls on mount, when data change, and when the theme changes.
 * @param {new (parent: ShadowRoot) => Part} Kind
 */
export function mountable(Kind) {
  return ({ data, parentElement, setStateValue, setTriggerValue }) => {
    watch(); // else the beginning of the first drag would not be noticed
    arrived();
    // A remount gets the same element again, and with it what the visitor has locked.
    const part = (parentElement.attnviz ??= unseen(new Kind(parentElement)));
    part.report = setStateValue;
    part.trigger = setTriggerValue; // once: unlike a state it is gone when the page has run again
    part.guard(() => part.receive(data));
    part.followEpochs(data);
    return () => part.leave();
  };
}

/** Hide a component until its style sheet is here, which comes later than its module: shared.css shows it. */
function unseen(part) {
  Object.assign(part.root.style, { visibility: "hidden", height: 0, overflow: "hidden" });
  return part;
}

/** A component; its own class says what the methods without a body do. */
export class Part extends Chooser {
  /** @type {(() => Promise<any>)|null} fetches the module whose `files` says what can be saved */ exporting = null;
  /** @type {Theme} known with the first data */ theme;
  /** @type {Palettes} */ palettes;

  constructor() {
    super();
    /** @type {HTMLElement} that holds it all; the class itself makes it */
    this.root = /** @type {any} */ (null);
    /** @type {(name: string, value: any) => void} */
    this.trigger = () => {};
    this.data = null;
    /** @type {Record<string, any>} */
    this.arrays = {};
    /** @type {Record<string, number[]>} */
    this.shapes = {};
    /** @type {Uint8Array} by Python, last */
    this.sent = new Uint8Array();
    /** @type {import("../live/epoch_views.js").EpochViews|undefined} while a slider of epochs is followed */
    this.epochs = undefined;
    this.left = false; // whether it is unmounted
    this.live = text();
    this.toAnnounce = false;
    this.failure = element("p.failure", { hidden: true, role: "alert" }, text());
    this.liveRegion = element("div.hidden", { "aria-live": "polite", role: "status" }, this.live);
    this.relayout = () => this.guard(() => this.layout());
    this.watcher = new ResizeObserver(this.relayout);
  }

  /**
   * Put the component into the page.
   * @param {HTMLElement|ShadowRoot} parent
   * @param {string} kind the class of its root
   * @param {string} name by which lessons and tests know it
   * @param {...(Node|string)} parts
   */
  mount(parent, kind, name, ...parts) {
    const wrong = this.url ? [this.failure, this.url.complaint.element] : [this.failure];
    this.root = element(`div.attnviz.${kind}`, { "data-component": name }, ...wrong, ...parts, this.liveRegion);
    this.root.addEventListener("keydown", (event) => this.guard(() => this.key(event)));
    parent.append(this.root);
  }

  /** A key was pressed in it. @param {KeyboardEvent} _event */
  key(_event) {}

  /** @param {string|Node} words @param {() => void} act @param {string} tag @returns {HTMLButtonElement} */
  button(words, act, tag = "button.quiet") {
    return /** @type {any} */ (element(tag, { type: "button", onclick: () => this.guard(act) }, words));
  }

  /** The palette of a picture that is a drawing; null for a photograph, which has its own colours. */
  get inks() {
    return this.header.ink ? this.palettes.ink : null;
  }

  /**
   * Take what Python sent, or a view that was fetched, and draw.
   * @param {Uint8Array} bytes
   * @param {Record<string, any>} [added] to the header of a view that was fetched: the theme is still the same
   */
  receive(bytes, added) {
    this.takeNew(bytes, added);
    if (!added) this.takeColours();
    this.watch();
    this.layout(true);
  }

  /** What bytes hold. @param {Uint8Array} bytes @param {Record<string, any>} [added] @returns {Payload} */
  unpacked(bytes, added) {
    return unpack(bytes, added);
  }

  /** Take the header and the arrays, which are here now. */
  takeData() {}

  /** Fit everything to its width and paint it. @param {boolean} [_force] even if nothing has changed */
  layout(_force) {}

  /** Paint what the view shows now. */
  draw() {}

  /** Say all that stands in words. */
  sayAll() {}

  /** Run something; should it fail, one sentence stands in the component and the details go to the console. */
  guard(act) {
    try {
      act();
    } catch (error) {
      this.fail(error);
    }
  }

  /** Say that something has failed. @param {unknown} error */
  fail(error) {
    console.warn("attnviz:", error);
    this.failure.hidden = false;
    say(
      this.failure.firstChild,
      "This view could not be drawn. Reload the page; if that does not help, choose another picture or model.",
    );
  }

  /** Take what Python sent, unless that is here already: header, arrays and shapes, then `takeData()`. */
  takeNew(bytes, added) {
    if (bytes === this.data && !added) return;
    this.data = bytes;
    Object.assign(this, this.unpacked(bytes, added));
    this.takeData();
  }

  /**
   * Follow the slider of a training, if the page has one and Python says how the view of another epoch is asked for.
   * @param {Uint8Array} bytes what Python has sent
   */
  followEpochs(bytes) {
    this.sent = bytes;
    if (!this.header?.request) return;
    if (this.epochs) this.guard(() => this.epochs?.take(bytes));
    else if (epochNow()) this.fetchEpochs();
    else this.unfollow ??= whenMoved(() => this.followEpochs(this.sent));
  }

  fetchEpochs() {
    this.unfollow?.();
    this.fetchModule(import("../live/epoch_views.js"), ({ EpochViews }) => {
      this.epochs ??= new EpochViews(this);
      this.epochs.take(this.sent);
    });
  }

  /**
   * Do something with a module that is fetched when it is first wanted, unless the component has left meanwhile.
   * @template Module
   * @param {Promise<Module>} coming
   * @param {(module: Module) => void} act
   */
  async fetchModule(coming, act) {
    try {
      const module = await coming;
      if (!this.left) this.guard(() => act(module));
    } catch (error) {
      this.fail(error);
    }
  }

  /** Begin to follow the size of the window. */
  watch() {
    this.left = false;
    this.failure.hidden = true;
    this.watcher.observe(this.root);
    addEventListener("resize", this.relayout);
  }

  /** Unmounted: nothing of this may run later. */
  leave() {
    this.left = true;
    this.unfollow?.();
    for (const views of this.fetched) views.leave();
    /** @type {any} */ (this).asker?.close(); // of one that asks the live channel
    this.unfollow = this.epochs = undefined;
    clearTimeout(this.settling);
    clearTimeout(this.resting);
    cancelAnimationFrame(this.painted);
    clearTimeout(this.toSay);
    this.painted = this.toSay = undefined;
    this.watcher.disconnect();
    removeEventListener("resize", this.relayout);
  }

  /** Something was done on purpose: tell Python, and say it to those who cannot see. */
  changed() {
    this.toAnnounce = true;
    this.settle();
    this.draw();
  }

  /**
   * The width to lay out for; 0 while there is none, and where nothing has changed since the last layout.
   * @param {boolean} force even then
   */
  widthToFit(force) {
    const width = Math.floor(this.root.clientWidth);
    const size = `${width} ${innerHeight} ${devicePixelRatio}`;
    const resized = size !== this.size;
    this.size = size;
    return force || resized ? width : 0;
  }

  /**
   * Name a width for the style sheet.
   * @param {number} width
   * @param {number} middle where the middle widths begin
   * @param {number} broad where those end
   */
  nameWidth(width, middle, broad) {
    const kind = width < middle ? "narrow" : width < broad ? "middle" : "broad";
    for (const name of ["narrow", "middle", "broad"]) this.root.classList.toggle(name, name === kind);
    return kind;
  }

  /**
   * The words follow one frame behind the maps. A changed text makes the browser lay out and composite again, which
   * costs twice what all the maps cost; so the maps are on the screen before that is begun.
   */
  saySoon() {
    this.showReading();
    this.painted ??= requestAnimationFrame(() => {
      this.toSay = setTimeout(() => {
        this.painted = undefined;
        this.guard(() => this.sayAll());
      });
    });
  }

  /** What can be saved, as `filesOf` of export/export.js says it. @returns {Promise<Record<string, () => any>|null>} */
  async files() {
    return this.exporting && (await this.exporting()).files(this);
  }

  /** The same, once the answer to what is shown is here, too. @returns {Promise<any>} fails where that cannot be had */
  async filesWhenAnswered() {
    await this.files(); // their module is fetched
    if (!(await this.whenAnswered())) throw new Error("the server has not answered to what is shown");
    return this.files(); // last: of what is shown now, and not of what was when they were asked for
  }

  /** Come back once no answer or view is awaited. @returns {Promise<boolean>} whether it has come, if any was */
  async whenAnswered() {
    const lacks = () => this.left || this.fetched.some((views) => views.isLost || views.lacks);
    while (!this.isThere && !lacks()) await new Promise((done) => setTimeout(done, SOON));
    return this.isThere && !lacks() && /** @type {any} */ (/** @type {any} */ (this).asker?.whenAnswered() ?? true);
  }

  /** Views that are fetched as they are asked for. @returns {import("../live/fetched_views.js").FetchedViews[]} */
  get fetched() {
    return this.epochs ? [this.epochs] : [];
  }

  get isThere() {
    return this.fetched.every((views) => views.isThere);
  }

  /** The URL of the page that shows this. */
  get page() {
    if (this.view) return this.url.link();
    return this.header.request ? atEpoch(location.href) : location.href;
  }

  /** What tests read, made when they ask. @returns {Record<string, any>} */
  read() {
    return {};
  }

  /**
   * Values by name that a lesson can ask for: words, and numbers in full precision. DECLARED on its Python side lists
   * them.
   * @returns {Record<string, any>}
   */
  declared() {
    return {};
  }

  /** Something is drawn: tests wait for the first time, hear of each, and ask the root for what can be read. */
  showReading() {
    const { root } = this;
    if (root.dataset.drawn === undefined)
      Object.assign(root, { read: () => this.read(), declared: () => this.declared() }).dataset.drawn = "";
    root.dispatchEvent(new Event("drawn"));
  }

  /** Do something when the pointer has rested for a moment. */
  whenResting(act) {
    clearTimeout(this.resting);
    this.resting = setTimeout(() => this.guard(act), REST);
  }

  /** Take the colours of Streamlit's theme. @returns {boolean} whether they are other ones */
  takeColours() {
    const theme = readTheme(this.root);
    if (JSON.stringify(theme) === JSON.stringify(this.theme)) return false;
    this.theme = theme;
    this.palettes = palettes(theme);
    return true;
  }

  /** Say something to those who cannot see. */
  announce(words) {
    say(this.live, words);
  }

  /** Say what something done on purpose has led to, once, to those who cannot see. @param {() => string} words */
  announceDone(words) {
    if (this.toAnnounce) this.announce(words());
    this.toAnnounce = false;
  }
}
