"""`python -m attnviz lessons`: says all mistakes of a folder of lessons, or writes lessons as files to print."""

from collections.abc import Iterator
from pathlib import Path

from attnviz import files
from attnviz.errors import BadInput, UnknownName
from attnviz.formatting import counted
from attnviz.lessons.folder import Folder
from attnviz.ui.lessons import shelf
from attnviz.ui.lessons.known import known


def check(folder: str) -> Iterator[str]:
    """Yield a line for each lesson: what it has, or each of its mistakes.

    Args:
        folder: of the lessons.

    Raises:
        BadInput: the folder cannot be read or has no lesson; or, at the end, a lesson has mistakes.
    """
    found = Folder(Path(folder), known()).read()
    if not found:
        raise BadInput(f"There is no lesson in {folder!r}: lessons are files NAME.md.")
    for name, one in found.items():
        if one.lesson:
            tasks = sum(step.task is not None for step in one.lesson.steps)
            yield f"{name}: {one.lesson.title}, {counted(len(one.lesson.steps), 'step')}, {counted(tasks, 'task')}."
        yield from map(str, one.mistakes)
    count = sum(len(one.mistakes) for one in found.values())
    if count:
        raise BadInput(f"{count} {'mistake has' if count == 1 else 'mistakes have'} to be corrected.")


def print_out(name: str | None, to: Path) -> Iterator[str]:
    """Write handouts, and yield a line for each: where it is.

    Args:
        name: of a lesson, ours or of the teacher's folder; None for all of them.
        to: the folder that they are written into; it is made if it is not there.

    Raises:
        BadInput: a file cannot be written.
        UnknownName: there is no such lesson.
    """
    lessons = shelf.lessons()
    if name is not None and name not in lessons:
        raise UnknownName("lesson", name, lessons)
    for one in lessons if name is None else [name]:
        file = to / f"{one}.html"
        try:
            to.mkdir(parents=True, exist_ok=True)
            files.write(file, shelf.handout(lessons[one]))
        except OSError as error:
            raise BadInput(f"The handout {str(file)!r} cannot be written: {files.reason(error)}.") from error
        yield f"{lessons[one].title}: {file}"
