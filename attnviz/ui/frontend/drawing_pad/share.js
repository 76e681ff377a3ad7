// Saving and opening a drawing: a link, a PNG, the strokes as JSON.

import { Savers } from "../hands/controls.js";
import { NotShown, settled } from "../core/at_rest.js";
import { element } from "../core/dom.js";
import { BadDrawing, fromJson } from "../hands/strokes.js";

const LARGEST = 4 << 20; // maximum number of characters read from a file
const TOO_LONG = "This drawing is too long for a link. Save it as JSON instead: the file contains it exactly.";
const PIN_LEFT = " The pinned drawing does not fit into it.";
const NOT_IN_LINK =
  "The picture under the strokes does not fit into a link. Save the drawing as JSON instead: the file contains " +
  "it exactly.";

export class PadShare extends Savers {
  /**
   * @param {object} owner
   * @param {() => {base: Base|null, strokes: Stroke[]}} owner.drawing the drawing on the pad
   * @param {() => import("../live/live.js").Values} owner.raster its pixels
   * @param {() => {url: string|null, long: boolean, left?: boolean}} owner.link a link to it, or null if there cannot
   *   be one
   * @param {(drawing: {base: Base|null, strokes: Stroke[]}) => void} owner.open shows a drawing from a file
   * @param {(words: string) => void} owner.say shows a sentence; "" removes it
   */
  constructor(owner) {
    super(async () => (await import("./export.js")).files(owner), {}, owner.say, ["PNG", "JSON"]);
    this.owner = owner;
    this.file = element("input", {
      type: "file",
      accept: ".json,application/json",
      hidden: true,
      "aria-label": "A drawing saved as JSON",
      onchange: () => this.read(),
    });
    const button = (words, title, act) => element("button.quiet", { type: "button", title, onclick: act }, words);
    this.field.before(button("Copy link", "The URL of this page with the drawing in it", () => this.copyLink()));
    this.element.append(
      button("Open JSON", "A drawing that was saved as JSON", () => this.file.click()),
      this.file,
    );
  }

  async copyLink() {
    try {
      await settled();
    } catch (error) {
      if (!(error instanceof NotShown)) throw error;
      this.tell(`There is no link: ${error.message}.`);
      return;
    }
    const { url, long, left } = this.owner.link();
    if (url === null) {
      this.tell(long ? TOO_LONG : NOT_IN_LINK);
      return;
    }
    await this.copy(url);
    this.tell(
      this.field.hidden
        ? `Link copied.${left ? PIN_LEFT : ""}`
        : "This browser does not let pages copy. The link is selected: copy it from there.",
    );
  }

  async read() {
    const [file] = this.file.files ?? [];
    this.file.value = ""; // so that the same file can be chosen again
    if (!file) return;
    try {
      if (file.size > LARGEST) throw new BadDrawing("it is larger than 4 MB");
      this.owner.open(fromJson(await file.text()));
      this.tell("");
    } catch (error) {
      const why = error instanceof BadDrawing ? error.message : "it cannot be read";
      this.tell(`${file.name} is not a drawing of this app: ${why}. The pad stays as it is.`);
    }
  }
}
