// The bar of a lesson: a step's words, its task, and links to the others, on any page. Python's side is
// attnviz/ui/lessons/bar.py, which sends the step in the URL; its text becomes text nodes, never markup. The reader's
// progress stays in this browser.

import { arrived, isOverdue, isSettled, watch } from "../core/at_rest.js";
import { element, say, set, text } from "../core/dom.js";
import { follow } from "../core/follow.js";
import { components, go, hrefOf, linkTo, partOf, reader } from "./on_page.js";
import { asWritten, filled, holds, isRight, isStepOf, keep, kept } from "./progress.js";
import { Words } from "./words.js";

const EVERY = 250; // milliseconds between two checks of the page
const COLOURS = ["text", "background", "secondary-background", "border", "primary", "orange", "blue", "green"];
const THEME = [...COLOURS.map((colour) => `${colour}-color`), "font", "heading-font", "code-font"];
const FRAMED = { outline: "", outlineOffset: "3px", scrollMarginBlock: "72px 8px" }; // the menu covers 60 pixels
const UNFRAMED = { outline: "", outlineOffset: "", scrollMarginBlock: "" };
const FOCUSABLE = 'button:not([disabled]), [tabindex="0"], a[href], input, select, summary';

// The bar

export class Bar {
  constructor() {
    this.at = ""; // the shown lesson and step
    this.made = new Words();
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

  /** Show the data from Python. @param {any} lesson @param {Element} host the source of its theme */
  take(lesson, host) {
    const before = this.at;
    this.lesson = lesson;
    this.at = `${lesson.name} ${lesson.step} ${JSON.stringify([lesson.text, lesson.task])}`;
    say(this.style.firstChild ?? this.style.appendChild(text()), lesson.style);
    this.host = host;
    if (!this.root.isConnected) this.open();
    arrived();
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
    watch();
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

  /** Keep the page above the bar, never below it. */
  makeRoom() {
    document.documentElement.style.setProperty("--lesson", `${this.root.offsetHeight}px`);
  }

  // A step

  draw() {
    const { name, title, step, steps, task, language } = this.lesson;
    const { words } = language;
    this.root.lang = language.code;
    this.name();
    this.made = new Words();
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
    this.words.replaceChildren(...this.made.blocks(this.lesson.text));
    this.task.replaceChildren(...(task ? this.taskOf(task) : []));
    this.task.hidden = !task;
    this.body.scrollTop = 0;
    say(this.news, `${filled(words.news, { ...place, title: steps[step] })} ${this.words.textContent}`);
    this.toFollow = true;
  }

  /** Label the controls around a lesson's words in its language. */
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
    const { show } = words;
    const result = (this.result = text());
    /** @type {HTMLElement[]} */
    const parts = [element("div", {}, ...this.made.blocks(task.prompt))];
    if (task.options.length) {
      const list = element("div.lesson-options", { role: "group", "aria-label": words.answers });
      for (const option of task.options) {
        const reply = element("div.lesson-reply", { hidden: true }, ...this.made.blocks(option.reply));
        const choose = () => {
          for (const one of list.querySelectorAll("button")) set(one, "aria-pressed", String(one === answer));
          for (const one of list.querySelectorAll(".lesson-reply")) /** @type {any} */ (one).hidden = one !== reply;
          this.answered(option.right);
        };
        const answer = element(
          "button",
          { type: "button", "aria-pressed": "false", onclick: choose },
          ...this.made.inlines(option.words),
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
      const words = solves ? new Words() : this.made; // the numbers of a solution belong to another view: they stay
      const more = element("div.lesson-more", { hidden: true }, ...words.blocks(content));
      if (solves) {
        const href = hrefOf(this.lesson.name, task.shows, this.lesson.step);
        more.append(element("p", {}, linkTo(href, {}, show)));
      }
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

  /** Handle the reader's answer. @param {boolean} right */
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

  // Four times a second: check the state of the page

  look() {
    const { lesson } = this;
    this.takeTheme();
    const find = reader();
    // The bar arrives before the page of its step: until that is drawn, the previous step is shown.
    if ((isSettled() || isOverdue()) && isStepOf(location.search, lesson)) this.judge(find);
    for (const { node, written, target } of this.made.shown)
      if (!target.startsWith('"')) say(node, asWritten(find(target), written, lesson.language));
    const words = new URLSearchParams(location.search);
    const here = location.pathname.split("/").pop() === lesson.view.page;
    this.back.hidden = here && Object.entries(lesson.view.words).every(([name, word]) => words.get(name) === word);
    this.frame(here && lesson.view.frame ? partOf(lesson.view.frame) : null);
  }

  /** Record the task's initial values, and whether it is done. @param {(name: string) => any} find */
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

  /** Handle keys in the bar: arrows turn its pages. @param {KeyboardEvent} event */
  key(event) {
    const way = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    const { target } = event;
    if (!way || event.altKey || event.ctrlKey || event.metaKey) return;
    if (target instanceof HTMLInputElement || target instanceof HTMLSelectElement) return;
    event.preventDefault();
    if (this.lesson.step + way < this.lesson.views.length) this.step(this.lesson.step + way);
  }

  /** Handle Alt+L: it moves between the page and the bar. @param {KeyboardEvent} event */
  anywhere(event) {
    if (!event.altKey || event.code !== "KeyL" || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    if (this.root.contains(document.activeElement)) this.toPicture();
    else this.next.focus();
  }
}

/** @type {Bar|null} */
let bar = null;

/** Show a step. @param {any} lesson from bar.py @param {Element} host the source of its theme */
export function open(lesson, host) {
  bar ??= new Bar();
  bar.take(lesson, host);
}

/** Leave the lesson. */
export function close() {
  bar?.close();
}
