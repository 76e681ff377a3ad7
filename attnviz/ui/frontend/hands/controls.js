// Choices as segmented radio groups, and the quiet buttons: PNG, SVG, CSV, copy, link.

import { isSettled, NotShown, settled } from "../core/at_rest.js";
import { element } from "../core/dom.js";

const WAITING = "waiting\u2026";
const SLOW = 200; // milliseconds after which a button says that it waits
const DONE = 2000; // milliseconds that a button says what it has done

let groups = 0;

/** One choice among a few: native radio buttons, so arrow keys and screen readers know them. */
export class SegmentedControl {
  /**
   * @param {string|Node} title
   * @param {Object<string, string>} choices value -> words
   * @param {(value: string) => void} chosen
   */
  constructor(title, choices, chosen) {
    const name = `attnviz-${groups++}`;
    this.inputs = Object.keys(choices).map((value) =>
      element("input", { type: "radio", name, value, onchange: () => chosen(value) }),
    );
    this.labels = Object.values(choices).map((words, i) => element("label", {}, this.inputs[i], words));
    this.element = element("fieldset", {}, element("legend", {}, title), element("div.segments", {}, ...this.labels));
  }

  /**
   * Show what is chosen.
   * @param {string} value
   * @param {string[]} hidden choices that there are not
   * @param {string[]} disabled choices that make no sense beside another one: they keep their room
   */
  show(value, hidden = [], disabled = []) {
    this.inputs.forEach((input, i) => {
      input.checked = input.value === value;
      input.disabled = disabled.includes(input.value);
      this.labels[i].hidden = hidden.includes(input.value);
    });
  }
}

/**
 * The buttons of a component: they save what it shows and, where its view stands in the URL, copy a link to it.
 * @param {object} part
 * @param {() => Promise<any>} part.filesWhenAnswered
 * @param {import("../core/url_view.js").UrlView} [part.url]
 * @param {(words: string) => void} part.announce
 * @param {Record<string, () => string>} [texts] words -> the text to copy
 * @param {string[]} [names] of the files
 */
export function saversOf(part, texts = { link: () => part.url?.link() ?? "" }, names = undefined) {
  return new Savers(
    () => part.filesWhenAnswered(),
    texts,
    (happened) => part.announce(happened),
    names,
  );
}

/**
 * The buttons that save and share. Each does its work when clicked, or as soon as the view that was asked for is there,
 * so that name, link and data are of one view. It says so for a moment, and where a text cannot be
 * copied (no clipboard over plain http) shows it selected instead.
 */
export class Savers {
  /**
   * @param {() => Promise<Record<string, () => any>>} load words -> saves a file, once what was asked for is there; its
   *   module is fetched when it is first wanted
   * @param {Record<string, () => string>} texts words -> the text to copy
   * @param {(words: string) => void} tell says what happened
   * @param {string[]} names of the files
   */
  constructor(load, texts, tell, names = ["PNG", "SVG", "CSV"]) {
    this.load = load;
    this.tell = tell;
    this.field = element("input.copied", {
      type: "text",
      readonly: true,
      hidden: true,
      "aria-label": "Copy this text",
    });
    this.field.addEventListener("blur", () => (this.field.hidden = true));
    const button = (words, act, done) => {
      const made = element("button.quiet", { type: "button", onclick: () => this.run(made, words, act, done) }, words);
      return made;
    };
    this.element = element(
      "span.end",
      {},
      this.field,
      ...names.map((name) => button(name, (ready) => this.save(name, ready), "saved")),
      ...Object.entries(texts).map(([words, write]) => button(words, () => this.copy(write()), "copied")),
    );
  }

  async run(button, words, act, done) {
    let said = done;
    const wait = () => {
      button.textContent = WAITING;
      this.tell(`${words}: waiting for the view that was asked for.`);
    };
    /** @type {ReturnType<typeof setTimeout>|undefined} */
    let slow;
    if (isSettled()) slow = setTimeout(wait, SLOW);
    else wait();
    try {
      await settled();
      if ((await act(() => clearTimeout(slow))) === false) said = "selected: copy it";
    } catch (error) {
      console.warn(error);
      said = error instanceof NotShown ? "not possible: reload the page" : "not possible";
    }
    clearTimeout(slow);
    this.tell(`${words}: ${said}.`);
    button.textContent = said;
    clearTimeout(button.saying);
    button.saying = setTimeout(() => (button.textContent = words), DONE);
  }

  /** @param {string} name of a file @param {() => void} ready is called once nothing is awaited any more */
  async save(name, ready) {
    let files = await this.load();
    while (!isSettled()) {
      await settled(); // the URL has changed meanwhile
      files = await this.load();
    }
    ready();
    return files[name]();
  }

  /** @returns {Promise<boolean>} whether it was copied; else it is shown, selected */
  async copy(written) {
    try {
      await navigator.clipboard.writeText(written);
      return true;
    } catch {
      this.field.hidden = false;
      this.field.value = written;
      this.field.select();
      return false;
    }
  }
}
