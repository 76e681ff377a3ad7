"""`python -m attnviz lessons check FOLDER`: says all mistakes of a folder of lessons."""

from collections.abc import Iterator
from pathlib import Path

from attnviz.errors import BadInput
from attnviz.lessons.folder import Folder
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
            yield f"{name}: {one.lesson.title}, {len(one.lesson.steps)} steps, {tasks} tasks."
        yield from map(str, one.mistakes)
    count = sum(len(one.mistakes) for one in found.values())
    if count:
        raise BadInput(f"{count} {'mistake has' if count == 1 else 'mistakes have'} to be corrected.")
