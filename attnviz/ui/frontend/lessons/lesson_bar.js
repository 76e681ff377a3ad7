// The bar of a lesson: a step's words, its task, and the way to the others, over any page. Python's side is
// attnviz/ui/lessons/bar.py, which sends the step that the URL names; what it says is made of text nodes, never of
// markup. One file, so that a lesson costs one request. What the reader has done stays in this browser.

import { isRunning } from "../core/at_rest.js";
import { element, say, set, text } from "../core/dom.js";
import { follow } from "../core/follow.js";

const KEPT = "attnviz.lessons"; // in localStorage: name of a lesson -> how far the reader is
const EVERY = 250; // milliseconds between two looks at what the page shows
const COLOURS = ["text", "background", "secondary-background", "border", "primary", "orange", "blue", "green"];
const THEME = [...COLOURS.map((colour) => `${colour}-color`), "font", "heading-font", "code-font"];
const FRAMED = { outline: "", outlineOffset: "3px", scrollMarginBlock: "72px 8px" }; // the menu covers 60 pixels
const UNFRAMED = { outline: "", outlineOffset: "", scrollMarginBlock: "" };
const ROLES = { query: "orange", key: "blue", value: "green" };
const FOCUSABLE = 'button:not([disabled]), [tabindex="0"], a[href], input, select, summary';

// What holds: no document is needed below

/**
 * Whether the conditions of a task hold.
 * @param {string[][]} check each [name, relation, value], as attnviz/lessons/conditions.py reads it
 * @param {(name: string) => any} find a field of the URL, or what a component declares; undefined for nothing
 * @param {(name: string) => any} before the same, when the step began
 */
export function holds(check, find, before) {
  return check.every(([name, relation, value]) => {
    const found = find(name);
    const missing = found === undefined || found === null || found === "";
    if (relation === "is set") return !missing;
    if (relation === "is not set") return missing;
    if (missing) return false;
    if (relation === "changed") return before(name) !== undefined && String(found) !== String(before(name));
    if (relation === "contains") return String(found).split(",").includes(value);
    const same = typeof found === "number" ? found === Number(value) : String(found) === value;
    if (relation === "is") return same;
    if (relation === "is not") return !same;
    const [one, other] = [Number(found), Number(value)];
    return { "<": one < other, ">": one > other, "<=": one <= other, ">=": one >= other }[relation] ?? false;
  });
}

/** @typedef {{decimal: string, group: string}} Numbers how a language writes them */
/** @type {Numbers} */
const ENGLISH = { decimal: ".", group: "," };

/**
 * A value as the lesson writes it: with as many decimals, and in percent where it does that.
 * @param {any} value that a component declares
 * @param {string} written in the lesson
 * @param {Numbers} language
 */
export function asWritten(value, written, { decimal, group } = ENGLISH) {
  if (typeof value !== "number") return value === undefined || value === null ? written : String(value);
  const decimals = /^\d+/.exec(written.split(decimal)[1] ?? "")?.[0].length ?? 0;
  const percent = /(\s?)%$/.exec(written);
  const shown = Math.abs(percent ? 100 * value : value).toFixed(decimals);
  const sign = value < 0 && Number(shown) !== 0 ? "\u2212" : /^\+/.test(written) ? "+" : "";
  const [whole, part] = shown.split(".");
  const grouped = written.includes(group) ? whole.replace(/\B(?=(\d{3})+$)/g, group) : whole;
  return `${sign}${grouped}${part ? `${decimal}${part}` : ""}${percent ? `${percent[1]}%` : ""}`;
}

/**
 * Whether a URL is that of a step: between a click on *Next step* and the run that it starts, the step before is still
 * here, and must not be judged by what the new URL says.
 * @param {string} search of the URL
 * @param {{name: string, step: number}} lesson
 */
export function isStepOf(search, { name, step }) {
  const words = new URLSearchParams(search);
  return words.get("lesson") === name && (words.get("step") ?? "1") === String(step + 1);
}

/** Words with what is to be put into them. @param {string} words @param {Record<string, any>} parts */
export function filled(words, parts) {
  return words.replace(/\{(\w+)\}/g, (whole, name) => String(parts[name] ?? whole));
}

/** Whether an answer is right. @param {string} typed @param {string} right @param {number} within */
export function isRight(typed, right, within) {
  const number = Number(typed.trim().replace(",", ".").replace("\u2212", "-"));
  return typed.trim() !== "" && Math.abs(number - Number(right)) <= within + 1e-9;
}

// What is kept

/** How far the reader is in a lesson. @param {string} name @returns {{step: number, of: number, done: number[]}} */
export function kept(name) {
  try {
    return { step: 0, of: 0, done: [], ...JSON.parse(localStorage.getItem(KEPT) ?? "{}")[name] };
  } catch {
    return { step: 0, of: 0, done: [] };
  }
}

function keep(name, news) {
  try {
    const all = JSON.parse(localStorage.getItem(KEPT) ?? "{}");
    localStorage.setItem(KEPT, JSON.stringify({ ...all, [name]: { ...kept(name), ...news } }));
  } catch {
    // A browser that keeps nothing: the URL still says where one is.
  }
}

// What the page shows

/** The components of the page that are drawn. @returns {any[]} */
function components() {
  const found = [];
  for (const one of document.querySelectorAll('[data-testid^="stBidiComponent"]'))
    for (const root of one.shadowRoot?.querySelectorAll("[data-drawn]") ?? []) found.push(root);
  return found;
}

/** A part of the page, by the key of a container, COMPONENT, or COMPONENT.CLASS. @param {string} name */
export function partOf(name) {
  const [component, inside] = name.split(".");
  const root = components().find((one) => one.dataset.component === component);
  if (root) return inside ? root.querySelector(`.${CSS.escape(inside)}`) : root;
  return document.querySelector(`.st-key-${CSS.escape(name)}`);
}

/** Reads fields of the URL and declared values, each component once. */
function reader() {
  const words = new URLSearchParams(location.search);
  const roots = components();
  const known = new Map();
  return (/** @type {string} */ name) => {
    const [component, value] = name.split(".");
    if (!value) return words.get(name) ?? undefined;
    if (!known.has(component)) {
      const root = roots.find((one) => one.dataset.component === component && one.declared);
      known.set(component, root?.declared() ?? {});
    }
    return known.get(component)[value];
  };
}

/** Go to another view, as *Back* would: Streamlit runs the page that the URL names. @param {string} href */
export function go(href) {
  history.pushState(null, "", href);
  dispatchEvent(new PopStateEvent("popstate"));
}

/**
 * The URL of a view in a lesson.
 * @param {string} name of the lesson
 * @param {{page: string, words: Record<string, string>}} view
 * @param {number} step from 0
 */
export function hrefOf(name, { page, words }, step) {
  const fields = new URLSearchParams({ ...words, lesson: name, step: String(step + 1) });
  const only = new URLSearchParams(location.search).get("only");
  if (only) fields.set("only", only);
  return new URL(`${page || "./"}?${fields}`, location.href).href;
}

// The bar

export class Bar {
  constructor() {
    this.at = ""; // the lesson and the step that are shown
    this.still = false; // whether numbers stay as they are written
    /** @type {{node: Text, written: string, target: string}[]} */ this.shown = [];
    /** @type {HTMLElement|null} */ this.framed = null;
    /** @type {any} */ this.lesson = null;
    this.style = element("style");
    this.title = text();
    this.count = text();
    this.news = text();
    this.result = text();
    this.steps = element("select", { onchange: () => this.step(this.steps.selectedIndex) });
    const button = (words, act, more = {}) => element("button", { type: "button", onclick: act, ...more }, words);
    this.words = element("div.lesson-words");
    this.task = element("div.lesson-task");
    this.previous = button("", () => this.step(this.lesson.step - 1));
    this.next = button("", () => this.step(this.lesson.step + 1), { class: "lesson-main" });
    this.back = button("", () => this.step(this.lesson.step), { hidden: true });
    this.picture = button("", () => this.toPicture());
    this.folder = button("", () => this.fold(), { "aria-expanded": "true" });
    this.leaver = button("", () => this.leave());
    this.heading = element("h2", {}, this.title);
    this.body = element("div.lesson-body", {}, this.words, this.task);
    this.root = element(
      "aside.lesson",
      { "data-lesson": "" },
      element(
        "header",
        {},
        this.heading,
        element("span.lesson-count", {}, this.count),
        this.steps,
        element("span.lesson-gap"),
        this.back,
        this.picture,
        this.folder,
        this.leaver,
      ),
      this.body,
      element("footer", {}, this.previous, element("progress", { "aria-hidden": "true" }), this.next),
      element("div.lesson-hidden", { role: "status" }, this.news),
    );
    this.progress = /** @type {HTMLProgressElement} */ (this.root.querySelector("progress"));
    this.root.addEventListener("keydown", (event) => this.key(event));
    this.onKey = (/** @type {KeyboardEvent} */ event) => this.anywhere(event);
    this.sizes = new ResizeObserver(() => this.makeRoom());
  }

  /** Show what Python sent. @param {any} lesson @param {Element} host whose theme it takes */
  take(lesson, host) {
    const before = this.at;
    this.lesson = lesson;
    this.at = `${lesson.name} ${lesson.step} ${JSON.stringify([lesson.text, lesson.task])}`;
    say(this.style.firstChild ?? this.style.appendChild(text()), lesson.style);
    this.host = host;
    if (!this.root.isConnected) this.open();
    if (this.at !== before) this.draw();
    this.look();
  }

  /** Colours and fonts are those of the theme, which may change. */
  takeTheme() {
    const theme = getComputedStyle(/** @type {Element} */ (this.host));
    for (const name of THEME) {
      const value = theme.getPropertyValue(`--st-${name}`).trim();
      if (value) this.root.style.setProperty(`--st-${name}`, value);
    }
    this.root.style.colorScheme = theme.colorScheme;
  }

  open() {
    document.head.append(this.style);
    document.body.prepend(this.root);
    document.addEventListener("keydown", this.onKey);
    this.sizes.observe(this.root);
    this.timer = setInterval(() => !document.hidden && this.look(), EVERY);
  }

  close() {
    clearInterval(this.timer);
    document.removeEventListener("keydown", this.onKey);
    this.sizes.disconnect();
    this.frame(null);
    this.root.remove();
    this.style.remove();
    this.at = "";
    document.documentElement.style.removeProperty("--lesson");
  }

  /** The page is above the bar, never below it. */
  makeRoom() {
    document.documentElement.style.setProperty("--lesson", `${this.root.offsetHeight}px`);
  }

  // A step

  draw() {
    const { name, title, step, steps, task, language } = this.lesson;
    const { words } = language;
    this.root.lang = language.code;
    this.name();
    this.shown = [];
    this.began = undefined;
    this.wrong = false;
    this.frame(null);
    this.done = kept(name).done.includes(step);
    keep(name, { step, of: steps.length });
    set(this.root, "aria-label", `${words.lesson}: ${title}`);
    say(this.title, steps[step]);
    const place = { title, step: step + 1, steps: steps.length };
    say(this.count, filled(words.place, place));
    this.steps.replaceChildren(
      ...steps.map((one, i) => element("option", { selected: i === step }, `${i + 1}  ${one}`)),
    );
    this.progress.max = steps.length;
    this.progress.value = step + 1;
    this.previous.disabled = step === 0;
    this.next.textContent = step + 1 < steps.length ? words.next : words.finish;
    this.words.replaceChildren(...this.blocks(this.lesson.text));
    this.task.replaceChildren(...(task ? this.taskOf(task) : []));
    this.task.hidden = !task;
    this.body.scrollTop = 0;
    say(this.news, `${filled(words.news, { ...place, title: steps[step] })} ${this.words.textContent}`);
    this.toFollow = true;
  }

  /** Name what stands around the words of a lesson in its language. */
  name() {
    const { words } = this.lesson.language;
    for (const [button, word] of /** @type {[HTMLElement, string][]} */ ([
      [this.previous, words.previous],
      [this.back, words.view],
      [this.picture, words.picture],
      [this.folder, this.root.classList.contains("lesson-folded") ? words.unfold : words.fold],
      [this.leaver, words.leave],
    ]))
      button.textContent = word;
    set(this.picture, "title", words.picture_keys);
    set(this.steps, "aria-label", words.step);
  }

  taskOf(task) {
    const { words } = this.lesson.language;
    const result = (this.result = text());
    /** @type {HTMLElement[]} */
    const parts = [element("div", {}, ...this.blocks(task.prompt))];
    if (task.options.length) {
      const list = element("div.lesson-options", { role: "group", "aria-label": words.answers });
      for (const option of task.options) {
        const reply = element("div.lesson-reply", { hidden: true }, ...this.blocks(option.reply));
        const choose = () => {
          for (const one of list.querySelectorAll("button")) set(one, "aria-pressed", String(one === answer));
          for (const one of list.querySelectorAll(".lesson-reply")) /** @type {any} */ (one).hidden = one !== reply;
          this.answered(option.right);
        };
        const answer = element(
          "button",
          { type: "button", "aria-pressed": "false", onclick: choose },
          ...this.inlines(option.words),
        );
        list.append(answer, reply);
      }
      parts.push(list);
    }
    if (task.number !== null) {
      const field = element("input", { type: "text", inputmode: "decimal", "aria-label": words.answer, size: "8" });
      const submit = (event) => {
        event.preventDefault();
        this.answered(isRight(field.value, task.number, task.within));
      };
      parts.push(element("form", { onsubmit: submit }, field, element("button", { type: "submit" }, words.check)));
    }
    parts.push(element("p.lesson-result", { role: "status" }, result));
    const row = element("p.lesson-help");
    for (const [title, content] of [
      [words.hint, task.hint],
      [words.solution, task.solution],
    ]) {
      if (!content.length) continue;
      const solves = content === task.solution && task.shows;
      this.still = Boolean(solves); // its numbers are those of another view
      const more = element("div.lesson-more", { hidden: true }, ...this.blocks(content));
      this.still = false;
      if (solves)
        more.append(element("p", {}, this.link(hrefOf(this.lesson.name, task.shows, this.lesson.step), words.show)));
      const opener = element("button", { type: "button", "aria-expanded": "false" }, title);
      opener.addEventListener("click", () => {
        more.hidden = !more.hidden;
        set(opener, "aria-expanded", String(!more.hidden));
      });
      row.append(opener);
      parts.push(more);
    }
    if (row.children.length) parts.splice(parts.length - [...row.children].length, 0, row);
    this.say();
    return parts;
  }

  /** The reader has answered. @param {boolean} right */
  answered(right) {
    this.wrong = !right;
    if (right) this.finish();
    this.say();
  }

  finish() {
    const { name, step } = this.lesson;
    this.done = true;
    keep(name, { done: [...new Set([...kept(name).done, step])] });
    this.say();
  }

  say() {
    const { task, language } = this.lesson;
    const { wrong, done, open } = language.words;
    say(this.result, this.wrong ? wrong : this.done ? done : task?.check.length ? open : "");
    this.task.classList.toggle("lesson-done", this.done && !this.wrong);
  }

  // Four times a second: what the page shows now

  look() {
    const { lesson } = this;
    this.takeTheme();
    const find = reader();
    // The bar comes before the page of its step: until that has run, the step before is still drawn.
    if (!isRunning() && isStepOf(location.search, lesson)) this.judge(find);
    for (const { node, written, target } of this.shown)
      if (!target.startsWith('"')) say(node, asWritten(find(target), written, lesson.language));
    const words = new URLSearchParams(location.search);
    const here = location.pathname.split("/").pop() === lesson.view.page;
    this.back.hidden = here && Object.entries(lesson.view.words).every(([name, word]) => words.get(name) === word);
    this.frame(here && lesson.view.frame ? partOf(lesson.view.frame) : null);
  }

  /** Note what the task asks about as the step began, and whether it is done. @param {(name: string) => any} find */
  judge(find) {
    const check = this.lesson.task?.check ?? [];
    this.began ??= {};
    for (const [name] of check) this.began[name] ??= find(name);
    if (check.length && !this.done && holds(check, find, (name) => this.began[name])) this.finish();
  }

  /** Frame a part of the page, or none. @param {HTMLElement|null} part */
  frame(part) {
    if (this.framed && this.framed !== part) Object.assign(this.framed.style, UNFRAMED);
    this.framed = part;
    if (!part) return;
    if (!part.style.outline) {
      const colour = this.root.style.getPropertyValue("--st-primary-color") || "currentColor";
      Object.assign(part.style, { ...FRAMED, outline: `3px solid ${colour}` });
    }
    if (this.toFollow) {
      this.toFollow = false;
      follow(() => this.framed, "nearest");
    }
  }

  // Ways

  link(href, ...words) {
    const follows = (/** @type {MouseEvent} */ event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      go(href);
    };
    return element("a", { href, onclick: follows }, ...words);
  }

  /** @param {number} number of the step, from 0; one after the last ends the lesson */
  step(number) {
    const { views, name } = this.lesson;
    if (number < 0) return;
    if (number < views.length) return go(hrefOf(name, views[number], number));
    keep(name, { step: 0 });
    go(new URL("lessons", location.href).href);
  }

  leave() {
    const url = new URL(location.href);
    for (const name of ["lesson", "step"]) url.searchParams.delete(name);
    go(url.href);
  }

  fold() {
    const folded = this.root.classList.toggle("lesson-folded");
    this.name();
    set(this.folder, "aria-expanded", String(!folded));
  }

  toPicture() {
    const part = this.framed ?? components()[0] ?? document.querySelector('[data-testid="stMain"]');
    const found = part?.matches(FOCUSABLE) ? part : part?.querySelector(FOCUSABLE);
    /** @type {HTMLElement|undefined} */ (found)?.focus();
  }

  /** In the bar: arrows turn its pages. @param {KeyboardEvent} event */
  key(event) {
    const way = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    const { target } = event;
    if (!way || event.altKey || event.ctrlKey || event.metaKey) return;
    if (target instanceof HTMLInputElement || target instanceof HTMLSelectElement) return;
    event.preventDefault();
    if (this.lesson.step + way < this.lesson.views.length) this.step(this.lesson.step + way);
  }

  /** Alt+L: from the page to the bar, and back. @param {KeyboardEvent} event */
  anywhere(event) {
    if (!event.altKey || event.code !== "KeyL" || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    if (this.root.contains(document.activeElement)) this.toPicture();
    else this.next.focus();
  }

  // Words

  blocks(blocks) {
    return blocks.map(([kind, content, more]) => {
      if (kind === "p") return element("p", {}, ...this.inlines(content));
      if (kind === "ul" || kind === "ol")
        return element(kind, {}, ...content.map((item) => element("li", {}, ...this.blocks(item))));
      if (kind === "quote") return element("blockquote", {}, ...this.blocks(content));
      if (kind === "part") return element("section.lesson-part", {}, element("h3", {}, content), ...this.blocks(more));
      if (kind === "math") return element("p.lesson-formula", {}, this.formula(content));
      return element("pre", {}, element("code", {}, content));
    });
  }

  inlines(inlines) {
    return inlines.map(([kind, content, more]) => {
      if (kind === "em" || kind === "strong") return element(kind, {}, ...this.inlines(content));
      if (kind === "code") return element("code", {}, content);
      if (kind === "role") return element(`span.lesson-${ROLES[content]}`, {}, more);
      if (kind === "term") return element(`a.lesson-${ROLES[content] ?? "term"}`, { href: `#term-${content}` }, more);
      if (kind === "math") return this.formula(content);
      if (kind === "link")
        return /^https?:/.test(content)
          ? element("a", { href: content, target: "_blank", rel: "noreferrer" }, ...this.inlines(more))
          : this.link(new URL(content, location.href).href, ...this.inlines(more));
      if (kind === "shown") {
        const node = text(content);
        if (!this.still) this.shown.push({ node, written: content, target: more });
        return element("b.lesson-shown", { "data-written": content, "data-target": more }, node);
      }
      return text(content);
    });
  }

  /** A formula, which Streamlit draws in a hidden place: a copy of it is put here when it is there. */
  formula(number) {
    const holder = element("span");
    const copy = (/** @type {number} */ tries) => {
      const drawn = document.querySelectorAll(".st-key-lesson_formulas .katex")[number];
      if (drawn) holder.replaceChildren(drawn.cloneNode(true));
      else if (tries) setTimeout(() => copy(tries - 1), EVERY);
    };
    copy(100);
    return holder;
  }
}

/** @type {Bar|null} */
let bar = null;

/** Show a step. @param {any} lesson as bar.py sends it @param {Element} host whose theme it takes */
export function open(lesson, host) {
  bar ??= new Bar();
  bar.take(lesson, host);
}

/** The lesson is left. */
export function close() {
  bar?.close();
}
