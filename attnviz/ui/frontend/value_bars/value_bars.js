// A bar per channel, which can be read with pointer and keys, and saved as a picture and as numbers. Python's
// side is attnviz/ui/components/value_bars.py.

import { element, grown, say, text } from "../core/dom.js";
import { mountable, Part } from "../core/part.js";
import { saversOf } from "../hands/controls.js";
import { BarStrip } from "../maps/bar_strip.js";
import { spanOf } from "../maps/bars.js";
import { inWords, summaryOf } from "./derive.js";

const HIGH = 160; // pixels of the design

export class ValueBars extends Part {
  exporting = () => import("./export.js");
  // Everything below arrives with the first data
  /** @type {BarStrip} */ strip;
  /** @type {{low: number, high: number}} */ span;

  constructor(parent) {
    super();
    this.chosen = 0;
    this.looked = -1;
    this.words = { title: text(), how: text(), summary: text() };
    this.room = element("div");
    this.savers = saversOf(this, {});
    this.mount(
      parent,
      "value-bars",
      "value_bars",
      element("h2", {}, this.words.title, element("small", {}, this.words.how), this.savers.element),
      this.room,
      element("p.summary", {}, this.words.summary),
    );
  }

  takeData() {
    const { header, arrays } = this;
    this.chosen = Math.min(this.chosen, header.names.length - 1);
    this.looked = -1;
    this.span = spanOf(header.range, arrays.values);
    const act = (what) => (bar) => this.guard(() => what.call(this, bar));
    this.strip = new BarStrip({ label: header.title, look: act(this.look), choose: act(this.choose) });
    this.room.replaceChildren(this.strip.element);
  }

  look(bar) {
    if (bar === this.looked) return;
    this.looked = bar;
    this.draw();
  }

  choose(bar) {
    this.chosen = bar;
    this.changed();
  }

  layout(force = false) {
    const width = this.widthToFit(force);
    if (!width || !this.strip) return;
    this.strip.layout({ count: this.header.names.length, width, height: HIGH * grown(), ...this.span });
    this.draw();
  }

  draw() {
    const { strip, arrays, chosen, looked, theme } = this;
    strip.draw({ values: arrays.values, marks: arrays.marks, chosen, looked: looked < 0 ? null : looked }, theme);
    this.saySoon();
  }

  read() {
    const { header, arrays, chosen, looked, span } = this;
    return { values: [...arrays.values], names: header.names, chosen, looked, ...span };
  }

  sayAll() {
    const { words, header, chosen, looked, strip } = this;
    say(words.title, header.title);
    say(words.how, inWords(this, looked < 0 ? chosen : looked));
    say(words.summary, summaryOf(this));
    strip.say(chosen, inWords(this, chosen));
    this.announceDone(() => inWords(this, chosen));
  }
}

export default mountable(ValueBars);
