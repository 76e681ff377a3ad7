// The steps of one pixel through a layer, in numbers: one line per step, each with its arithmetic.

import { element, say, set, text } from "../core/dom.js";
import { column, full, short } from "../core/numbers.js";

/** The steps: tap, readable name, operation. */
export const STEPS = [
  ["x_product", "x product", "input \u00d7 x weight"],
  ["x_relevance", "x relevance", "softmax along the row"],
  ["y_product", "y product", "input \u00d7 y weight"],
  ["y_relevance", "y relevance", "softmax along the column"],
  ["relevance", "relevance", "x relevance \u00d7 y relevance"],
  ["normed_relevance", "normed", "(relevance \u2212 mean) \u00f7 \u221a(variance + eps)"],
  ["attended", "before conv", "input \u00d7 normed relevance"],
  ["after_conv", "after conv", "sum over the neighbours in every map of every head, plus a bias if there is one"],
  ["before_norm", "after skip", "plus the input, if there is a skip connection"],
  ["after_norm", "after norm", "minus the mean, divided by the standard deviation, if there is a norm"],
  ["output", "after ReLU", "below zero becomes 0"],
];

/**
 * The arithmetic of each step in words.
 * @param {ReturnType<typeof import("./stages.js").pixelSteps>} found
 * @returns {Object<string, {sum: string, value: number}>}
 */
export function arithmetic(found) {
  const { input, x, y, norm, outputNorm, conv } = found;
  const n = (value) => short(value, 3);
  const signed = (value) => (value < 0 ? `\u2212 ${n(-value)}` : `+ ${n(value)}`);
  const normed = (value, { mean, variance, eps, scale, shift }) =>
    `(${short(value)} ${mean < 0 ? "+" : "\u2212"} ${short(Math.abs(mean))})\n\u00f7 ` +
    `\u221a(${short(variance, 2)} + ${short(eps, 2)})` +
    (scale === null ? "" : ` \u00d7 ${n(scale)}`) +
    (shift === null ? "" : ` ${signed(shift)}`);
  return {
    x_product: { sum: `${n(input)} \u00d7 ${n(x.weight)}`, value: x.product },
    x_relevance: { sum: `e^${n(x.product)} \u00f7 ${short(x.sum)}`, value: x.share },
    y_product: { sum: `${n(input)} \u00d7 ${n(y.weight)}`, value: y.product },
    y_relevance: { sum: `e^${n(y.product)} \u00f7 ${short(y.sum)}`, value: y.share },
    relevance: { sum: `${n(x.share)} \u00d7 ${n(y.share)}`, value: found.relevance },
    normed_relevance: {
      sum: found.replaced
        ? "replaced"
        : norm
          ? normed(found.relevance, norm)
          : found.factor === null || found.factor === 1
            ? "as it is"
            : `${short(found.relevance)} \u00d7 ${short(found.factor)}`,
      value: found.normed,
    },
    attended: { sum: found.off ? "this head is off" : `${n(input)} \u00d7 ${n(found.normed)}`, value: found.attended },
    after_conv: {
      sum: `${conv.maps} \u00d7 ${conv.cells.length} terms${conv.bias === null ? "" : ` ${signed(conv.bias)}`}`,
      value: found.afterConv,
    },
    before_norm: { sum: found.skip ? `${n(found.afterConv)} ${signed(input)}` : "no skip", value: found.beforeNorm },
    after_norm: { sum: outputNorm ? normed(found.beforeNorm, outputNorm) : "no norm here", value: found.afterNorm },
    output: { sum: `max(0, ${n(found.afterNorm)})`, value: found.output },
  };
}

/** The panel. All its nodes are made once; while the pointer moves, only texts and colours change. */
export class StepsPanel {
  constructor() {
    this.how = text();
    this.big = { from: text(), to: text() };
    this.sums = {};
    this.values = {};
    this.names = {};
    this.rows = STEPS.map(([tap, name, doing]) => {
      [this.sums[tap], this.values[tap], this.names[tap]] = [text(), text(), text(name)];
      return element(
        `div.step.${tap}`,
        { role: "row", title: doing },
        element("span.name", { role: "rowheader" }, this.names[tap]),
        element("span.sum", { role: "cell" }, this.sums[tap]),
        element("span.value", { role: "cell" }, this.values[tap]),
      );
    });
    this.windowCells = [];
    this.window = element("div.window", { role: "img" });
    this.windowHow = text();
    this.headRows = element("tbody");
    this.perHead = element(
      "details",
      { ontoggle: () => this.sayHeads() },
      element("summary", {}, "contribution of each head"),
      element("table", {}, this.headRows),
    );
    const conv = this.rows.findIndex((row) => row.classList.contains("after_conv"));
    const table = element(
      "div.steps",
      { role: "table", "aria-label": "One pixel, step by step" },
      ...this.rows.slice(0, conv + 1),
    );
    const rest = element(
      "div.steps",
      { role: "table", "aria-label": "One pixel, from the convolution on" },
      ...this.rows.slice(conv + 1),
    );
    this.element = element(
      "section.pixel-steps",
      { "aria-label": "One pixel, step by step" },
      element("h2", {}, "One pixel, step by step"),
      element("p.how", {}, this.how),
      element(
        "p.big",
        {},
        element("span", {}, this.big.from),
        element("i", { "aria-hidden": "true" }, " \u2192 "),
        element("strong", {}, this.big.to),
      ),
      table,
      element("div.neighbours", {}, this.window, element("div", {}, element("p", {}, this.windowHow), this.perHead)),
      rest,
    );
  }

  /**
   * Show the steps of a pixel.
   * @param {ReturnType<typeof import("./stages.js").pixelSteps>} found
   * @param {{where: string, step: string|null, kernel: number, colour: (value: number) => string}} more
   *   step: the tap of the selected map
   */
  say(found, { where, step, kernel, colour }) {
    this.found = found;
    say(this.how, where);
    say(this.big.from, short(found.input, 3));
    say(this.big.to, short(found.output, 3));
    const written = arithmetic(found);
    STEPS.forEach(([tap], i) => {
      say(this.sums[tap], written[tap].sum);
      say(this.values[tap], column3(written[tap].value));
      this.rows[i].classList.toggle("on", tap === step);
    });
    say(
      this.names.normed_relevance,
      found.norm ? "normed" : found.factor === 1 || found.replaced ? "relevance" : "\u00d7 positions",
    );
    this.sayWindow(found.conv, kernel, colour);
    if (this.perHead.open) this.sayHeads();
  }

  sayWindow({ cells }, kernel, colour) {
    if (this.windowCells.length !== cells.length) {
      this.windowCells = cells.map(() => ({ node: text(), box: null }));
      for (const cell of this.windowCells) cell.box = element("span", { "aria-hidden": "true" }, cell.node);
      this.window.style.gridTemplateColumns = `repeat(${kernel}, 1fr)`;
      this.window.replaceChildren(...this.windowCells.map(({ box }) => box));
    }
    const most = Math.max(0, ...cells.filter((value) => !Number.isNaN(value)).map(Math.abs)) || 1;
    cells.forEach((value, i) => {
      const { node, box } = this.windowCells[i];
      say(node, Number.isNaN(value) ? "" : short(value, 2));
      box.style.background = Number.isNaN(value) ? "transparent" : colour((0.35 * value) / most);
      box.classList.toggle("strong", Math.abs(value) > 0.6 * most);
      box.classList.toggle("outside", Number.isNaN(value));
    });
    set(
      this.window,
      "aria-label",
      `What each of the ${cells.length} neighbours adds, summed over all heads: ` +
        `${cells.map((value) => (Number.isNaN(value) ? "outside" : short(value, 2))).join(", ")}.`,
    );
    say(this.windowHow, "What each neighbour adds, summed over all heads.");
  }

  /** Show the parts of the heads, if they are open. */
  sayHeads() {
    if (!this.found || !this.perHead.open) return;
    const { heads } = this.found.conv;
    if (this.headCells?.length !== heads.length) {
      this.headCells = heads.map(() => text());
      this.headRows.replaceChildren(
        ...this.headCells.map((cell, head) =>
          element("tr", {}, element("th", { scope: "row" }, `head ${head + 1}`), element("td", {}, cell)),
        ),
      );
    }
    const cells = this.headCells;
    heads.forEach(({ sum }, head) => say(cells[head], short(sum, 3)));
  }
}

/** The steps in full precision, as lines of "name<tab>arithmetic<tab>value". */
export function stepLines(found) {
  const { input, x, y, norm, factor, conv, outputNorm } = found;
  const plain = (it) =>
    it === null
      ? []
      : Object.entries(it)
          .filter(([, value]) => value !== null)
          .map(([name, value]) => `${name} ${full(value)}`);
  const lines = [
    ["input", "", input],
    ["x weight", "", x.weight],
    ["x product", "input times x weight", x.product],
    ["sum over the row", "of e^product", x.sum],
    ["x relevance", "e^product over the sum", x.share],
    ["y weight", "", y.weight],
    ["y product", "input times y weight", y.product],
    ["sum over the column", "of e^product", y.sum],
    ["y relevance", "e^product over the sum", y.share],
    ["relevance", "x times y relevance", found.relevance],
    [
      "normed relevance",
      found.replaced ? "replaced" : norm ? plain(norm).join(", ") : `times ${full(factor)}`,
      found.normed,
    ],
    ["attended", found.off ? "the head is off" : "input times normed relevance", found.attended],
    ...conv.cells.map((value, i) => [`neighbour ${i + 1}`, "over all heads", value]),
    ...conv.heads.map(({ sum }, head) => [`head ${head + 1}`, "over its neighbours", sum]),
    ...(conv.bias === null ? [] : [["bias", "", conv.bias]]),
    ["after conv", "", found.afterConv],
    ["after skip", found.skip ? "plus the input" : "no skip", found.beforeNorm],
    ["after norm", outputNorm ? plain(outputNorm).join(", ") : "no norm", found.afterNorm],
    ["after ReLU", outputNorm ? "max(0, after norm)" : "max(0, after skip)", found.output],
  ];
  return lines.map(([name, how, value]) => [name, how, full(value)].join("\t"));
}

function column3(value) {
  return Math.abs(value) < 0.01 && value !== 0 ? short(value, 3) : column(value);
}
