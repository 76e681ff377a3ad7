"""All lessons: ours, and those of the teacher's folder. A file that has changed is read again."""

from functools import lru_cache
from pathlib import Path

from attnviz.lessons import Lesson
from attnviz.lessons import handout as handouts
from attnviz.lessons.folder import Folder, Found, ours, pictures
from attnviz.lessons.teacher import alone, of_teacher
from attnviz.ui.lessons.known import known


def found() -> dict[str, Found]:
    """Return name -> a file of a lesson, in their order; a teacher's replaces one of ours that has its name, or all."""
    teacher = of_teacher()
    own = _folder(teacher).read() if teacher else {}
    both = own if teacher and alone() else {**_folder(ours()).read(), **own}
    return dict(sorted(both.items(), key=lambda one: (one[1].lesson.order if one[1].lesson else 0, one[0])))


def find(name: str) -> Found | None:
    """Return the file of a lesson; None where there is none of that name."""
    return found().get(name)


def lessons() -> dict[str, Lesson]:
    """Return the lessons without mistakes, by name."""
    return {name: one.lesson for name, one in found().items() if one.lesson}


def handout(lesson: Lesson, address: str = "") -> str:
    """Return a lesson as HTML to print, with the pictures that lie beside it."""
    teacher = of_teacher()
    folder = teacher if teacher and lesson.name in _folder(teacher).read() else ours()
    return handouts.handout(lesson, pictures(folder, lesson), address)


@lru_cache(maxsize=8)
def _folder(path: Path) -> Folder:
    return Folder(path, known())
