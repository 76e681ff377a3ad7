"""The folder of a teacher's own lessons, which is named when the app is started. Importing this costs no parser."""

import os
from collections.abc import Sequence
from pathlib import Path

from attnviz.errors import BadInput

VARIABLE = "ATTNVIZ_LESSONS"
"""The environment variable that names the folder."""

ALONE = "ATTNVIZ_LESSONS_ALONE"
"""The environment variable that is "yes" where only the teacher's lessons are offered, and none of ours."""

FLAG = "--lessons"
"""What names it in the command: `streamlit run app.py -- --lessons FOLDER`."""


def of_teacher() -> Path | None:
    """Return the folder that the environment names; None where it names none."""
    named = os.environ.get(VARIABLE)
    return Path(named) if named else None


def alone() -> bool:
    """Return whether the teacher's lessons stand instead of ours, and not beside them."""
    return os.environ.get(ALONE) == "yes"


def take_flag(words: Sequence[str]) -> None:
    """Take the teacher's folder from the words with which the app was started, if they name one: it is put into the
    environment, in place of what that says.
    """
    for number, word in enumerate(words):
        flag, equals, named = word.partition("=")
        if flag != FLAG:
            continue
        if not equals:
            named = next(iter(words[number + 1 :]), "")
        os.environ[VARIABLE] = folder(named)


def folder(named: str) -> str:
    """Return the name of a folder; BadInput where it names none."""
    if not named or not Path(named).is_dir():
        raise BadInput(f"{FLAG} names a folder of lessons, and {named!r} is none: {FLAG} FOLDER.")
    return named
