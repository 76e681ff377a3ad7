// Choices as segmented radio groups, and the quiet buttons: PNG, SVG, CSV, copy, link.

import { isSettled, NotShown, settled } from "../core/at_rest.js";
import { element } from "../core/dom.js";

const WAITING = "waiting\u2026";
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
 * What can be saved by a module that is fetched when it is first wanted.
 * @param {() => Promise<Record<string, () => any>>} load words -> saves a file
 * @param {string[]} names the words
 */
export function whenWanted(load, names = ["PNG", "SVG", "CSV"]) {
  const wanted = async (/** @type {string} */ name) => {
    const files = await load();
    await settled(); // the URL may have changed meanwhile
    return files[name]();
  };
  return Object.fromEntries(names.map((name) => [name, () => wanted(name)]));
}

/**
 * The buttons of a component whose view stands in the URL: they save it, and copy a link to it.
 * @param {object} part
 * @param {() => Promise<any>} part.filesWhenAnswered
 * @param {import("../core/url_view.js").UrlView} part.url
 * @param {(words: string) => void} part.announce
 */
export function saversOf(part) {
  return new Savers(
    whenWanted(() => part.filesWhenAnswered()),
    { link: () => part.url.link() },
    (happened) => part.announce(happened),
  );
}

/**
 * The buttons that save and share. Each does its work when clicked, or as soon as the view that was asked for is there,
 * so that name, link and data are of one view. It says so for a moment, and where a text cannot be
 * copied (no clipboard over plain http) shows it selected instead.
 */
export class Savers {
  /**
   * @param {Record<string, () => Promise<void>|void>} files words -> saves a file
   * @param {Record<string, () => string>} texts words -> the text to copy
   * @param {(words: string) => void} tell says what happened
   */
  constructor(files, texts, tell) {
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
      ...Object.entries(files).map(([words, save]) => button(words, save, "saved")),
      ...Object.entries(texts).map(([words, write]) => button(words, () => this.copy(write()), "copied")),
    );
  }

  async run(button, words, act, done) {
    let said = done;
    try {
      if (!isSettled()) {
        button.textContent = WAITING;
        this.tell(`${words}: waiting for the view that was asked for.`);
        await settled();
      }
      if ((await act()) === false) said = "selected: copy it";
    } catch (error) {
      console.warn(error);
      said = error instanceof NotShown ? "not possible: reload the page" : "not possible";
    }
    this.tell(`${words}: ${said}.`);
    button.textContent = said;
    clearTimeout(button.saying);
    button.saying = setTimeout(() => (button.textContent = words), DONE);
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
