// The worked pair: from one query and one key to the answer, in four separate steps.

import { MEAN } from "../maps/attention.js";
import { element, say, set, text } from "../core/dom.js";
import { column, full, NEARLY_ZERO, percent, plain, short, tight, times } from "../core/numbers.js";
import { term } from "../terms/terms.js";
import { Columns, longest } from "./columns.js";
import { NOTHING, restingSentence, STEPS, stepSentence } from "./pair_words.js";
import { gather, largest, STRONGEST, strongestKeys, TERMS } from "./worked.js";

const NAMES = { score: "Score", softmax: "Softmax", value: "Value", share: "Its share" };
const OWN = "query and key are not part of this view";
const LEFT_OUT = "only its length is part of this view";
const NO_SHARE = "what follows the attention is not a sum";

/** The panel. Its nodes are made once; while the pointer moves, only text nodes and transforms change. */
export class PairPanel {
  /** @type {ReturnType<typeof strongestKeys>} known with the first reading */ strongest;

  /**
   * @param {object} act
   * @param {(step: string) => void} act.lit called with the name of the newly selected step, or ""
   */
  constructor({ lit }) {
    this.tell = lit;
    this.how = text();
    this.words = { query: text(), key: text() };
    this.sentence = text();
    this.lit = -1;
    this.columns = {
      score: new Columns(
        "The dot product, term by term",
        TERMS,
        { query: "query", key: "\u00d7 key", bar: "", product: "product" },
        { signed: true },
      ),
      softmax: new Columns("The weights of the strongest keys", STRONGEST + 3, {
        bar: "",
        weight: "weight",
        place: "row, col",
      }),
      value: new Columns(
        "The value, number by number",
        TERMS,
        { bar: "", value: "value", taken: "\u00d7 weight" },
        { signed: true },
      ),
      share: new Columns("What the pair is a part of", 2, { sum: "of", whole: "which is" }),
    };
    this.even = element("span.even", { "aria-hidden": "true" });
    this.columns.softmax.cells.bar[0].element.parentElement?.append(this.even);
    this.evenShare = element("span", {}, "an ", term("even-share", "even share"));
    // The whole of which the share is a part: its name explains itself, and the rest of its words follow.
    this.wholes = { logit: term("logit", "logit"), "log-odds": term("log-odds", "log-odds") };
    this.columns.share.cells.whole[1].element.prepend(...Object.values(this.wholes));
    this.notes = Object.fromEntries(STEPS.map((name) => [name, text()]));
    this.results = Object.fromEntries(STEPS.map((name) => [name, { big: text(), aside: text(), exact: text() }]));
    this.buttons = STEPS.map((name, i) =>
      element(
        "button.number",
        {
          type: "button",
          tabindex: i ? -1 : 0,
          "aria-label": `Step ${i + 1}: ${NAMES[name].toLowerCase()}`,
          "aria-describedby": "pair-sentence",
        },
        String(i + 1),
      ),
    );
    this.steps = STEPS.map((name, i) => this.makeStep(name, i));
    const list = element("ol.steps", { onpointerleave: () => this.light(this.focused()) }, ...this.steps);
    list.addEventListener("keydown", (event) => this.key(event));
    list.addEventListener("focusin", () => this.light(this.focused()));
    list.addEventListener("focusout", () => this.light(-1));
    this.element = element(
      "div.pair",
      { role: "group", "aria-label": "The worked pair" },
      element("h2", {}, "The worked pair", element("small", {}, this.how)),
      element(
        "div.tokens",
        {},
        ...["query", "key"].map((role) =>
          element(
            `p.token.${role}`,
            {},
            element("span.role", {}, term(role, role)),
            element("span", {}, this.words[role]),
          ),
        ),
      ),
      list,
      element("p.sentence", { id: "pair-sentence" }, this.sentence),
    );
  }

  makeStep(name, i) {
    const { big, aside, exact } = this.results[name];
    return element(
      `li.step.${name}`,
      { onpointerenter: () => this.light(i), onclick: (event) => this.press(event, i) },
      element(
        "div.name",
        {},
        this.buttons[i],
        element("span", {}, name === "share" ? NAMES[name] : term(name, NAMES[name])),
      ),
      element("div.figure", {}, this.columns[name].element, element("p.note", {}, this.notes[name])),
      element(
        "p.result",
        {},
        element(`strong${name === "softmax" ? ".big" : ""}`, {}, big),
        element("span.aside", {}, aside, ...(name === "softmax" ? [this.evenShare] : [])),
        element("span.exact", {}, exact),
      ),
    );
  }

  // The selected step

  /** Handle a click on a step, which stays lit. A click on a term explains it instead. */
  press(event, i) {
    if (!event.target.closest(".term-holder")) this.buttons[i].focus({ preventScroll: true });
  }

  focused() {
    return this.steps.findIndex((step) => step.matches(":focus-within"));
  }

  /** Highlight a step, or none (-1). */
  light(number) {
    if (number === this.lit) return;
    this.lit = number;
    this.steps.forEach((step, i) => {
      step.classList.toggle("lit", i === number);
      if (i === number) step.setAttribute("aria-current", "step");
      else step.removeAttribute("aria-current");
    });
    if (number >= 0) this.buttons.forEach((button, i) => (button.tabIndex = i === number ? 0 : -1));
    this.tell(STEPS[number] ?? "");
    this.saySentence();
  }

  key(event) {
    const now = this.focused();
    const last = STEPS.length - 1;
    const to = { ArrowDown: Math.min(last, now + 1), ArrowUp: Math.max(0, now - 1), Home: 0, End: last }[event.key];
    if (to === undefined || now < 0) return;
    event.preventDefault();
    this.buttons[to].focus();
  }

  // The words: runs at every move of the pointer

  /**
   * Show a pair.
   * @param {any} reading see `Viewer.read` in pixel_viewer.js; `worked` is the result of `Worked.work`, `place` returns
   *   the position of a token in a few words
   */
  say(reading) {
    this.reading = reading;
    say(this.how, reading.how);
    say(
      this.words.query,
      reading.direction === "received" ? `each of the ${reading.tokens} tokens in turn` : reading.queryWords,
    );
    say(this.words.key, reading.keyWords);
    this.sayScore(reading);
    this.saySoftmax(reading);
    this.sayValue(reading);
    this.sayShare(reading);
    this.saySentence();
  }

  sayScore({ terms, size, score, head, direction }) {
    const shown = gather(terms);
    const most = longest(shown.map((term) => term.product));
    this.columns.score.say(
      shown.map(({ query, key, product, others }) => ({
        query: others ? `${others}` : tight(query),
        key: others ? "more" : tight(key),
        product: tight(product),
        bar: product / most,
        kind: others ? "others" : undefined,
      })),
    );
    const whose = head === MEAN ? "a score in each head" : direction === "received" ? "a score for each query" : OWN;
    this.note("score", terms.length === 0, whose);
    const mean =
      head === MEAN
        ? "mean score of the heads"
        : direction === "received"
          ? "mean over all queries"
          : size === 0
            ? "as the model computes it"
            : null;
    const sum = size === 1 ? "product = score" : `sum ${tight(score * Math.sqrt(size))} \u00f7 \u221a${size} = score`;
    this.result("score", column(score), mean ?? sum, score);
  }

  saySoftmax({ worked: { weights }, weight, share, key, tokens, place }) {
    const { keys, others, rest } = (this.strongest = strongestKeys(weights, key));
    const most = longest(keys.map((token) => weights[token]));
    const items = keys.map((token) => ({
      weight: narrow(weights[token], tokens),
      place: place(token),
      bar: weights[token] / most,
      kind: token === key ? "mine" : undefined,
    }));
    if (others)
      items.push({
        weight: `+ ${narrow(rest, tokens)}`,
        place: `${others} more`,
        bar: Math.min(1, rest / most),
        kind: "others",
      });
    this.columns.softmax.say([...items, { weight: "= 1", place: "", bar: 0, kind: "sum" }]);
    // in percent of the line's own height
    this.even.style.transform = `translateY(${(-100 * Math.min(1, 1 / tokens / most)).toFixed(1)}%)`;
    const tiny = share < NOTHING;
    this.result(
      "softmax",
      plain(weight, NOTHING / tokens),
      tiny ? "of all attention" : `${times(share)} \u00d7 `,
      weight,
    );
    if (this.evenShare.hidden !== tiny) this.evenShare.hidden = tiny;
  }

  sayValue({ head, weight, carried, carriedSigned, vector, value }) {
    const { numbers, others } = largest(vector);
    const most = longest(numbers);
    /** @type {Record<string, any>[]} */
    const items = numbers.map((number) => ({
      value: tight(number),
      taken: tight(weight * number),
      bar: number / most,
    }));
    if (others) items.push({ value: `${others}`, taken: "more", bar: 0, kind: "others" });
    this.columns.value.say(items);
    this.note("value", vector.length === 0, head === MEAN ? "a value in each head" : LEFT_OUT);
    const aside =
      head === MEAN ? "mean of the heads" : carriedSigned ? `weight \u00d7 ${short(value, 3)}` : "change of the output";
    this.result("value", plain(carried), aside, carried);
  }

  sayShare({ worked: { added, ofQuery, part }, answer, logit, logitWords, tokens, head, direction }) {
    this.note("share", added === null, NO_SHARE);
    if (added === null) {
      this.columns.share.say([]);
      this.result("share", percent(part), "of the output\u2019s total", part);
      return;
    }
    const where = direction === "received" ? "all queries" : "this query";
    const keys = `${where}, all ${tokens} keys${head === MEAN ? "" : ", this head"}`;
    const [name] = logitWords.split(" ", 1);
    for (const [whole, words] of Object.entries(this.wholes))
      if (words.hidden !== (whole !== name)) words.hidden = whole !== name;
    this.columns.share.say([
      { sum: signed(ofQuery), whole: keys },
      { sum: signed(logit), whole: logitWords.slice(name.length) },
    ]);
    const tiny = Math.abs(added) < 1e-6;
    this.result(
      "share",
      signed(added),
      tiny ? `to the answer ${answer}` : `${added < 0 ? "against" : "for"} the answer ${answer}`,
      added,
    );
  }

  /** Show words instead of a figure. */
  note(name, there, words) {
    if (this.columns[name].element.hidden !== there) this.columns[name].element.hidden = there;
    say(this.notes[name], there ? words : "");
  }

  result(name, big, aside, value) {
    const { big: first, aside: second, exact } = this.results[name];
    say(first, big);
    say(second, aside);
    say(exact, full(value));
    const tiny = big === NEARLY_ZERO;
    const result = /** @type {Element} */ (this.steps[STEPS.indexOf(name)].lastElementChild);
    if (result.classList.contains("tiny") !== tiny) result.classList.toggle("tiny", tiny);
  }

  saySentence() {
    if (!this.reading) return;
    say(this.sentence, this.lit < 0 ? restingSentence(this.reading) : stepSentence(STEPS[this.lit], this.reading));
  }

  /** Write the parts that can wait until the pointer rests: the exact digits in tooltips. */
  sayAtRest() {
    const {
      terms,
      vector,
      weight,
      worked: { weights, ofQuery },
      logit,
    } = this.reading;
    const shown = gather(terms);
    for (const name of ["query", "key", "product"])
      this.columns.score.explain(
        name,
        shown.map((term) => digits(term[name])),
      );
    const { keys, rest } = this.strongest;
    this.columns.softmax.explain("weight", [...keys.map((token) => digits(weights[token])), digits(rest)]);
    const { numbers } = largest(vector);
    this.columns.value.explain("value", numbers.map(digits));
    this.columns.value.explain(
      "taken",
      numbers.map((number) => digits(weight * number)),
    );
    this.columns.share.explain("sum", [ofQuery, logit].map(digits));
    for (const { lastElementChild: result } of this.steps)
      if (result) set(result, "title", result.lastElementChild?.textContent ?? "");
  }
}

function digits(value) {
  return value === undefined || value === null ? "" : full(value);
}

function signed(value) {
  const words = plain(value);
  return value > 0 && words !== NEARLY_ZERO ? `+${words}` : words;
}

/** A weight in a narrow column, with two digits, but no more than four decimals. */
function narrow(weight, tokens) {
  if (!(weight > 0 && weight < 1)) return short(weight, 2);
  if (weight * tokens < NOTHING || weight < 5e-5) return "\u2248 0";
  return weight.toFixed(Math.min(4, Math.max(2, 1 - Math.floor(Math.log10(weight)))));
}
