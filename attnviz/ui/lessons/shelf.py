"""All lessons, ours and a teacher's own, and the names that they may use. A changed file is read again."""

from functools import lru_cache
from importlib import import_module
from pathlib import Path

from attnviz.lessons import Known, Lesson
from attnviz.lessons import handout as handouts
from attnviz.lessons.folder import Folder, Found, ours, pictures
from attnviz.lessons.teacher import alone, of_teacher
from attnviz.ui.components.component import SHARED
from attnviz.ui.mechanisms import MECHANISMS
from attnviz.ui.shared import glossary

OTHERS = {
    "": ("Home", "home.py"),
    "draw": ("Draw", "05_draw.py"),
    "explorer": ("Explorer", "00_explorer.py"),
    "train": ("Train", "80_train.py"),
    "results": ("Results", "85_results.py"),
}
"""The pages that belong to no mechanism, by the last part of their URL: title and file."""


@lru_cache(maxsize=1)
def known() -> Known:
    """Return the names that a lesson may use; the first call imports the components' modules, which takes a moment."""
    pages = {url: title for url, (title, _) in OTHERS.items()}
    pages |= {row.url: row.title for row in MECHANISMS.values()}
    pages |= {one.url: one.title for row in MECHANISMS.values() for one in row.further}
    names = [*SHARED, *(name for row in MECHANISMS.values() for name in row.components if "." not in name)]
    declared = {name: getattr(import_module(f"attnviz.ui.components.{name}"), "DECLARED", None) for name in names}
    listed = {name: values for name, values in declared.items() if values is not None}
    return Known(pages, glossary.anchor, listed)


def file_of(page: str) -> str:
    """Return the file of a page that a lesson may name."""
    if page in OTHERS:
        return OTHERS[page][1]
    files = {one.url: one.page for row in MECHANISMS.values() for one in row.further}
    return {**{row.url: row.page for row in MECHANISMS.values()}, **files}[page]


def found() -> dict[str, Found]:
    """Return name -> lesson file, in order; a teacher's files replace ours of the same name, or all of ours."""
    teacher = of_teacher()
    own = _folder(teacher).read() if teacher else {}
    both = own if teacher and alone() else {**_folder(ours()).read(), **own}
    return dict(sorted(both.items(), key=lambda one: (one[1].lesson.order if one[1].lesson else 0, one[0])))


def find(name: str) -> Found | None:
    """Return the file of a lesson, or None if there is no lesson of that name."""
    return found().get(name)


def lessons() -> dict[str, Lesson]:
    """Return the lessons without mistakes, by name."""
    return {name: one.lesson for name, one in found().items() if one.lesson}


def handout(lesson: Lesson, address: str = "") -> str:
    """Return a lesson as HTML to print, with the pictures in its folder."""
    teacher = of_teacher()
    folder = teacher if teacher and lesson.name in _folder(teacher).read() else ours()
    return handouts.handout(lesson, pictures(folder, lesson), address)


@lru_cache(maxsize=8)
def _folder(path: Path) -> Folder:
    return Folder(path, known())
