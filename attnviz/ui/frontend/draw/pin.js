// The pin: an earlier drawing, with whose answers later ones are compared.

import { SegmentedControl } from "../hands/controls.js";
import { context2d, element, say, set, text } from "../core/dom.js";
import { pictureCanvas } from "../maps/paint.js";
import { Raster } from "../hands/raster.js";
import { decode } from "../hands/strokes.js";
import { ALL } from "./training.js";

/**
 * An earlier pin, as a question for `Cards.show`.
 * @param {{base: Base|null, strokes: Stroke[]}} now the drawing
 * @param {boolean} centred
 * @param {{drawing: string, base: string|null, centred: boolean}|null} drawn the drawing in a link; null if too long
 * @param {{canvas: number, channels: number, centres: boolean}} sheet the canvas of the drawing
 * @param {number|null} trained the stage of training of the models that answered, as in `Card`
 */
export function pinnedAgain(now, centred, drawn, { canvas, channels, centres }, trained) {
  const raster = new Raster(canvas, channels);
  raster.draw(now);
  const pictures = { values: raster.values, shape: raster.shape };
  const prepare = { centred: centred && centres };
  return { turn: 0, empty: false, settled: true, pictures, prepare, now, drawn, trained };
}

/**
 * The pin of a link.
 * @param {{base: any, drawing: string, centred: boolean}} pin
 * @param {any} sheet as for `pinnedAgain`
 * @param {{trained: number|null, pin_trained: number|null}} shown as encoded in a link
 */
export function fromLink({ base, drawing, centred }, sheet, { trained, pin_trained: then }) {
  const drawn = { drawing, base: base?.name ?? null, centred };
  const at = then === null ? trained : then === ALL ? null : then;
  return pinnedAgain({ base, strokes: decode(drawing) }, centred, drawn, sheet, at);
}

export class Pin {
  /**
   * @param {object} owner
   * @param {() => void} owner.toggle called when the button is clicked
   * @param {(change: boolean) => void} owner.compare whether maps show their difference from the pinned
   */
  constructor({ toggle, compare }) {
    /** @type {any} */
    this.showing = null; // a question of `Cards.show`; null if nothing is pinned
    this.stale = false; // whether the panels lack its answers
    this.change = false; // whether the maps show their difference from the pinned ones
    this.word = text("Pin");
    this.button = element("button.quiet.pin", { type: "button", "aria-disabled": "true", onclick: toggle }, this.word);
    this.picture = element("canvas", { role: "img", "aria-label": "The pinned drawing", hidden: true });
    this.maps = new SegmentedControl("Maps", { now: "now", change: "change since pinned" }, (which) =>
      compare(which === "change"),
    );
    this.maps.element.hidden = true;
  }

  /**
   * Pin a drawing; null removes the pin.
   * @param {any} showing
   * @param {boolean} stale whether its answers must still be requested
   */
  take(showing, stale) {
    this.showing = showing;
    this.stale = stale;
  }

  /** Enable pinning. */
  allow() {
    set(this.button, "aria-disabled", "false");
  }

  say() {
    const { showing, change } = this;
    say(this.word, showing ? "Unpin" : "Pin");
    set(this.button, "aria-pressed", String(showing !== null));
    this.maps.element.hidden = this.picture.hidden = !showing;
    this.maps.show(change ? "change" : "now");
  }

  /**
   * Draw the pinned picture as the models saw it.
   * @param {import("./card.js").Card[]} cards
   * @param {{palettes: any}|undefined} look
   */
  paint(cards, look) {
    const seen = cards.find((card) => card.pinned)?.pinned?.seen;
    if (!seen || !look) return;
    const from = pictureCanvas(seen.values, seen.shape, seen.shape[2] === 1 ? look.palettes.ink : null);
    [this.picture.width, this.picture.height] = [from.width, from.height];
    context2d(this.picture).drawImage(from, 0, 0);
  }
}
