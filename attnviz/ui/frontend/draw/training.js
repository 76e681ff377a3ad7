// How far the models of the draw page are trained: one slider for all that have a history, each with its own epochs.

import { element, say, set, text } from "../core/dom.js";

export const ALL = 100; // percent of the saved epochs

/**
 * The saved epochs of a model, ascending; empty without a history.
 * @typedef {[epoch: number, net: string][]} Epochs
 */

/**
 * The saved epoch at a stage of a model's training.
 * @param {Epochs} epochs
 * @param {number|null} trained percent of its epochs; null for the fully trained model
 */
export function placeOf(epochs, trained) {
  return Math.round(((trained ?? ALL) / ALL) * (epochs.length - 1));
}

/** The words for a model that is not fully trained; otherwise "". @param {Epochs} epochs */
export function wordsOf(epochs, trained) {
  const place = placeOf(epochs, trained);
  if (place === epochs.length - 1 || !epochs.length) return "";
  const [epoch] = epochs[place];
  return epoch === 0 ? "before training" : `epoch ${epoch} of ${epochs[epochs.length - 1][0]}`;
}

export class Training {
  /**
   * @param {object} owner
   * @param {(trained: number|null) => void} owner.moved called while it is moved
   * @param {() => void} owner.settled called on release
   */
  constructor({ moved, settled }) {
    this.words = text();
    this.input = element("input", {
      type: "range",
      min: 0,
      step: 1,
      "aria-label": "How far the models are trained",
      oninput: () => moved(this.value),
      onchange: settled,
    });
    this.element = element("label.training", { hidden: true }, "Training", element("span", {}, this.words), this.input);
  }

  /** Percent of the epochs; null for fully trained models. */
  get value() {
    const most = Number(this.input.max);
    const part = Math.round((ALL * Number(this.input.value)) / most);
    return part === ALL ? null : part;
  }

  /**
   * Show how far they are trained and how many have a history; hidden if none has.
   * @param {Epochs[]} each those of each model with a card
   * @param {number|null} trained
   */
  show(each, trained) {
    const counts = each.map((epochs) => epochs.length).filter((count) => count > 1);
    this.element.hidden = !counts.length;
    if (!counts.length) return;
    const most = Math.max(...counts) - 1;
    this.input.max = String(most);
    this.input.value = String(Math.round((most * (trained ?? ALL)) / ALL));
    const far = trained === 0 ? "before it" : `${trained} % of the way`;
    const words = trained === null ? "as trained" : `${far}, in ${counts.length} of ${each.length} models`;
    say(this.words, words);
    set(this.input, "aria-valuetext", words);
  }
}
