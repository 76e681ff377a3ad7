// The Jacobian of the shown answer in place of a map: one map per channel of the picture. It is requested over the live
// channel on first use; Python chooses its subject (attnviz/ui/live/jacobian_map.py).

import { element, grown } from "../core/dom.js";
import { Complaint } from "../core/complaint.js";
import { unpack } from "../core/payload.js";
import { HINTS } from "../hands/hints.js";
import { Asker } from "../live/asker.js";
import { MapGrid } from "../map_grid/map_grid.js";

const LINE = 16; // pixels of the design
const LOST = "The live connection is lost. The Jacobian is shown as soon as it is back.";

/** @typedef {{checkpoint: string, picture: {data: string, number: number}, missing: string|null}} Asked */

/** The Jacobian of one answer at a time; that of another picture is never shown. */
export class Jacobian {
  /**
   * @param {HTMLElement} node the container
   * @param {{guard: (act: () => void) => void, page: string}} viewer reports failures and provides the URL
   */
  constructor(node, viewer) {
    this.viewer = viewer;
    const guard = (act) => viewer.guard(act);
    this.complaint = new Complaint();
    // While a Jacobian is shown, the state of the connection does not matter.
    const say = (sentence) => !this.reading && this.complaint.say(sentence);
    this.side = 0;
    this.asker = new Asker({ guard, complaint: { say }, lost: LOST });
    this.holder = element("div");
    /** @type {MapGrid|null} */
    this.grid = null;
    this.element = element("div.jacobian", { hidden: true }, this.complaint.element, this.holder);
    Object.assign(this.element, { readJacobian: () => this.reading }); // for tests
    node.append(this.element);
  }

  /**
   * Show the Jacobian of this model and picture.
   * @param {Asked} asked
   * @param {number} side width of the map that it replaces, CSS pixels
   */
  show(asked, side) {
    this.element.hidden = false;
    this.side = side;
    const key = JSON.stringify([asked.checkpoint, asked.picture]);
    if (key === this.key) return this.grid?.refresh();
    this.key = key;
    this.reading = null;
    this.holder.hidden = true;
    this.complaint.say(asked.missing ?? "");
    if (asked.missing) return undefined;
    this.ask(asked, false);
    return undefined;
  }

  /** @param {Asked} asked @param {boolean} steps whether to include small steps if there is no derivative: slow */
  ask(asked, steps) {
    const view = { derived: "jacobian_view", parameters: { steps } };
    const asks = [{ checkpoint: asked.checkpoint, wanted: { view } }];
    this.asker.ask(this.key, { pictures: [asked.picture], asks }, (answer) => {
      this.take(answer);
      if (!answer.error && !steps && this.reading?.maps.some(Number.isNaN)) this.ask(asked, true);
      else this.asker.rest();
    });
  }

  /** Resolve once the requested Jacobian is shown: saving its maps waits for it. */
  whenAnswered() {
    return this.asker.whenAnswered();
  }

  /** The URL of the page that shows it. */
  get page() {
    return this.viewer.page;
  }

  /** Hide it and release the connection; a late answer is ignored. */
  hide() {
    this.element.hidden = true;
    this.asker.close();
    if (!this.reading) this.key = null;
  }

  /** Show an answer. */
  take({ error, arrays }) {
    if (error) {
      this.key = null; // requested again when it is next shown
      return;
    }
    const { header, arrays: values, shapes } = unpack(arrays.view);
    const single = header.labels.length === 1;
    this.reading = { answer: header.origin.answer, maps: [...values.maps], shape: shapes.maps };
    // A single map is as wide as the map that it replaces, but has one more line of words below it.
    this.grid ??= new MapGrid(this.holder, {
      hint: HINTS.read,
      owner: this,
      widthOfTile: (_, beside) => (beside === 1 ? this.side - LINE * grown() : undefined),
    });
    this.holder.hidden = false;
    this.element.classList.toggle("one-map", single); // which needs no caption
    delete values.background; // the picture is next to it already
    this.grid.show(values, {
      header: { ...header, chosen: null, fixed: true, captions: single ? [""] : header.captions },
      arrays: values,
      shapes,
    });
  }

  leave() {
    this.hide();
    this.grid?.leave();
  }
}
