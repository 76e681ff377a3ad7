// "This pair": the query and the key in words, the weight, and the dot product term by term.

import { MEAN } from "./attention.js";
import { element, say, set, text } from "./dom.js";
import { column, short, times } from "./numbers.js";

const ROWS = 8; // terms that fit beside the maps; the rest of a longer dot product is one row

/** The panel. All its nodes are made once; while the pointer moves only text nodes and transforms change. */
export class PairPanel {
  /** @param {function()} release called when the visitor lets go of what is locked, by button */
  constructor(release) {
    this.title = text("This pair");
    this.how = text();
    this.words = { query: text(), key: text() };
    this.big = text();
    this.aside = text();
    this.sum = { name: text(), value: text() };
    this.sentence = text();
    this.rows = Array.from({ length: ROWS }, makeRow);
    this.release = element("button.quiet", { type: "button", hidden: true, onclick: release }, "release");
    this.lines = ["query", "key"].map((role) =>
      element(`p.token.${role}`, {}, element("span.role", {}, role), element("span", {}, this.words[role])));
    this.table = element("div.terms", { role: "table", "aria-label": "The dot product, term by term" }, ...this.rows.map((row) => row.element),
      element("div.total", { role: "row" }, element("span.name", { role: "cell" }, this.sum.name), element("span.product", { role: "cell" }, this.sum.value)));
    this.element = element("section.pair", { "aria-label": "This pair" },
      element("h2", {}, this.title, element("small", {}, this.how), this.release),
      ...this.lines,
      element("p.big", {}, element("strong", {}, this.big), " ", element("span", {}, this.aside)),
      this.table,
      element("p.sentence", {}, this.sentence));
  }

  /**
   * Say a pair.
   * @param {object} reading see `Viewer.read` in pixel_viewer.js
   */
  say(reading) {
    const { direction, show, head, tokens, terms } = reading;
    say(this.how, reading.how);
    this.release.hidden = !reading.locked;
    say(this.words.query, direction === "received" ? `each of the ${tokens} in turn` : reading.queryWords);
    say(this.words.key, reading.keyWords);
    say(this.big, short(reading[{ weights: "weight", scores: "score", carried: "carried" }[show]]));
    const share = `${times(reading.share)} \u00d7 an even share`;
    say(this.aside, {
      weights: share,
      scores: `the weight is ${short(reading.weight)}, ${share}`,
      carried: head === MEAN ? "mean of the heads" : `= ${short(reading.weight)} \u00d7 ${short(reading.value)}`,
    }[show]);
    this.sayTerms(terms, reading);
    say(this.sentence, sentence(reading));
  }

  sayTerms(terms, { size, score, head, direction }) {
    const shown = terms.length > ROWS ? gather(terms) : terms;
    const most = shown.reduce((largest, term) => Math.max(largest, Math.abs(term.product)), 0);
    this.rows.forEach((row, i) => sayRow(row, shown[i], most));
    set(this.table, "data-rows", String(shown.length));
    const mean = head === MEAN ? "mean score of the heads" : direction === "received" ? "mean score over all queries" : null;
    say(this.sum.name, mean ?? (size === 1 ? "product = score" : `sum \u00f7 \u221a${size} = score`));
    say(this.sum.value, column(score));
  }
}

/** The largest terms, in their order, and the sum of the others. */
function gather(terms) {
  const sizes = terms.map((term, place) => ({ ...term, place })).sort((one, other) => Math.abs(other.product) - Math.abs(one.product));
  const kept = sizes.slice(0, ROWS - 1).sort((one, other) => one.place - other.place);
  const rest = sizes.slice(ROWS - 1);
  return [...kept, { others: rest.length, product: rest.reduce((sum, term) => sum + term.product, 0) }];
}

function makeRow() {
  const row = { query: text(), key: text(), sign: text(), product: text(), bar: element("i"), hidden: true };
  const cell = (name, node) => element(`span.${name}`, { role: "cell" }, node);
  row.element = element("div.term", { role: "row", hidden: true }, cell("query", row.query), cell("sign", row.sign),
    cell("key", row.key), cell("sign", "="), cell("product", row.product), element("span.room", { "aria-hidden": "true" }, row.bar));
  return row;
}

function sayRow(row, term, most) {
  if (row.hidden !== !term) row.element.hidden = row.hidden = !term;
  if (!term) return;
  say(row.query, term.others ? "" : column(term.query));
  say(row.sign, term.others ? `${term.others} others` : "\u00d7");
  say(row.key, term.others ? "" : column(term.key));
  say(row.product, column(term.product));
  row.bar.style.transform = `scaleX(${most > 0 ? (term.product / most).toFixed(3) : 0})`;
}

function sentence({ direction, show, head, tokens, count, sum, unit }) {
  if (tokens === 1) return "There is one token only: the softmax over its one score is 1, whatever the score is.";
  const whose = head === MEAN ? "the heads\u2019 mean" : "this head\u2019s";
  if (show === "scores") {
    if (direction === "received") return `The mean over all ${tokens} queries of the score before softmax.`;
    return `Softmax over all ${tokens} scores of a query turns them into its weights, which sum to 1.`;
  }
  if (show === "carried") return `What a weight moves is the weight times what the key carries. Half of all that is moved here is moved by ${count} of ${tokens} ${unit}.`;
  const attention = head === MEAN ? "their mean attention" : "this head\u2019s attention";
  if (direction === "from") return `Softmax over all ${tokens} scores gives the weight. Half of ${attention} lies on ${count} of ${tokens} ${unit}.`;
  if (direction === "to") return `All ${tokens} queries together give this key ${times(sum)} \u00d7 an even share of ${whose === "this head\u2019s" ? attention : attention}; half of that comes from ${count} ${unit}.`;
  return `The mean over all ${tokens} queries. Half of all ${attention.replace("their ", "")} lies on ${count} of ${tokens} ${unit}.`;
}
