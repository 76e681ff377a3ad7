// Choices as segmented radio groups, and the plain buttons: PNG, SVG, CSV, copy, link.

import { isSettled, NotShown, settled } from "../core/at_rest.js";
import { element } from "../core/dom.js";

const WAITING = "waiting\u2026";
const SLOW = 200; // milliseconds after which a button shows that it is waiting
const DONE = 2000; // milliseconds for which a button confirms its action

let groups = 0;

/** A choice among a few options: native radio buttons, which support arrow keys and screen readers. */
export class SegmentedControl {
  /**
   * @param {string|Node} title
   * @param {Object<string, string>} choices value -> label
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
   * Show the choice.
   * @param {string} value
   * @param {string[]} hidden unavailable choices
   * @param {string[]} disabled choices that make no sense next to another one: they keep their space
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
 * The buttons of a component: they save its contents and, if its view stands in the URL, copy a link to it.
 * @param {object} part
 * @param {() => Promise<any>} part.filesWhenAnswered
 * @param {import("../core/url_view.js").UrlView} [part.url]
 * @param {(words: string) => void} part.announce
 * @param {Record<string, () => string>} [texts] label -> the text to copy
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
 * The buttons that save and share. Each acts when clicked, or as soon as the requested view has arrived, so that name,
 * link and data belong to the same view. It confirms this for a moment; if a text cannot be copied (no clipboard over
 * plain http), it is shown selected.
 */
export class Savers {
  /**
   * @param {() => Promise<Record<string, () => any>>} load label -> saves a file, once the requested view has arrived;
   *   the module is fetched on first use
   * @param {Record<string, () => string>} texts label -> the text to copy
   * @param {(words: string) => void} tell announces the result
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

  /** @param {string} name of a file @param {() => void} ready called once nothing is pending */
  async save(name, ready) {
    let files = await this.load();
    while (!isSettled()) {
      await settled(); // the URL may have changed meanwhile
      files = await this.load();
    }
    ready();
    return files[name]();
  }

  /** @returns {Promise<boolean>} whether it was copied; otherwise it is shown selected */
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
