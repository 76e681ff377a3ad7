"""Checks the numbers of a lesson and its conditions on components in a browser, where they are computed.

The app is started with the lessons, each step is opened, and the values in its text are compared with those on its
page, by the functions of `frontend/lessons/` that readers use. Needs Playwright and Chromium, Chrome or Edge.
"""

import os
import shutil
import tempfile
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from attnviz import files, start
from attnviz.errors import BadInput, closest
from attnviz.lessons import Lesson, Mistake, View
from attnviz.lessons.languages import DEFAULT, LANGUAGES
from attnviz.lessons.lesson import Condition, Task
from attnviz.lessons.reader import LARGEST
from attnviz.lessons.teacher import ALONE, VARIABLE
from attnviz.ui.lessons.bar import words_of

INSTALL = "pip install playwright, and have Chromium, Chrome or Edge"
PATIENCE = 180_000  # milliseconds for a page, including background computations
MORE = 4_000  # milliseconds for what components add after the page has settled
ON_PAGE = "/_stcore/bidi-components/attnviz.arrive/lessons/on_page.js"
PROGRESS = "/_stcore/bidi-components/attnviz.arrive/lessons/progress.js"

# Whether the page has settled: no script runs, nothing is being computed, and the lesson bar is there.
STILL = """() => ["Skeleton", "Spinner", "Progress"].every((one) => !document.querySelector(`[data-testid="st${one}"]`))
  && document.querySelector('[data-testid="stApp"][data-test-script-state="notRunning"]')
  && document.querySelector("[data-lesson]")"""
# The value shown for each name on the page: {name: value}.
SHOWN = """() => {
  const values = {};
  for (const host of document.querySelectorAll('[data-testid^="stBidiComponent"]'))
    for (const root of host.shadowRoot?.querySelectorAll("[data-drawn]") ?? [])
      for (const [name, value] of Object.entries(root.declared?.() ?? {}))
        values[`${root.dataset.component}.${name}`] ??= value;
  for (const part of document.querySelectorAll('[class*="st-key-"]'))
    for (const one of part.classList)
      if (one.startsWith("st-key-"))
        values[`"${one.slice(7)}"`] ??= part.innerText.replace(/\\s+/g, " ");
  for (const [name, value] of new URLSearchParams(location.search)) values[name] = value;
  return values;
}"""
# The index of each [written, target, numbers] that differs from the page, and the value shown, or null.
WRONG = f"""async ([module, named]) => {{
  const {{ asWritten }} = await import(module);
  const values = ({SHOWN})();
  return named.flatMap(([written, target, numbers], at) => {{
    const found = values[target];
    if (target.startsWith('"')) return found?.includes(written) ? [] : [[at, found ?? null]];
    if (found === undefined || found === null) return [[at, null]];
    const said = asWritten(found, written, numbers);
    return said === written ? [] : [[at, said]];
  }});
}}"""
# Complaints of components about the URL.
COMPLAINTS = """() => [...document.querySelectorAll('[data-testid^="stBidiComponent"]')]
  .flatMap((host) => [...(host.shadowRoot?.querySelectorAll(".complaint:not([hidden])") ?? [])])
  .map((one) => one.firstChild?.textContent ?? "").filter((one) => one.startsWith("The URL asks for"))"""
# Formulas that KaTeX cannot draw: it marks unknown commands in its error colour.
FORMULAS = """() => [...document.querySelectorAll(".st-key-lesson_formulas *")]
  .filter((one) => one.matches(".katex-error") || one.style.color === "rgb(204, 0, 0)")
  .map((one) => one.textContent)"""
FRAMED = "async ([module, name]) => Boolean((await import(module)).partOf(name))"
# The names of the parts of a page that a lesson can point at.
PARTS = """() => [...document.querySelectorAll('[data-testid^="stBidiComponent"]')].flatMap((host) =>
  [...(host.shadowRoot?.querySelectorAll("[data-drawn]") ?? [])].flatMap((root) => [root.dataset.component,
    ...[...root.querySelectorAll("[class]")].flatMap((part) =>
      [...part.classList].map((one) => `${root.dataset.component}.${one}`))]))"""
HOLDS = """async ([module, check, after, before]) => {
  const { holds } = await import(module);
  return check.map((one) => holds([one], (name) => after[name], (name) => before[name]));
}"""


class NoBrowser(Exception):
    """Raised if there is no browser that can be driven; the message describes what to do."""


@dataclass
class _Named:
    """A value in a lesson: the text, the name of the value, and the line; `plain` if it is formatted as in English."""

    written: str
    target: str
    line: int
    plain: bool = False


def needed(lesson: Lesson) -> bool:
    """Return whether any part of a lesson can only be checked in a browser."""
    tasks = [step.task for step in lesson.steps if step.task]
    numbers = any([*step.shown(), *step.shown_when_solved()] for step in lesson.steps)
    views = [*(step.view for step in lesson.steps), *(task.shows for task in tasks if task.shows)]
    numbers = numbers or any(step.formulas for step in lesson.steps)
    return numbers or any(task.target for task in tasks) or any(view.words or view.frame for view in views)


def mistakes(folder: Path, lessons: Mapping[str, tuple[Lesson, Collection[int]]]) -> Iterator[list[Mistake]]:
    """Yield the mistakes of each lesson that only a browser reveals; the views of lines with known mistakes are
    skipped.

    Raises NoBrowser if Playwright or a browser is missing.
    """
    with _browser() as browser, _running(folder) as address:
        page = browser.new_page(viewport={"width": 1280, "height": 720})
        page.set_default_timeout(PATIENCE)
        for name, (lesson, wrong) in lessons.items():
            lines = files.read(folder / f"{name}.md", 4 * LARGEST).decode(errors="replace").split("\n")
            tried = _Tried(page, address, lesson, lines)
            steps = [number for number, step in enumerate(lesson.steps) if step.view.line not in wrong]
            yield sorted({one for number in steps for one in tried.step(number)})


@dataclass
class _Tried:
    """A lesson in a page of the browser; `lines` are the lines of its file."""

    page: Any
    address: str
    lesson: Lesson
    lines: Sequence[str]

    def step(self, number: int) -> Iterator[Mistake]:
        step = self.lesson.steps[number]
        task, following = step.task, self.lesson.steps[number + 1 :]
        first, second = (
            [_Named(*one, self.line(step.line, following[0].line if following else None, *one)) for one in pairs]
            for pairs in (step.shown(), step.shown_when_solved())
        )
        if task and task.target and task.number is not None and not task.within:
            first.append(_Named(task.number, task.target, task.line, plain=True))
        asked = task is not None and bool(_of_components(task))
        if not (first or second or asked or step.formulas or number in self.lesson.views):
            return
        yield from self.show(number, step.view)
        for formula in set(self.page.evaluate(FORMULAS)):
            yield self.mistake(step.line, f"A formula of this step cannot be drawn: {formula[:80]!r} is not LaTeX.")
        yield from self.compared(first)
        before = self.page.evaluate(SHOWN)
        if task and asked and all(self.held(task.check, before, before)):
            yield self.mistake(
                task.line,
                "This task counts as done before the reader does anything: its condition holds in the step's view.",
            )
        if not (task and task.shows):
            return
        yield from self.show(number, task.shows)
        yield from self.compared(second)
        after = self.page.evaluate(SHOWN)
        for one, held in zip(task.check, self.held(task.check, after, before), strict=True):
            if not held and "." in one[0]:
                value = after.get(one[0])
                shown = _absent(one[0], after) if value is None else f"{one[0]} is {_short(value)} there"
                condition = " ".join(one).strip()
                sentence = f"In this view of the solution the condition {condition!r} fails: {shown}."
                yield self.mistake(task.shows.line, sentence)

    def show(self, number: int, view: View) -> Iterator[Mistake]:
        """Open a view, and yield its components' complaints, and a mistake if the part that it points at is missing."""
        self.page.goto(f"{self.address}/{view.page}?{urlencode(words_of(view, self.lesson.name, number))}")
        self.page.wait_for_function(STILL)
        for sentence in self.page.evaluate(COMPLAINTS):
            yield self.mistake(view.line, f"The page of this view complains: {sentence}")
        for _ in range(MORE // 200 if view.frame else 0):
            if self.page.evaluate(FRAMED, [self.address + ON_PAGE, view.frame]):
                return
            self.page.wait_for_timeout(200)
        if view.frame:
            near = get_close_matches(view.frame, sorted(set(self.page.evaluate(PARTS))), 1)
            hint = f" Did you mean {near[0]!r}?" if near else ""
            yield self.mistake(view.line, f"This page has no part {view.frame!r} to point at.{hint}")

    def compared(self, named: Sequence[_Named]) -> Iterator[Mistake]:
        """Yield a mistake for each number that the page does not show after it has had time to."""
        if not named:
            return
        language = LANGUAGES[self.lesson.language]
        numbers, plain = ({"decimal": one.decimal, "group": one.group} for one in (language, LANGUAGES[DEFAULT]))
        triples = [[one.written, one.target, plain if one.plain else numbers] for one in named]
        wrong = self.page.evaluate(WRONG, [self.address + PROGRESS, triples])
        for _ in range(MORE // 200):
            if not wrong:
                return
            self.page.wait_for_timeout(200)
            self.page.wait_for_function(STILL)
            wrong = self.page.evaluate(WRONG, [self.address + PROGRESS, triples])
        shown = self.page.evaluate(SHOWN)
        for at, found in wrong:
            one = named[at]
            if found is None:
                says = _absent(one.target, shown)
            elif one.target.startswith('"'):
                says = f"that part says {found[:200]!r}"
            else:
                says = f"{one.target} is {found} there"
            yield self.mistake(one.line, f"The page does not show {one.written!r}: {says}.")

    def held(self, check: Condition, after: Mapping[str, Any], before: Mapping[str, Any]) -> list[bool]:
        return list(self.page.evaluate(HOLDS, [self.address + PROGRESS, check, after, before]))

    def line(self, begin: int, end: int | None, written: str, target: str) -> int:
        """Return the line of a step that names a value, or that of its title if the name spans lines."""
        for number, line in enumerate(self.lines[begin - 1 : end], begin):
            if f"{written} <{target}>" in " ".join(line.split()):
                return number
        return begin

    def mistake(self, line: int, sentence: str) -> Mistake:
        return Mistake(f"{self.lesson.name}.md", line, " ".join(sentence.split()))


def _of_components(task: Task) -> list[Sequence[str]]:
    return [one for one in task.check if "." in one[0]]


def _short(value: Any) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _absent(target: str, shown: Mapping[str, Any]) -> str:
    part = target.startswith('"')
    known = sorted(one for one in shown if one.startswith('"') is part and (part or "." in one))
    if not part:
        component = target.partition(".")[0]
        if any(one.startswith(f"{component}.") for one in known):
            return f"{target} has no value there"
        known = sorted({one.partition(".")[0] for one in known})
        return f"there is no {component} on it. {closest(component, known).rstrip('.')}"
    return f"there is no part {target} on it"


@contextmanager
def _browser() -> Iterator[Any]:
    try:
        from playwright.sync_api import Error, sync_playwright
    except ImportError as error:
        raise NoBrowser(INSTALL) from error
    named = [os.environ.get("CHROMIUM"), *map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))]
    ways: list[dict[str, Any]] = [{"executable_path": one} for one in named if one]
    ways += [{}, {"channel": "chrome"}, {"channel": "msedge"}]
    alone = ["--no-sandbox"] if os.name == "posix" and os.geteuid() == 0 else []
    with sync_playwright() as playwright:
        for way in ways:
            try:
                browser = playwright.chromium.launch(args=alone, **way)
            except Error:
                continue
            try:
                yield browser
            finally:
                browser.close()
            return
    raise NoBrowser(INSTALL)


@contextmanager
def _running(folder: Path) -> Iterator[str]:
    """Run the app with only a folder of lessons, and yield its address."""
    with (
        tempfile.TemporaryFile() as log,
        start.beside({VARIABLE: str(folder.resolve()), ALONE: "yes"}, output=log) as (address, process),
    ):
        if process.poll() is not None:
            log.seek(0)
            said = log.read()[-300:].decode(errors="replace")
            raise BadInput(f"The app could not be started to try the lessons: {said}")
        yield address
