// The base of every component: how Streamlit mounts it, how it fails, when it reports to Python, and when its words
// follow its maps.

import { arrived, watch } from "./at_rest.js";
import { Chooser, REST } from "./chooser.js";
import { palettes, readTheme } from "./colours.js";
import { element, say, text } from "./dom.js";
import { atEpoch, epochNow, whenMoved } from "./epoch.js";
import { unpack } from "./payload.js";

const SOON = 20; // milliseconds between two checks for a view that is on its way

/**
 * Make the function that Streamlit calls on mount, on new data, and on a change of theme.
 * @param {new (parent: ShadowRoot) => Part} Kind
 */
export function mountable(Kind) {
  return ({ data, parentElement, setStateValue, setTriggerValue }) => {
    watch(); // otherwise the start of the first drag would be missed
    arrived();
    // A remount gets the same element again, and with it the visitor's locks.
    const part = (parentElement.attnviz ??= unseen(new Kind(parentElement)));
    part.report = setStateValue;
    part.trigger = setTriggerValue; // sent once: unlike a state, it is gone after the next run
    part.guard(() => part.receive(data));
    part.followEpochs(data);
    return () => part.leave();
  };
}

/** Hide a component until shared.css, which loads after its module, shows it. */
function unseen(part) {
  Object.assign(part.root.style, { visibility: "hidden", height: 0, overflow: "hidden" });
  return part;
}

/** A component; its own class implements the methods that have no body here. */
export class Part extends Chooser {
  /** @type {(() => Promise<any>)|null} fetches the module that makes the files to save */ exporting = null;
  /** @type {Theme} known with the first data */ theme;
  /** @type {Palettes} */ palettes;

  constructor() {
    super();
    /** @type {HTMLElement} the root element, made by the class itself */
    this.root = /** @type {any} */ (null);
    /** @type {(name: string, value: any) => void} */
    this.trigger = () => {};
    this.data = null;
    /** @type {Record<string, any>} */
    this.arrays = {};
    /** @type {Record<string, number[]>} */
    this.shapes = {};
    /** @type {Uint8Array} the last data from Python */
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
   * @param {string} name the name used by lessons and tests
   * @param {...(Node|string)} parts
   */
  mount(parent, kind, name, ...parts) {
    const wrong = this.url ? [this.failure, this.url.complaint.element] : [this.failure];
    this.root = element(`div.attnviz.${kind}`, { "data-component": name }, ...wrong, ...parts, this.liveRegion);
    this.root.addEventListener("keydown", (event) => this.guard(() => this.key(event)));
    parent.append(this.root);
  }

  /** Handle a key pressed in the component. @param {KeyboardEvent} _event */
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
   * Take data from Python, or a fetched view, and draw.
   * @param {Uint8Array} bytes
   * @param {Record<string, any>} [added] entries for the header of a fetched view: the theme has not changed
   */
  receive(bytes, added) {
    this.takeNew(bytes, added);
    if (!added) this.takeColours();
    this.watch();
    this.layout(true);
  }

  /** The contents of a payload. @param {Uint8Array} bytes @param {Record<string, any>} [added] @returns {Payload} */
  unpacked(bytes, added) {
    return unpack(bytes, added);
  }

  /** Take the header and the arrays, which have been unpacked. */
  takeData() {}

  /** Fit everything to the width and paint it. @param {boolean} [_force] even if nothing has changed */
  layout(_force) {}

  /** Paint the present view. */
  draw() {}

  /** Write everything that is in words. */
  sayAll() {}

  /** Run a function; if it fails, show one sentence in the component and log the details to the console. */
  guard(act) {
    try {
      act();
    } catch (error) {
      this.fail(error);
    }
  }

  /** Show that something has failed. @param {unknown} error */
  fail(error) {
    console.warn("attnviz:", error);
    this.failure.hidden = false;
    say(
      this.failure.firstChild,
      "This view could not be drawn. Reload the page; if that does not help, choose another picture or model.",
    );
  }

  /** Take new data from Python: header, arrays and shapes, then `takeData()`. */
  takeNew(bytes, added) {
    if (bytes === this.data && !added) return;
    this.data = bytes;
    Object.assign(this, this.unpacked(bytes, added));
    this.takeData();
  }

  /**
   * Follow the slider of a training, if the page has one and Python describes how to request the view of another epoch.
   * @param {Uint8Array} bytes the payload from Python
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
   * Use a module that is fetched on first use, unless the component has been unmounted meanwhile.
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

  /** Clean up on unmount: nothing may run later. */
  leave() {
    this.left = true;
    this.unfollow?.();
    for (const views of this.fetched) views.leave();
    /** @type {any} */ (this).asker?.close(); // if it uses the live channel
    this.unfollow = this.epochs = undefined;
    clearTimeout(this.settling);
    clearTimeout(this.resting);
    cancelAnimationFrame(this.painted);
    clearTimeout(this.toSay);
    this.painted = this.toSay = undefined;
    this.watcher.disconnect();
    removeEventListener("resize", this.relayout);
  }

  /** Report a deliberate change to Python and announce it to screen readers. */
  changed() {
    this.toAnnounce = true;
    this.settle();
    this.draw();
  }

  /**
   * The width to lay out for; 0 if there is none yet, or if nothing has changed since the last layout.
   * @param {boolean} force return the width even if nothing has changed
   */
  widthToFit(force) {
    const width = Math.floor(this.root.clientWidth);
    const size = `${width} ${innerHeight} ${devicePixelRatio}`;
    const resized = size !== this.size;
    this.size = size;
    return force || resized ? width : 0;
  }

  /**
   * Name a class of widths for the style sheet.
   * @param {number} width
   * @param {number} middle the smallest middle width
   * @param {number} broad the smallest broad width
   */
  nameWidth(width, middle, broad) {
    const kind = width < middle ? "narrow" : width < broad ? "middle" : "broad";
    for (const name of ["narrow", "middle", "broad"]) this.root.classList.toggle(name, name === kind);
    return kind;
  }

  /**
   * The words follow one frame after the maps. Changed text makes the browser lay out and composite again, which costs
   * twice as much as all the maps, so the maps are painted first.
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

  /** The files to save: see `filesOf` of export/export.js. @returns {Promise<Record<string, () => any>|null>} */
  async files() {
    return this.exporting && (await this.exporting()).files(this);
  }

  /** The same, once the answer to the present view has arrived. @returns {Promise<any>} rejects if it is unavailable */
  async filesWhenAnswered() {
    await this.files(); // their module is fetched
    if (!(await this.whenAnswered())) throw new Error("the server has not answered to what is shown");
    return this.files(); // last: they belong to the view shown now, not to the one at the time of the request
  }

  /** Resolve once no answer or view is pending. @returns {Promise<boolean>} false if a pending one has failed */
  async whenAnswered() {
    const lacks = () => this.left || this.fetched.some((views) => views.isLost || views.lacks);
    while (!this.isThere && !lacks()) await new Promise((done) => setTimeout(done, SOON));
    return this.isThere && !lacks() && /** @type {any} */ (/** @type {any} */ (this).asker?.whenAnswered() ?? true);
  }

  /** The sources of views that are fetched on demand. @returns {import("../live/fetched_views.js").FetchedViews[]} */
  get fetched() {
    return this.epochs ? [this.epochs] : [];
  }

  get isThere() {
    return this.fetched.every((views) => views.isThere);
  }

  /** The URL of the page that shows this component. */
  get page() {
    if (this.view) return this.url.link();
    return this.header.request ? atEpoch(location.href) : location.href;
  }

  /** The state for tests, made on request. @returns {Record<string, any>} */
  read() {
    return {};
  }

  /**
   * Values for lessons, by name: words, and numbers in full precision. They are listed in DECLARED on the Python side.
   * @returns {Record<string, any>}
   */
  declared() {
    return {};
  }

  /** Announce a drawing: tests wait for the first event, receive each one, and read the state from the root. */
  showReading() {
    const { root } = this;
    if (root.dataset.drawn === undefined)
      Object.assign(root, { read: () => this.read(), declared: () => this.declared() }).dataset.drawn = "";
    root.dispatchEvent(new Event("drawn"));
  }

  /** Call a function once the pointer has rested for a moment. */
  whenResting(act) {
    clearTimeout(this.resting);
    this.resting = setTimeout(() => this.guard(act), REST);
  }

  /** Take the colours of Streamlit's theme. @returns {boolean} whether they have changed */
  takeColours() {
    const theme = readTheme(this.root);
    if (JSON.stringify(theme) === JSON.stringify(this.theme)) return false;
    this.theme = theme;
    this.palettes = palettes(theme);
    return true;
  }

  /** Announce words to screen readers. */
  announce(words) {
    say(this.live, words);
  }

  /** Announce the result of a deliberate action to screen readers, once. @param {() => string} words */
  announceDone(words) {
    if (this.toAnnounce) this.announce(words());
    this.toAnnounce = false;
  }
}
