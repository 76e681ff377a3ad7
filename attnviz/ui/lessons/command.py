"""`python -m attnviz lessons`: lists lessons, checks a folder of them for mistakes, plays it, or prints them."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from attnviz import files
from attnviz.errors import BadInput, UnknownName
from attnviz.formatting import counted
from attnviz.lessons import Lesson, Mistake
from attnviz.lessons.folder import Folder
from attnviz.lessons.teacher import ALONE, VARIABLE
from attnviz.ui.lessons import in_browser, shelf, tried
from attnviz.ui.lessons.shelf import known


def listed(folder: str | None) -> Iterator[dict[str, Any]]:
    """Yield the list entry of each lesson, in a folder or in the app: `name`, `line`, `title` and `steps`."""
    found = shelf.found() if folder is None else Folder(Path(folder), known()).read()
    for name, one in found.items():
        if one.lesson is None:
            line = " ".join(map(str, one.mistakes))
            yield {"name": name, "line": line, "error": line}
            continue
        its = one.lesson
        line = f"{its.title} ({counted(len(its.steps), 'step')})"
        yield {"name": name, "line": line, "title": its.title, "steps": len(its.steps)}


def check(folder: str) -> Iterator[str]:
    """Yield a line on the contents or each mistake of a folder's lessons; mistakes end in BadInput."""
    found = Folder(Path(folder), known()).read()
    if not found:
        raise BadInput(f"There is no lesson in {folder!r}: lessons are files NAME.md.")
    count = 0
    titles: dict[str, str] = {}
    left: dict[str, tuple[Lesson, set[int]]] = {}
    for name, one in found.items():
        mistakes = [*one.mistakes, *(tried.mistakes(one.lesson) if one.lesson else ())]
        if one.lesson and (other := titles.setdefault(one.lesson.title.casefold(), name)) != name:
            sentence = f"Each lesson needs its own title, but {one.lesson.title[:60]!r} is that of {other}.md."
            mistakes.insert(0, Mistake(f"{name}.md", 1, sentence))
        count += len(mistakes)
        if one.lesson:
            tasks = sum(step.task is not None for step in one.lesson.steps)
            yield f"{name}: {one.lesson.title}, {counted(len(one.lesson.steps), 'step')}, {counted(tasks, 'task')}."
            if in_browser.needed(one.lesson):
                left[name] = one.lesson, {mistake.line for mistake in mistakes}
        yield from map(str, mistakes)
    if left:
        try:
            for more in in_browser.mistakes(Path(folder), left):
                count += len(more)
                yield from map(str, more)
        except in_browser.NoBrowser as error:
            yield (
                "The numbers in the text, conditions on values of components, and their fields in views were not "
                f"checked in {counted(len(left), 'lesson')}, which needs a browser. To check them, {error}."
            )
    if count:
        raise BadInput(f"{count} {'mistake has' if count == 1 else 'mistakes have'} to be corrected.")


def print_out(words: Sequence[str], address: str = "") -> Iterator[str]:
    """Write handouts, whose links begin with an address, and yield a line with the path of each.

    `words` are the name of a lesson, ours or from the teacher's folder, and the output folder, or only one of the two:
    by default all lessons, and the current folder. A single word that names a lesson is taken as one.
    """
    if address and not re.fullmatch(r"https?://[^\s/?#]+[^\s?#]*", address):
        raise BadInput(f"An address is such as http://192.168.1.5:8501, not {address!r}.")
    lessons = shelf.lessons()
    *named, to = words if len(words) == 2 or words[0] not in lessons else [words[0], "."]
    if named and named[0] not in lessons:
        raise UnknownName("lesson", named[0], lessons)
    for one in named or lessons:
        file = Path(to) / f"{one}.html"
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            files.write(file, shelf.handout(lessons[one], address))
        except OSError as error:
            raise BadInput(f"The handout {str(file)!r} cannot be written: {files.reason(error)}.") from error
        yield f"{lessons[one].title}: {file}"


def chosen(folder: str, alone: bool = False) -> dict[str, str]:
    """Return the environment variables with which the app shows a folder of lessons, with ours or alone."""
    found = Folder(Path(folder), known()).read()
    if not found:
        raise BadInput(f"There is no lesson in {folder!r}: lessons are files NAME.md.")
    return {VARIABLE: str(Path(folder).resolve()), ALONE: "yes" if alone else ""}
