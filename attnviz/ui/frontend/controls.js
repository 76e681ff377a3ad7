// Choices as segmented radio groups, and the quiet buttons: PNG, SVG, CSV, copy, link.

import { element } from "./dom.js";

let groups = 0;

/** One choice among a few: native radio buttons, so arrow keys and screen readers know them. */
export class Segments {
  /**
   * @param {string} title
   * @param {Object<string, string>} choices value -> words
   * @param {function(string)} chosen
   */
  constructor(title, choices, chosen) {
    const name = `attnviz-${groups++}`;
    this.inputs = Object.keys(choices).map((value) => element("input", { type: "radio", name, value, onchange: () => chosen(value) }));
    this.labels = Object.values(choices).map((words, i) => element("label", {}, this.inputs[i], words));
    this.element = element("fieldset", {}, element("legend", {}, title), element("div.segments", {}, ...this.labels));
  }

  /** Show what is chosen. @param {string} value @param {string[]} hidden choices that make no sense now */
  show(value, hidden = []) {
    this.inputs.forEach((input, i) => {
      input.checked = input.value === value;
      this.labels[i].hidden = hidden.includes(input.value);
    });
  }
}

/**
 * The buttons that save and share. Each does its work when clicked, says so for a moment, and where a text cannot be
 * copied (no clipboard over plain http) shows it selected instead.
 */
export class Savers {
  /**
   * @param {Object<string, function(): (Promise<void>|void)>} files words -> saves a file
   * @param {Object<string, function(): string>} texts words -> the text to copy
   * @param {function(string)} tell says what happened
   */
  constructor(files, texts, tell) {
    this.tell = tell;
    this.field = element("input.copied", { type: "text", readonly: true, hidden: true, "aria-label": "Copy this text" });
    this.field.addEventListener("blur", () => (this.field.hidden = true));
    const button = (words, act) => element("button.quiet", { type: "button", onclick: () => this.run(words, act) }, words);
    this.element = element("span.end", {}, this.field,
      ...Object.entries(files).map(([words, save]) => button(words, save)),
      ...Object.entries(texts).map(([words, write]) => button(words, () => this.copy(write()))));
  }

  async run(words, act) {
    try {
      await act();
      this.tell(`${words}: done.`);
    } catch (error) {
      console.warn(error);
      this.tell(`${words}: this browser could not do that.`);
    }
  }

  async copy(written) {
    try {
      await navigator.clipboard.writeText(written);
    } catch {
      this.field.hidden = false;
      this.field.value = written;
      this.field.select();
    }
  }
}
