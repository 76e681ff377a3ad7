"""The folder of a teacher's own lessons, which is named when the app is started. Does not import the parser."""

import os
from collections.abc import Sequence
from pathlib import Path

from attnviz.errors import BadInput

VARIABLE = "ATTNVIZ_LESSONS"
"""The environment variable that names the folder."""

ALONE = "ATTNVIZ_LESSONS_ALONE"
"""The environment variable that is "yes" if only the teacher's lessons are offered, and not ours."""

FLAG = "--lessons"
"""The option of the command: `streamlit run app.py -- --lessons FOLDER`."""


def of_teacher() -> Path | None:
    """Return the folder named by the environment, or None."""
    named = os.environ.get(VARIABLE)
    return Path(named) if named else None


def alone() -> bool:
    """Return whether the teacher's lessons replace ours."""
    return os.environ.get(ALONE) == "yes"


def take_flag(words: Sequence[str]) -> None:
    """Take the teacher's folder from the app's command-line arguments, if they name one, and set the environment
    variable to it.
    """
    for number, word in enumerate(words):
        flag, equals, named = word.partition("=")
        if flag != FLAG:
            continue
        if not equals:
            named = next(iter(words[number + 1 :]), "")
        os.environ[VARIABLE] = folder(named)


def folder(named: str) -> str:
    """Return the name of a folder; BadInput: it is not a folder."""
    if not named or not Path(named).is_dir():
        raise BadInput(f"{FLAG} needs a folder of lessons, and {named!r} is not a folder: {FLAG} FOLDER.")
    return named
